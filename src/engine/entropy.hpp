// The entropy criterion; see gini.hpp for the interface of criteria.
#pragma once

#include <cmath>

#include "gini.hpp"

namespace hilabel {

struct Entropy {
    // Half the entropy, in bits, times the weight.
    static double of(ClassWeights rows) {
        const auto bits = [&](double part) {
            return part > 0 ? part * std::log2(rows.weight / part) : 0.0;
        };
        return 0.5 * (bits(rows.positive) + bits(rows.weight - rows.positive));
    }

    // Rounding to single precision preserves the order of values.
    static float screened(ClassWeights left, ClassWeights total) {
        const bool is_split = left.weight > 0 && left.weight < total.weight;
        return is_split ? static_cast<float>(compared(left, total).top)
                        : std::numeric_limits<float>::infinity();
    }

    static Fraction compared(ClassWeights left, ClassWeights total) {
        return {of(left) + of(total - left), 1.0};
    }
};

}  // namespace hilabel
