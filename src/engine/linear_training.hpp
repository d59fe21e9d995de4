// Training of one linear model by coordinate descent in its dual (Hsieh and others, 2008;
// Yu, Huang and Lin, 2011).
#pragma once

#include <cmath>
#include <utility>

#include "linear_losses.hpp"
#include "linear_rows.hpp"
#include "random_stream.hpp"

namespace hilabel {

struct LinearSettings {
    double cost;
    double tolerance;  // the largest violation at which training stops
    int max_passes;
    double pruning;  // share of the objective that may be lost with small weights
};

// A row with a smaller cost is left out, and a larger cost is lowered, so that no sum is
// lost in rounding or infinite.
constexpr double LEAST_COST = 1e-100, LARGEST_COST = 1e30;

// The rows that a model learns from.
struct LinearExamples {
    Numbers rows;
    Span<const std::uint8_t> positive;
    Span<const double> weight;  // of each row; empty if all are 1

    std::size_t size() const { return rows.size(); }
    double sign(std::size_t at) const { return positive[at] ? 1 : -1; }
    double cost(std::size_t at, double cost) const {
        return weight.empty() ? cost : std::min(cost * weight[rows[at]], LARGEST_COST);
    }
};

// Descend from the given duals, one for each example, to which the weights belong. The
// squared lengths of all rows are known.
template <class Loss, class Rows>
void descend(const Rows& rows, Span<const double> lengths, const LinearExamples& examples,
             const LinearSettings& settings, RandomStream random, Span<double> duals,
             Span<double> weights) {
    Buffer<std::int32_t> order(examples.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
    std::size_t n_active = order.size();
    double worst_before = INFINITY;
    for (int pass = 0; pass < settings.max_passes; ++pass) {
        double worst = 0;
        for (std::size_t at = 0; at < n_active;) {
            // Shuffled on the way: each place draws one of those behind it.
            const std::size_t drawn = at + random.below(static_cast<std::uint32_t>(n_active - at));
            std::swap(order[at], order[drawn]);
            const std::size_t example = order[at++];
            const std::int32_t row = examples.rows[example];
            const double cost = examples.cost(example, settings.cost);
            if (cost < LEAST_COST) continue;
            const double sign = examples.sign(example);
            const double margin = sign * rows.product(row, weights);
            double& dual = duals[example];
            // A row far beyond the margin is left out until all others are at their optimum.
            if (Loss::HAS_ZEROS && dual == 0 && margin - 1 > worst_before) {
                std::swap(order[--at], order[--n_active]);
                continue;
            }
            const DualStep step = Loss::step(dual, margin, lengths[row], cost);
            worst = std::max(worst, step.violation);
            if (step.dual != dual)
                rows.add(row, sign * (step.dual - std::exchange(dual, step.dual)), weights);
        }
        if (worst > settings.tolerance) {
            worst_before = worst;
            continue;
        }
        if (n_active == order.size()) break;
        n_active = order.size();
        worst_before = INFINITY;
    }
}

}  // namespace hilabel
