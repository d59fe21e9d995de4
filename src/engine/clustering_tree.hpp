// Grow a predictive clustering tree: one tree for all labels, on encoded features.
#pragma once

#include <optional>
#include <vector>

#include "clustering_split.hpp"
#include "grown_splits.hpp"

namespace hilabel {

// Per node, except for the last three.
struct ClusteringTree {
    GrownSplits splits;
    Buffer<double> impurity, gain, weight;  // gain of its split; weight of labelled rows
    Buffer<std::int32_t> leaf;              // number of the leaf, -1 elsewhere
    // The labels of each leaf, and the shares of its labelled rows that have them.
    Buffer<std::int64_t> leaf_ptr{1};
    Buffer<std::int32_t> leaf_index;
    Buffer<float> leaf_share;

    std::int32_t add_leaf() {
        leaf.push_back(-1), impurity.push_back(0), gain.push_back(0), weight.push_back(0);
        return splits.add_leaf(0);
    }
};

// How often a tree draws each row. Labelled and unlabelled rows are drawn separately, the
// latter as many as there are.
inline Buffer<double> draw_times(const TreeSettings& how, std::size_t n_labeled, std::size_t n_rows,
                                 RandomStream& stream) {
    Buffer<double> times(n_rows, how.bootstrap ? 0.0 : 1.0);
    const auto draw = [&](std::size_t first, std::size_t last, std::size_t n_draws) {
        for (std::size_t i = 0; how.bootstrap && i < n_draws; ++i)
            ++times[first + stream.below(static_cast<std::uint32_t>(last - first))];
    };
    draw(0, n_labeled, how.n_draws);
    draw(n_labeled, n_rows, n_rows - n_labeled);
    return times;
}

template <class Columns>
class ClusteringTreeGrower {
public:
    // `least_f` is the F that a split must exceed, by the weight of its node; or empty.
    ClusteringTreeGrower(const Columns& columns, const ClusteringTargets& targets,
                         const TreeSettings& how, std::uint64_t number, Span<const double> least_f)
        : targets_(targets), how_(how), least_f_(least_f), stream_(how.seed, 0, number) {
        draw_rows();
        search_.emplace(columns, targets, rows_of({0, weights_.size()}), how,
                        RandomStream(how.seed, 1, number));
    }

    ClusteringTree grow() {
        const Range all{0, weights_.size()};
        tree_.add_leaf();
        waiting_.push_back({all, all, 0, 0, false});
        while (!waiting_.empty()) {
            const Waiting node = waiting_.back();
            waiting_.pop_back();
            grow_node(node);
        }
        fill_leaves();
        return std::move(tree_);
    }

private:
    struct Range {
        std::size_t start, end;
    };
    struct Waiting {  // a node that is to be split
        Range rows;
        Range speakers;  // rows that speak for a node without labels: those of a parent
        std::int32_t depth, number;
        bool is_in_block;
    };

    static constexpr double LEAST_GAIN = 1e-9;           // Clus splits no node for less
    static constexpr std::int32_t MANY_CANDIDATES = 24;  // pay for products of many rows

    NodeRows rows_of(Range range) {
        return NodeRows{rows_.span(), weights_.span()}.part(range.start, range.end);
    }

    void draw_rows() {
        const std::size_t n_rows = targets_.n_rows();
        const Buffer<double> times = draw_times(how_, targets_.labels.n_labeled, n_rows, stream_);
        for (std::size_t row = 0; row < n_rows; ++row)
            if (times[row] > 0) {
                rows_.push_back(static_cast<std::int32_t>(row));
                weights_.push_back(times[row]);
            }
        rows_.resize(rows_.size() + ROWS_AT_ONCE);
    }

    // The size at which nodes become blocks, determined by benchmarks.
    std::size_t block_size() const {
        if (targets_.values.n_features > 0) return FEW_ROWS;  // values are many, or more
        const std::size_t few = how_.n_candidates >= MANY_CANDIDATES ? FEW_ROWS : FEW_ROWS / 2;
        return how_.is_random ? few / 2 : few;
    }

