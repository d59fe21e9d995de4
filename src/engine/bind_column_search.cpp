// The search for the nearest of sparse rows, bound.
#include "bind.hpp"
#include "column_search.hpp"

namespace hilabel {
namespace {

using Pointers = Array1<const std::int64_t>;
using Indices = Array1<const std::int32_t>;
using Values = Array1<const double>;

CompressedTable compressed(const Pointers& ptr, const Indices& index, const Values& value,
                           std::size_t width) {
    expect(index.size() == value.size(), "each entry must have an index and a value.");
    expect_pointers(view(ptr), index.size(), "pointers must ascend from 0 to the last entry.");
    expect_range(view(index), 0, width, "indices must name rows or columns.");
    return {view(ptr), view(index), view(value)};
}

auto nearest_by_columns(const Pointers& query_ptr, const Indices& query_columns,
                        const Values& query_values, const Values& query_slack,
                        const Pointers& list_ptr, const Indices& list_rows,
                        const Values& list_values, const Pointers& point_ptr,
                        const Indices& point_columns, const Values& point_values,
                        const Values& offset, const Values& slack, std::size_t k, bool by_angle) {
    expect(list_ptr.size() > 0 && point_ptr.size() > 0, "pointers must ascend from 0.");
    const std::size_t n_points = point_ptr.size() - 1, n_columns = list_ptr.size() - 1;
    expect(offset.size() == n_points && slack.size() == n_points,
           "each point must have an offset and a slack.");
    expect(1 <= k && k <= n_points, "k must be from 1 to the number of points.");
    const CompressedTable queries = compressed(query_ptr, query_columns, query_values, n_columns);
    expect(query_slack.size() == queries.size(), "each query must have a slack.");
    const SearchedPoints points{compressed(list_ptr, list_rows, list_values, n_points),
                                compressed(point_ptr, point_columns, point_values, n_columns),
                                view(offset), view(slack), by_angle};
    const std::size_t n_queries = queries.size();
    Buffer<std::int64_t> indices(n_queries * k, -1);
    Buffer<double> distances(n_queries * k, INFINITE);
    without_gil([&] {
        ColumnSearch search(points, k);
        for (std::size_t row = 0; row < n_queries; ++row) {
            const std::size_t first = row * k, last = first + k;
            search.find(queries.line(row), view(query_slack)[row],
                        {indices.span().part(first, last), distances.span().part(first, last)});
        }
    });
    return nb::make_tuple(to_numpy(std::move(indices), n_queries, k),
                          to_numpy(std::move(distances), n_queries, k));
}

}  // namespace

void bind_column_search(nb::module_& m) { bind(m, "nearest_by_columns", &nearest_by_columns); }

}  // namespace hilabel
