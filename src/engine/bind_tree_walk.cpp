// Trees of both kinds, checked once when they are made, and predictions with them.
#include "bind.hpp"
#include "tree_walk.hpp"

namespace hilabel {

namespace {

using Numbers = Array1<const std::int32_t>;
using Pointers = Array1<const std::int64_t>;
using Bytes = Array1<const std::uint8_t>;

// The nodes of one tree. A way down never leads out of it, and ends in a leaf.
void add_tree(Trees& trees, std::size_t start, std::size_t end, Span<const std::int32_t> feature,
              Span<const Code> cut, Span<const std::uint8_t> missing,
              Span<const std::int32_t> left) {
    for (std::size_t at = start; at < end; ++at) {
        const auto number = static_cast<std::uint32_t>(at - start);
        if (feature[at] < 0) {
            trees.nodes.push_back({number, 0, 0, MISSING});
            continue;
        }
        expect(left[at] > std::int64_t(number) && left[at] + 1 < std::int64_t(end - start) &&
                   std::size_t(feature[at]) < trees.n_features && missing[at] <= 1 &&
                   cut[at] < MISSING,
               "every way down a tree must end in a leaf.");
        trees.nodes.push_back({static_cast<std::uint32_t>(left[at]),
                               static_cast<std::uint32_t>(feature[at]), missing[at],
                               static_cast<Code>(cut[at] + missing[at])});
    }
}

void make_trees(Trees* self, Pointers roots, Numbers feature, Bytes cut, Bytes missing,
                Numbers left, std::size_t n_features) {
    const std::size_t n_nodes = feature.shape(0);
    expect(cut.shape(0) == n_nodes && missing.shape(0) == n_nodes && left.shape(0) == n_nodes,
           "the arrays of trees must be of one length.");
    expect_pointers(view(roots), n_nodes, "roots must fit the arrays of trees.");
    expect(roots.shape(0) > 1 && n_nodes < std::size_t(1) << 31,
           "there must be a tree, and fewer nodes than 2**31.");
    Trees trees;
    trees.n_features = n_features;
    trees.nodes.reserve(n_nodes);
    for (std::int64_t root : view(roots)) trees.roots.push_back(root);
    for (std::size_t tree = 0; tree < trees.n_trees(); ++tree) {
        expect(trees.roots[tree] < trees.roots[tree + 1], "no tree may be empty.");
        add_tree(trees, trees.roots[tree], trees.roots[tree + 1], view(feature), view(cut),
                 view(missing), view(left));
    }
    new (self) Trees(std::move(trees));
}

void check_codes(const Trees& trees, const Array2<const Code>& codes) {
    expect(codes.shape(1) == trees.n_features, "codes must have a column for each feature.");
}

auto predict_values(const Trees& trees, Array1<const float> value, Array2<const Code> codes) {
    check_codes(trees, codes);
    expect(value.shape(0) == trees.nodes.size(), "value must fit the trees.");
    return to_numpy(without_gil([&] { return mean_leaf_values(trees, view(value), view(codes)); }));
}

auto find_all_leaves(const Trees& trees, Array2<const Code> codes) {
    check_codes(trees, codes);
    return to_numpy(without_gil([&] { return find_leaves(trees, view(codes)); }), codes.shape(0),
                    trees.n_trees());
}

void make_shares(LeafShares* self, Numbers leaf, Pointers ptr, Numbers label,
                 Array1<const float> share, std::size_t n_labels) {
    expect_pointers(view(ptr), label.shape(0), "ptr must fit label.");
    expect(label.shape(0) == share.shape(0), "label and share must be of one length.");
    expect_range(view(label), 0, n_labels, "labels must be below n_labels.");
    expect_range(view(leaf), -1, ptr.shape(0) - 1, "leaf must be numbers of leaves, or -1.");
    new (self) LeafShares{view(leaf), view(ptr), view(label), view(share), n_labels};
}

void predict_shares(const Trees& trees, const LeafShares& leaves, Array2<const Code> codes,
                    Numbers target_of, Array2<float> scores) {
    check_codes(trees, codes);
    bool is_sound = leaves.leaf.size() == trees.nodes.size();
    for (std::size_t tree = 0; is_sound && tree < trees.n_trees(); ++tree)
        for (std::size_t at = trees.roots[tree]; at < trees.roots[tree + 1]; ++at)
            is_sound &= trees.nodes[at].left != at - trees.roots[tree] || leaves.leaf[at] >= 0;
    expect(is_sound, "leaf must number the leaves of the trees.");
    expect(scores.shape(0) == codes.shape(0) && scores.shape(1) == target_of.shape(0),
           "scores must have a row for each row of codes, and a column for each node.");
    expect_range(view(target_of), -1, leaves.n_labels, "target_of must be labels, or -1.");
    without_gil(
        [&] { mean_label_shares(trees, leaves, view(codes), view(target_of), view(scores)); });
}

}  // namespace

void bind_tree_walk(nb::module_& m) {
    bind_class(m, "Trees", &make_trees, "Trees to walk down.");
    bind(m, "mean_leaf_values", &predict_values,
         "Return, per row of codes, the mean over trees of the value of its leaf.");
    bind(m, "find_leaves", &find_all_leaves,
         "Return (n_rows, n_trees), the place of each row's leaf in every tree.");
    bind_class(m, "LeafShares", &make_shares, "Labels found in leaves, and their shares.");
    bind(m, "mean_label_shares", &predict_shares,
         "Write into scores the mean over trees of the shares of leaves, by node.");
}

}  // namespace hilabel
