// Find the best split of a node of a binary tree among randomly drawn features.
#pragma once

#include "coded_columns.hpp"
#include "cut_choice.hpp"
#include "feature_draw.hpp"
#include "tree_settings.hpp"

namespace hilabel {

// Working memory of the search, allocated once for many trees.
template <class Rule, class Columns>
class NodeSplitSearch {
public:
    SearchRows node;  // to be set before a search
    FeatureDraw draw;
    Columns columns;

    NodeSplitSearch(const Columns& all, std::size_t n_rows, const TreeSettings& how)
        : draw(all.n_features()), columns(all), how_(how), least_bits_(all.n_features()) {
        for (auto& feature : looked_) feature.codes = Buffer<Code>(n_rows + ROOM);
    }

    // Find the split of the node; best_codes() then returns its codes.
    NodeSplit find(RandomStream& stream) {
        node.lay_out();
        draw.begin_node();
        for (auto& at : looked_) at.feature = -1;
        const NodeSplit best = how_.is_random ? draw_cuts(stream) : search_cuts(stream);
        if (best.feature >= 0 && kept().feature != best.feature) read(best.feature, kept());
        return best;
    }

    const Code* best_codes() const { return looked_[kept_].codes.data(); }

private:
    ScreenedFeature& kept() { return looked_[kept_]; }
    ScreenedFeature& other() { return looked_[1 - kept_]; }

    bool read(std::int32_t feature, ScreenedFeature& at) {
        const CodeRange range = columns.read(feature, node.rows, node.start, at.codes.data());
        at.feature = feature;
        at.range = range;
        return range.varies();
    }

    // Draw features until enough were drawn and one of them varies. `look_at(feature)`
    // returns whether it is better than the best so far, and whether nothing can be better.
    template <class LookAt>
    void each_drawn(RandomStream& stream, LookAt look_at) {
        bool any_varies = false;
        while (draw.has_more() &&
               (draw.n_drawn() < std::size_t(how_.n_candidates) || !any_varies)) {
            least_bits_[draw.n_drawn()] = NO_CUT;
            if (!read(draw.draw(stream), other())) continue;
            any_varies = true;
            const auto [is_better, is_perfect] = look_at(other());
            if (is_better) kept_ = 1 - kept_;
            if (is_perfect) return;
        }
    }

    NodeSplit draw_cuts(RandomStream& stream) {
        NodeSplit best;
        each_drawn(stream, [&](const ScreenedFeature& at) {
            const NodeSplit found = drawn_cut<Rule>(node, at, how_.min_samples_leaf, stream);
            const bool is_better = found.impurity < best.impurity;
            if (is_better) best = found;
            return std::pair(is_better, best.impurity == 0);
        });
        return best;
    }

    // Screen all cuts of the features, then compare those that may be the best exactly, in
    // the order in which they were drawn.
    NodeSplit search_cuts(RandomStream& stream) {
        FloatBits lowest = NO_CUT;
        each_drawn(stream, [&](ScreenedFeature& at) {
            const FloatBits least = screen_feature<Rule>(node, how_.min_samples_leaf, at);
            const bool is_better = least < lowest;
            least_bits_[draw.n_drawn() - 1] = least;
            lowest = std::min(lowest, least);
            return std::pair(is_better, lowest == 0);
        });
        NodeSplit best;
        if (lowest >= GREATEST_FINITE) return best;
        for (std::size_t nth = 0; nth < draw.n_drawn(); ++nth) {
            if (least_bits_[nth] > lowest + DOUBT) continue;
            const bool is_kept = kept().feature == draw.nth(nth);
            ScreenedFeature& at = is_kept ? kept() : other();
            if (!is_kept) {
                read(draw.nth(nth), at);
                screen_feature<Rule>(node, how_.min_samples_leaf, at);
            }
            const NodeSplit found = best_cut<Rule>(node, at, lowest + DOUBT);
            if (found.impurity < best.impurity) best = found;
        }
        return best;
    }

    TreeSettings how_;
    Buffer<FloatBits> least_bits_;  // by the order of drawing
    ScreenedFeature looked_[2];     // the best so far, and the one under study
    int kept_ = 0;                  // which of them is the best so far
};

}  // namespace hilabel
