// Find the best split of a clustering tree's node among features drawn at random.
#pragma once

#include <limits>

#include "coded_rows.hpp"
#include "cut_order.hpp"
#include "gain_bounds.hpp"
#include "node_aims.hpp"

namespace hilabel {

struct ClusteringSplit {
    double gain = -std::numeric_limits<double>::infinity();
    std::int32_t feature = -1;       // -1 if there is none
    int cut = 0, missing_left = -1;  // -1 where no row has a missing value
};

// Cost of a node: the candidates times the labels of the rows, or of half of them if cuts
// are drawn; in a block, times the rows.
class ClusteringSearch {
public:
    NodeAims aims;
    Buffer<Code> chosen;  // codes of the node's rows for the best split

    ClusteringSearch(const CodedRows& matrix, const ClusteringTargets& targets,
                     const NodeRows& tree, const TreeSettings& how, RandomStream cut_stream)
        : aims(targets, tree, how),
          chosen(tree.size()),
          how_(how),
          features_(matrix, tree.size(), how.n_candidates),
          bounds_(tree, targets.labels,
                  aims.has_tree_lists() && !targets.has_values() &&
                      targets.n_rows() == targets.labels.n_labeled &&
                      how.n_candidates >= GainBounds::FEWEST_CANDIDATES),
          order_(tree.size()),
          is_left_(tree.size() + 32),
          gain_(tree.size()),
          cut_stream_(cut_stream) {}

    ClusteringSplit find(const NodeRows& node, RandomStream& stream) {
        best_ = {};
        has_bounds_ = bounds_.is_of_use() && !aims.is_in_block();
        if (has_bounds_) bounds_.sum_up(node, aims.labels);
        features_.start(node.rows, stream);
        while (features_.next(node.rows, stream)) how_.is_random ? try_drawn(node) : try_all(node);
        return best_;
    }

private:
    void keep(const ClusteringSplit& split, std::size_t n_rows) {
        best_ = split;
        std::memcpy(chosen.data(), features_.codes(), n_rows);
    }

    void try_drawn(const NodeRows& node) {
        const std::size_t n = node.size(), least = how_.min_samples_leaf;
        DrawnCut drawn;
        if (!drawn.draw(features_.codes(), n, cut_stream_)) return;
        features_.count();
        const std::size_t n_left = drawn.mark_left(features_.codes(), n, is_left_.data());
        if (n_left < least || n - n_left < least) return;
        // Of many rows, those of the smaller side are fewer to look at.
        const bool left = aims.is_in_block() || 2 * n_left <= n;
        const std::size_t n_moved = list_side(is_left_.data(), left, n, order_.row.data());
        const Cuts cut{order_.row.span().part(0, n_moved), n_moved - 1, nullptr};
        aims.find_gains(node, cut, gain_.data());
        const double gain = gain_[n_moved - 1];
        if (gain > best_.gain) keep({gain, features_.feature(), drawn.cut, drawn.missing_left}, n);
    }

    void try_all(const NodeRows& node) {
        const std::size_t n = node.size();
        order_.sort(features_.codes(), n);
        if (order_.code[0] == order_.code[n - 1]) return;
        features_.count();
        try_order(node, false);
        if (order_.n_known == n) return;
        order_.turn(n);
        try_order(node, true);
    }

    // Look for the best cut of rows in order; `missing_left` if missing codes come first.
    void try_order(const NodeRows& node, bool missing_left) {
        const std::size_t n = node.size(), least = how_.min_samples_leaf;
        const std::size_t n_missing = n - order_.n_known;
        const std::size_t last = std::min(missing_left ? n : order_.n_known, n - least);
        if (least > last) return;
        const Code* code = order_.code.data();
        Cuts cuts{order_.row.span().part(0, last), least - 1, code};
        // That missing codes stand alone was tried in the other order.
        if (missing_left) cuts.barred = n_missing - 1;
        if (has_bounds_ && best_.gain > 0.0 &&
            !bounds_.can_beat(best_.gain, node, cuts, aims.sides, gain_.data()))
            return;
        aims.find_gains(node, cuts, gain_.data());
        const std::size_t place = cuts.best(gain_.data());
        if (!(gain_[place] > best_.gain)) return;
        // Half-way to the next bin that occurs; all bins if none does.
        const int here = code[place], following = code[place + 1];
        const int cut = following == MISSING ? MISSING - 1 : (here + following) / 2;
        keep({gain_[place], features_.feature(), cut, n_missing > 0 ? missing_left : -1}, n);
    }

    TreeSettings how_;
    DrawnFeatures features_;
    GainBounds bounds_;
    CutOrder order_;
    Buffer<std::uint8_t> is_left_;  // with room for whole vectors
    Buffer<double> gain_;
    RandomStream cut_stream_;
    ClusteringSplit best_;
    bool has_bounds_ = false;
};

}  // namespace hilabel
