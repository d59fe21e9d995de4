// Choose the cut of one feature in a node of a tree of 0 and 1: the best, or one drawn.
#pragma once

#include <limits>

#include "cut_screen.hpp"
#include "random_stream.hpp"

namespace hilabel {

struct NodeSplit {
    double impurity = std::numeric_limits<double>::infinity();  // of both sides
    std::int32_t feature = -1;
    std::int32_t cut = 0;            // the highest code that goes left
    std::int32_t missing_left = -1;  // 1 or 0; -1 where no row has a missing value
};

// The lowest code above `low`, 255 if there is none.
inline Code code_above(const Code* codes, std::size_t n, Code low) {
    const auto lows = everywhere<CodeLanes>(low);
    auto lowest = everywhere<CodeLanes>(MISSING);
    for (std::size_t first = 0; first < n; first += LANES) {
        const auto here = load<CodeLanes>(codes + first);
        const auto above = here | (CodeLanes)(here <= lows);  // 255 where it is not above
        lowest = lowest ^ ((lowest ^ above) & (CodeLanes)(above <= lowest));
    }
    Code lanes[LANES];
    store(lowest, lanes);
    return *std::min_element(lanes, lanes + LANES);
}

// The cut of least impurity of a feature that was screened. `limit` are the bits of the
// highest value that deserves a look. Of equal cuts, missing values on the right come
// first, then low ones. A cut stands half-way between two bins that hold rows, or beyond
// them all, where it parts missing values from the others.
template <class Rule>
NodeSplit best_cut(const SearchRows& node, const ScreenedFeature& at, FloatBits limit) {
    const std::size_t n_cuts = node.is_paired ? in_lanes(node.size()) : N_BINS;
    limit = std::min(limit, GREATEST_FINITE);
    Fraction best{std::numeric_limits<double>::infinity(), 1.0};
    int best_code = -1, best_side = 0;
    auto compare = [&](int side, std::size_t cut) {
        const int code = node.is_paired ? at.codes[cut] : exchanged(static_cast<Code>(cut));
        const ClassWeights left{at.weight[cut], at.positive[cut]};
        const Fraction found = Rule::compared(side == 1 ? left + at.missing : left, node.total);
        const double ours = found.top * best.bottom, theirs = best.top * found.bottom;
        const bool is_first = side == best_side && code < best_code;
        if (ours < theirs || (ours == theirs && is_first))
            best = found, best_code = code, best_side = side;
    };
    constexpr std::size_t STEP = WIDEST / sizeof(FloatBits);
    using Values = Lanes<FloatBits, STEP>;
    const auto limits = everywhere<Values>(limit);
    for (int side = 0; side < at.n_sides(); ++side)
        for (std::size_t first = 0; first < n_cuts; first += STEP) {
            const FloatBits* bits = at.bits[side] + first;
            if (!any(load<Values>(bits) <= limits)) continue;  // most of them
            for (std::size_t i = 0; i < STEP; ++i)
                if (bits[i] <= limit) compare(side, first + i);
        }
    if (best_code < 0) return {};
    const Code above = code_above(at.codes.data(), node.size(), static_cast<Code>(best_code));
    const int cut = above == MISSING ? MISSING - 1 : (best_code + above) / 2;
    return {best.top / best.bottom, at.feature, cut, at.has_missing ? best_side : -1};
}

// A cut drawn from the lowest bin on, below the highest, as extra-trees do. Missing
// values go to a side drawn too.
template <class Rule>
NodeSplit drawn_cut(const SearchRows& node, const ScreenedFeature& at, std::size_t least,
                    RandomStream& stream) {
    const Code* codes = at.codes.data();
    Code lowest = MISSING, highest = 0;
    for (std::size_t i = 0; i < node.size(); ++i) {
        lowest = std::min(lowest, codes[i]);
        highest = std::max(highest, codes[i] == MISSING ? Code(0) : codes[i]);
    }
    NodeSplit split{std::numeric_limits<double>::infinity(), at.feature, lowest, 0};
    if (highest > lowest) {  // one bin and missing values leave no choice
        split.cut += stream.below(highest - lowest);
        if (at.has_missing) split.missing_left = stream.below(2);
    }
    std::size_t n_left = 0;
    const ClassWeights left = node.sum_where([&](std::size_t i) {
        const bool goes_left =
            codes[i] == MISSING ? split.missing_left == 1 : codes[i] <= split.cut;
        n_left += goes_left;
        return goes_left;
    });
    if (!at.has_missing) split.missing_left = -1;
    if (n_left >= least && n_left + least <= node.size())
        split.impurity = Rule::of(left) + Rule::of(node.total - left);
    return split;
}

}  // namespace hilabel
