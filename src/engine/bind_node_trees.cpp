// Trees of 0 and 1: grow them, and walk rows down them.
#include "bind_splits.hpp"
#include "entropy.hpp"
#include "node_tree.hpp"

namespace hilabel {

namespace {

void make_dense(DenseColumns* self, Array2<const Code> codes) {
    new (self) DenseColumns{view(codes)};
}

void make_sparse(SparseColumns* self, Array1<const std::int64_t> indptr,
                 Array1<const std::int32_t> indices, Array1<const Code> stored,
                 Array1<const Code> zero_codes, std::size_t n_rows) {
    expect(indptr.shape(0) == zero_codes.shape(0) + 1, "indptr must fit zero_codes.");
    expect(stored.shape(0) == indices.shape(0), "stored must fit indices.");
    expect_pointers(view(indptr), indices.shape(0), "indptr must fit indices.");
    expect_range(view(indices), 0, n_rows, "indices must be numbers of rows.");
    new (self) SparseColumns({view(indptr), view(indices), view(stored), view(zero_codes)}, n_rows);
}

struct TreeNumbers {
    std::uint64_t node;
    std::uint64_t first;
    std::uint64_t count;
};

template <class Rule, class Columns>
NodeTrees grow_all(const Columns& columns, const Examples& examples, const TreeSettings& how,
                   const TreeNumbers& numbers) {
    NodeTreeGrower<Rule, Columns> grower(columns, examples, how);
    for (std::uint64_t tree = 0; tree < numbers.count; ++tree)
        grower.grow(RandomStream(how.seed, numbers.node, numbers.first + tree));
    return grower.take();
}

void check_examples(const Examples& examples, const TreeSettings& how, std::size_t n_rows) {
    const std::size_t n = examples.rows.size();
    expect(examples.weights.size() == n && examples.positives.size() == n,
           "rows, weights and positives must be of one length.");
    expect(n > 0 || how.n_draws == 0, "there must be rows to draw from.");
    expect_range(examples.rows, 0, n_rows, "rows must be numbers of rows of the matrix.");
    std::int64_t total = 0;
    for (std::int64_t weight : examples.weights) {
        expect(weight >= 0, "weights must not be negative.");
        total = std::min<std::int64_t>(total + weight, std::int64_t(1) << 31);
    }
    expect(total < std::int64_t(1) << 31, "weights must sum to less than 2**31.");
}

nb::dict as_arrays(NodeTrees&& grown) {
    nb::dict arrays = to_dict(std::move(grown.splits));
    arrays["roots"] = to_numpy(std::move(grown.roots));
    arrays["value"] = to_numpy(std::move(grown.value));
    arrays["importances"] = to_numpy(std::move(grown.importances));
    arrays["votes"] = to_numpy(std::move(grown.votes));
    arrays["n_votes"] = to_numpy(std::move(grown.n_votes));
    return arrays;
}

template <class Columns>
nb::dict grow_node_trees(const Columns& columns, Array1<const std::int32_t> rows,
                         Array1<const std::int64_t> weights, Array1<const bool> positives,
                         const TreeSettings& settings, std::uint64_t node, std::uint64_t first_tree,
                         std::uint64_t n_trees) {
    const Examples examples{view(rows), view(weights), view(positives)};
    check_examples(examples, settings, columns.n_rows());
    const TreeNumbers trees{node, first_tree, n_trees};
    return as_arrays(without_gil([&] {
        return settings.criterion == Criterion::gini
                   ? grow_all<Gini>(columns, examples, settings, trees)
                   : grow_all<Entropy>(columns, examples, settings, trees);
    }));
}

}  // namespace

void bind_node_trees(nb::module_& m) {
    bind_class(m, "DenseColumns", &make_dense, "Codes (n_features, n_rows).");
    bind_class(m, "SparseColumns", &make_sparse, "Codes in CSC arrays; zeros have codes too.");
    const char* doc = "Grow trees of 0 and 1; each depends on (seed, node, number) alone.";
    bind(m, "grow_node_trees", &grow_node_trees<DenseColumns>, doc);
    bind(m, "grow_node_trees", &grow_node_trees<SparseColumns>, doc);
}

}  // namespace hilabel
