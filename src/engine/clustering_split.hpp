// Find the best split of a node of a clustering tree among randomly drawn features.
#pragma once

#include "coded_columns.hpp"
#include "cut_order.hpp"
#include "feature_draw.hpp"
#include "node_aims.hpp"

namespace hilabel {

struct ClusteringSplit {
    double gain = -std::numeric_limits<double>::infinity();
    std::int32_t feature = -1;  // -1 if there is none
    Cut cut;
};

// Cost of a node: the number of candidates times the labels of the rows, or of half of them
// if cuts are drawn; in a block, times the rows.
template <class Columns>
class ClusteringSearch {
public:
    NodeAims aims;
    Buffer<Code> best_codes;  // of the node's rows, for the best split

    // Cuts have a separate random stream, so that a sparse matrix gives the same tree as a
    // dense one.
    ClusteringSearch(const Columns& columns, const ClusteringTargets& targets, const NodeRows& tree,
                     const TreeSettings& how, RandomStream cut_stream)
        : aims(targets, tree, how),
          best_codes(tree.size() + ROOM),
          how_(how),
          columns_(columns),
          draw_(columns.n_features()),
          codes_(tree.size() + ROOM),
          order_(tree.size()),
          is_left_(tree.size() + 8),
          gain_(tree.size()),
          cut_stream_(cut_stream) {
        columns_.begin_tree(tree.rows);
    }

    // Try features in random order until enough of them vary.
    ClusteringSplit find(const NodeRows& node, RandomStream& stream) {
        best_ = {};
        columns_.begin_node(node.rows);
        draw_.begin_node();
        for (std::int32_t n_tried = 0; draw_.has_more() && n_tried < how_.n_candidates;) {
            feature_ = draw_.draw(stream);
            range_ = columns_.read(feature_, node.rows, 0, codes_.data());
            if (!range_.varies()) continue;
            ++n_tried;
            how_.is_random ? try_drawn(node) : try_all(node);
        }
        return best_;
    }

private:
    void try_drawn(const NodeRows& node) {
        const std::size_t n = node.size(), least = how_.min_samples_leaf;
        const Cut cut = draw_cut(codes_.data(), n, range_, cut_stream_);
        const std::size_t n_left = mark_left(codes_.data(), n, cut, is_left_.data());
        if (n_left < least || n - n_left < least) return;
        // With many rows, process those of the smaller side.
        const bool left = aims.is_in_block() || 2 * n_left <= n;
        const std::size_t n_moved = list_marked(is_left_.data(), left, n, order_.row.data());
        aims.find_gains(node, {order_.row.span().part(0, n_moved), n_moved - 1, nullptr},
                        gain_.data());
        keep_better(n_moved - 1, cut, n);
    }

    void try_all(const NodeRows& node) {
        order_.sort(codes_.data(), node.size());
        try_order(node, false);
        if (!range_.has_missing()) return;
        order_.turn(node.size());
        try_order(node, true);
    }

    // Find the best cut of rows in order; `missing_left` if missing codes come first.
    void try_order(const NodeRows& node, bool missing_left) {
        const std::size_t n = node.size(), least = how_.min_samples_leaf;
        const std::size_t last = std::min(missing_left ? n : order_.n_known, n - least);
        if (least > last) return;
        const Code* code = order_.code.data();
        Cuts cuts{order_.row.span().part(0, last), least - 1, code};
        // Separating only missing codes was tried in the other order.
        if (missing_left) cuts.barred = n - order_.n_known - 1;
        aims.find_gains(node, cuts, gain_.data());
        const std::size_t place = cuts.best(gain_.data());
        keep_better(
            place,
            {cut_between(code[place], code[place + 1]), range_.has_missing() ? missing_left : -1},
            n);
    }

    void keep_better(std::size_t place, Cut cut, std::size_t n_rows) {
        if (!(gain_[place] > best_.gain)) return;
        best_ = {gain_[place], feature_, cut};
        std::copy_n(codes_.data(), n_rows, best_codes.data());
    }

    TreeSettings how_;
    Columns columns_;
    FeatureDraw draw_;
    Buffer<Code> codes_;  // of the node's rows, for the feature under study
    std::int32_t feature_ = -1;
    CodeRange range_;
    CutOrder order_;
    Buffer<std::uint8_t> is_left_;
    Buffer<double> gain_;
    RandomStream cut_stream_;
    ClusteringSplit best_;
};

}  // namespace hilabel