    void grow_node(Waiting at) {
        const NodeRows node = rows_of(at.rows);
        NodeAims& aims = search_->aims;
        const bool may_split =
            node.size() >= 2 * std::size_t(how_.min_samples_leaf) && at.depth != how_.max_depth;
        if (!at.is_in_block && node.size() <= block_size() && may_split) {
            aims.fill_block(node);
            at.is_in_block = true;
        }
        aims.sum_up(node, at.is_in_block);
        tree_.impurity[at.number] = aims.impurity();
        tree_.weight[at.number] = aims.labels.all_weight;
        if (aims.labels.all_weight > 0) at.speakers = at.rows;
        ClusteringSplit split;
        if (may_split && aims.impurity() > LEAST_GAIN) split = search_->find(node, stream_);
        if (split.gain > LEAST_GAIN && is_significant(split.gain)) return divide(at, node, split);
        tree_.leaf[at.number] = static_cast<std::int32_t>(speakers_.size());
        speakers_.push_back(at.speakers);
    }

    bool is_significant(double gain) const {
        if (least_f_.empty()) return true;
        const double weight = search_->aims.values.all_weight;
        // F = (N - 2) (SST - SSR) / SSR, multiplied by SSR, which may be 0.
        return (weight - 2.0) * gain >
               least_f_[static_cast<std::size_t>(weight)] * (search_->aims.impurity() - gain);
    }

    void divide(const Waiting& at, const NodeRows& node, ClusteringSplit split) {
        const std::size_t middle = at.rows.start + partition(node, split.cut);
        const std::int32_t left = tree_.add_leaf(), right = tree_.add_leaf();
        tree_.splits.split(at.number, split.feature, split.cut, left);
        tree_.gain[at.number] = split.gain;
        // The right child waits; the left child is next.
        const auto wait = [&](Range rows, std::int32_t number) {
            waiting_.push_back({rows, at.speakers, at.depth + 1, number, at.is_in_block});
        };
        wait({middle, at.rows.end}, right);
        wait({at.rows.start, middle}, left);
    }

    // Put the rows that go left first; return their number. If no missing value was seen,
    // later ones will follow the majority.
    std::size_t partition(const NodeRows& node, Cut& cut) {
        Buffer<Code>& codes = search_->best_codes;
        std::size_t i = 0, end = node.size();
        double left_weight = 0, weight = 0;
        while (i < end) {
            weight += node.weights[i];
            if (cut.sends_left(codes[i])) {
                left_weight += node.weights[i++];
                continue;
            }
            --end;
            std::swap(codes[i], codes[end]);
            std::swap(node.rows[i], node.rows[end]);
            std::swap(node.weights[i], node.weights[end]);
        }
        if (cut.missing_left < 0) cut.missing_left = 2.0 * left_weight >= weight;
        return i;
    }

    // List the labels of every leaf. Descendants only reorder the rows of a node, so the
    // rows of a leaf are still in the same range at the end.
    void fill_leaves() {
        const std::size_t n_labels = targets_.labels.n_labels();
        Buffer<double> sum(n_labels);
        Buffer<std::int32_t> found(n_labels + 1);
        for (Range leaf : speakers_) {
            list_shares(rows_of(leaf), sum.data(), found.data());
            tree_.leaf_ptr.push_back(static_cast<std::int64_t>(tree_.leaf_index.size()));
        }
    }

    // `sum` is all 0 before and after; `found` has room for all labels plus one.
    void list_shares(const NodeRows& leaf, double* sum, std::int32_t* found) {
        std::size_t n_found = 0;
        double weight = 0;
        for (std::size_t i = 0; i < leaf.size(); ++i) {
            if (!targets_.labels.is_labeled(leaf.rows[i])) continue;
            weight += leaf.weights[i];
            for (std::uint32_t label : targets_.labels.labels.of(leaf.rows[i])) {
                // Always written, whether new or not, to avoid a branch.
                found[n_found] = static_cast<std::int32_t>(label);
                n_found += sum[label] == 0.0;
                sum[label] += leaf.weights[i];
            }
        }
        for (std::size_t k = 0; k < n_found; ++k) {
            tree_.leaf_index.push_back(found[k]);
            tree_.leaf_share.push_back(static_cast<float>(sum[found[k]] / weight));
            sum[found[k]] = 0.0;
        }
    }

    ClusteringTargets targets_;
    TreeSettings how_;
    Span<const double> least_f_;
    RandomStream stream_;
    Buffer<std::int32_t> rows_;  // the different rows of the tree
    Buffer<double> weights_;     // how often each was drawn
    std::optional<ClusteringSearch<Columns>> search_;
    ClusteringTree tree_;
    std::vector<Waiting> waiting_;
    std::vector<Range> speakers_;  // for each leaf
};

}  // namespace hilabel
