// A table of the labels of a tree's rows, for random cuts in small problems: rows are
// summed many labels at a time.
#pragma once

#include <algorithm>

#include "slot_sums.hpp"

namespace hilabel {

class LabelTable {
public:
    // Whether there are few labels, and 8 bits suffice for a row.
    static bool is_of_use(const LabelTargets& targets, const NodeRows& tree) {
        return targets.n_labels() <= MOST_LABELS && most_of(tree) <= 255 &&
               targets.n_labels() * targets.n_labeled <= MOST_CELLS;
    }

    LabelTable(const LabelTargets& targets, const NodeRows& tree)
        : n_labeled_(targets.n_labeled),
          width_(targets.n_labels() / CELLS * CELLS + CELLS),
          cells_((n_labeled_ + 1) * width_),
          part_(width_),
          rows_at_once_(static_cast<std::size_t>(255 / most_of(tree))),
          sums_(width_) {
        std::copy(targets.weight.begin(), targets.weight.end(), sums_.weight.data());
        sums_.n_slots = width_;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (!targets.is_labeled(tree.rows[i])) continue;
            std::uint8_t* cells = cells_.data() + tree.rows[i] * width_;
            cells[width_ - 1] = static_cast<std::uint8_t>(tree.weights[i]);
            for (std::uint32_t label : targets.searched.of(tree.rows[i]))
                cells[label] = cells[width_ - 1];
        }
    }

    // Sum over a node; return its spread.
    double sum_up(const NodeRows& node, Numbers all, PartSums& part) {
        rows_ = node.rows.data();
        count(all);
        Four squares = {}, spread = {};
        for (std::size_t slot = 0; slot < width_; slot += 4) {
            const Four sum = load<Four>(sums_.count.data() + slot);
            const Four weighted = load<Four>(sums_.weight.data() + slot) * sum;
            store(weighted, sums_.total.data() + slot);
            squares = squares + weighted * sum;
            spread = spread + weighted;
        }
        part.squares = sum_of(squares);
        return sum_of(spread);
    }

    // Sum the rows of one side, for the cut after the last of them; O(rows times labels).
    void sum_side(Numbers moved, SideSums& sides) {
        count(moved);
        sums_.sum_side(moved.size() - 1, 0.0, sums_.count[width_ - 1], sides);
    }

private:
    static double most_of(const NodeRows& tree) {
        return *std::max_element(tree.weights.begin(), tree.weights.end());
    }

    static constexpr std::size_t MOST_LABELS = 256, MOST_CELLS = std::size_t(1) << 22;
    static constexpr std::size_t CELLS = 32, MOST_AT_ONCE = 8;

    // Count the labels of the rows: as many rows at once as fit in 8 bits, and as many
    // columns as keep their sums in registers.
    void count(Numbers numbers) {
        double* HILABEL_RESTRICT count = sums_.count.data();
        const std::uint8_t* HILABEL_RESTRICT part = part_.data();
        for (std::size_t start = 0; start < numbers.size(); start += rows_at_once_) {
            const std::size_t end = std::min(start + rows_at_once_, numbers.size());
            for (std::size_t first = 0; first < width_; first += MOST_AT_ONCE * CELLS)
                add_columns<MOST_AT_ONCE>(numbers.part(start, end), first);
            for (std::size_t at = 0; at < width_; ++at)
                count[at] = (start == 0 ? 0.0 : count[at]) + part[at];
        }
    }

    // Add N times CELLS columns, or as many as remain.
    template <std::size_t N>
    void add_columns(Numbers numbers, std::size_t first) {
        if constexpr (N > 1)
            if (width_ - first < N * CELLS) return add_columns<N - 1>(numbers, first);
        using Part = Lanes<std::uint8_t, CELLS>;
        Part sum[N];
        for (std::size_t at = 0; at < N; ++at) sum[at] = Part{};
        for (std::int32_t number : numbers) {
            const std::size_t row = std::min<std::size_t>(rows_[number], n_labeled_);
            const std::uint8_t* cells = cells_.data() + row * width_ + first;
            HILABEL_UNROLLED
            for (std::size_t at = 0; at < N; ++at)
                sum[at] = sum[at] + load<Part>(cells + at * CELLS);
        }
        for (std::size_t at = 0; at < N; ++at) store(sum[at], part_.data() + first + at * CELLS);
    }

    std::size_t n_labeled_;
    std::size_t width_;  // of a line: all labels, some to spare, and last the row itself
    Buffer<std::uint8_t> cells_, part_;
    std::size_t rows_at_once_;
    SlotSums sums_;
    const std::int32_t* rows_ = nullptr;
};

}  // namespace hilabel
