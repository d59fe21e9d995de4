// Encoded features. The code of a value is its bin: 0 to 254 in ascending order, 255 if it
// is missing.
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

// The codes of the rows of a tree node are read in whole lanes, padded with the first code.
// Loops may continue up to the widest instruction, so there must be more room.
constexpr std::size_t LANES = 16, ROOM = 128;
using CodeLanes = Lanes<Code, LANES>;

inline std::size_t in_lanes(std::size_t n) { return (n + LANES - 1) / LANES * LANES; }

// The lowest and highest code of some rows.
struct CodeRange {
    Code lowest = 0, highest = 0;

    bool varies() const { return lowest != highest; }
    bool has_missing() const { return highest == MISSING; }
};

// Pad the codes of `n` rows, at least one; return their range.
inline CodeRange fill_up(Code* codes, std::size_t n) {
    std::memset(codes + n, codes[0], LANES);
    CodeRange range{codes[0], codes[0]};
    for (std::size_t i = 0; i < in_lanes(n); ++i) {
        range.lowest = std::min(range.lowest, codes[i]);
        range.highest = std::max(range.highest, codes[i]);
    }
    return range;
}

// Where the rows of a tree node are split.
struct Cut {
    int code = 0;           // the highest that goes left
    int missing_left = -1;  // 1 or 0; -1 where no row has a missing value

    // Incremented by one in 8 bits, missing values are the lowest, so no branch is needed.
    bool sends_left(Code value) const {
        const Code turn = missing_left == 1;
        return static_cast<Code>(value + turn) <= static_cast<Code>(code + turn);
    }
};

// Half-way between two codes that occur, or above all codes if there is no next one: the
// cut then separates missing values from the others.
inline int cut_between(int code, int next) {
    return next == MISSING ? MISSING - 1 : (code + next) / 2;
}

// A random cut between the lowest and the highest code, as in extra-trees. The side of
// missing values is random too. The codes must vary.
inline Cut draw_cut(const Code* codes, std::size_t n, CodeRange range, RandomStream& stream) {
    const bool has_missing = range.has_missing();
    Code highest = has_missing ? 0 : range.highest;
    for (std::size_t i = 0; has_missing && i < n; ++i)
        if (codes[i] != MISSING) highest = std::max(highest, codes[i]);
    Cut cut{range.lowest, has_missing ? 0 : -1};
    if (highest == range.lowest) return cut;  // one bin and missing values leave no choice
    cut.code += static_cast<int>(stream.below(highest - range.lowest));
    if (has_missing) cut.missing_left = static_cast<int>(stream.below(2));
    return cut;
}

}  // namespace hilabel
