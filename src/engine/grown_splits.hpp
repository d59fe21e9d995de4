// The splits of one or several trees as arrays per node.
#pragma once

#include "arrays.hpp"
#include "codes.hpp"

namespace hilabel {

// The two children of a split are adjacent. A leaf is its own left child, with a cut that
// sends every code left, so that a walk may continue in it.
struct GrownSplits {
    Buffer<std::int32_t> feature;  // -1 in a leaf
    Buffer<Code> cut;              // rows with a code up to it go left
    Buffer<std::uint8_t> missing;  // 1 if missing values go left
    Buffer<std::int32_t> left;     // number of the left child in its tree; the right is next

    std::size_t size() const { return feature.size(); }

    // Add a leaf to the tree that starts at `root`; return its number there.
    std::int32_t add_leaf(std::size_t root) {
        left.push_back(static_cast<std::int32_t>(size() - root));
        feature.push_back(-1), cut.push_back(MISSING), missing.push_back(1);
        return left[size() - 1];
    }

    // Give a leaf two children; the left one has the given number.
    void split(std::size_t place, std::int32_t by, Cut at, std::int32_t child) {
        feature[place] = by;
        cut[place] = static_cast<Code>(at.code);
        missing[place] = static_cast<std::uint8_t>(at.missing_left);
        left[place] = child;
    }

    Cut cut_at(std::size_t place) const { return {cut[place], missing[place]}; }
};

}  // namespace hilabel
