// Losses of linear models, as steps in the dual variable of a single row.
//
// A model minimises |w|^2 / 2 + sum of cost * loss(margin), where the margin of a row is its
// score, negated if the row lacks the node. Then w is the sum of dual * sign * row.
#pragma once

#include <algorithm>
#include <cmath>

namespace hilabel {

struct DualStep {
    double dual;       // its new value
    double violation;  // how far the row was from its optimum; 0 at the optimum
};

// log(1 + exp(-margin)). At the optimum, dual = cost * sigmoid(logit) with logit = -margin.
class LogisticLoss {
public:
    static constexpr bool HAS_ZEROS = false;  // duals stay above zero
    static double of(double margin) {
        return std::log1p(std::exp(-std::abs(margin))) + std::max(-margin, 0.0);
    }
    // The least mean loss of a constant score, if this share of the rows has the node.
    static double of_constant(double share) {
        const double other = 1 - share;
        return share > 0 && other > 0 ? -share * std::log(share) - other * std::log(other) : 0;
    }
    static double curvature(double margin) {
        const double small = std::exp(-std::abs(margin));
        return small / ((1 + small) * (1 + small));
    }

    // Find the logit with length * (cost * sigmoid(logit) - dual) + margin + logit = 0, which
    // is increasing in the logit: Newton's method, kept between two bounds.
    static DualStep step(double dual, double margin, double length, double cost) {
        double low = -margin - length * (cost - dual), high = -margin + length * dual;
        // A row that was not used yet is as far from its optimum as possible.
        const double before = dual > 0 ? std::log(dual / (cost - dual)) : low;
        double logit = dual > 0 ? std::min(std::max(before, low), high) : (low + high) / 2;
        for (int round = 0; round < MAX_ROUNDS; ++round) {
            const double share = 1 / (1 + std::exp(-logit));
            const double excess = length * (cost * share - dual) + margin + logit;
            if (std::abs(excess) < CLOSE) break;
            (excess > 0 ? high : low) = logit;
            logit -= excess / (1 + length * cost * share * (1 - share));
            if (!(logit > low && logit < high)) logit = (low + high) / 2;
        }
        const double found = cost / (1 + std::exp(-logit));
        // Next to 0 or to the cost, rounding would make the logit infinite.
        const double margin_of_dual = 1e-12 * cost;
        return {std::min(std::max(found, margin_of_dual), cost - margin_of_dual),
                std::abs(before + margin)};
    }

private:
    static constexpr int MAX_ROUNDS = 30;
    static constexpr double CLOSE = 1e-6;
};

// max(0, 1 - margin)^2. At the optimum, dual = 2 * cost * max(0, 1 - margin).
class SquaredHingeLoss {
public:
    static constexpr bool HAS_ZEROS = true;
    static double of(double margin) {
        const double missing = std::max(1 - margin, 0.0);
        return missing * missing;
    }
    static double of_constant(double share) { return 4 * share * (1 - share); }
    static double curvature(double margin) { return margin < 1 ? 2 : 0; }

    static DualStep step(double dual, double margin, double length, double cost) {
        const double slack = 1 / (2 * cost);
        const double slope = margin - 1 + dual * slack;
        const double violation = dual > 0 ? std::abs(slope) : std::max(-slope, 0.0);
        return {std::max(dual - slope / (length + slack), 0.0), violation};
    }
};

}  // namespace hilabel
