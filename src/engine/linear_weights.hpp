// Weights of one linear model: which columns its rows use, and which weights are kept.
#pragma once

#include <algorithm>

#include "linear_training.hpp"

namespace hilabel {

// Far beyond those of any useful model, and finite in single precision.
constexpr double LARGEST_WEIGHT = 1e30;

// Weights of one model after another: columns, values, and where each model ends.
struct WeightLists {
    Buffer<std::int64_t> ptr = Buffer<std::int64_t>(1);
    Buffer<std::int32_t> columns;
    Buffer<float> values;
    Buffer<float> biases;
};

// Memory for the weights of a model, which is cleared after use at the cost of the columns
// that were used.
template <class Rows>
class ModelInTraining {
public:
    explicit ModelInTraining(const Rows& rows)
        : rows_(rows),
          weights_(rows.n_columns() + 1),
          curvature_(rows.n_columns()),
          is_used_(rows.n_columns()) {}

    Span<double> weights() { return weights_; }

    // Begin with only a bias; the penalty is on the difference from it.
    void restart(double bias) {
        for (auto column : used()) weights_[column] = 0;
        weights_[rows_.n_columns()] = bias;
    }

    // Take note of the columns of some rows.
    void use(Numbers rows) {
        for (auto row : rows)
            rows_.each(row, [&](std::int32_t column, float) {
                if (!is_used_[column]) is_used_[column] = 1, used_.push_back(column);
            });
    }

    Numbers used() const { return used_; }

    // Append the weights that matter to the lists, and clear the memory.
    template <class Loss>
    void move_to(WeightLists& lists, const LinearExamples& examples,
                 const LinearSettings& settings) {
        const std::size_t n_kept = prune<Loss>(examples, settings);
        std::sort(used_.data(), used_.data() + n_kept);
        for (std::size_t i = 0; i < used_.size(); ++i) {
            const std::int32_t column = used_[i];
            if (i < n_kept) {
                lists.columns.push_back(column);
                lists.values.push_back(bounded(weights_[column]));
            }
            weights_[column] = curvature_[column] = is_used_[column] = 0;
        }
        used_.resize(0);
        const std::size_t bias = rows_.n_columns();
        lists.biases.push_back(bounded(weights_[bias]));
        lists.ptr.push_back(static_cast<std::int64_t>(lists.columns.size()));
        weights_[bias] = 0;
    }

private:
    static float bounded(double weight) {
        return static_cast<float>(std::min(std::max(weight, -LARGEST_WEIGHT), LARGEST_WEIGHT));
    }

    // Move the weights that are kept to the front of the columns used, and count them. A
    // weight costs the loss its curvature times its square, and its penalty: the cheapest
    // are dropped until they cost the given share of the objective, or of what the model
    // gains over a constant, if that is less.
    template <class Loss>
    std::size_t prune(const LinearExamples& examples, const LinearSettings& settings) {
        double objective = 0, total = 0, positive = 0;
        for (auto column : used()) objective += weights_[column] * weights_[column] / 2;
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const std::int32_t row = examples.rows[i];
            const double cost = examples.cost(i, settings.cost);
            const double margin = examples.sign(i) * rows_.product(row, weights_);
            objective += cost * Loss::of(margin);
            total += cost, positive += examples.positive[i] ? cost : 0;
            const double steepness = cost * Loss::curvature(margin);
            if (steepness > 0)
                rows_.each(row, [&](std::int32_t column, float value) {
                    curvature_[column] += steepness * value * value;
                });
        }
        const double constant = total > 0 ? total * Loss::of_constant(positive / total) : 0;
        const auto price = [&](std::int32_t column) {
            return (1 + curvature_[column]) * weights_[column] * weights_[column] / 2;
        };
        // The dearest first; equal prices in the order of their columns.
        std::sort(used_.data(), used_.data() + used_.size(), [&](auto one, auto other) {
            const double here = price(one), there = price(other);
            return here > there || (here == there && one < other);
        });
        double left = settings.pruning * std::min(objective, constant - objective);
        std::size_t n_kept = used_.size();
        while (n_kept > 0 && left > 0 && (left -= price(used_[n_kept - 1])) >= 0) --n_kept;
        while (n_kept > 0 && weights_[used_[n_kept - 1]] == 0) --n_kept;
        return n_kept;
    }

    const Rows& rows_;
    Buffer<double> weights_, curvature_;
    Buffer<std::uint8_t> is_used_;
    Buffer<std::int32_t> used_;
};

}  // namespace hilabel
