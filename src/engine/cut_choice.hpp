// Choose the cut of one feature in a node of a binary tree: the best, or a random one.
#pragma once

#include "cut_screen.hpp"

namespace hilabel {

struct NodeSplit {
    double impurity = std::numeric_limits<double>::infinity();  // of both sides
    std::int32_t feature = -1;
    Cut cut;
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

// The cut with the lowest impurity of a screened feature. `limit` has the bits of the
// highest value worth checking. Among equal cuts, missing values on the right come first,
// then low cuts.
template <class Rule>
NodeSplit best_cut(const SearchRows& node, const ScreenedFeature& at, FloatBits limit) {
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
        for (std::size_t first = 0; first < node.n_cuts(); first += STEP) {
            const FloatBits* bits = at.bits[side] + first;
            if (!any(load<Values>(bits) <= limits)) continue;  // most of them
            for (std::size_t i = 0; i < STEP; ++i)
                if (bits[i] <= limit) compare(side, first + i);
        }
    if (best_code < 0) return {};
    const Code above = code_above(at.codes.data(), node.size(), static_cast<Code>(best_code));
    const Cut cut{cut_between(best_code, above), at.range.has_missing() ? best_side : -1};
    return {best.top / best.bottom, at.feature, cut};
}

template <class Rule>
NodeSplit drawn_cut(const SearchRows& node, const ScreenedFeature& at, std::size_t least,
                    RandomStream& stream) {
    const Code* codes = at.codes.data();
    NodeSplit split;
    split.feature = at.feature;
    split.cut = draw_cut(codes, node.size(), at.range, stream);
    std::size_t n_left = 0;
    const ClassWeights left = node.sum_where([&, cut = split.cut](std::size_t i) {
        const bool goes_left = cut.sends_left(codes[i]);
        n_left += goes_left;
        return goes_left;
    });
    if (n_left >= least && n_left + least <= node.size())
        split.impurity = Rule::of(left) + Rule::of(node.total - left);
    return split;
}

}  // namespace hilabel
