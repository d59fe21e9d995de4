// Labels in a table of 8 bits, for cuts that are drawn in small problems: how often each
// label counts in each row of a tree, so that rows are summed up many labels at a time.
#pragma once

#include <algorithm>

#include "side_sums.hpp"

namespace hilabel {

class LabelTable {
public:
    // Whether 8 bits hold each row.
    static bool can_hold(Span<const double> weights) {
        return *std::max_element(weights.begin(), weights.end()) <= MOST_PART;
    }

    LabelTable(const LabelTargets& targets, const NodeRows& tree)
        : n_labeled_(targets.n_labeled),
          width_(targets.n_labels() / CELLS * CELLS + CELLS),
          cells_(n_labeled_ * width_ / CELLS),
          sums_(width_),
          part_(width_) {
        std::copy(targets.weight.begin(), targets.weight.end(), sums_.weight.data());
        sums_.n_slots = width_;
        double most = 1;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (!targets.is_labeled(tree.rows[i])) continue;
            std::uint8_t* cells = line(tree.rows[i]);
            for (std::uint32_t label : targets.searched.of(tree.rows[i]))
                cells[label] = static_cast<std::uint8_t>(tree.weights[i]);
            cells[width_ - 1] = static_cast<std::uint8_t>(tree.weights[i]);
            most = std::max(most, tree.weights[i]);
        }
        rows_at_once_ = static_cast<std::size_t>(MOST_PART / most);
    }

    // Sum up a node, all `numbers`; return the spread.
    double sum_up(const NodeRows& node, Numbers numbers, PartSums& part) {
        rows_ = node.rows.data();
        add_lines(numbers);
        Four squares = {}, spread = {};
        for (std::size_t slot = 0; slot < width_; slot += 4) {
            const Four count = load<Four>(sums_.count.data() + slot);
            const Four weighted = load<Four>(sums_.weight.data() + slot) * count;
            store(weighted, sums_.total.data() + slot);
            squares = squares + weighted * count;
            spread = spread + weighted;
        }
        part.squares = sum_of(squares);
        return sum_of(spread);
    }

    // Sum up the rows of one side, for the cut after the last of them; O(rows times labels)
    // in 8 bits.
    void sum_side(Numbers moved, SideSums& sides) {
        add_lines(moved);
        sums_.sum_side(moved.size() - 1, 0.0, sums_.count[width_ - 1], sides);
    }

private:
    static constexpr double MOST_PART = 255;
    // Cells that lie side by side in memory, as many as are added at a time.
    static constexpr std::size_t CELLS = 32, MOST_AT_ONCE = 8;
    struct alignas(CELLS) Line {
        std::uint8_t cells[CELLS] = {};
    };

    std::uint8_t* line(std::size_t row) { return cells_.data()->cells + row * width_; }

    // Count the labels of the rows. As many rows as 8 bits hold are added at once, and as
    // many columns as leave their sums in registers.
    void add_lines(Numbers numbers) {
        double* HILABEL_RESTRICT count = sums_.count.data();
        const std::uint8_t* HILABEL_RESTRICT part = part_.data();
        for (std::size_t start = 0; start < numbers.size(); start += rows_at_once_) {
            const std::size_t end = std::min(start + rows_at_once_, numbers.size());
            for (std::size_t first = 0; first < width_; first += MOST_AT_ONCE * CELLS)
                add_columns<MOST_AT_ONCE>(numbers.part(start, end), first);
            if (start == 0) std::copy_n(part, width_, count);
            else
                for (std::size_t at = 0; at < width_; ++at) count[at] += part[at];
        }
    }

    // Add N times CELLS columns, or as many as there are.
    template <std::size_t N>
    void add_columns(Numbers numbers, std::size_t first) {
        if constexpr (N > 1)
            if (width_ - first < N * CELLS) return add_columns<N - 1>(numbers, first);
        using Part = Lanes<std::uint8_t, CELLS>;
        Part sum[N];
        for (std::size_t at = 0; at < N; ++at) sum[at] = Part{};
        for (std::int32_t number : numbers) {
            const std::size_t row = rows_[number];
            if (row >= n_labeled_) continue;
            HILABEL_UNROLLED
            for (std::size_t at = 0; at < N; ++at)
                sum[at] = sum[at] + load<Part>(line(row) + first + at * CELLS);
        }
        for (std::size_t at = 0; at < N; ++at) store(sum[at], part_.data() + first + at * CELLS);
    }

    std::size_t n_labeled_;
    std::size_t width_;  // of a line: all labels, some to spare, and last the row itself
    Buffer<Line> cells_;
    SlotSums sums_;
    std::size_t rows_at_once_;
    Buffer<std::uint8_t> part_;
    const std::int32_t* rows_ = nullptr;
};

}  // namespace hilabel
