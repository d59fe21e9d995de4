// Feature values as the numbers of their bins.
#include <algorithm>

#include "bind.hpp"

namespace hilabel {
namespace {

using Numbers = Array1<const std::int64_t>;
using Values = Array1<const double>;

constexpr std::uint8_t MISSING = 255;  // stands for NaN; there are fewer edges than that
constexpr std::size_t TOGETHER = 64;   // values that are searched for at a time

// Feature i has the ascending edges edges[ptr[i]] to edges[ptr[i + 1] - 1]; a value equal to
// an edge is in the lower bin.
struct BinEdges {
    Span<const std::int64_t> ptr;
    Span<const double> edges;

    BinEdges(const Numbers& edges_ptr, const Values& values)
        : ptr(view(edges_ptr)), edges(view(values)) {
        expect_pointers(ptr, edges.size(), "edges_ptr must rise from 0 to all edges.");
        for (std::size_t i = 0; i < n_features(); ++i)
            expect(of(i).size() < MISSING, "a feature must have at most 254 edges.");
    }
    std::size_t n_features() const { return ptr.size() - 1; }
    Span<const double> of(std::size_t i) const { return edges.part(ptr[i], ptr[i + 1]); }
};

// Code a few values of one feature, into every stride-th byte. Each step of the search is
// taken for all of them, without a branch.
void code_values(Span<const double> values, Span<const double> edges, std::uint8_t* codes,
                 std::size_t stride) {
    std::int32_t bins[TOGETHER] = {};
    for (std::size_t left = edges.size(); left > 0; left /= 2) {
        const std::int32_t step = left - left / 2;
        for (std::size_t i = 0; i < values.size(); ++i)
            bins[i] += step * (edges[bins[i] + step - 1] < values[i]);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        codes[i * stride] = values[i] == values[i] ? std::uint8_t(bins[i]) : MISSING;
}

auto bin_columns(const Array2<const double>& X, const Numbers& edges_ptr, const Values& edges,
                 bool by_feature) {
    const std::size_t n_rows = X.shape(0), n_features = X.shape(1);
    const BinEdges bins(edges_ptr, edges);
    expect(bins.n_features() == n_features, "edges_ptr must fit the columns of X.");
    const std::size_t down = by_feature ? 1 : n_features, across = by_feature ? n_rows : 1;
    Buffer<std::uint8_t> codes(n_rows * n_features);
    without_gil([&, table = view(X)] {
        // Some rows at a time, so that neither reading nor writing goes far for the next value.
        double values[TOGETHER];
        for (std::size_t first = 0; first < n_rows; first += TOGETHER)
            for (std::size_t feature = 0; feature < n_features; ++feature) {
                const std::size_t n = std::min(TOGETHER, n_rows - first);
                for (std::size_t i = 0; i < n; ++i) values[i] = table(first + i, feature);
                std::uint8_t* const codes_of_feature = &codes[first * down + feature * across];
                code_values({values, n}, bins.of(feature), codes_of_feature, down);
            }
    });
    return to_numpy(std::move(codes), X.shape(by_feature), X.shape(!by_feature));
}

auto bin_codes(const Values& values, const Numbers& features, const Numbers& edges_ptr,
               const Values& edges) {
    const BinEdges bins(edges_ptr, edges);
    expect(features.size() == values.size(), "features must have an entry per value.");
    expect_range(view(features), 0, bins.n_features(), "features must have edges.");
    Buffer<std::uint8_t> codes(values.size());
    without_gil([&] {
        for (std::size_t i = 0; i < codes.size(); ++i)
            code_values(view(values).part(i, i + 1), bins.of(view(features)[i]), &codes[i], 1);
    });
    return to_numpy(std::move(codes));
}

}  // namespace

void bind_bins(nb::module_& m) {
    bind(m, "bin_columns", &bin_columns);
    bind(m, "bin_codes", &bin_codes);
}

}  // namespace hilabel
