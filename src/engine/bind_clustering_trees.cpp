// Clustering trees: grow them. The classes made here are views of NumPy arrays, which they
// keep alive, and are checked once, when they are made.
#include <cmath>

#include "bind_splits.hpp"
#include "clustering_tree.hpp"

namespace hilabel {

namespace {

using Pointers = Array1<const std::int64_t>;
using Integers = Array1<const std::int32_t>;
using Reals = Array1<const double>;
using Bytes = Array1<const Code>;

void make_rows(SparseRows* self, Pointers indptr, Integers indices, Bytes stored,
               Bytes zero_codes) {
    expect(stored.shape(0) == indices.shape(0), "stored must fit indices.");
    expect_pointers(view(indptr), indices.shape(0), "indptr must fit indices.");
    expect_range(view(indices), 0, zero_codes.shape(0), "indices must be those of features.");
    new (self) SparseRows({view(indptr), view(indices), view(stored), view(zero_codes)});
}

void make_lists(RowLists* self, Pointers ptr, Array1<const std::uint32_t> index) {
    expect_pointers(view(ptr), index.shape(0), "ptr must fit index.");
    new (self) RowLists{view(ptr), view(index)};
}

void make_labels(LabelTargets* self, const RowLists& labels, const RowLists& searched, Reals weight,
                 std::size_t n_labeled) {
    expect(labels.n_rows() == searched.n_rows() && n_labeled <= labels.n_rows(),
           "labels and searched must be of one length, at least n_labeled.");
    for (const RowLists& lists : {labels, searched}) {
        expect(std::size_t(lists.ptr[n_labeled]) == lists.index.size(),
               "rows from n_labeled on must have no labels.");
        expect_range(lists.index, 0, weight.shape(0), "labels must be below n_labels.");
    }
    for (double one : view(weight))
        expect(one >= 0.0 && std::isfinite(one), "weight must be finite and not negative.");
    new (self) LabelTargets{n_labeled, labels, searched, view(weight)};
}

void make_values(ValueTargets* self, const RowLists& features, Reals value,
                 std::size_t n_features) {
    expect(features.index.size() == value.shape(0), "value must fit features.");
    expect_range(features.index, 0, n_features, "features must be below n_features.");
    new (self) ValueTargets{n_features, features, view(value)};
}

void make_gappy(GappyTargets* self, Array2<const double> value, Array2<const double> known) {
    expect(value.shape(0) == known.shape(0) && value.shape(1) == known.shape(1),
           "value and known must be of one shape.");
    new (self) GappyTargets{view(value), view(known)};
}

void make_targets(ClusteringTargets* self, const LabelTargets& labels, const ValueTargets& values,
                  const GappyTargets& gappy) {
    const std::size_t n_rows = labels.labels.n_rows();
    expect(values.features.n_rows() == n_rows && gappy.value.n_rows() == n_rows,
           "labels, values and gappy must be of one length.");
    new (self) ClusteringTargets{labels, values, gappy};
}

void check_tree(std::size_t n_rows, const ClusteringTargets& targets, const TreeSettings& how,
                std::size_t n_least_f) {
    const std::size_t n_labeled = targets.labels.n_labeled;
    expect(targets.n_rows() == n_rows && n_rows > 0, "codes and targets must be of one length.");
    const std::size_t n_drawn = how.bootstrap ? n_rows - n_labeled + how.n_draws : n_rows;
    expect(n_drawn > 0 && (n_labeled > 0 || how.n_draws == 0), "there must be rows to draw.");
    expect(n_least_f == 0 || n_least_f > n_drawn, "least_f must be known for all rows.");
}

auto draw_rows(const TreeSettings& how, std::uint64_t tree, std::size_t n_labeled) {
    expect(n_labeled > 0 || how.n_draws == 0, "there must be rows to draw.");
    RandomStream stream(how.seed, 0, tree);
    return to_numpy(draw_times(how, n_labeled, n_labeled, stream));
}

template <class Columns>
nb::dict grow_tree(const Columns& columns, const ClusteringTargets& targets,
                   const TreeSettings& settings, std::uint64_t tree, Reals least_f) {
    check_tree(columns.n_rows(), targets, settings, least_f.shape(0));
    ClusteringTree grown = without_gil([&] {
        return ClusteringTreeGrower<Columns>(columns, targets, settings, tree, view(least_f))
            .grow();
    });
    nb::dict arrays = to_dict(std::move(grown.splits));
    const auto add = [&](const char* name, auto& array) {
        arrays[name] = to_numpy(std::move(array));
    };
    add("impurity", grown.impurity), add("gain", grown.gain);
    add("weight", grown.weight), add("leaf", grown.leaf), add("leaf_ptr", grown.leaf_ptr);
    add("leaf_index", grown.leaf_index), add("leaf_share", grown.leaf_share);
    return arrays;
}

}  // namespace

void bind_clustering_trees(nb::module_& m) {
    bind_class(m, "SparseRows", &make_rows, "Codes in CSR arrays; zeros have codes too.");
    bind_class(m, "RowLists", &make_lists, "For each row some numbers, as in a CSR matrix.");
    bind_class(m, "LabelTargets", &make_labels, "Labels that rows aim at.");
    bind_class(m, "ValueTargets", &make_values, "Values of features without gaps.");
    bind_class(m, "GappyTargets", &make_gappy, "Values of features that some rows lack.");
    bind_class(m, "ClusteringTargets", &make_targets, "All that rows aim at.");
    const char* doc = "Grow a tree for all labels; it depends on (seed, tree) alone.";
    bind(m, "grow_clustering_tree", &grow_tree<DenseColumns>, doc);
    bind(m, "grow_clustering_tree", &grow_tree<SparseRows>, doc);
    bind(m, "draw_labeled_rows", &draw_rows, "How often such a tree draws each labelled row.");
}

}  // namespace hilabel
