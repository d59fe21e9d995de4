// Labels and scores, a row per sample and a column per node of the hierarchy.
#include <algorithm>
#include <utility>

#include "bind.hpp"

namespace hilabel {
namespace {

using Numbers = Array1<const std::int64_t>;

enum class Way { DOWN, UP };

// Bind what changes a table in place: rule(parent, child) along all edges. They are given as
// pairs, from the roots down, and taken the way in which one sweep reaches the end.
template <class T, Way way, class Rule>
void bind_sweep(nb::module_& m, const char* name, Rule rule) {
    const auto sweep = [=](const Array2<T>& table, const Array2<const std::int64_t>& edges) {
        expect(edges.shape(1) == 2, "edges must be pairs.");
        expect_range(flat(edges), 0, table.shape(1), "edges must name nodes.");
        without_gil([=, cells = view(table), pairs = view(edges)] {
            const std::size_t n_edges = pairs.n_rows();
            for (std::size_t row = 0; row < cells.n_rows(); ++row) {
                const Span<T> line = cells.row(row);
                for (std::size_t i = 0; i < n_edges; ++i) {
                    const auto edge = pairs.row(way == Way::DOWN ? i : n_edges - 1 - i);
                    rule(line[edge[0]], line[edge[1]]);
                }
            }
        });
    };
    m.def(name, sweep, nb::arg().noconvert(), nb::arg().noconvert());
}

template <class T>
void bind_scores(nb::module_& m) {
    bind_sweep<T, Way::DOWN>(m, "cap_rows",
                             [](T& parent, T& child) { child = std::min(child, parent); });
    bind_sweep<T, Way::UP>(m, "raise_rows",
                           [](T& parent, T& child) { parent = std::max(parent, child); });
}

// The parents of node i are parents_idx[parents_ptr[i]] to parents_idx[parents_ptr[i + 1] - 1].
auto ancestors_csr(const Numbers& parents_ptr, const Numbers& parents_idx) {
    expect_pointers(view(parents_ptr), parents_idx.size(), "parents_ptr must fit parents_idx.");
    const std::size_t n_nodes = parents_ptr.size() - 1;
    expect_range(view(parents_idx), 0, n_nodes, "parents_idx must name nodes.");
    Buffer<std::int64_t> ptr(n_nodes + 1), idx;
    without_gil([&, first = view(parents_ptr), parents = view(parents_idx)] {
        // One walk up per node: time and memory grow with the number of pairs that are found.
        Buffer<std::size_t> seen_by(n_nodes, n_nodes);
        for (std::size_t node = 0; node < n_nodes; ++node) {
            const auto add_parents = [&](std::size_t current) {
                for (auto parent : parents.part(first[current], first[current + 1]))
                    if (std::exchange(seen_by[parent], node) != node) idx.push_back(parent);
            };
            add_parents(node);
            for (std::size_t i = ptr[node]; i < idx.size(); ++i) add_parents(idx[i]);
            std::sort(idx.data() + ptr[node], idx.data() + idx.size());
            ptr[node + 1] = idx.size();
        }
    });
    return nb::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(idx)));
}

}  // namespace

void bind_hierarchy(nb::module_& m) {
    bind_sweep<bool, Way::UP>(m, "close_rows", [](bool& parent, bool& child) { parent |= child; });
    bind_sweep<bool, Way::DOWN>(m, "keep_supported",
                                [](bool& parent, bool& child) { child &= parent; });
    // A child is asked before its own children unset it.
    bind_sweep<bool, Way::DOWN>(m, "drop_implied",
                                [](bool& parent, bool& child) { parent &= !child; });
    bind_scores<float>(m);
    bind_scores<double>(m);
    bind(m, "ancestors_csr", &ancestors_csr);
}

}  // namespace hilabel
