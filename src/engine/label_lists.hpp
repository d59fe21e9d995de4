// Lists of the labels that the rows of a node share.
//
// Labels of all labelled rows carry no information, and a label of a single row only adds
// to the square of that row: both are omitted. The others are numbered in the order in
// which they are found; these numbers are their slots.
#pragma once

#include <algorithm>

#include "slot_sums.hpp"

namespace hilabel {

class LabelLists {
public:
    LabelLists(const LabelTargets& targets, const NodeRows& tree)
        : targets_(targets),
          sum_(targets.n_labels()),
          slot_of_(targets.n_labels(), -1),
          single_(tree.size()),
          ptr_(tree.size() + 1),
          slot_(targets.searched.index.size() + STEP * tree.size()),
          sums_(targets.n_labels()),
          times_(targets.n_labels() + 1) {}

    // List the labels of a node and set its sums, except weights; return its spread.
    double sum_up(const NodeRows& node, PartSums& part) {
        for (std::size_t i = 0; i < node.size(); ++i)
            for (std::uint32_t label : targets_.searched.of(node.rows[i]))
                sum_[label] += node.weights[i];
        double spread = part.squares = 0;
        n_entries_ = sums_.n_slots = 0;
        for (std::size_t i = 0; i < node.size(); ++i) spread += list_row(i, node, part);
        std::fill_n(sums_.weight.data() + sums_.n_slots, 8, 0.0);
        std::fill_n(sums_.total.data() + sums_.n_slots, 8, 0.0);
        for (std::int32_t row : node.rows)
            for (std::uint32_t label : targets_.searched.of(row))
                sum_[label] = 0.0, slot_of_[label] = -1;
        return spread;
    }

    // For sum_sides: start with no row on the other side.
    void start(const PartSums& part) {
        weights_ = part.weight.data();
        std::fill_n(sums_.count.data(), sums_.n_slots, 0.0);
    }

    double pass(std::size_t i) {
        const std::uint32_t* HILABEL_RESTRICT slot = slot_.data() + ptr_.data()[i];
        const std::uint32_t* end = slot_.data() + ptr_.data()[i + 1];
        const double* HILABEL_RESTRICT weight = sums_.weight.data();
        double* HILABEL_RESTRICT count = sums_.count.data();
        const double added = weights_[i];
        double one = 0, two = 0, three = 0, four = 0;
        // A row has no label twice, so a whole step can be processed at once; only the
        // padding label repeats, and its weight is 0.
        for (; slot < end; slot += STEP) {
            const std::size_t a = slot[0], b = slot[1], c = slot[2], d = slot[3];
            const double in_a = count[a], in_b = count[b], in_c = count[c], in_d = count[d];
            count[a] = in_a + added, count[b] = in_b + added;
            count[c] = in_c + added, count[d] = in_d + added;
            one += weight[a] * in_a, two += weight[b] * in_b;
            three += weight[c] * in_c, four += weight[d] * in_d;
        }
        return added * ((one + two) + (three + four));
    }

    // Sum the rows of one side, for the cut after the last of them.
    void sum_side(Numbers moved, const PartSums& part, SideSums& sides) {
        std::int32_t* HILABEL_RESTRICT times = times_.data();
        double single = 0, weight = 0;
        std::fill_n(times, sums_.n_slots, 0);
        for (std::int32_t i : moved) {
            const std::int32_t added = static_cast<std::int32_t>(part.weight[i]);
            for (std::uint32_t slot : slot_.span().part(ptr_[i], ptr_[i + 1])) times[slot] += added;
            single += single_[i];
            weight += part.weight[i];
        }
        for (std::size_t slot = 0; slot < sums_.n_slots; ++slot) sums_.count[slot] = times[slot];
        sums_.sum_side(moved.size() - 1, single, weight, sides);
    }

private:
    // Lists are processed this many labels at a time, and padded to whole steps.
    static constexpr std::size_t STEP = 4;

    // List the labels of row i; return their contribution to the spread.
    double list_row(std::size_t i, const NodeRows& node, PartSums& part) {
        const double weight = node.weights[i];
        double shared = 0, alone = 0, product = 0;
        for (std::uint32_t label : targets_.searched.of(node.rows[i])) {
            const double total = sum_[label], label_weight = targets_.weight[label];
            if (total == part.all_weight) continue;
            product += label_weight * total;
            (total == weight ? alone : shared) += label_weight;
            if (total != weight) slot_[n_entries_++] = slot_of(label, label_weight, total);
        }
        const auto nothing = static_cast<std::uint32_t>(targets_.n_labels());
        while (n_entries_ % STEP != 0) slot_[n_entries_++] = nothing;
        ptr_[i + 1] = n_entries_;
        part.own[i] = weight * weight * (shared + alone);
        part.cross[i] = weight * product;
        part.squares += weight * product;
        single_[i] = weight * weight * alone;
        return weight * (shared + alone);
    }

    std::uint32_t slot_of(std::uint32_t label, double weight, double total) {
        if (slot_of_[label] < 0) {
            sums_.weight[sums_.n_slots] = weight;
            sums_.total[sums_.n_slots] = weight * total;
            slot_of_[label] = static_cast<std::int32_t>(sums_.n_slots++);
        }
        return static_cast<std::uint32_t>(slot_of_[label]);
    }

    LabelTargets targets_;
    Buffer<double> sum_;            // by label, all 0 between nodes
    Buffer<std::int32_t> slot_of_;  // by label, all -1 between nodes
    Buffer<double> single_;         // by row, what labels that only it has add to its square
    Buffer<std::size_t> ptr_;       // where the slots of each row begin
    Buffer<std::uint32_t> slot_;    // the last one there is stands for no label, of weight 0
    std::size_t n_entries_ = 0;
    SlotSums sums_;
    Buffer<std::int32_t> times_;  // by slot, over one side; whole numbers are faster
    const double* weights_ = nullptr;
};

}  // namespace hilabel
