// The Gini criterion, which splits of a node tree reduce.
//
// A criterion computes the impurity of a set of rows, and evaluates the two sides of a cut
// twice: `screened` in single precision, for all cuts, many at a time; and `compared`
// exactly, as a fraction, for the few cuts that may be the best. The former may be off by
// DOUBT units in the last place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace hilabel {

constexpr std::int32_t DOUBT = 40;

// The weight of some rows, and of those in class 1. Both stay below 2**31.
struct ClassWeights {
    std::int32_t weight = 0, positive = 0;

    ClassWeights operator+(ClassWeights more) const {
        return {weight + more.weight, positive + more.positive};
    }
    ClassWeights operator-(ClassWeights less) const {
        return {weight - less.weight, positive - less.positive};
    }
};

struct Fraction {
    double top, bottom;
};

struct Gini {
    // Half the Gini impurity times the weight.
    static double of(ClassWeights rows) {
        const double weight = rows.weight, positive = rows.positive;
        return positive * (weight - positive) / weight;
    }

    // Infinite if a side is empty. All terms are positive, and differences are between
    // integers, so a value is off by at most a few rounding errors.
    static float screened(ClassWeights left, ClassWeights total) {
        const ClassWeights right = total - left;
        const float w = static_cast<float>(left.weight), v = static_cast<float>(right.weight);
        const float top = static_cast<float>(left.positive) *
                              static_cast<float>(left.weight - left.positive) * v +
                          static_cast<float>(right.positive) *
                              static_cast<float>(right.weight - right.positive) * w;
        const float bottom = w * v;
        const float value = top / std::max(bottom, 1.0f);
        return bottom > 0 ? value : std::numeric_limits<float>::infinity();
    }

    static Fraction compared(ClassWeights left, ClassWeights total) {
        const double w = left.weight, p = left.positive;
        const double v = total.weight - w, q = total.positive - p;
        return {p * (w - p) * v + q * (v - q) * w, w * v};
    }
};

}  // namespace hilabel
