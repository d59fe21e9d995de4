// Screen all cuts of one feature in a node of a binary tree.
//
// Few rows are compared in pairs: sorting a dozen rows costs a mispredicted branch per row,
// but comparing all pairs needs none, and a processor compares dozens at once. More rows
// are counted in the 255 bins of the feature. In both cases, the weights to the left of
// each cut are summed, and the criterion evaluates them in single precision.
#pragma once

#include "arrays.hpp"
#include "codes.hpp"
#include "gini.hpp"

namespace hilabel {

constexpr std::size_t N_BINS = 256;
constexpr std::size_t MAX_PAIRED = 3 * WIDEST;   // rows compared in pairs at most;
constexpr std::int32_t MAX_PAIRED_WEIGHT = 255;  // their sums must fit in 8 bits

// Non-negative floats have the same order as their bits, and integers can be compared
// several at a time.
using FloatBits = std::int32_t;
constexpr FloatBits GREATEST_FINITE = 0x7F7FFFFF, NO_CUT = 0x7FFFFFFF;

inline FloatBits bits_of(float value) {
    FloatBits bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// The rows of a tree node, class 1 first.
struct SearchRows {
    Span<const std::int32_t> rows, weights, ones;  // ones: to count rows
    std::size_t n_positive = 0;                    // rows of class 1
    std::size_t start = 0;                         // where the rows stand in the tree
    ClassWeights total;
    bool is_paired = false;
    alignas(64) std::uint8_t light[MAX_PAIRED];  // the weights again, if paired
    alignas(64) std::uint8_t light_ones[MAX_PAIRED];

    SearchRows() { std::fill(light_ones, light_ones + MAX_PAIRED, std::uint8_t(1)); }

    std::size_t size() const { return rows.size(); }
    std::size_t n_cuts() const { return is_paired ? in_lanes(size()) : N_BINS; }

    void lay_out() {
        is_paired = size() <= MAX_PAIRED && total.weight <= MAX_PAIRED_WEIGHT;
        for (std::size_t i = 0; is_paired && i < size(); ++i)
            light[i] = static_cast<std::uint8_t>(weights[i]);
    }

    // Sum the weights of the rows for which `holds(i)`.
    template <class Condition>
    ClassWeights sum_where(Condition holds) const {
        ClassWeights sum;
        for (std::size_t i = 0; i < n_positive; ++i) sum.positive += holds(i) ? weights[i] : 0;
        sum.weight = sum.positive;
        for (std::size_t i = n_positive; i < size(); ++i) sum.weight += holds(i) ? weights[i] : 0;
        return sum;
    }
};

// One feature: the codes of the rows and, per cut, the weight that goes left and its
// screened value. For paired rows, the cut after the code of row i has number i; see
// `sum_bins` for others.
struct ScreenedFeature {
    std::int32_t feature = -1;
    Buffer<Code> codes;
    CodeRange range;
    ClassWeights missing;  // what is missing, summed up
    alignas(64) std::int32_t weight[N_BINS], positive[N_BINS];
    alignas(64) FloatBits bits[2][N_BINS];  // missing values right, and left

    int n_sides() const { return range.has_missing() ? 2 : 1; }
};

// 8-bit weights, class 1 first.
struct LightRows {
    const std::uint8_t* weight;
    std::size_t n_positive, n;
};

// Sums, over the rows whose code is not above that of row i, for K times N rows i.
template <std::size_t N, std::size_t K>
void sum_pairs(const LightRows& rows, const Code* codes, std::int32_t* weight,
               std::int32_t* positive) {
    using Bytes = Lanes<std::uint8_t, N>;
    Bytes of_row[K], ones[K], zeros[K];  // by class
    for (std::size_t k = 0; k < K; ++k) {
        of_row[k] = load<Bytes>(codes + k * N);
        ones[k] = zeros[k] = everywhere<Bytes>(std::uint8_t(0));
    }
    auto add = [&](std::size_t j, Bytes(&sums)[K]) {
        const auto code = everywhere<Bytes>(codes[j]), light = everywhere<Bytes>(rows.weight[j]);
        for (std::size_t k = 0; k < K; ++k)
            sums[k] = sums[k] + (light & (Bytes)(code <= of_row[k]));
    };
    for (std::size_t j = 0; j < rows.n_positive; ++j) add(j, ones);
    for (std::size_t j = rows.n_positive; j < rows.n; ++j) add(j, zeros);
    std::uint8_t weights[N * K], positives[N * K];
    for (std::size_t k = 0; k < K; ++k) {
        store(ones[k] + zeros[k], weights + k * N);
        store(ones[k], positives + k * N);
    }
    for (std::size_t i = 0; i < N * K; ++i) weight[i] = weights[i];
    for (std::size_t i = 0; i < N * K; ++i) positive[i] = positives[i];
}

// Sum over all pairs. All rows are left of a missing value, which is not a cut.
inline void sum_all_pairs(const LightRows& rows, const Code* codes, std::int32_t* weight,
                          std::int32_t* positive) {
    if (rows.n <= LANES) sum_pairs<LANES, 1>(rows, codes, weight, positive);
    else if (rows.n <= WIDEST) sum_pairs<WIDEST, 1>(rows, codes, weight, positive);
    else if (rows.n <= 2 * WIDEST) sum_pairs<WIDEST, 2>(rows, codes, weight, positive);
    else sum_pairs<WIDEST, 3>(rows, codes, weight, positive);
}

// Bins are summed in sixteen adjacent columns of sixteen consecutive codes each, so the
// number of a cut is its code with the two halves swapped.
constexpr std::size_t SIDE = 16;
inline Code exchanged(Code code) { return static_cast<Code>(code << 4 | code >> 4); }

// Sum `values[first..last)` up to each bin; missing values count in the total.
inline void sum_bins(const Code* codes, Span<const std::int32_t> values, std::size_t first,
                     std::size_t last, std::int32_t* HILABEL_RESTRICT sums) {
    std::fill(sums, sums + N_BINS, 0);
    for (std::size_t i = first; i < last; ++i) sums[exchanged(codes[i])] += values[i];
    for (std::size_t row = 1; row < SIDE; ++row) HILABEL_LANES
    for (std::size_t i = 0; i < SIDE; ++i) sums[row * SIDE + i] += sums[(row - 1) * SIDE + i];
    std::int32_t before[SIDE] = {};  // in the columns to the left
    for (std::size_t i = 1; i < SIDE; ++i)
        before[i] = before[i - 1] + sums[(SIDE - 1) * SIDE + i - 1];
    for (std::size_t row = 0; row < SIDE; ++row) HILABEL_LANES
    for (std::size_t i = 0; i < SIDE; ++i) sums[row * SIDE + i] += before[i];
}

// Set the sums of a feature.
inline void sum_cuts(const SearchRows& node, ScreenedFeature& at) {
    const Code* codes = at.codes.data();
    if (node.is_paired) {
        sum_all_pairs({node.light, node.n_positive, node.size()}, codes, at.weight, at.positive);
        return;
    }
    sum_bins(codes, node.weights, 0, node.n_positive, at.positive);
    sum_bins(codes, node.weights, node.n_positive, node.size(), at.weight);
    for (std::size_t cut = 0; cut < N_BINS; ++cut) at.weight[cut] += at.positive[cut];
}

// The smallest of the screened values of `n_cuts`, in whole lanes; `more` always goes left.
template <class Rule>
FloatBits screen_cuts(std::size_t n_cuts, ClassWeights more, ClassWeights total,
                      const ScreenedFeature& at, FloatBits* HILABEL_RESTRICT bits) {
    for (std::size_t first = 0; first < n_cuts; first += LANES) {
        const std::int32_t* weight = at.weight + first;
        const std::int32_t* positive = at.positive + first;
        HILABEL_LANES
        for (std::size_t i = 0; i < LANES; ++i)
            bits[first + i] = bits_of(
                Rule::screened({weight[i] + more.weight, positive[i] + more.positive}, total));
    }
    FloatBits lowest = GREATEST_FINITE;
    HILABEL_LANES
    for (std::size_t i = 0; i < n_cuts; ++i) lowest = std::min(lowest, bits[i]);
    return lowest;
}

// Exclude cuts with fewer than `least` rows on a side; return the smallest remaining value.
inline FloatBits forbid_small_sides(const SearchRows& node, std::int32_t least,
                                    ScreenedFeature& at) {
    const Code* codes = at.codes.data();
    const auto n = static_cast<std::int32_t>(node.size());
    std::int32_t up_to[N_BINS], none[N_BINS], n_missing = 0;  // rows up to each cut
    if (node.is_paired) sum_all_pairs({node.light_ones, 0, node.size()}, codes, up_to, none);
    else sum_bins(codes, node.ones, 0, node.size(), up_to);
    for (std::int32_t i = 0; at.range.has_missing() && i < n; ++i) n_missing += codes[i] == MISSING;
    FloatBits lowest = GREATEST_FINITE;
    for (int side = 0; side < at.n_sides(); ++side) {
        FloatBits* HILABEL_RESTRICT bits = at.bits[side];
        const std::int32_t more = side == 1 ? n_missing : 0;
        for (std::size_t cut = 0; cut < node.n_cuts(); ++cut) {
            const std::int32_t n_left = up_to[cut] + more;
            bits[cut] = (n_left < least) | (n - n_left < least) ? NO_CUT : bits[cut];
            lowest = std::min(lowest, bits[cut]);
        }
    }
    return lowest;
}

// Screen the feature whose codes have been read.
template <class Rule>
FloatBits screen_feature(const SearchRows& node, std::size_t least, ScreenedFeature& at) {
    sum_cuts(node, at);
    const std::size_t n_cuts = node.n_cuts();
    FloatBits lowest = screen_cuts<Rule>(n_cuts, {}, node.total, at, at.bits[0]);
    if (at.range.has_missing()) {
        at.missing = node.sum_where([&](std::size_t i) { return at.codes[i] == MISSING; });
        lowest =
            std::min(lowest, screen_cuts<Rule>(n_cuts, at.missing, node.total, at, at.bits[1]));
    }
    return least > 1 ? forbid_small_sides(node, least, at) : lowest;
}

}  // namespace hilabel
