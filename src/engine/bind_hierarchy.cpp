// Labels and scores, a row per sample and a column per node of the hierarchy.
#include <algorithm>
#include <array>
#include <utility>

#include "bind.hpp"

namespace hilabel {
namespace {

using Numbers = Array1<const std::int64_t>;

auto array(const char* name) { return nb::arg(name).noconvert(); }

// The parents of node i are idx[ptr[i]] to idx[ptr[i + 1] - 1].
struct Parents {
    Span<const std::int64_t> ptr, idx;

    Span<const std::int64_t> of(std::size_t i) const { return idx.part(ptr[i], ptr[i + 1]); }
};

Parents checked(const Numbers& ptr, const Numbers& idx, std::size_t n_nodes) {
    expect(ptr.size() > 0 && ptr.size() == n_nodes + 1,
           "parents_ptr must have one entry more than nodes");
    expect_pointers(view(ptr), idx.size(), "parents_ptr must rise from 0 to all edges");
    expect_range(view(idx), 0, n_nodes, "parents_idx must name nodes");
    return {view(ptr), view(idx)};
}

struct Edge {
    std::int64_t child, parent;
};

enum class Way { DOWN, UP };

// All edges, from the roots down or the leaves up; `order` names parents before their children.
Buffer<Edge> edges_in(Span<const std::int64_t> order, const Parents& parents, Way way) {
    Buffer<Edge> edges;
    for (auto child : order)
        for (auto parent : parents.of(child)) edges.push_back({child, parent});
    if (way == Way::UP) std::reverse(edges.data(), edges.data() + edges.size());
    return edges;
}

// Bind what changes a table in place: rule(child, parent) along all edges, the way in which one
// sweep reaches the end.
template <class T, class Rule>
void bind_sweep(nb::module_& m, const char* name, Way way, Rule rule, const char* doc) {
    const auto sweep = [=](const Array2<T>& table, const Numbers& order, const Numbers& ptr,
                           const Numbers& idx) {
        const Parents parents = checked(ptr, idx, table.shape(1));
        expect(order.size() == table.shape(1), "order must name every node once");
        expect_range(view(order), 0, table.shape(1), "order must name nodes");
        without_gil([&, cells = view(table)] {
            const Buffer<Edge> edges = edges_in(view(order), parents, way);
            for (std::size_t row = 0; row < cells.n_rows(); ++row) {
                const Span<T> line = cells.row(row);
                for (const Edge& edge : edges.span()) rule(line[edge.child], line[edge.parent]);
            }
        });
    };
    m.def(name, sweep, array(std::is_same_v<T, bool> ? "labels" : "scores"), array("order"),
          array("parents_ptr"), array("parents_idx"), doc);
}

void drop_implied(const Array2<bool>& labels, const Array2<const bool>& closed, const Numbers& ptr,
                  const Numbers& idx) {
    const Parents parents = checked(ptr, idx, labels.shape(1));
    expect(labels.shape(0) == closed.shape(0) && labels.shape(1) == closed.shape(1),
           "labels and closed must have the same shape");
    without_gil([&, specific = view(labels), given = view(closed)] {
        for (std::size_t row = 0; row < given.n_rows(); ++row)
            for (std::size_t node = 0; node < given.n_columns(); ++node)
                if (given(row, node))
                    for (auto parent : parents.of(node)) specific(row, parent) = false;
    });
}

auto first_violation(const Array2<const bool>& labels, const Numbers& ptr, const Numbers& idx) {
    const Parents parents = checked(ptr, idx, labels.shape(1));
    const auto found = without_gil([&, given = view(labels)]() -> std::array<std::int64_t, 3> {
        for (std::size_t row = 0; row < given.n_rows(); ++row)
            for (std::size_t node = 0; node < given.n_columns(); ++node)
                if (given(row, node))
                    for (auto parent : parents.of(node))
                        if (!given(row, parent))
                            return {std::int64_t(row), std::int64_t(node), parent};
        return {-1, -1, -1};
    });
    return nb::make_tuple(found[0], found[1], found[2]);
}

auto ancestors_csr(const Numbers& parents_ptr, const Numbers& parents_idx) {
    const std::size_t n_nodes = parents_ptr.size() - 1;
    const Parents parents = checked(parents_ptr, parents_idx, n_nodes);
    Buffer<std::int64_t> ptr(n_nodes + 1), idx;
    without_gil([&] {
        // One walk up per node: time and memory grow with the number of pairs that are found.
        Buffer<std::size_t> seen_by(n_nodes, n_nodes);
        for (std::size_t node = 0; node < n_nodes; ++node) {
            const auto add_parents = [&](std::size_t current) {
                for (auto parent : parents.of(current))
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

template <class T>
auto count_violations(const Array2<const T>& table, const Numbers& ptr, const Numbers& idx) {
    const Parents parents = checked(ptr, idx, table.shape(1));
    Buffer<double> counts;
    without_gil([&, scores = view(table)] {
        for (std::size_t row = 0; row < scores.n_rows(); ++row) {
            std::size_t n_edges = 0, n_nodes = 0;
            double largest = 0, total = 0;
            for (std::size_t node = 0; node < scores.n_columns(); ++node) {
                std::size_t n_above = 0;
                for (auto parent : parents.of(node)) {
                    const double excess = scores(row, node) - scores(row, parent);
                    n_above += excess > 0;
                    largest = std::max(largest, excess);
                    total += std::max(0.0, excess);
                }
                n_edges += n_above;
                n_nodes += n_above > 0;
            }
            for (double count : {double(n_edges), double(n_nodes), largest, total})
                counts.push_back(count);
        }
    });
    return to_numpy(std::move(counts), table.shape(0), 4);
}

template <class T>
void bind_scores(nb::module_& m) {
    bind_sweep<T>(
        m, "cap_rows", Way::DOWN, [](T& child, T& parent) { child = std::min(child, parent); },
        "Lower, in place, every score to the least of its ancestors'.");
    bind_sweep<T>(
        m, "raise_rows", Way::UP, [](T& child, T& parent) { parent = std::max(parent, child); },
        "Raise, in place, every score to the largest of its descendants'.");
    m.def("count_violations", count_violations<T>, array("scores"), array("parents_ptr"),
          array("parents_idx"),
          "Return, per row, edges and nodes violated, and the largest and the summed excess.");
}

}  // namespace

void bind_hierarchy(nb::module_& m) {
    bind_sweep<bool>(
        m, "close_rows", Way::UP, [](bool& child, bool& parent) { parent |= child; },
        "Set, in place, every ancestor of every label.");
    bind_sweep<bool>(
        m, "keep_supported", Way::DOWN, [](bool& child, bool& parent) { child &= parent; },
        "Unset, in place, every label with an unset ancestor.");
    m.def("drop_implied", drop_implied, array("labels"), array("closed"), array("parents_ptr"),
          array("parents_idx"), "Unset, in place, every label that has a labelled descendant.");
    m.def("first_violation", first_violation, array("labels"), array("parents_ptr"),
          array("parents_idx"),
          "Return the first (row, node, parent) with node set and parent unset, or -1s.");
    m.def("ancestors_csr", ancestors_csr, array("parents_ptr"), array("parents_idx"),
          "Return all ancestors of every node as CSR arrays (ptr, idx).");
    bind_scores<float>(m);
    bind_scores<double>(m);
}

}  // namespace hilabel
