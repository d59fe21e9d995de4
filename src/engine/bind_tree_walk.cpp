// Trees of both kinds, checked once when they are made, and predictions with them.
#include "bind.hpp"
#include "tree_walk.hpp"

namespace hilabel {
namespace {

using Numbers = Array1<const std::int32_t>;
using Pointers = Array1<const std::int64_t>;
using Bytes = Array1<const std::uint8_t>;

void make_trees(Trees* self, Pointers roots, Numbers feature, Bytes cut, Bytes missing,
                Numbers left, std::size_t n_features) {
    const std::size_t n_nodes = feature.size();
    expect(cut.size() == n_nodes && missing.size() == n_nodes && left.size() == n_nodes,
           "the arrays of trees must be of one length.");
    expect_pointers(view(roots), n_nodes, "roots must fit the arrays of trees.");
    expect(roots.size() > 1 && n_features > 0 && n_nodes < std::size_t(1) << 31,
           "there must be a tree, a feature, and fewer nodes than 2**31.");
    Trees trees{{}, {roots.data(), roots.data() + roots.size()}, n_features};
    trees.nodes.reserve(n_nodes);
    for (std::size_t tree = 0; tree < trees.n_trees(); ++tree) {
        const std::int64_t root = trees.roots[tree], n = trees.roots[tree + 1] - root;
        expect(n > 0, "no tree may be empty.");
        for (std::int64_t number = 0; number < n; ++number) {
            const std::int64_t at = root + number, child = view(left)[at],
                               column = view(feature)[at];
            const Code turn = view(missing)[at], limit = view(cut)[at];
            if (column < 0) {
                trees.nodes.push_back(WalkNode::leaf(number));
                continue;
            }
            // Children come later, in the same tree.
            expect(number < child && child + 1 < n && column < std::int64_t(n_features) &&
                       turn <= 1 && limit < MISSING,
                   "every way down a tree must end in a leaf.");
            trees.nodes.push_back(
                {std::uint32_t(child), std::uint32_t(column), turn, Code(limit + turn)});
        }
    }
    new (self) Trees(std::move(trees));
}

void expect_fit(const Trees& trees, const Array2<const Code>& codes) {
    expect(codes.shape(1) == trees.n_features, "codes must have a column for each feature.");
}

// Sums are taken in the order of the trees, so that they do not depend on how rows are divided.
auto mean_leaf_values(const Trees& trees, Array1<const float> value, Array2<const Code> codes) {
    expect_fit(trees, codes);
    expect(value.size() == trees.nodes.size(), "value must fit the trees.");
    Buffer<float> mean(codes.shape(0));
    without_gil([&] {
        Buffer<double> total(codes.shape(0));
        const auto add = [total = total.span(), values = view(value)](
                             std::size_t row, std::size_t place) { total[row] += values[place]; };
        for (std::size_t tree = 0; tree < trees.n_trees(); ++tree)
            walk(trees, tree, view(codes), add);
        for (std::size_t row = 0; row < mean.size(); ++row)
            mean[row] = static_cast<float>(total[row] / static_cast<double>(trees.n_trees()));
    });
    return to_numpy(std::move(mean));
}

// The place of each row's leaf in every tree, row by row.
Buffer<std::uint32_t> leaves_of(const Trees& trees, Table<const Code> codes) {
    Buffer<std::uint32_t> found(codes.n_rows() * trees.n_trees());
    for (std::size_t tree = 0; tree < trees.n_trees(); ++tree)
        walk(trees, tree, codes, [&](std::size_t row, std::size_t place) {
            found[row * trees.n_trees() + tree] = static_cast<std::uint32_t>(place);
        });
    return found;
}

auto find_leaves(const Trees& trees, Array2<const Code> codes) {
    expect_fit(trees, codes);
    return to_numpy(without_gil([&] { return leaves_of(trees, view(codes)); }), codes.shape(0),
                    trees.n_trees());
}

// Labels of each leaf of clustering trees, and the shares of its rows that have them.
struct LeafShares {
    Span<const std::int32_t> leaf;  // by place of a tree node; -1 elsewhere
    Span<const std::int64_t> ptr;
    Span<const std::int32_t> label;
    Span<const float> share;
    std::size_t n_labels;
};

void make_shares(LeafShares* self, Numbers leaf, Pointers ptr, Numbers label,
                 Array1<const float> share, std::size_t n_labels) {
    expect_pointers(view(ptr), label.size(), "ptr must fit label.");
    expect(label.size() == share.size(), "label and share must be of one length.");
    expect_range(view(label), 0, n_labels, "labels must be below n_labels.");
    expect_range(view(leaf), -1, ptr.size() - 1, "leaf must be numbers of leaves, or -1.");
    new (self) LeafShares{view(leaf), view(ptr), view(label), view(share), n_labels};
}

bool fit(const LeafShares& leaves, const Trees& trees) {
    if (leaves.leaf.size() != trees.nodes.size()) return false;
    bool holds = true;
    for (std::size_t at = 0; at < trees.nodes.size(); ++at)
        holds &= !trees.nodes[at].is_leaf() | (leaves.leaf[at] >= 0);
    return holds;
}

// Node j of the hierarchy has label `target_of[j]`, or none if that is -1. Since sums and
// quotients keep the order of shares, no node ever comes above a parent.
void mean_label_shares(const Trees& trees, const LeafShares& leaves, Array2<const Code> codes,
                       Numbers target_of, Array2<float> scores) {
    expect_fit(trees, codes);
    expect(fit(leaves, trees), "leaf must number the leaves of the trees.");
    expect(has_shape(scores, codes.shape(0), target_of.size()),
           "scores must have a row for each row of codes, and a column for each node.");
    expect_range(view(target_of), -1, leaves.n_labels, "target_of must be labels, or -1.");
    without_gil([&, targets = view(target_of), means = view(scores)] {
        const std::size_t n_trees = trees.n_trees();
        const Buffer<std::uint32_t> found = leaves_of(trees, view(codes));
        Buffer<double> total(leaves.n_labels + 1);  // the last one is of nodes without label
        for (std::size_t row = 0; row < means.n_rows(); ++row) {
            total.fill(0.0);
            for (std::uint32_t place : found.span().part(row * n_trees, (row + 1) * n_trees)) {
                const std::size_t leaf = leaves.leaf[place], end = leaves.ptr[leaf + 1];
                for (std::size_t entry = leaves.ptr[leaf]; entry < end; ++entry)
                    total[leaves.label[entry]] += leaves.share[entry];
            }
            for (double& sum : total.span()) sum /= static_cast<double>(n_trees);
            for (std::size_t node = 0; node < targets.size(); ++node)
                means(row, node) =
                    static_cast<float>(total[targets[node] < 0 ? leaves.n_labels : targets[node]]);
        }
    });
}

}  // namespace

void bind_tree_walk(nb::module_& m) {
    bind_class(m, "Trees", &make_trees, "Trees to walk down.");
    bind(m, "mean_leaf_values", &mean_leaf_values);
    bind(m, "find_leaves", &find_leaves);
    bind_class(m, "LeafShares", &make_shares, "Labels found in leaves, and their shares.");
    bind(m, "mean_label_shares", &mean_label_shares);
}

}  // namespace hilabel
