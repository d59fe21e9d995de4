// Feature values as targets of a semi-supervised tree.
#pragma once

#include "side_sums.hpp"

namespace hilabel {

// Features without missing values.
class ValueSums {
public:
    explicit ValueSums(const ValueTargets& targets)
        : targets_(targets), norm_(targets.features.n_rows()), sums_(targets.n_features) {
        std::size_t at = 0;
        for (std::size_t row = 0; row < norm_.size(); ++row)
            for (; at < std::size_t(targets.features.ptr[row + 1]); ++at)
                norm_[row] += targets.value[at] * targets.value[at];
    }

    // Set the sums of a node, except weights; return its spread.
    double sum_up(const NodeRows& node, PartSums& part) {
        start(node);
        for (std::size_t i = 0; i < node.size(); ++i) pass(i);
        double spread = part.squares = 0;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const double weight = node.weights[i], norm = norm_[node.rows[i]];
            part.own[i] = weight * weight * norm;
            part.cross[i] = weight * walk<false>(node.rows[i], 0.0);
            part.squares += part.cross[i];
            spread += weight * norm;
        }
        return spread;
    }

    // For sum_sides: start with no row on the other side.
    void start(const NodeRows& node) {
        node_ = node;
        sums_.fill(0.0);
    }

    double pass(std::size_t i) {
        const double weight = node_.weights.data()[i];
        return weight * walk<true>(node_.rows.data()[i], weight);
    }

private:
    // Multiply the values of a row with the sums, and optionally add them afterwards.
    template <bool ADDS>
    double walk(std::size_t row, double weight) {
        const Labels features = targets_.features.of(row);
        const double* value = targets_.value.data() + targets_.features.ptr[row];
        double *sums = sums_.data(), rest = 0;
        const std::size_t n = features.size(), whole = n == sums_.size() ? n / 8 * 8 : 0;
        Four total[2] = {};
        for (std::size_t first = 0; first < whole; first += 8) {  // no zeros left out
            HILABEL_UNROLLED
            for (std::size_t half = 0; half < 2; ++half) {
                const std::size_t at = first + 4 * half;
                const Four one = load<Four>(value + at), before = load<Four>(sums + at);
                total[half] = total[half] + one * before;
                if (ADDS) store(before + everywhere<Four>(weight) * one, sums + at);
            }
        }
        for (std::size_t at = whole; at < n; ++at) {
            double& sum = sums[features.data()[at]];
            rest += value[at] * sum;
            if (ADDS) sum += weight * value[at];
        }
        return sum_of(total[0] + total[1]) + rest;
    }

    ValueTargets targets_;
    Buffer<double> norm_;  // by row, the sum of its squares
    Buffer<double> sums_;  // by feature, over the rows on the other side
    NodeRows node_;
};

// Features with missing values: each has its own weight in every node and on every side.
class GappySums {
public:
    explicit GappySums(const GappyTargets& targets)
        : targets_(targets),
          all_(targets.n_features()),
          side_(targets.n_features()),
          before_(targets.n_features()),
          gained_(targets.n_features()) {}

    // Sum over a node; return its impurity.
    double sum_up(const NodeRows& node) {
        all_.clear();
        double impurity = 0;
        for (std::size_t i = 0; i < node.size(); ++i) {
            for (double value : targets_.value.row(node.rows[i]))
                impurity += node.weights[i] * value * value;
            all_.add(targets_, node.rows[i], node.weights[i]);
        }
        for (std::size_t feature = 0; feature < before_.size(); ++feature) {
            const double sum = all_.sum[feature], weight = all_.weight[feature];
            before_[feature] = weight > 0 ? sum * sum / weight : 0.0;
            impurity -= before_[feature];
        }
        return impurity;
    }

    // Add the gains of the cuts; O(rows times features).
    void add_gains(const NodeRows& node, const Cuts& cuts, double* gain) {
        side_.clear();
        for (std::size_t k = 0; k < cuts.moved.size(); ++k) {
            const std::size_t i = cuts.moved[k];
            side_.add(targets_, node.rows[i], node.weights[i]);
            if (!cuts.at(k)) continue;
            find_gains();
            for (std::size_t feature = 0; feature < gained_.size(); ++feature)
                gain[k] += gained_[feature];
        }
    }

private:
    struct Sums {  // by feature, of values and of the rows that know them
        Buffer<double> sum, weight;

        explicit Sums(std::size_t n_features) : sum(n_features), weight(n_features) {}

        void clear() { sum.fill(0.0), weight.fill(0.0); }
        void add(const GappyTargets& targets, std::size_t row, double row_weight) {
            const double* HILABEL_RESTRICT value = targets.value.row(row).data();
            const double* HILABEL_RESTRICT known = targets.known.row(row).data();
            double* HILABEL_RESTRICT sums = sum.data();
            double* HILABEL_RESTRICT weights = weight.data();
            for (std::size_t feature = 0; feature < sum.size(); ++feature) {
                sums[feature] += row_weight * value[feature];
                weights[feature] += row_weight * known[feature];
            }
        }
    };

    // Set the gain of each feature. A side without known values has no spread.
    void find_gains() {
        const double *all = all_.sum.data(), *all_weight = all_.weight.data();
        const double *sum = side_.sum.data(), *weight = side_.weight.data();
        const double* before = before_.data();
        double* HILABEL_RESTRICT gained = gained_.data();
        for (std::size_t i = 0; i < gained_.size(); ++i) {
            const bool is_split = (weight[i] > 0.0) & (weight[i] < all_weight[i]);
            const double here = is_split ? weight[i] : 1.0;
            const double there = is_split ? all_weight[i] - weight[i] : 1.0;
            const double squares = sum[i] * sum[i];
            const double others = all[i] * all[i] - 2.0 * (sum[i] * all[i]) + squares;
            gained[i] = is_split ? squares / here + others / there - before[i] : 0.0;
        }
    }

    GappyTargets targets_;
    Sums all_, side_;
    Buffer<double> before_, gained_;  // by feature: squares over weight, and gain of a cut
};

}  // namespace hilabel
