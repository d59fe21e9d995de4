// The codes of all rows, and how to read those of the rows of a tree node.
//
// `read` copies the codes of some rows, whose positions in their tree begin at `start`, and
// pads them. Before it is called, begin_tree, begin_node and moved set the positions of
// rows.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "codes.hpp"

namespace hilabel {

// This many rows are read at a time, so there must be as many readable entries after the
// end.
constexpr std::size_t ROWS_AT_ONCE = 8;

// A matrix (n_features, n_rows) of codes.
struct DenseColumns {
    Table<const Code> codes;

    std::size_t n_features() const { return codes.n_rows(); }
    std::size_t n_rows() const { return codes.n_columns(); }
    Code code_of(std::size_t feature, std::size_t row) const { return codes(feature, row); }

    void begin_tree(Numbers) {}
    void begin_node(Numbers) {}
    void moved(Numbers, std::size_t) {}

    CodeRange read(std::size_t feature, Numbers rows, std::size_t, Code* found) const {
        const Code* column = codes.row(feature).data();
        const std::int32_t* row = rows.data();
        for (std::size_t first = 0; first < rows.size(); first += ROWS_AT_ONCE) {
            HILABEL_UNROLLED
            for (std::size_t i = first; i < first + ROWS_AT_ONCE; ++i) {
                check_index(row[i], n_rows());
                found[i] = column[static_cast<std::uint32_t>(row[i])];
            }
        }
        return fill_up(found, rows.size());
    }
};

// Sparse arrays as in a CSC or CSR matrix, and the code, per feature, of values not stored.
struct SparseCodes {
    Span<const std::int64_t> indptr;
    Span<const std::int32_t> indices;
    Span<const Code> stored, zero_codes;

    std::size_t n_features() const { return zero_codes.size(); }
};

// CSC arrays: whole columns are read for the few features that a node tries.
struct SparseColumns : SparseCodes {
    std::size_t n_all_rows = 0;
    Buffer<std::int32_t> place;  // where a row of the matrix stands in the tree, or -1
    bool has_places = false;     // not if some row stands in several places

    SparseColumns(const SparseCodes& arrays, std::size_t n_rows)
        : SparseCodes(arrays), n_all_rows(n_rows) {}

    std::size_t n_rows() const { return n_all_rows; }

    Code code_of(std::size_t feature, std::size_t row) const {
        auto column = indices.part(indptr[feature], indptr[feature + 1]);
        auto found = std::lower_bound(column.begin(), column.end(), static_cast<std::int32_t>(row));
        if (found == column.end() || *found != static_cast<std::int32_t>(row))
            return zero_codes[feature];
        return stored[found - indices.begin()];
    }

    void begin_tree(Numbers rows) {
        place = Buffer<std::int32_t>(n_all_rows, -1);
        has_places = true;
        for (std::int32_t row : rows) has_places &= ++place[row] == 0;
        moved(rows, 0);
    }
    void begin_node(Numbers) {}
    void moved(Numbers rows, std::size_t start) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            place[rows[i]] = static_cast<std::int32_t>(start + i);
    }

    CodeRange read(std::size_t feature, Numbers rows, std::size_t start, Code* found) const {
        const std::size_t n = rows.size();
        const std::size_t begin = indptr[feature], end = indptr[feature + 1];
        if (end - begin > 8 * n || !has_places) {  // a long column, of which few rows are here
            for (std::size_t i = 0; i < n; ++i) found[i] = code_of(feature, rows[i]);
            return fill_up(found, n);
        }
        std::fill_n(found, n, zero_codes[feature]);
        for (std::size_t entry = begin; entry < end; ++entry) {
            const std::size_t at = place[indices[entry]] - start;  // huge if not here
            if (at < n) found[at] = stored[entry];
        }
        return fill_up(found, n);
    }
};

// CSR arrays: the stored values of the rows of a node are sorted by feature once, for trees
// that try one feature after another until enough of them vary.
class SparseRows : public SparseCodes {
public:
    explicit SparseRows(const SparseCodes& arrays) : SparseCodes(arrays) {}

    std::size_t n_rows() const { return indptr.size() - 1; }

    void begin_tree(Numbers) { end_ = count_ = Buffer<std::size_t>(n_features()); }
    void moved(Numbers, std::size_t) {}

    void begin_node(Numbers rows) {
        for (std::int32_t feature : seen_) count_[feature] = 0;
        seen_.clear();
        for (std::int32_t row : rows)
            for (std::int32_t feature : indices.part(indptr[row], indptr[row + 1]))
                if (count_[feature]++ == 0) seen_.push_back(feature);
        std::size_t n_entries = 0;
        for (std::int32_t feature : seen_) {
            end_[feature] = n_entries;
            n_entries += count_[feature];
        }
        entries_.resize(n_entries);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::int64_t at = indptr[rows[i]]; at < indptr[rows[i] + 1]; ++at)
                entries_[end_[indices[at]]++] = {i, stored[at]};
    }

    CodeRange read(std::size_t feature, Numbers rows, std::size_t, Code* found) const {
        if (count_[feature] == 0) return {};
        std::fill_n(found, rows.size(), zero_codes[feature]);
        for (std::size_t at = end_[feature] - count_[feature]; at < end_[feature]; ++at)
            found[entries_[at].row] = entries_[at].code;
        return fill_up(found, rows.size());
    }

private:
    struct Entry {
        std::size_t row;  // its number in the node
        Code code;
    };
    std::vector<std::int32_t> seen_;   // features that some row stores
    Buffer<std::size_t> end_, count_;  // of their entries, by feature
    std::vector<Entry> entries_;
};

}  // namespace hilabel
