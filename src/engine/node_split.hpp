// Find the best split of a node of a tree of 0 and 1 among features drawn at random.
#pragma once

#include <utility>

#include "cut_choice.hpp"
#include "tree_settings.hpp"

namespace hilabel {

// Draws the features, and keeps those that were drawn, in order, behind the others.
class FeatureDraw {
public:
    explicit FeatureDraw(std::size_t n_features) : features_(n_features) {}

    void begin_tree() {
        for (std::size_t i = 0; i < features_.size(); ++i)
            features_[i] = static_cast<std::int32_t>(i);
    }
    void begin_node() { undrawn_ = features_.size(); }
    std::size_t n_left() const { return undrawn_; }
    std::size_t n_drawn() const { return features_.size() - undrawn_; }
    std::int32_t number(std::size_t nth) { return features_[features_.size() - 1 - nth]; }

    std::int32_t draw(RandomStream& stream) {
        const std::size_t drawn = stream.below(static_cast<std::uint32_t>(undrawn_));
        std::swap(features_[drawn], features_[--undrawn_]);
        return features_[undrawn_];
    }

private:
    Buffer<std::int32_t> features_;
    std::size_t undrawn_ = 0;
};

// What the search of splits needs room for, made once for many trees.
struct SplitSearch {
    SearchRows node;
    FeatureDraw draw;
    Buffer<FloatBits> least_bits;  // by the order of drawing
    ScreenedFeature looked[2];     // the best so far, and the one under study
    int kept = 0;                  // which of them is the best so far

    SplitSearch(std::size_t n_rows, std::size_t n_features)
        : draw(n_features), least_bits(n_features) {
        for (auto& feature : looked) feature.codes = Buffer<Code>(n_rows + ROOM);
    }
    ScreenedFeature& best() { return looked[kept]; }
    ScreenedFeature& other() { return looked[1 - kept]; }
};

template <class Columns>
bool read(const Columns& columns, const SearchRows& node, std::int32_t feature,
          ScreenedFeature& at) {
    const CodeLook look = columns.read(feature, node.rows, node.start, at.codes.data());
    at.feature = feature;
    at.has_missing = look.have_missing;
    return look.differ;
}

// Screen features until enough were drawn and one of them varies; return the least value.
// The best of them is kept.
template <class Rule, class Columns>
FloatBits screen_features(const Columns& columns, const TreeSettings& how, RandomStream& stream,
                          SplitSearch& search) {
    const std::size_t n_candidates = how.n_candidates;
    bool any_varies = false;
    FloatBits lowest = NO_CUT;
    auto& draw = search.draw;
    while (draw.n_left() > 0 && (draw.n_drawn() < n_candidates || !any_varies)) {
        const std::size_t nth = draw.n_drawn();
        search.least_bits[nth] = NO_CUT;
        auto& at = search.other();
        if (!read(columns, search.node, draw.draw(stream), at)) continue;
        any_varies = true;
        const FloatBits least = screen_feature<Rule>(search.node, how.min_samples_leaf, at);
        search.least_bits[nth] = least;
        if (least < lowest) lowest = least, search.kept = 1 - search.kept;
        if (lowest == 0) break;  // nothing can be better
    }
    return lowest;
}

// Compare exactly those that may be the best, in the order they were drawn.
template <class Rule, class Columns>
NodeSplit compare_features(const Columns& columns, const TreeSettings& how, FloatBits lowest,
                           SplitSearch& search) {
    const FloatBits limit = lowest + DOUBT;
    NodeSplit best;
    for (std::size_t nth = 0; nth < search.draw.n_drawn(); ++nth) {
        if (search.least_bits[nth] > limit) continue;
        const std::int32_t feature = search.draw.number(nth);
        const bool is_kept = search.best().feature == feature;
        auto& at = is_kept ? search.best() : search.other();
        if (!is_kept) {
            read(columns, search.node, feature, at);
            screen_feature<Rule>(search.node, how.min_samples_leaf, at);
        }
        const NodeSplit found = best_cut<Rule>(search.node, at, limit);
        if (found.impurity < best.impurity) best = found;
    }
    return best;
}

template <class Rule, class Columns>
NodeSplit draw_cuts(const Columns& columns, const TreeSettings& how, RandomStream& stream,
                    SplitSearch& search) {
    const std::size_t n_candidates = how.n_candidates;
    bool any_varies = false;
    NodeSplit best;
    auto& draw = search.draw;
    while (draw.n_left() > 0 && (draw.n_drawn() < n_candidates || !any_varies)) {
        auto& at = search.other();
        if (!read(columns, search.node, draw.draw(stream), at)) continue;
        any_varies = true;
        const NodeSplit found = drawn_cut<Rule>(search.node, at, how.min_samples_leaf, stream);
        if (found.impurity < best.impurity) best = found, search.kept = 1 - search.kept;
        if (best.impurity == 0) break;
    }
    return best;
}

// Find the split of the node laid out in `search`, whose best() then holds its codes.
template <class Rule, class Columns>
NodeSplit find_split(const Columns& columns, const TreeSettings& how, RandomStream& stream,
                     SplitSearch& search) {
    search.node.lay_out();
    search.draw.begin_node();
    for (auto& at : search.looked) at.feature = -1;
    NodeSplit best;
    if (how.is_random) {
        best = draw_cuts<Rule>(columns, how, stream, search);
    } else {
        const FloatBits lowest = screen_features<Rule>(columns, how, stream, search);
        if (lowest < GREATEST_FINITE) best = compare_features<Rule>(columns, how, lowest, search);
    }
    if (best.feature >= 0 && search.best().feature != best.feature)
        read(columns, search.node, best.feature, search.best());
    return best;
}

}  // namespace hilabel
