// Grow binary classification trees on encoded features.
#pragma once

#include <vector>

#include "grown_splits.hpp"
#include "node_split.hpp"

namespace hilabel {

// The training rows of a node of the hierarchy.
struct Examples {
    Numbers rows;                      // of the coded matrix
    Span<const std::int64_t> weights;  // at least 0; their sum stays below 2**31
    Span<const bool> positives;
};

struct NodeTrees {
    GrownSplits splits;
    Buffer<float> value;            // share of class 1, by tree node
    Buffer<std::int64_t> roots{1};  // where each tree begins, and the last one ends
    Buffer<double> importances;     // decrease of impurity by feature, or none
    Buffer<double> votes, n_votes;  // of trees grown without a row, or none
};

template <class Rule, class Columns>
class NodeTreeGrower {
public:
    NodeTreeGrower(const Columns& columns, const Examples& examples, const TreeSettings& how)
        : how_(how),
          search_(columns, examples.rows.size(), how),
          place_of_(examples.rows.size()),
          times_(examples.rows.size()),
          ones_(examples.rows.size(), 1),
          rows_(examples.rows.size() + ROWS_AT_ONCE),
          rows_aside_(examples.rows.size()),
          weights_(examples.rows.size() + 1),
          weights_aside_(examples.rows.size()) {
        for (bool wanted : {true, false}) {
            for (std::size_t i = 0; i < examples.rows.size(); ++i) {
                if (examples.positives[i] != wanted) continue;
                place_of_[i] = static_cast<std::int32_t>(all_rows_.size());
                all_rows_.push_back(examples.rows[i]);
                all_weights_.push_back(static_cast<std::int32_t>(examples.weights[i]));
            }
            if (wanted) n_positive_ = all_rows_.size();
        }
        grown_.importances = Buffer<double>(how.with_importances ? columns.n_features() : 0);
        grown_.votes = Buffer<double>(how.with_oob ? examples.rows.size() : 0);
        grown_.n_votes = Buffer<double>(grown_.votes.size());
    }

    // Grow one more tree with its own random stream.
    void grow(RandomStream stream) {
        root_ = grown_.splits.size();
        const Waiting root = draw_rows(stream);
        search_.columns.begin_tree(rows_.span().part(0, root.end));
        search_.draw.begin_tree();
        tree_weight_ = std::max<double>(root.total.weight, 1.0);
        add_leaf(root.total);
        waiting_.assign(1, root);
        while (!waiting_.empty()) {
            const Waiting here = waiting_.back();
            waiting_.pop_back();
            if (may_split(here)) split(here, stream);
        }
        grown_.roots.push_back(static_cast<std::int64_t>(grown_.splits.size()));
        if (how_.with_oob) add_votes();
    }

    NodeTrees take() { return std::move(grown_); }

private:
    struct Waiting {  // a tree node that may be split: its rows, those of class 1 first
        std::size_t start, middle, end;
        ClassWeights total;
        std::int32_t depth, number;
    };

    Waiting draw_rows(RandomStream& stream) {
        const auto n = static_cast<std::uint32_t>(times_.size());
        times_.fill(how_.bootstrap ? 0 : 1);
        for (std::int64_t i = 0; how_.bootstrap && i < how_.n_draws; ++i)
            ++times_[place_of_[stream.below(n)]];
        Waiting root{};
        root.total.positive = take_drawn(0, n_positive_, root.end);
        root.middle = root.end;
        root.total.weight = root.total.positive + take_drawn(n_positive_, n, root.end);
        return root;
    }

    // Collect the drawn rows; return their weight.
    std::int32_t take_drawn(std::size_t first, std::size_t last, std::size_t& end) {
        std::int32_t total = 0;
        for (std::size_t i = first; i < last; ++i) {
            const std::int32_t weight = all_weights_[i] * times_[i];
            rows_[end] = all_rows_[i], weights_[end] = weight;  // in any case: no branch
            end += weight > 0;
            total += weight;
        }
        return total;
    }

    bool may_split(const Waiting& here) const {
        const std::size_t least = how_.min_samples_leaf;
        return here.start < here.middle && here.middle < here.end &&
               here.end - here.start >= 2 * least && here.depth != how_.max_depth;
    }

