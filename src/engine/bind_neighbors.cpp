// Lists of neighbours, their votes and distances, bound.
#include <numeric>

#include "bind.hpp"
#include "nearest.hpp"

namespace hilabel {
namespace {

using Numbers = Array1<const std::int64_t>;
using NumberTable = Array2<const std::int64_t>;
using Doubles = Array2<const double>;
using Words = Array2<const std::uint64_t>;  // label j is bit j % 64 of word j / 64

auto array(const char* name) { return nb::arg(name).noconvert(); }

template <class A, class B>
void expect_same_shape(const A& one, const B& other, const char* what) {
    expect(one.shape(0) == other.shape(0) && one.shape(1) == other.shape(1), what);
}

template <class T>
void expect_names(const Array2<T>& table, std::int64_t least, std::size_t limit, const char* what) {
    expect_range(Span<T>(table.data(), table.size()), least, limit, what);
}

template <class Work>
void for_rows(std::size_t n_rows, Work work) {
    without_gil([&] {
        for (std::size_t row = 0; row < n_rows; ++row) work(row);
    });
}

// Lists of k points, to be returned.
struct NewLists {
    std::size_t n_rows, k;
    Buffer<std::int64_t> indices{n_rows * k, -1};
    Buffer<double> values{n_rows * k, INFINITE};

