// Labels in lists, one for each row: those of the whole tree if there are few labels, or
// else those of one node.
#pragma once

#include <algorithm>

#include "side_sums.hpp"

namespace hilabel {

// Lists of slots, which stand for labels, and what it takes to walk them.
class SlotLists {
public:
    SlotSums sums;

    SlotLists(std::size_t n_lists, const LabelTargets& targets)
        : sums(targets.n_labels()),
          ptr_(n_lists + 1),
          slot_(targets.searched.index.size() + STEP * n_lists),
          nothing_(static_cast<std::uint32_t>(targets.n_labels())) {}

    // Lists are written one after the other.
    void clear() { n_lists_ = n_entries_ = sums.n_slots = 0; }
    void add(std::uint32_t slot) { slot_[n_entries_++] = slot; }
    void end_list() {
        while (n_entries_ % STEP != 0) add(nothing_);
        ptr_[++n_lists_] = static_cast<std::int64_t>(n_entries_);
    }
    std::size_t n_lists() const { return n_lists_; }
    Labels of(std::size_t list) const { return slot_.span().part(ptr_[list], ptr_[list + 1]); }

    // Begin with no row on the other side. Row i of the node weighs `weights[i]`, and its
    // list is `places[i]`.
    void start(const double* weights, const std::int32_t* places) {
        weights_ = weights, places_ = places;
        std::fill_n(sums.count.data(), sums.n_slots, 0.0);
    }

    // For sum_sides; O(labels of the row).
    double pass(std::size_t i) {
        const std::int64_t* ptr = ptr_.data() + places_[i];
        const std::uint32_t* HILABEL_RESTRICT slot = slot_.data() + ptr[0];
        const std::uint32_t* end = slot_.data() + ptr[1];
        const double* HILABEL_RESTRICT weight = sums.weight.data();
        double* HILABEL_RESTRICT times = sums.count.data();
        const double added = weights_[i];
        double one = 0, two = 0, three = 0, four = 0;
        // A row has no label twice, so that a whole step can be on its way at a time; only
        // the label that does not exist is there more often, and its weight is 0.
        for (; slot < end; slot += STEP) {
            const std::size_t a = slot[0], b = slot[1], c = slot[2], d = slot[3];
            const double in_a = times[a], in_b = times[b], in_c = times[c], in_d = times[d];
            times[a] = in_a + added, times[b] = in_b + added;
            times[c] = in_c + added, times[d] = in_d + added;
            one += weight[a] * in_a, two += weight[b] * in_b;
            three += weight[c] * in_c, four += weight[d] * in_d;
        }
        return added * ((one + two) + (three + four));
    }

private:
    // Lists are walked so many labels at a time, and filled up to whole steps.
    static constexpr std::size_t STEP = 4;

    Buffer<std::int64_t> ptr_;
    Buffer<std::uint32_t> slot_;
    std::uint32_t nothing_;  // a label that does not exist, of weight 0
    std::size_t n_lists_ = 0, n_entries_ = 0;
    const double* weights_ = nullptr;
    const std::int32_t* places_ = nullptr;
};

// Add, to the sum of each label, the weights of the rows that have it.
inline void add_weights(const NodeRows& node, const RowLists& lists, double* sum) {
    for (std::size_t i = 0; i < node.size(); ++i) {
        const double added = node.weights[i];
        for (std::uint32_t label : lists.of(node.rows[i])) sum[label] += added;
    }
}

// The labels of all rows of a tree, by row of the matrix; slots are labels.
struct TreeLists {
    SlotLists lists;

    TreeLists(const LabelTargets& targets, const NodeRows& tree)
        : lists(targets.searched.n_rows(), targets) {
        std::copy(targets.weight.begin(), targets.weight.end(), lists.sums.weight.data());
        lists.sums.n_slots = targets.n_labels();
        for (std::size_t row : tree.rows) {  // ascending
            while (lists.n_lists() < row) lists.end_list();
            for (std::uint32_t label : targets.searched.of(row)) lists.add(label);
            lists.end_list();
        }
    }

