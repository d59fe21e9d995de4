// Products of pairs of a few rows of a tree.
//
// The squares that splits change are sums over pairs of rows: sum_c weight_c s_c^2 is the
// sum, over all pairs, of their weights times the weights of the labels that both have.
// Once a node has few rows, these products are computed once for a whole block, the node
// and all its descendants. After that, labels and values of features without missing values
// are no longer needed.
#pragma once

#include <algorithm>

#include "side_sums.hpp"

namespace hilabel {

constexpr std::size_t FEW_ROWS = 64;  // most rows of a block

// What is multiplied for each entry of the lists of rows: labels or values.
struct LabelEntries {
    const RowLists& lists;
    const double* weight;

    double value(std::size_t, std::uint32_t label) const { return weight[label]; }
    double factor(std::size_t) const { return 1.0; }
};

struct ValueEntries {
    const RowLists& lists;
    const double* values;

    double value(std::size_t entry, std::uint32_t) const { return values[entry]; }
    double factor(std::size_t entry) const { return values[entry]; }
};

class RowProducts {
public:
    // `n_indices` is the number of labels or features.
    explicit RowProducts(std::size_t n_indices) : spread_(n_indices) {}

    // Multiply the rows of a block; O(rows times entries of all rows).
    template <class Entries>
    void fill(const NodeRows& block, const Entries& entries) {
        const std::size_t n = block.size();
        for (std::size_t first = 0; first < n; first += AT_A_TIME) {
            const std::size_t last = std::min(first + AT_A_TIME, n);
            for (std::size_t i = first; i < last; ++i)
                spread_out(entries, block.rows[i], i - first, block.weights[i]);
            for (std::size_t j = 0; j < last; ++j) {
                double total[AT_A_TIME];
                multiply(entries, block.rows[j], total);
                for (std::size_t i = std::max(first, j); i < last; ++i)
                    at(i, j) = at(j, i) = block.weights[j] * total[i - first];
            }
            for (std::size_t i = first; i < last; ++i)
                spread_out(entries, block.rows[i], i - first, 0.0);
        }
    }

    // The product of two rows, given their positions in the block.
    double& at(std::size_t i, std::size_t j) { return block_[i * FEW_ROWS + j]; }

    // Arrange the products of the rows of a node, given their positions in the block. Sets
    // its sums, except weights; returns its spread.
    double sum_up(const std::int32_t* place, const NodeRows& node, PartSums& part) {
        const std::size_t n = node.size();
        width_ = (n + 3) / 4 * 4;
        for (std::size_t i = 0; i < n; ++i) {
            const double* from = block_ + place[i] * FEW_ROWS;
            for (std::size_t j = 0; j < n; ++j) near_[i * FEW_ROWS + j] = from[place[j]];
            part.own[i] = from[place[i]];
        }
        start();
        for (std::size_t i = 0; i < n; ++i) pass(i);
        double spread = part.squares = 0;
        for (std::size_t i = 0; i < n; ++i) {
            part.cross[i] = sums_[i];
            part.squares += sums_[i];
            spread += part.own[i] / node.weights[i];
        }
        return spread;
    }

    // For sum_sides: start with no row on the other side.
    void start() { std::fill_n(sums_, width_, 0.0); }

    double pass(std::size_t i) {
        const double before = sums_[i], *line = near_ + i * FEW_ROWS;
        const std::size_t width = width_;  // not looked up again after each store
        for (std::size_t at = 0; at < width; at += 4)
            store(load<Four>(sums_ + at) + load<Four>(line + at), sums_ + at);
        return before;
    }

private:
    static constexpr std::size_t AT_A_TIME = 8, STEP = 4;
    struct alignas(sizeof(double) * AT_A_TIME) EightRows {
        double of[AT_A_TIME] = {};
    };

    template <class Entries>
    void spread_out(const Entries& entries, std::size_t row, std::size_t lane, double weight) {
        std::size_t entry = entries.lists.ptr[row];
        for (std::uint32_t index : entries.lists.of(row))
            spread_[index].of[lane] = weight * entries.value(entry++, index);
    }

    // Multiply a row with the spread-out rows, processing four entries at a time.
    template <class Entries>
    void multiply(const Entries& entries, std::size_t row, double* total) {
        const std::uint32_t* index = entries.lists.index.data();
        const std::size_t begin = entries.lists.ptr[row], end = entries.lists.ptr[row + 1];
        const std::size_t whole = begin + (end - begin) / STEP * STEP;
        Four sum[STEP][2] = {};
        const auto add = [&](std::size_t entry, Four(&to)[2]) {
            const double* rows = spread_.data()[index[entry]].of;
            const Four factor = everywhere<Four>(entries.factor(entry));
            to[0] = to[0] + load<Four>(rows) * factor;
            to[1] = to[1] + load<Four>(rows + 4) * factor;
        };
        for (std::size_t entry = begin; entry < whole; entry += STEP) {
            HILABEL_UNROLLED
            for (std::size_t step = 0; step < STEP; ++step) add(entry + step, sum[step]);
        }
        for (std::size_t entry = whole; entry < end; ++entry) add(entry, sum[0]);
        for (std::size_t half = 0; half < 2; ++half)
            store((sum[0][half] + sum[1][half]) + (sum[2][half] + sum[3][half]), total + 4 * half);
    }

    std::size_t width_ = 0;  // rows of the node, some to spare
    alignas(64) double block_[FEW_ROWS * FEW_ROWS] = {};
    alignas(64) double near_[FEW_ROWS * FEW_ROWS] = {};  // the products of a node's rows
    alignas(64) double sums_[FEW_ROWS] = {};
    Buffer<EightRows> spread_;  // all 0 between calls
};

}  // namespace hilabel
