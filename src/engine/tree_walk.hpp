// Pass encoded rows down trees, and predict with the leaves that they reach.
#pragma once

#include <vector>

#include "coded_columns.hpp"

namespace hilabel {

// The data of a tree node that a step needs, in one place. A row goes right if its code is
// above the limit; if missing values go left, the code is first incremented in 8 bits (255
// becomes 0). A leaf is its own left child and keeps every row.
struct alignas(16) WalkNode {
    std::uint32_t left, feature;  // the left child by its number in the tree
    Code turn, limit;

    static WalkNode leaf(std::uint32_t number) { return {number, 0, 0, MISSING}; }
    bool is_leaf() const { return turn == 0 && limit == MISSING; }  // cuts are below
};

struct Trees {
    std::vector<WalkNode> nodes;
    std::vector<std::size_t> roots;  // where each tree begins, and the last one ends
    std::size_t n_features = 0;

    std::size_t n_trees() const { return roots.size() - 1; }
};

// The number of the child of a row, without a branch.
inline std::uint32_t step(const Code* row, const WalkNode& node) {
    return node.left + (static_cast<Code>(row[node.feature] + node.turn) > node.limit);
}

// Call `visit(row, position of its leaf)` for every row of codes in one tree.
template <class Visit>
void walk(const Trees& trees, std::size_t tree, Table<const Code> codes, Visit visit) {
    // Rows go down together, so that the processor can wait for several loads at once; it
    // checks only occasionally whether all have arrived.
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

}  // namespace hilabel
