// The targets of the rows of a tree node, summed once, and the gains of its splits.
//
// A node lists the labels that its rows share. Nodes with few rows, in a block, do not need
// this: the products of their rows suffice.
#pragma once

#include <optional>

#include "label_lists.hpp"
#include "label_table.hpp"
#include "row_products.hpp"
#include "tree_settings.hpp"
#include "value_sums.hpp"

namespace hilabel {

class NodeAims {
public:
    PartSums labels, values;
    SideSums sides;

    NodeAims(const ClusteringTargets& targets, const NodeRows& tree, const TreeSettings& how)
        : labels(tree.size()),
          values(tree.size()),
          sides(tree.size()),
          targets_(targets),
          norm_(targets.n_rows()),
          draws_(how.is_random),
          label_products_(targets.labels.n_labels()),
          value_products_(targets.values.n_features),
          value_sums_(targets.values),
          gappy_sums_(targets.gappy),
          place_(tree.size()),
          block_place_(targets.n_rows()),
          numbers_(tree.size()) {
        for (std::size_t row = 0; row < norm_.size(); ++row)
            for (std::uint32_t label : targets.labels.searched.of(row))
                norm_[row] += targets.labels.weight[label];
        for (std::size_t i = 0; i < tree.size(); ++i) numbers_[i] = static_cast<std::int32_t>(i);
        if (how.is_random && LabelTable::is_of_use(targets.labels, tree))
            table_.emplace(targets.labels, tree);
        else lists_.emplace(targets.labels, tree);
    }

    bool is_in_block() const { return is_in_block_; }
    double impurity() const { return labels.impurity + values.impurity + gappy_impurity_; }

    // Multiply the rows of a block, which is used until the last of its nodes is finished.
    void fill_block(const NodeRows& block) {
        const ValueTargets& aims = targets_.values;
        label_products_.fill(block,
                             LabelEntries{targets_.labels.searched, targets_.labels.weight.data()});
        for (std::size_t i = 0; i < block.size(); ++i) {
            block_place_[block.rows[i]] = static_cast<std::int32_t>(i);
            label_products_.at(i, i) = block.weights[i] * block.weights[i] * norm_[block.rows[i]];
        }
        if (aims.n_features > 0)
            value_products_.fill(block, ValueEntries{aims.features, aims.value.data()});
    }

    // Prepare for the splits of a node; O(labels and values of its rows), or O(rows squared)
    // in a block.
    void sum_up(const NodeRows& node, bool is_in_block) {
        is_in_block_ = is_in_block;
        double weight = 0, labeled = 0;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const bool is_labeled = targets_.labels.is_labeled(node.rows[i]);
            weight += values.weight[i] = node.weights[i];
            labeled += labels.weight[i] = is_labeled ? node.weights[i] : 0.0;
            place_[i] = block_place_[node.rows[i]];
        }
        values.all_weight = weight, labels.all_weight = labeled;
        labels.set_impurity(sum_labels(node));
        if (targets_.values.n_features > 0)
            values.set_impurity(is_in_block ? value_products_.sum_up(place_.data(), node, values)
                                            : value_sums_.sum_up(node, values));
        if (targets_.gappy.n_features() > 0) gappy_impurity_ = gappy_sums_.sum_up(node);
    }

    // Set `gain` to the gains of the cuts.
    void find_gains(const NodeRows& node, const Cuts& cuts, double* gain) {
        std::fill(gain + cuts.first, gain + cuts.moved.size(), 0.0);
        sum_label_sides(cuts);
        add_gains(sides, labels, labels.impurity, cuts, gain);
        if (targets_.values.n_features > 0) {
            if (is_in_block_) {
                value_products_.start();
                sum_sides(cuts, values, value_products_, sides);
            } else {
                value_sums_.start(node);
                sum_sides(cuts, values, value_sums_, sides);
            }
            add_gains(sides, values, 0.0, cuts, gain);
        }
        if (targets_.gappy.n_features() > 0) gappy_sums_.add_gains(node, cuts, gain);
    }

private:
    // Sum the labels of a node; return their spread.
    double sum_labels(const NodeRows& node) {
        if (is_in_block_) return label_products_.sum_up(place_.data(), node, labels);
        return table_ ? table_->sum_up(node, numbers_.span().part(0, node.size()), labels)
                      : lists_->sum_up(node, labels);
    }

    void sum_label_sides(const Cuts& cuts) {
        if (is_in_block_) {
            label_products_.start();
            sum_sides(cuts, labels, label_products_, sides);
        } else if (table_) {
            table_->sum_side(cuts.moved, sides);
        } else if (draws_) {
            lists_->sum_side(cuts.moved, labels, sides);
        } else {
            lists_->start(labels);
            sum_sides(cuts, labels, *lists_, sides);
        }
    }

    ClusteringTargets targets_;
    bool is_in_block_ = false;
    double gappy_impurity_ = 0;
    Buffer<double> norm_;  // by row, the weights of its labels
    bool draws_;           // one cut of a feature, instead of looking at all
    RowProducts label_products_, value_products_;
    ValueSums value_sums_;
    GappySums gappy_sums_;
    std::optional<LabelTable> table_;  // either this or lists
    std::optional<LabelLists> lists_;
    Buffer<std::int32_t> place_, block_place_;  // in the block, by row of the node, and of all
    Buffer<std::int32_t> numbers_;              // 0, 1, 2, ...
};

}  // namespace hilabel
