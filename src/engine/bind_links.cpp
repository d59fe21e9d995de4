// Spreading along links, bound.
#include "bind.hpp"
#include "link_spread.hpp"

namespace hilabel {
namespace {

using Pointers = Array1<const std::int64_t>;
using Indices = Array1<const std::int32_t>;
template <class T>
using Values = Array1<const T>;

template <class T>
LinkRows<T> link_rows(const Pointers& ptr, const Indices& row, const Values<T>& share,
                      std::size_t n_rows) {
    expect(row.size() == share.size(), "each link must have a row and a share.");
    expect_pointers(view(ptr), row.size(), "pointers must ascend from 0 to the last link.");
    expect_range(view(row), 0, n_rows, "links must lead to rows.");
    return {view(ptr), view(row), view(share)};
}

auto spread_along_links(const Pointers& ptr, const Indices& rows, const Values<float>& shares,
                        const Indices& part, const Pointers& start_ptr, const Indices& start_rows,
                        const Values<double>& start_amounts, const Indices& start_part,
                        std::size_t n_kept, double alpha, double least, std::int64_t most_links) {
    expect(ptr.size() > 0, "pointers must ascend from 0 to the last link.");
    const std::size_t n_rows = ptr.size() - 1;
    const LinkRows<float> graph = link_rows(ptr, rows, shares, n_rows);
    const LinkRows<double> starts = link_rows(start_ptr, start_rows, start_amounts, n_rows);
    expect(part.size() == n_rows, "each row must have a part.");
    expect(start_part.size() == starts.size(), "each start must have a part.");
    expect(least > 0 && most_links >= 0, "least must be above 0, most_links 0 or more.");
    Buffer<std::int64_t> found_ptr(1);
    Buffer<std::int32_t> found_rows;
    Buffer<double> found_amounts;
    without_gil([&] {
        LinkSpread spread(graph, view(part), {alpha, least, most_links});
        for (std::size_t i = 0; i < starts.size(); ++i) {
            const std::size_t first = starts.ptr[i], last = starts.ptr[i + 1];
            spread.spread(starts.row.part(first, last), starts.share.part(first, last),
                          view(start_part)[i]);
            for (const std::size_t row : spread.reached()) {
                if (row >= n_kept) continue;
                found_rows.push_back(static_cast<std::int32_t>(row));
                found_amounts.push_back(spread.arrived(row));
            }
            found_ptr.push_back(static_cast<std::int64_t>(found_rows.size()));
        }
    });
    return nb::make_tuple(to_numpy(std::move(found_ptr)), to_numpy(std::move(found_rows)),
                          to_numpy(std::move(found_amounts)));
}

}  // namespace

void bind_links(nb::module_& m) { bind(m, "spread_along_links", &spread_along_links); }

}  // namespace hilabel
