// Feature values as the numbers of their bins.
#include <algorithm>

#include "bind.hpp"

namespace hilabel {
namespace {

using Numbers = Array1<const std::int64_t>;
using Values = Array1<const double>;

constexpr std::uint8_t MISSING = 255;  // stands for NaN; there are fewer edges than that
constexpr std::size_t TOGETHER = 64;   // values that are searched for at a time

auto array(const char* name) { return nb::arg(name).noconvert(); }

// Feature i has the ascending edges edges[ptr[i]] to edges[ptr[i + 1] - 1]; a value equal to
// an edge is in the lower bin.
struct BinEdges {
    Span<const std::int64_t> ptr;
    Span<const double> edges;

    Span<const double> of(std::size_t i) const { return edges.part(ptr[i], ptr[i + 1]); }
};

BinEdges checked(const Numbers& edges_ptr, const Values& edges) {
    const BinEdges result{view(edges_ptr), view(edges)};
    expect_pointers(result.ptr, edges.size(), "edges_ptr must rise from 0 to all edges");
    for (std::size_t feature = 0; feature + 1 < edges_ptr.size(); ++feature)
        expect(result.of(feature).size() < MISSING, "a feature must have at most 254 edges");
    return result;
}

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
    const BinEdges bins = checked(edges_ptr, edges);
    expect(edges_ptr.size() == n_features + 1,
           "edges_ptr must have one entry more than X has columns");
    const std::size_t down = by_feature ? 1 : n_features, across = by_feature ? n_rows : 1;
    Buffer<std::uint8_t> codes(n_rows * n_features);
    without_gil([&, table = view(X)] {
        // Some rows at a time, so that neither reading nor writing goes far for the next value.
        double values[TOGETHER];
        for (std::size_t first = 0; first < n_rows; first += TOGETHER)
            for (std::size_t feature = 0; feature < n_features; ++feature) {
                const std::size_t n = std::min(TOGETHER, n_rows - first);
                for (std::size_t i = 0; i < n; ++i) values[i] = table(first + i, feature);
                code_values({values, n}, bins.of(feature), &codes[first * down + feature * across],
                            down);
            }
    });
    return to_numpy(std::move(codes), X.shape(by_feature), X.shape(!by_feature));
}

auto bin_codes(const Values& values, const Numbers& features, const Numbers& edges_ptr,
               const Values& edges) {
    const BinEdges bins = checked(edges_ptr, edges);
    expect(features.size() == values.size(), "features must have an entry per value");
    expect_range(view(features), 0, edges_ptr.size() - 1, "features must have edges");
    Buffer<std::uint8_t> codes(values.size());
    without_gil([&] {
        for (std::size_t i = 0; i < codes.size(); ++i)
            code_values(view(values).part(i, i + 1), bins.of(view(features)[i]), &codes[i], 1);
    });
    return to_numpy(std::move(codes));
}

}  // namespace

void bind_bins(nb::module_& m) {
    m.def("bin_columns", bin_columns, array("X"), array("edges_ptr"), array("edges"),
          nb::arg("by_feature"), "Return the bins of a matrix, (n, d) or by feature (d, n).");
    m.def("bin_codes", bin_codes, array("values"), array("features"), array("edges_ptr"),
          array("edges"), "Return the bins of single values of the features given.");
}

}  // namespace hilabel
