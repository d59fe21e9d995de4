// Negatives that a model finds hard: rows without the node that it scores high.
#pragma once

#include <algorithm>

#include "linear_weights.hpp"

namespace hilabel {

// The rows in which each column is stored (a CSC matrix), for sparse rows.
struct ColumnLists {
    Span<const std::int64_t> ptr;
    Numbers rows;
    Span<const float> values;
};

struct MiningSettings {
    int n_rounds;
    std::size_t least;         // rows that each round adds, at most, to a node with few positives
    std::size_t per_positive;  // rows that each round adds, at most, for each positive
};

// The scores of all rows by one model.
class RowScores {
public:
    explicit RowScores(std::size_t n_rows) : scores_(n_rows), is_barred_(n_rows) {}

    // Walk through the lists of the columns that the model uses.
    void find(const ColumnLists& lists, const SparseVectors& rows, Numbers used,
              Span<const double> weights) {
        scores_.fill(static_cast<float>(weights[rows.n_columns()]));
        for (auto column : used) {
            const auto weight = static_cast<float>(weights[column]);
            if (weight == 0) continue;
            for (auto at = lists.ptr[column]; at < lists.ptr[column + 1]; ++at)
                scores_[lists.rows[at]] += weight * lists.values[at];
        }
    }
    // Dense rows have no lists.
    void find(const ColumnLists&, const DenseVectors& rows, Numbers, Span<const double> weights) {
        for (std::size_t row = 0; row < scores_.size(); ++row)
            scores_[row] = static_cast<float>(rows.product(row, weights));
    }

    // The rows above a score that are not barred, the highest first where there are more
    // than `limit`; equal scores in the order of the rows.
    void take_highest(float above, std::size_t limit, Buffer<std::int32_t>& found) const {
        found.resize(0);
        for (std::size_t row = 0; row < scores_.size(); ++row)
            if (scores_[row] > above && !is_barred_[row])
                found.push_back(static_cast<std::int32_t>(row));
        if (found.size() > limit) {
            const auto is_higher = [&](std::int32_t one, std::int32_t other) {
                const float here = scores_[one], there = scores_[other];
                return here > there || (here == there && one < other);
            };
            std::nth_element(found.data(), found.data() + limit, found.data() + found.size(),
                             is_higher);
            found.resize(limit);
        }
        std::sort(found.data(), found.data() + found.size());
    }

    void bar(Numbers rows, bool is_barred) {
        for (auto row : rows) is_barred_[row] = is_barred;
    }

private:
    Buffer<float> scores_;
    Buffer<std::uint8_t> is_barred_;
};

// Trains models, one node after the other, on given rows and on hard negatives.
template <class Loss, class Rows>
class Miner {
public:
    Miner(const Rows& rows, Span<const double> lengths, const ColumnLists& lists,
          Span<const double> weight, const LinearSettings& settings, const MiningSettings& mining)
        : rows_(rows),
          lengths_(lengths),
          lists_(lists),
          weight_(weight),
          settings_(settings),
          mining_(mining),
          model_(rows_),
          scores_(rows_.n_rows()) {}

    // A node learns from the given rows in any case, and never from the excluded ones.
    void train(std::uint64_t seed, std::uint64_t node, double bias, const LinearExamples& given,
               Numbers excluded, WeightLists& found) {
        rows_used_.resize(0), positive_.resize(0), duals_.resize(0);
        std::size_t n_positive = 0;
        for (std::size_t i = 0; i < given.size(); ++i) {
            append(given.rows[i], given.positive[i]);
            n_positive += given.positive[i] != 0;
        }
        scores_.bar(excluded, true), scores_.bar(given.rows, true);
        model_.use(given.rows);
        const std::size_t limit = std::max(mining_.least, mining_.per_positive * n_positive);
        weigh_by_mean(n_positive);
        mine(ABOVE_NOTHING, limit);
        model_.restart(bias);
        descend_in_round(seed, node, 0);
        for (int round = 1; round <= mining_.n_rounds && mine(ABOVE_MARGIN, limit); ++round)
            descend_in_round(seed, node, round);
        scores_.bar(excluded, false), scores_.bar(rows_used_, false);
        model_.template move_to<Loss>(found, examples(), settings_);
    }

private:
    // A negative below the margin does not change the weights of a squared hinge, and has
    // little influence on those of a logistic loss.
    static constexpr float ABOVE_MARGIN = -1;
    static constexpr float ABOVE_NOTHING = 0;

    LinearExamples examples() const { return {rows_used_, positive_, weight_}; }

    void append(std::int32_t row, std::uint8_t is_positive) {
        rows_used_.push_back(row), positive_.push_back(is_positive), duals_.push_back(0);
    }

    // Before training, the weights are the mean of the positives, so that scores are
    // similarities to it.
    void weigh_by_mean(std::size_t n_positive) {
        for (std::size_t i = 0; i < rows_used_.size(); ++i)
            if (positive_[i])
                rows_.add(rows_used_[i], 1 / static_cast<double>(n_positive), model_.weights());
        model_.weights()[rows_.n_columns()] = 0;
    }

    // Add the negatives with the highest scores, and return whether there are any.
    bool mine(float above, std::size_t limit) {
        scores_.find(lists_, rows_, model_.used(), model_.weights());
        scores_.take_highest(above, limit, mined_);
        for (auto row : mined_.span()) append(row, 0);
        scores_.bar(mined_, true);
        model_.use(mined_);
        return !mined_.empty();
    }

    void descend_in_round(std::uint64_t seed, std::uint64_t node, int round) {
        descend<Loss>(rows_, lengths_, examples(), settings_, RandomStream(seed, node, round),
                      duals_, model_.weights());
    }

    const Rows& rows_;
    Span<const double> lengths_;
    ColumnLists lists_;
    Span<const double> weight_;
    LinearSettings settings_;
    MiningSettings mining_;
    ModelInTraining<Rows> model_;
    RowScores scores_;
    Buffer<std::int32_t> rows_used_, mined_;
    Buffer<std::uint8_t> positive_;
    Buffer<double> duals_;
};

}  // namespace hilabel