    // Set the sums of a node but for weights and what rows add by themselves; return its
    // spread.
    double sum_up(const NodeRows& node, const LabelTargets& targets, PartSums& part) {
        double* total = lists.sums.total.data();
        std::fill_n(total, lists.sums.n_slots, 0.0);
        add_weights(node, targets.searched, total);
        double spread = part.squares = 0;
        for (std::size_t label = 0; label < targets.n_labels(); ++label) {
            const double weighted = targets.weight[label] * total[label];
            part.squares += weighted * total[label];
            spread += weighted;
            total[label] = weighted;
        }
        for (std::size_t i = 0; i < node.size(); ++i)
            part.cross[i] = node.weights[i] * sum_of_list(targets.searched.of(node.rows[i]));
        return spread;
    }

private:
    // The totals of a row's labels, four on their way at a time.
    double sum_of_list(Labels labels) const {
        const double* total = lists.sums.total.data();
        const std::size_t whole = labels.size() / 4 * 4;
        double sum[4] = {};
        for (std::size_t k = 0; k < whole; k += 4) {
            HILABEL_UNROLLED
            for (std::size_t step = 0; step < 4; ++step)
                sum[step] += total[labels.data()[k + step]];
        }
        for (std::size_t k = whole; k < labels.size(); ++k) sum[0] += total[labels.data()[k]];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
};

// The labels that the rows of a node share. Those that all labelled rows have tell
// nothing, and a label of a single row only adds to that row's own square: both are left
// out. Slots are numbered as they are found.
class NodeLists {
public:
    SlotLists lists;

    NodeLists(const LabelTargets& targets, const NodeRows& tree)
        : lists(tree.size(), targets),
          single_(tree.size()),
          sum_(targets.n_labels()),
          slot_of_(targets.n_labels(), -1),
          times_(targets.n_labels() + 1) {}

    // Set the sums of a node but for weights; return its spread.
    double sum_up(const NodeRows& node, const LabelTargets& targets, PartSums& part) {
        add_weights(node, targets.searched, sum_.data());
        double spread = part.squares = 0;
        lists.clear();
        for (std::size_t i = 0; i < node.size(); ++i) spread += list_row(i, node, targets, part);
        std::fill_n(lists.sums.weight.data() + lists.sums.n_slots, 8, 0.0);
        std::fill_n(lists.sums.total.data() + lists.sums.n_slots, 8, 0.0);
        for (std::int32_t row : node.rows)
            for (std::uint32_t label : targets.searched.of(row))
                sum_[label] = 0.0, slot_of_[label] = -1;
        return spread;
    }

    // Sum up the rows of one side, for the cut after the last of them.
    void sum_side(Numbers moved, const PartSums& part, SideSums& sides) {
        std::int32_t* HILABEL_RESTRICT times = times_.data();
        const std::size_t n_slots = lists.sums.n_slots;
        double single = 0, weight = 0;
        std::fill_n(times, n_slots, 0);
        for (std::int32_t i : moved) {
            const std::int32_t added = static_cast<std::int32_t>(part.weight[i]);
            for (std::uint32_t slot : lists.of(i)) times[slot] += added;
            single += single_[i];
            weight += part.weight[i];
        }
        for (std::size_t slot = 0; slot < n_slots; ++slot) lists.sums.count[slot] = times[slot];
        lists.sums.sum_side(moved.size() - 1, single, weight, sides);
    }

private:
    // List the labels of row i; return what they add to the spread.
    double list_row(std::size_t i, const NodeRows& node, const LabelTargets& targets,
                    PartSums& part) {
        const double weight = node.weights[i];
        double shared = 0, alone = 0, product = 0;
        for (std::uint32_t label : targets.searched.of(node.rows[i])) {
            const double total = sum_[label], label_weight = targets.weight[label];
            if (total == part.all_weight) continue;
            product += label_weight * total;
            (total == weight ? alone : shared) += label_weight;
            if (total != weight) lists.add(slot_of(label, label_weight, total));
        }
        lists.end_list();
        part.own[i] = weight * weight * (shared + alone);
        part.cross[i] = weight * product;
        part.squares += weight * product;
        single_[i] = weight * weight * alone;
        return weight * (shared + alone);
    }

    std::uint32_t slot_of(std::uint32_t label, double weight, double total) {
        if (slot_of_[label] < 0) {
            const std::size_t slot = lists.sums.n_slots++;
            lists.sums.weight[slot] = weight;
            lists.sums.total[slot] = weight * total;
            slot_of_[label] = static_cast<std::int32_t>(slot);
        }
        return static_cast<std::uint32_t>(slot_of_[label]);
    }

    Buffer<double> single_;         // by row, what labels that only it has add to its square
    Buffer<double> sum_;            // by label, all 0 between nodes
    Buffer<std::int32_t> slot_of_;  // by label, all -1 between nodes
    Buffer<std::int32_t> times_;    // by slot, over one side; whole numbers are faster
};

}  // namespace hilabel