    void split(const Waiting& here, RandomStream& stream) {
        auto& node = search_.node;
        node.rows = rows_.span().part(here.start, here.end);
        node.weights = weights_.span().part(here.start, here.end);
        node.ones = ones_;
        node.n_positive = here.middle - here.start;
        node.start = here.start;
        node.total = here.total;
        NodeSplit found = search_.find(stream);
        if (found.feature < 0) return;
        auto [left, right] = partition(here, found.cut);
        search_.columns.moved(node.rows, here.start);
        if (found.cut.missing_left < 0)  // none seen here: later ones follow the majority
            found.cut.missing_left = left.total.weight >= right.total.weight;
        if (how_.with_importances)
            grown_.importances[found.feature] +=
                2 * (Rule::of(here.total) - found.impurity) / tree_weight_;
        left.number = add_leaf(left.total);
        right.number = add_leaf(right.total);
        grown_.splits.split(root_ + here.number, found.feature, found.cut, left.number);
        waiting_.push_back(right);  // the left one is next
        waiting_.push_back(left);
    }

    // Put the rows that go left first, keeping their order; return the children.
    std::pair<Waiting, Waiting> partition(const Waiting& here, Cut cut) {
        Waiting left = here, right = here;
        left.depth = right.depth = here.depth + 1;
        left.end = here.start;
        std::size_t n_right = 0;
        left.total.positive = move_rows(here, {here.start, here.middle}, cut, left.end, n_right);
        left.middle = left.end;
        const std::size_t n_right_positive = n_right;
        left.total.weight =
            left.total.positive + move_rows(here, {here.middle, here.end}, cut, left.end, n_right);
        std::copy_n(rows_aside_.data(), n_right, rows_.data() + left.end);
        std::copy_n(weights_aside_.data(), n_right, weights_.data() + left.end);
        right.start = left.end;
        right.middle = left.end + n_right_positive;
        right.total = here.total - left.total;
        return {left, right};
    }

    // Move rows to the left or to a buffer; return the weight that goes left. No branch
    // depends on the codes.
    std::int32_t move_rows(const Waiting& here, std::pair<std::size_t, std::size_t> range, Cut cut,
                           std::size_t& left_end, std::size_t& n_right) {
        const Code* codes = search_.best_codes();
        std::int32_t *rows = rows_.data(), *weights = weights_.data(), left_weight = 0;
        std::size_t left = left_end, right = n_right;
        for (std::size_t i = range.first; i < range.second; ++i) {
            const bool goes_left = cut.sends_left(codes[i - here.start]);
            const std::int32_t row = rows[i], weight = weights[i];
            rows[left] = row, weights[left] = weight;
            rows_aside_[right] = row, weights_aside_[right] = weight;
            left_weight += goes_left ? weight : 0;
            left += goes_left;
            right += !goes_left;
        }
        left_end = left, n_right = right;
        return left_weight;
    }

    std::int32_t add_leaf(ClassWeights total) {
        const double weight = total.weight;
        grown_.value.push_back(weight > 0 ? static_cast<float>(total.positive / weight) : 0.0f);
        return grown_.splits.add_leaf(root_);
    }

    void add_votes() {
        for (std::size_t i = 0; i < place_of_.size(); ++i) {
            const std::size_t place = place_of_[i];
            if (times_[place] > 0 || all_weights_[place] == 0) continue;
            grown_.votes[i] += leaf_value(all_rows_[place]);
            grown_.n_votes[i] += 1;
        }
    }

    float leaf_value(std::size_t row) const {
        const GrownSplits& splits = grown_.splits;
        std::size_t here = root_;
        while (splits.feature[here] >= 0) {
            const Code code = search_.columns.code_of(splits.feature[here], row);
            here = root_ + splits.left[here] + (splits.cut_at(here).sends_left(code) ? 0 : 1);
        }
        return grown_.value[here];
    }

    TreeSettings how_;
    NodeSplitSearch<Rule, Columns> search_;
    NodeTrees grown_;
    std::size_t n_positive_ = 0;
    Buffer<std::int32_t> all_rows_, all_weights_;  // of the examples, those of class 1 first
    Buffer<std::int32_t> place_of_;                // where an example stands there
    Buffer<std::int32_t> times_;                   // how often each was drawn
    Buffer<std::int32_t> ones_;
    Buffer<std::int32_t> rows_, rows_aside_, weights_, weights_aside_;
    std::vector<Waiting> waiting_;
    std::size_t root_ = 0;  // where the tree begins
    double tree_weight_ = 1;
};

}  // namespace hilabel
