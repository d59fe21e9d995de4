// The gain of splits, computed from sums over one of their sides.
//
// Only the parts sum_c weight_c s_c^2 of the impurity change with a split. They are updated
// while rows move to the other side: a row r of weight m adds 2 m sum_{c in r} weight_c s_c
// + m^2 sum_{c in r} weight_c. The side that they leave follows without a second pass: over
// all rows of a node, sum_c weight_c (S_c - s_c)^2 differs by sums that are fixed for each
// row.
#pragma once

#include <limits>

#include "clustering_targets.hpp"
#include "compiler_hints.hpp"
#include "lanes.hpp"

namespace hilabel {

// One part of the targets of rows, labels or values, summed over a node.
struct PartSums {
    Buffer<double> weight;  // of each row of the node, 0 if it has no such aim
    Buffer<double> own;     // what a row adds to the squares by itself
    Buffer<double> cross;   // its product with the sums of the whole node
    double all_weight = 0, squares = 0, impurity = 0;
    double before = 0;  // squares over weight

    explicit PartSums(std::size_t n_rows) : weight(n_rows), own(n_rows), cross(n_rows) {}

    void set_impurity(double spread) {
        before = all_weight > 0 ? squares / all_weight : 0.0;
        impurity = all_weight > 0 ? spread - before : 0.0;
    }
};

// Sums over the rows that moved to the other side, after each of them.
struct SideSums {
    Buffer<double> squares, cross, weight;

    explicit SideSums(std::size_t n_rows) : squares(n_rows), cross(n_rows), weight(n_rows) {}
};

// Cuts of one feature. Rows move to the other side in the order of `moved`; the first cut
// is after the row at position `first`, and there are others where codes change.
struct Cuts {
    Numbers moved;
    std::size_t first;
    const std::uint8_t* code;  // of the rows in this order; null if there is a single cut
    std::size_t barred = static_cast<std::size_t>(-1);  // a place without a cut

    bool at(std::size_t k) const {
        return k >= first && k != barred && (code == nullptr || code[k] != code[k + 1]);
    }

    // The position of the largest gain, the first among equals. Other gains are
    // overwritten.
    std::size_t best(double* HILABEL_RESTRICT gain) const {
        const double none = -std::numeric_limits<double>::infinity();
        for (std::size_t k = first; k < moved.size(); ++k)
            gain[k] = code[k] != code[k + 1] ? gain[k] : none;
        if (barred < moved.size()) gain[barred] = none;
        std::size_t found = first;
        for (std::size_t k = first; k < moved.size(); ++k)
            if (gain[k] > gain[found]) found = k;
        return found;
    }
};

// Move rows to the other side. `form` knows their targets: pass(i) adds row i of the node
// and returns its product with the previous rows.
template <class Form>
inline void sum_sides(const Cuts& cuts, const PartSums& part, Form& form, SideSums& sides) {
    const std::int32_t* moved = cuts.moved.data();
    const std::size_t n = cuts.moved.size();
    const double *weight_of = part.weight.data(), *own_of = part.own.data();
    const double* cross_of = part.cross.data();
    double *to_squares = sides.squares.data(), *to_cross = sides.cross.data();
    double* to_weight = sides.weight.data();
    double squares = 0, cross = 0, weight = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = moved[k];
        to_squares[k] = squares += 2.0 * form.pass(i) + own_of[i];
        to_cross[k] = cross += cross_of[i];
        to_weight[k] = weight += weight_of[i];
    }
}

// Add the decrease in impurity of each cut to `gain`. A side without weight is as impure as
// its parent, whose impurity is `alone`: separating labelled from unlabelled rows gains
// nothing.
inline void add_gains(const SideSums& sides, const PartSums& part, double alone, const Cuts& cuts,
                      double* HILABEL_RESTRICT gain) {
    const double* HILABEL_RESTRICT squares = sides.squares.data();
    const double* HILABEL_RESTRICT cross = sides.cross.data();
    const double* HILABEL_RESTRICT weight = sides.weight.data();
    const double all_weight = part.all_weight, all_squares = part.squares;
    const double before = part.before;
    for (std::size_t k = cuts.first; k < cuts.moved.size(); ++k) {
        const bool is_split = (weight[k] > 0.0) & (weight[k] < all_weight);
        const double here = is_split ? weight[k] : 1.0;
        const double there = is_split ? all_weight - weight[k] : 1.0;
        const double others = all_squares - 2.0 * cross[k] + squares[k];
        const double gained = squares[k] / here + others / there - before;
        gain[k] += is_split ? gained : -alone;
    }
}

// Sums in four lanes, added in the same order on every processor.
using Four = Lanes<double, 4>;

inline double sum_of(const Four& lanes) {
    double lane[4];
    store(lanes, lane);
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

}  // namespace hilabel
