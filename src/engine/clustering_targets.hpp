// The targets of a clustering tree: labels, and feature values if it is semi-supervised.
//
// The impurity of a set of rows is
//
//     sum over labels c of weight_c (s_c - s_c^2 / n)
//
// where s_c of its n labelled rows have c, and likewise for feature values with sums of
// squares. For features with missing values, n counts the rows in which the feature is
// known.
#pragma once

#include "arrays.hpp"

namespace hilabel {

using Labels = Span<const std::uint32_t>;

// The labels or features of each row, as in a CSR matrix.
struct RowLists {
    Span<const std::int64_t> ptr;
    Labels index;

    std::size_t n_rows() const { return ptr.size() - 1; }
    Labels of(std::size_t row) const { return index.part(ptr[row], ptr[row + 1]); }
};

// Rows below `n_labeled` have labels; the lists of others are empty.
//
// Labels unknown in single cells will need one more RowLists, of known cells. Then each
// label has its own n, like features with missing values: the known weight per label
// replaces the labelled weight of a node (PartSums::all_weight) and of a side
// (SideSums::weight), and the share in a leaf is divided by it.
struct LabelTargets {
    std::size_t n_labeled = 0;
    RowLists labels;            // those of each row; they end up in the leaves
    RowLists searched;          // the same for splits; some are turned into their absence
    Span<const double> weight;  // by label

    std::size_t n_labels() const { return weight.size(); }
    bool is_labeled(std::size_t row) const { return row < n_labeled; }
};

// Values of features without missing values; zeros may be omitted.
struct ValueTargets {
    std::size_t n_features = 0;
    RowLists features;
    Span<const double> value;  // by entry of the lists
};

// Values of features with missing values: 0 where missing; `known` is 1 elsewhere.
struct GappyTargets {
    Table<const double> value, known;

    std::size_t n_features() const { return value.n_columns(); }
};

struct ClusteringTargets {
    LabelTargets labels;
    ValueTargets values;
    GappyTargets gappy;

    std::size_t n_rows() const { return labels.labels.n_rows(); }
    bool has_values() const { return values.n_features + gappy.n_features() > 0; }
};

// The distinct rows of a tree node, and how often each of them counts.
struct NodeRows {
    Span<std::int32_t> rows;
    Span<double> weights;

    std::size_t size() const { return rows.size(); }
    NodeRows part(std::size_t first, std::size_t last) const {
        return {rows.part(first, last), weights.part(first, last)};
    }
};

}  // namespace hilabel
