// Walk coded rows down trees, and predict with the leaves that they fall in.
#pragma once

#include <vector>

#include "coded_columns.hpp"

namespace hilabel {

// A tree node as a step needs it, side by side. A row goes right if its code, turned by one
// in 8 bits where missing values go left (255 becomes 0), is above the limit. A leaf is its
// own left child, and keeps every row.
struct alignas(16) WalkNode {
    std::uint32_t left, feature;  // the left child by its number in the tree
    Code turn, limit;
};

struct Trees {
    std::vector<WalkNode> nodes;
    std::vector<std::size_t> roots;  // where each tree begins, and the last one ends
    std::size_t n_features = 0;

    std::size_t n_trees() const { return roots.size() - 1; }
};

// The number of the child that a row goes to, without a branch.
inline std::uint32_t step(const Code* row, const WalkNode& node) {
    return node.left + (static_cast<Code>(row[node.feature] + node.turn) > node.limit);
}

// Call `visit(row, place of its leaf)` for every row of codes in one tree.
template <class Visit>
void walk(const Trees& trees, std::size_t tree, Table<const Code> codes, Visit visit) {
    // Rows go down together, so that the processor has several loads to wait for at a
    // time instead of one; now and then it is asked whether all have arrived.
    constexpr std::size_t TOGETHER = 6, LEVELS = 2;
    const std::size_t root = trees.roots[tree], n = codes.n_rows(), width = codes.n_columns();
    const WalkNode* nodes = trees.nodes.data() + root;
    std::size_t first = 0;
    for (; first + TOGETHER <= n; first += TOGETHER) {
        const Code* rows = codes.row(first).data();
        std::uint32_t here[TOGETHER] = {};
        for (bool on_the_way = true; on_the_way;) {
            for (std::size_t level = 0; level < LEVELS; ++level) HILABEL_UNROLLED
            for (std::size_t i = 0; i < TOGETHER; ++i)
                here[i] = step(rows + i * width, nodes[here[i]]);
            on_the_way = false;
            HILABEL_UNROLLED
            for (std::size_t i = 0; i < TOGETHER; ++i) on_the_way |= nodes[here[i]].left != here[i];
        }
        for (std::size_t i = 0; i < TOGETHER; ++i) visit(first + i, root + here[i]);
    }
    for (; first < n; ++first) {
        std::uint32_t here = 0;
        while (nodes[here].left != here) here = step(codes.row(first).data(), nodes[here]);
        visit(first, root + here);
    }
}

// The mean over trees of the value of the leaf that each row falls in. Sums are taken in the
// order of the trees, so that they do not depend on how rows are divided.
inline Buffer<float> mean_leaf_values(const Trees& trees, Span<const float> value,
                                      Table<const Code> codes) {
    Buffer<double> total(codes.n_rows());
    for (std::size_t tree = 0; tree < trees.n_trees(); ++tree)
        walk(trees, tree, codes,
             [&](std::size_t row, std::size_t place) { total[row] += value[place]; });
    Buffer<float> mean(codes.n_rows());
    for (std::size_t row = 0; row < codes.n_rows(); ++row)
        mean[row] = static_cast<float>(total[row] / static_cast<double>(trees.n_trees()));
    return mean;
}

// The place of each row's leaf in every tree, row by row.
inline Buffer<std::uint32_t> find_leaves(const Trees& trees, Table<const Code> codes) {
    Buffer<std::uint32_t> found(codes.n_rows() * trees.n_trees());
    for (std::size_t tree = 0; tree < trees.n_trees(); ++tree)
        walk(trees, tree, codes, [&](std::size_t row, std::size_t place) {
            found[row * trees.n_trees() + tree] = static_cast<std::uint32_t>(place);
        });
    return found;
}

// Labels of each leaf of clustering trees, and the shares of its rows that have them.
struct LeafShares {
    Span<const std::int32_t> leaf;  // by place of a tree node; -1 elsewhere
    Span<const std::int64_t> ptr;
    Span<const std::int32_t> label;
    Span<const float> share;
    std::size_t n_labels;
};

// Set `scores` (n, n_nodes) to the mean over trees of the shares of leaves, where node j of
// the hierarchy has label `target_of[j]`, or none if that is -1. Since sums and quotients
// keep the order of shares, no node ever comes above a parent.
inline void mean_label_shares(const Trees& trees, const LeafShares& leaves, Table<const Code> codes,
                              Span<const std::int32_t> target_of, Table<float> scores) {
    const std::size_t n_trees = trees.n_trees();
    const Buffer<std::uint32_t> found = find_leaves(trees, codes);
    Buffer<double> total(leaves.n_labels + 1);  // the last one is of nodes without label
    for (std::size_t row = 0; row < codes.n_rows(); ++row) {
        total.fill(0.0);
        for (std::uint32_t place : found.span().part(row * n_trees, (row + 1) * n_trees)) {
            const std::int64_t* ptr = leaves.ptr.data() + leaves.leaf[place];
            for (std::int64_t entry = ptr[0]; entry < ptr[1]; ++entry)
                total.data()[leaves.label.data()[entry]] += leaves.share.data()[entry];
        }
        for (std::size_t label = 0; label < leaves.n_labels; ++label)
            total.data()[label] /= static_cast<double>(n_trees);
        for (std::size_t node = 0; node < target_of.size(); ++node) {
            const std::int32_t target = target_of.data()[node];
            scores(row, node) =
                static_cast<float>(total.data()[target < 0 ? leaves.n_labels : target]);
        }
    }
}

}  // namespace hilabel