    List<double> of(std::size_t row) { return {{&indices[row * k], k}, {&values[row * k], k}}; }
    auto to_tuple() {
        return nb::make_tuple(to_numpy(std::move(indices), n_rows, k),
                              to_numpy(std::move(values), n_rows, k));
    }
};

auto smallest_per_row(const Doubles& table, std::int64_t k) {
    expect(1 <= k && k <= std::int64_t(table.shape(1)), "k must be from 1 to all points");
    NewLists lists{table.shape(0), std::size_t(k)};
    for_rows(table.shape(0), [&, n_kept = lists.k](std::size_t row) {
        const List<double> list = lists.of(row);
        const auto line = view(table).row(row);
        for (std::size_t i = 0; i < n_kept; ++i) list.insert(i, line[i]);
        double worst = list.worst();
        for (std::size_t i = n_kept; i < line.size(); ++i)
            if (line[i] < worst) {
                list.insert(i, line[i]);
                worst = list.worst();
            }
    });
    return lists.to_tuple();
}

auto merge_lists(const NumberTable& fixed_idx, const Doubles& fixed_dist,
                 const Array2<const std::int32_t>& pool_idx, const Doubles& pool_dist,
                 const Array1<const bool>& active, const Numbers& own, std::int64_t k,
                 bool pool_is_complete) {
    const std::size_t n_rows = fixed_idx.shape(0);
    expect_same_shape(fixed_idx, fixed_dist, "fixed_idx and fixed_dist must match");
    expect_same_shape(pool_idx, pool_dist, "pool_idx and pool_dist must match");
    expect(pool_idx.shape(0) == n_rows && own.size() == n_rows, "all must have as many rows");
    expect(k >= 1, "k must be at least 1");
    expect_names(pool_idx, 0, active.size(), "pool_idx must name entries of active");
    NewLists lists{n_rows, std::size_t(k)};
    Buffer<std::uint8_t> is_short(n_rows);
    for_rows(n_rows, [&](std::size_t row) {
        const auto counts = [&](std::int32_t i) { return view(active)[i] && i != view(own)[row]; };
        is_short[row] = !merge({view(fixed_idx).row(row), view(fixed_dist).row(row)},
                               {view(pool_idx).row(row), view(pool_dist).row(row)},
                               pool_is_complete, counts, lists.of(row));
    });
    return lists.to_tuple() + nb::make_tuple(to_numpy<bool>(std::move(is_short)));
}

template <class T>
void keep_nearest(const Array2<const T>& table, const Array1<const T>& lengths,
                  const Numbers& numbers, const Numbers& rows, const Array2<std::int64_t>& indices,
                  const Array2<T>& values) {
    expect(lengths.size() == table.shape(1), "lengths must have an entry per column");
    expect(numbers.size() == table.shape(1), "numbers must have an entry per column");
    expect(rows.size() == table.shape(0), "rows must have an entry per row of table");
    expect_same_shape(indices, values, "indices and values must match");
    expect(values.shape(1) > 0, "lists must have room for a point");
    expect_range(view(rows), 0, values.shape(0), "rows must name lists");
    for_rows(table.shape(0), [&](std::size_t row) {
        const std::size_t list = view(rows)[row];
        keep_nearer(view(table).row(row), view(lengths), view(numbers),
                    List<T>{view(indices).row(list), view(values).row(list)});
    });
}

template <class T>
auto recheck(const Doubles& queries, const Array2<const T>& points, const NumberTable& candidates,
             std::int64_t k, bool is_squared) {
    expect(queries.shape(1) == points.shape(1), "queries and points must be as wide");
    expect(candidates.shape(0) == queries.shape(0), "candidates must have a row per query");
    expect(k >= 1, "k must be at least 1");
    expect_names(candidates, -1, points.shape(0), "candidates must name points or be -1");
    NewLists lists{queries.shape(0), std::size_t(k)};
    std::vector<std::int64_t> given;  // those that are points
    for_rows(queries.shape(0), [&, lines = view(candidates)](std::size_t row) {
        const List<double> list = lists.of(row);
        given.clear();
        for (auto i : lines.row(row))
            if (i >= 0) given.push_back(i);
        const auto keep = [&](std::size_t at, double distance) {
            if (!list.has(given[at])) list.insert(given[at], distance);
        };
        measure_all(
            view(queries).row(row), view(points), Span(given.data(), given.size()), is_squared,
            [] { return INFINITE; }, keep);
    });
    return lists.to_tuple();
}

template <class T>
void scan_points(const Doubles& queries, const Array2<const T>& points, std::int64_t first,
                 const Array2<std::int64_t>& indices, const Array2<double>& distances) {
    expect(queries.shape(1) == points.shape(1), "queries and points must be as wide");
    expect_same_shape(indices, distances, "indices and distances must match");
    expect(indices.shape(0) == queries.shape(0), "indices must have a row per query");
    expect(indices.shape(1) > 0, "lists must have room for a point");
    std::vector<std::int64_t> numbers(points.shape(0));
    std::iota(numbers.begin(), numbers.end(), 0);
    for_rows(queries.shape(0), [&](std::size_t row) {
        const List<double> list{view(indices).row(row), view(distances).row(row)};
        measure_all(
            view(queries).row(row), view(points), Span(numbers.data(), numbers.size()), true,
            [&] { return list.worst(); },
            [&](std::size_t i, double distance) { list.insert(first + i, distance); });
    });
}

auto vote(const Words& words, const NumberTable& neighbors, std::int64_t needed) {
    const std::size_t n_rows = neighbors.shape(0), n_words = words.shape(1);
    expect_names(neighbors, 0, words.shape(0), "neighbors must name rows of words");
    expect(1 <= needed && needed <= std::int64_t(neighbors.shape(1)), "needed must be from 1 to k");
    Buffer<std::uint64_t> result(n_rows * n_words), held((needed + 1) * n_words);
    for_rows(n_rows, [&, all = view(words)](std::size_t row) {
        // Line i holds the labels that were seen i times or more, and so line 0 all of them.
        const Table<std::uint64_t> lines(held.data(), needed + 1, n_words);
        held.fill(0);
        std::fill_n(held.data(), n_words, ~std::uint64_t(0));
        for (auto neighbor : view(neighbors).row(row))
            for (std::size_t i = needed; i > 0; --i)
                for (std::size_t word = 0; word < n_words; ++word)
                    lines(i, word) |= lines(i - 1, word) & all(neighbor, word);
        std::copy_n(held.data() + needed * n_words, n_words, result.data() + row * n_words);
    });
    return to_numpy(std::move(result), n_rows, n_words);
}

auto share_a_label(const Words& words, const NumberTable& neighbors, const Words& proposed) {
    const std::size_t n_rows = neighbors.shape(0), k = neighbors.shape(1);
    expect_names(neighbors, 0, words.shape(0), "neighbors must name rows of words");
    expect(proposed.shape(0) == n_rows && proposed.shape(1) == words.shape(1),
           "proposed must have a row per row of neighbors, as wide as words");
    Buffer<std::uint8_t> result(n_rows * k);
    const Table<std::uint8_t> shares(result.data(), n_rows, k);
    const auto all = view(words), sought = view(proposed);
    for_rows(n_rows, [=, own = view(neighbors)](std::size_t row) {
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t word = 0; word < all.n_columns() && !shares(row, i); ++word)
                shares(row, i) = (all(own(row, i), word) & sought(row, word)) != 0;
    });
    return to_numpy<bool>(std::move(result), n_rows, k);
}

auto euclidean_within(const Doubles& points, const NumberTable& neighbors) {
    const std::size_t n_rows = neighbors.shape(0), k = neighbors.shape(1);
    expect_names(neighbors, 0, points.shape(0), "neighbors must name rows of points");
    Buffer<double> result(n_rows * k * k);
    for_rows(n_rows, [&, all = view(points), own = view(neighbors)](std::size_t row) {
        const Table<double> gaps(result.data() + row * k * k, k, k);
        for (std::size_t i = 0; i < k; ++i)
            measure_all(
                all.row(own(row, i)), all, own.row(row).part(i + 1, k), true,
                [] { return INFINITE; },
                [&](std::size_t after, double distance) {
                    gaps(i, i + 1 + after) = gaps(i + 1 + after, i) = distance;
                });
    });
    return to_numpy(std::move(result), n_rows, k, k);
}

// What takes single and double precision.
template <class T>
void bind_for(nb::module_& m) {
    m.def("keep_nearest", keep_nearest<T>, array("table"), array("lengths"), array("numbers"),
          array("rows"), array("indices"), array("values"),
          "Put what is nearer into sorted lists, in place.");
    m.def("recheck", recheck<T>, array("queries"), array("points"), array("candidates"),
          nb::arg("k"), nb::arg("is_squared"),
          "Return (indices, distances) of the k nearest candidates of each query.");
    m.def("scan_points", scan_points<T>, array("queries"), array("points"), nb::arg("first"),
          array("indices"), array("distances"),
          "Compare every query with every point and update the lists in place.");
}

}  // namespace

void bind_neighbors(nb::module_& m) {
    m.def("smallest_per_row", smallest_per_row, array("distances"), nb::arg("k"),
          "Return (indices, values) of the k least entries of each row, ascending.");
    m.def("merge_lists", merge_lists, array("fixed_idx"), array("fixed_dist"), array("pool_idx"),
          array("pool_dist"), array("active"), array("own"), nb::arg("k"),
          nb::arg("pool_is_complete"),
          "Return (indices, distances, is_short): each row's k nearest active points.");
    bind_for<float>(m);
    bind_for<double>(m);
    m.def("vote", vote, array("words"), array("neighbors"), nb::arg("needed"),
          "Return, packed, the labels that at least `needed` neighbours of each row have.");
    m.def("share_a_label", share_a_label, array("words"), array("neighbors"), array("proposed"),
          "Return whether each neighbour has one of the proposed labels.");
    m.def("euclidean_within", euclidean_within, array("points"), array("neighbors"),
          "Return the Euclidean distances between the neighbours of each row.");
}

}  // namespace hilabel
