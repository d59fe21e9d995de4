// Settings for growing trees, the same for all kinds of trees.
#pragma once

#include <cstdint>

namespace hilabel {

enum class Criterion { gini, entropy };

struct TreeSettings {
    std::uint64_t seed = 0;                 // of all random streams
    std::int64_t n_draws = 0;               // labelled rows drawn, with `bootstrap`
    std::int32_t n_candidates = 1;          // features tried per split
    std::int32_t max_depth = -1;            // splits on the longest path; -1: no limit
    std::int32_t min_samples_leaf = 1;      // fewest differing rows in a leaf
    bool bootstrap = false;                 // draw rows with replacement, or take all
    bool is_random = false;                 // draw one cut per feature, or look for the best
    bool with_importances = false;          // node trees: also add up what features gain,
    bool with_oob = false;                  // and what rows get from trees grown without them
    Criterion criterion = Criterion::gini;  // node trees: what a split lowers
};

}  // namespace hilabel
