// The Gini criterion: what a split of a node tree lowers.
//
// A criterion tells the impurity of a set of rows, and judges the two sides of a cut twice:
// `screened` in single precision, for all cuts, many at a time; and `compared` exactly, as
// a fraction, for the few cuts that may be the best. What the first says may be wrong by
// DOUBT units in the last place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace hilabel {

constexpr std::int32_t DOUBT = 40;

// The weight of some rows, and its part in class 1. Both stay below 2**31.
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

    // Infinite if a side is empty. All that is added is positive, and differences are
    // taken of integers, so that a value is wrong by a few roundings at most.
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
