// Lists of neighbours, their votes and distances, bound.
#include "bind.hpp"
#include "nearest.hpp"

namespace hilabel {
namespace {

using Numbers = Array1<const std::int64_t>;
using NumberTable = Array2<const std::int64_t>;
using Doubles = Array2<const double>;
using Words = Array2<const std::uint64_t>;  // label j is bit j % 64 of word j / 64

template <class Work>
void for_rows(std::size_t n_rows, Work work) {
    without_gil([&] {
        for (std::size_t row = 0; row < n_rows; ++row) work(row);
    });
}

template <class T>
void expect_lists(const Array2<std::int64_t>& indices, const Array2<T>& values) {
    expect(values.shape(1) > 0, "lists must have room for a point.");
    expect(has_shape(indices, values.shape(0), values.shape(1)), "indices must fit values.");
}

template <class T>
void keep_nearest(const Array2<const T>& table, const Array1<const T>& lengths,
                  const Numbers& numbers, const Numbers& rows, const Array2<std::int64_t>& indices,
                  const Array2<T>& values) {
    expect_lists(indices, values);
    expect(has_shape(table, rows.size(), lengths.size()) && has_shape(numbers, lengths.size()),
           "table must fit rows, lengths and numbers.");
    expect_range(view(rows), 0, values.shape(0), "rows must name lists.");
    for_rows(table.shape(0), [&](std::size_t row) {
        const std::size_t list = view(rows)[row];
        keep_nearer(view(table).row(row), view(lengths), view(numbers),
                    List<T>{view(indices).row(list), view(values).row(list)});
    });
}

template <class T>
void recheck(const Doubles& queries, const Array2<const T>& points, const NumberTable& candidates,
             bool is_squared, const Array2<std::int64_t>& indices,
             const Array2<double>& distances) {
    const std::size_t n_queries = queries.shape(0);
    const bool is_one_line = candidates.shape(0) == 1;
    expect_lists(indices, distances);
    expect(queries.shape(1) == points.shape(1), "queries and points must be as wide.");
    expect(indices.shape(0) == n_queries && (is_one_line || candidates.shape(0) == n_queries),
           "each query must have a list, and candidates unless all have the same.");
    expect_range(flat(candidates), -1, points.shape(0), "candidates must name points or be -1.");
    std::vector<std::int64_t> given;  // those that are points
    for_rows(n_queries, [&](std::size_t row) {
        const List<double> list{view(indices).row(row), view(distances).row(row)};
        given.clear();
        for (auto i : view(candidates).row(is_one_line ? 0 : row))
            if (i >= 0) given.push_back(i);
        measure_all(
            view(queries).row(row), view(points), Span(given.data(), given.size()), is_squared,
            [&] { return list.worst(); },
            [&](std::size_t at, double distance) {
                if (distance <= list.worst() && !list.has(given[at]))
                    list.insert(given[at], distance);
            });
    });
}

auto merge_lists(const NumberTable& fixed_idx, const Doubles& fixed_dist,
                 const Array2<const std::int32_t>& pool_idx, const Doubles& pool_dist,
                 const Array1<const bool>& active, const Numbers& own, std::size_t k,
                 bool pool_is_complete) {
    const std::size_t n_rows = own.size();
    expect(has_shape(fixed_idx, n_rows, fixed_dist.shape(1)) && fixed_dist.shape(0) == n_rows &&
               has_shape(pool_idx, n_rows, pool_dist.shape(1)) && pool_dist.shape(0) == n_rows,
           "lists must fit each other, with a row for each of own.");
    expect_range(flat(pool_idx), 0, active.size(), "pool_idx must name entries of active.");
    Buffer<std::int64_t> indices(n_rows * k, -1);
    Buffer<double> distances(n_rows * k, INFINITE);
    Buffer<std::uint8_t> is_short(n_rows);
    for_rows(n_rows, [&](std::size_t row) {
        const auto counts = [&](std::int32_t i) { return view(active)[i] && i != view(own)[row]; };
        const std::size_t first = row * k;
        is_short[row] = !merge(
            {view(fixed_idx).row(row), view(fixed_dist).row(row)},
            {view(pool_idx).row(row), view(pool_dist).row(row)}, pool_is_complete, counts,
            {indices.span().part(first, first + k), distances.span().part(first, first + k)});
    });
    return nb::make_tuple(to_numpy(std::move(indices), n_rows, k),
                          to_numpy(std::move(distances), n_rows, k),
                          to_numpy<bool>(std::move(is_short)));
}

auto vote(const Words& words, const NumberTable& neighbors, std::size_t needed) {
    const std::size_t n_rows = neighbors.shape(0), n_words = words.shape(1);
    expect_range(flat(neighbors), 0, words.shape(0), "neighbors must name rows of words.");
    expect(1 <= needed && needed <= neighbors.shape(1), "needed must be from 1 to k.");
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
    expect_range(flat(neighbors), 0, words.shape(0), "neighbors must name rows of words.");
    expect(has_shape(proposed, n_rows, words.shape(1)), "proposed must fit neighbors and words.");
    Buffer<std::uint8_t> result(n_rows * k);
    const Table<std::uint8_t> shares(result.data(), n_rows, k);
    for_rows(n_rows, [=, all = view(words), own = view(neighbors),
                      sought = view(proposed)](std::size_t row) {
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t word = 0; word < all.n_columns() && !shares(row, i); ++word)
                shares(row, i) = (all(own(row, i), word) & sought(row, word)) != 0;
    });
    return to_numpy<bool>(std::move(result), n_rows, k);
}

auto euclidean_within(const Doubles& points, const NumberTable& neighbors) {
    const std::size_t n_rows = neighbors.shape(0), k = neighbors.shape(1);
    expect_range(flat(neighbors), 0, points.shape(0), "neighbors must name rows of points.");
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

}  // namespace

void bind_neighbors(nb::module_& m) {
    bind(m, "keep_nearest", &keep_nearest<float>);
    bind(m, "keep_nearest", &keep_nearest<double>);
    bind(m, "recheck", &recheck<float>);
    bind(m, "recheck", &recheck<double>);
    bind(m, "merge_lists", &merge_lists);
    bind(m, "vote", &vote);
    bind(m, "share_a_label", &share_a_label);
    bind(m, "euclidean_within", &euclidean_within);
}

}  // namespace hilabel
