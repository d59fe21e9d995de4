// Coded features. The code of a value is its bin: 0 to 254 in the order of the feature, 255
// if it is missing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "compiler_hints.hpp"
#include "lanes.hpp"
#include "random_stream.hpp"

namespace hilabel {

using Code = std::uint8_t;
constexpr Code MISSING = 255;

// The codes of a tree node's rows are read in whole lanes, to which they are filled up with
// the first of them. Loops may go on to the widest instruction: there must be more room.
constexpr std::size_t LANES = 16, ROOM = 128;
using CodeLanes = Lanes<Code, LANES>;

inline std::size_t in_lanes(std::size_t n) { return (n + LANES - 1) / LANES * LANES; }

struct CodeLook {
    bool differ = false, have_missing = false;
};

// Fill up the codes of `n` rows, at least one, and look at them.
inline CodeLook fill_up(Code* codes, std::size_t n) {
    std::memset(codes + n, codes[0], LANES);
    const auto first_code = everywhere<CodeLanes>(codes[0]);
    const auto missing_code = everywhere<CodeLanes>(MISSING);
    auto unlike = everywhere<CodeLanes>(Code(0)), missing = unlike;
    for (std::size_t first = 0; first < n; first += LANES) {
        const auto here = load<CodeLanes>(codes + first);
        unlike = unlike | (here ^ first_code);
        missing = missing | (CodeLanes)(missing_code <= here);
    }
    return {any(unlike), any(missing)};
}

// Where the rows of a tree node are parted.
struct Cut {
    int code = 0;           // the highest that goes left
    int missing_left = -1;  // 1 or 0; -1 where no row has a missing value

    // Turned by one in 8 bits, missing values are the lowest: no branch is needed.
    bool sends_left(Code value) const {
        const Code turn = missing_left == 1;
        return static_cast<Code>(value + turn) <= static_cast<Code>(code + turn);
    }
};

// Half-way between two codes that occur, or above all if the next is none: the cut then
// parts missing values from the others.
inline int cut_between(int code, int next) {
    return next == MISSING ? MISSING - 1 : (code + next) / 2;
}

// A cut drawn from the lowest code on, below the highest, as extra-trees do. Missing values
// go to a side drawn too. The codes, which must differ, are filled up.
inline Cut draw_cut(const Code* codes, std::size_t n, bool has_missing, RandomStream& stream) {
    Code lowest = MISSING, turned = 0;
    for (std::size_t i = 0; i < in_lanes(n); ++i) {
        lowest = std::min(lowest, codes[i]);
        turned = std::max(turned, static_cast<Code>(codes[i] + 1));  // 0 if missing
    }
    const int highest = turned - 1;
    Cut cut{lowest, has_missing ? 0 : -1};
    if (highest == lowest) return cut;  // one bin and missing values leave no choice
    cut.code += static_cast<int>(stream.below(highest - lowest));
    if (has_missing) cut.missing_left = static_cast<int>(stream.below(2));
    return cut;
}

}  // namespace hilabel
