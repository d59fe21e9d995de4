// The coded features of all rows, column by column, and the codes of some of the rows.
//
// A code is the bin of a value: 0 to 254 in the order of the feature, 255 for a missing
// value. `read` copies the codes of a tree node's rows, given as the numbers `rows[0..n)`,
// and says whether they differ and whether some are missing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "arrays.hpp"
#include "compiler_hints.hpp"
#include "lanes.hpp"

namespace hilabel {

using Code = std::uint8_t;
constexpr Code MISSING = 255;

// Codes are kept in whole lanes, filled up with MISSING. Loops over them may go on to the
// widest instruction, so that there must be more room behind.
constexpr std::size_t LANES = 16, ROOM = 128;
using CodeLanes = Lanes<Code, LANES>;

inline std::size_t in_lanes(std::size_t n) { return (n + LANES - 1) / LANES * LANES; }

// All bits set in the first `n` lanes, if there are so many.
inline CodeLanes first_lanes(std::size_t n) {
    static const Code BITS[2 * LANES] = {255, 255, 255, 255, 255, 255, 255, 255,
                                         255, 255, 255, 255, 255, 255, 255, 255};
    return load<CodeLanes>(BITS + LANES - std::min(n, LANES));
}

struct CodeLook {
    bool differ, have_missing;
};

inline CodeLook look_at(const Code* codes, std::size_t n) {
    const auto first_code = everywhere<CodeLanes>(codes[0]);
    const auto missing_code = everywhere<CodeLanes>(MISSING);
    auto unlike = everywhere<CodeLanes>(Code(0)), missing = unlike;
    for (std::size_t first = 0; first < n; first += LANES) {
        const auto here = load<CodeLanes>(codes + first);
        const auto counts = first_lanes(n - first);
        unlike = unlike | ((here ^ first_code) & counts);
        missing = missing | ((CodeLanes)(missing_code <= here) & counts);
    }
    return {any(unlike), any(missing)};
}

// A matrix (n_features, n_rows) of codes.
struct DenseColumns {
    Table<const Code> codes;

    std::size_t n_features() const { return codes.n_rows(); }
    std::size_t n_rows() const { return codes.n_columns(); }
    Code code_of(std::size_t feature, std::size_t row) const { return codes(feature, row); }

    // Nothing has to be known of the rows of a tree or node.
    void begin_tree(Span<const std::int32_t>) {}
    void moved(Span<const std::int32_t>, std::size_t) {}

    CodeLook read(std::size_t feature, Span<const std::int32_t> rows, std::size_t,
                  Code* found) const {
        const Code* column = codes.row(feature).data();
        const std::int32_t* row = rows.data();
        HILABEL_UNROLLED
        for (std::size_t i = 0; i < rows.size(); ++i) {
            check_index(row[i], n_rows());
            found[i] = column[static_cast<std::uint32_t>(row[i])];
        }
        std::memset(found + rows.size(), MISSING, LANES);
        return look_at(found, rows.size());
    }
};

// The CSC arrays of a sparse matrix, and the code of a value that is not stored.
struct SparseColumns {
    Span<const std::int64_t> indptr;
    Span<const std::int32_t> indices;
    Span<const Code> stored;
    Span<const Code> zero_codes;
    std::size_t n_all_rows = 0;
    Buffer<std::int32_t> place;  // where a row of the matrix stands in the tree, or -1
    bool has_places = false;     // not if some row stands in several places

    std::size_t n_features() const { return zero_codes.size(); }
    std::size_t n_rows() const { return n_all_rows; }

    Code code_of(std::size_t feature, std::size_t row) const {
        auto column = indices.part(indptr[feature], indptr[feature + 1]);
        auto found = std::lower_bound(column.begin(), column.end(), static_cast<std::int32_t>(row));
        if (found == column.end() || *found != static_cast<std::int32_t>(row))
            return zero_codes[feature];
        return stored[found - indices.begin()];
    }

    void begin_tree(Span<const std::int32_t> rows) {
        place = Buffer<std::int32_t>(n_all_rows, -1);
        has_places = true;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            has_places &= place[rows[i]] < 0;
            place[rows[i]] = static_cast<std::int32_t>(i);
        }
    }

    // Rows have changed places; the first of these stands at `start`.
    void moved(Span<const std::int32_t> rows, std::size_t start) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            place[rows[i]] = static_cast<std::int32_t>(start + i);
    }

    CodeLook read(std::size_t feature, Span<const std::int32_t> rows, std::size_t start,
                  Code* found) const {
        const std::size_t n = rows.size();
        const std::size_t begin = indptr[feature], end = indptr[feature + 1];
        // Look each row up if the column is long and they are few.
        if (end - begin > 8 * n || !has_places) {
            for (std::size_t i = 0; i < n; ++i) found[i] = code_of(feature, rows[i]);
            std::fill(found + n, found + in_lanes(n), MISSING);
            return look_at(found, n);
        }
        std::fill(found, found + n, zero_codes[feature]);
        std::fill(found + n, found + in_lanes(n), MISSING);
        for (std::size_t entry = begin; entry < end; ++entry) {
            const std::size_t at = place[indices[entry]] - start;  // huge if not here
            if (at < n) found[at] = stored[entry];
        }
        return look_at(found, n);
    }
};

}  // namespace hilabel
