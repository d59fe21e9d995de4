"""Draw features at random and find the best split of a tree node among them.

The coded matrix, dense or sparse, is described in ``multi_label_trees``.
"""

import numpy as np

from hilabel._kernels.compiling import inlined, lean
from hilabel._kernels.multi_label_bounds import sum_bounds, sum_node_bounds
from hilabel._kernels.multi_label_columns import (
    draw_and_lay_out,
    draw_feature,
    gather,
)
from hilabel._kernels.multi_label_drawn import best_drawn_cut
from hilabel._kernels.multi_label_scratch import (
    BLOCK,
    CROSS_FEATURE,
    CROSS_LABEL,
    LABELED_WEIGHT,
    LISTS,
    OWN_FEATURE,
    OWN_LABEL,
    TABLE,
    WEIGHT,
)
from hilabel._kernels.multi_label_splits import (
    MISSING,
    add_gains,
    draw_cut,
    mark_cuts,
    missing_first,
    side_gain_by_products,
    side_gain_by_table,
    sort_by_code,
    sum_lists,
    sum_products,
    sum_table,
)
from hilabel._kernels.multi_label_values import add_feature_gains, add_gappy_gains
from hilabel._kernels.side_marks import list_smaller_side, mark_left_side

__all__ = ["find_split"]


# Beside the squares of a node, so little is lost to rounding.
_ROUNDING = 1e-12


@inlined
def _add_label_gains(moved, n_moved, table, targets, totals, scratch):
    """Add the gains in labels, whatever their form."""
    row_sums, place = scratch.row_sums, scratch.place
    sides = scratch.squares, scratch.cross, scratch.labeled
    if totals.form == BLOCK:
        sum_products(
            moved,
            n_moved,
            totals.n_slots,
            row_sums,
            OWN_LABEL,
            CROSS_LABEL,
            LABELED_WEIGHT,
            scratch.near,
            scratch.side_sum,
            *sides,
        )
    elif totals.form == TABLE:
        sum_table(
            moved,
            n_moved,
            scratch.is_cut,
            row_sums,
            place,
            table,
            totals.n_slots,
            scratch.slot_weight,
            scratch.side_times,
            *sides,
        )
    else:
        sum_lists(
            moved,
            n_moved,
            row_sums,
            place,
            scratch.list_ptr,
            scratch.list_slot,
            scratch.slot_weight,
            scratch.side_sum,
            totals.n_slots,
            *sides,
        )
    add_gains(
        *sides,
        n_moved,
        scratch.gain,
        totals.labeled_weight,
        totals.label_squares,
        totals.label_impurity,
    )


@inlined
def _side_gain(moved, n_moved, table, totals, scratch):
    """Return the gain in labels of the only cut, if they are not in lists."""
    if totals.form == BLOCK:
        return side_gain_by_products(
            moved,
            n_moved,
            scratch.row_sums,
            scratch.near,
            totals.labeled_weight,
            totals.label_squares,
            totals.label_impurity,
        )
    return side_gain_by_table(
        moved,
        n_moved,
        scratch.row_sums,
        scratch.place,
        table,
        totals.n_slots,
        scratch.slot_weight,
        scratch.side_times,
        scratch.node_times,
        totals.labeled_weight,
        totals.label_squares,
        totals.single_squares,
        totals.label_impurity,
    )


@lean
def _add_value_gains(moved, n_moved, rows, targets, totals, scratch):
    """Add the gains in features, those with and without gaps."""
    if scratch.feature_sum.shape[0] > 0 and totals.form == BLOCK:
        sides = scratch.squares, scratch.cross, scratch.labeled
        sum_products(
            moved,
            n_moved,
            totals.n_slots,
            scratch.row_sums,
            OWN_FEATURE,
            CROSS_FEATURE,
            WEIGHT,
            scratch.value_near,
            scratch.side_sum,
            *sides,
        )
        add_gains(
            *sides, n_moved, scratch.gain, totals.weight, totals.feature_squares, 0.0
        )
    elif scratch.feature_sum.shape[0] > 0:
        add_feature_gains(
            moved,
            n_moved,
            scratch.is_cut,
            scratch.gain,
            scratch.row_sums,
            rows,
            targets.feature_ptr,
            targets.feature_index,
            targets.feature_value,
            scratch.side_sum,
            scratch.feature_sum.shape[0],
            totals.weight,
            totals.feature_squares,
        )
    if scratch.gappy_sum.shape[0] > 0:
        add_gappy_gains(
            moved,
            n_moved,
            scratch.is_cut,
            scratch.gain,
            scratch.row_sums,
            rows,
            targets.gappy_value,
            targets.gappy_known,
            scratch.side_sum,
            scratch.side_weight,
            scratch.gappy_sum,
            scratch.gappy_weight,
        )


@lean
def _gain_of_drawn(rows, moved, n_moved, table, targets, totals, scratch, has_values):
    """Return the gain of the only cut, after ``n_moved`` rows."""
    is_cut, gains = scratch.is_cut, scratch.gain
    for k in range(n_moved):
        is_cut[k] = k == n_moved - 1
        gains[k] = 0.0
    if totals.form == LISTS:
        _add_label_gains(moved, n_moved, table, targets, totals, scratch)
    else:
        gains[n_moved - 1] = _side_gain(moved, n_moved, table, totals, scratch)
    if has_values:
        _add_value_gains(moved, n_moved, rows, targets, totals, scratch)
    return gains[n_moved - 1]


@lean
def _can_beat(best, rows, n_moved, bound_squares, totals, scratch, bounds):
    """Say whether some cut may gain more than ``best``."""
    gains, is_cut = scratch.gain, scratch.is_cut
    sides = scratch.squares, scratch.cross, scratch.labeled
    sum_bounds(scratch.order, n_moved, rows, scratch.row_sums, bounds, *sides)
    for k in range(n_moved):
        gains[k] = 0.0
    add_gains(*sides, n_moved, gains, totals.labeled_weight, bound_squares, 0.0)
    most = 0.0
    for k in range(n_moved):
        most = max(most, gains[k] if is_cut[k] else 0.0)
    rounding = _ROUNDING * totals.label_squares / totals.labeled_weight
    return bounds.unit * most + rounding > best


@lean
def _best_cut(
    rows,
    current,
    n_known,
    side,
    least,
    table,
    targets,
    totals,
    scratch,
    has_values,
    bounds,
    bound_squares,
    to_beat,
):
    """Return (gain, place in ``order`` after which to cut), -1 if there is none.

    ``side`` 1 puts missing values first; ``order`` is sorted. Cuts that do not gain
    more than ``to_beat`` may be left out.
    """
    n_rows = rows.shape[0]
    order, is_cut, gains = scratch.order, scratch.is_cut, scratch.gain
    # With missing values on the right, they may stand there alone.
    n_moved = n_known if side == 0 and n_known < n_rows else n_rows - 1
    if side == 1:
        missing_first(order, n_known, n_rows, scratch.other)
    mark_cuts(current, n_rows, order, n_moved, least, scratch.ranked, is_cut)
    if side == 1:  # known values alone on a side were there before
        is_cut[n_rows - n_known - 1] = False
    if (
        bound_squares > 0.0
        and to_beat > 0.0
        and not _can_beat(
            to_beat, rows, n_moved, bound_squares, totals, scratch, bounds
        )
    ):
        return -np.inf, -1
    for k in range(n_moved):
        gains[k] = 0.0
    _add_label_gains(order, n_moved, table, targets, totals, scratch)
    if has_values:
        _add_value_gains(order, n_moved, rows, targets, totals, scratch)
    for k in range(n_moved):  # before the branch below, which then is seldom taken
        gains[k] = gains[k] if is_cut[k] else -np.inf
    best = -np.inf
    best_place = -1
    for k in range(n_moved):
        if gains[k] > best:
            best = gains[k]
            best_place = k
    return best, best_place


@lean
def find_split(
    matrix,
    columns,
    rows,
    weights,
    targets,
    totals,
    scratch,
    bounds,
    drawn,
    n_candidates,
    least,
    is_random,
    state,
    cut_state,
):
    """Return (gain, feature, cut, missing goes left); the feature is -1 without any.

    Features are drawn until ``n_candidates`` that vary among the rows were tried.
    Cuts have a random stream of their own, so that a sparse matrix, for which all
    features are drawn at once, gives the tree of the same dense one.
    ``columns.chosen`` is left holding the rows' codes of the best. Cost: the candidates
    times the labels of the rows; half of them, and in sums of 16 bits, if cuts are
    drawn; in a block, times the rows.
    """
    n_rows = rows.shape[0]
    is_sparse = matrix.zero_codes.shape[0] > 0
    current, chosen = columns.current, columns.chosen
    order = scratch.order
    table = scratch.tree_table if scratch.tree_width > 0 else scratch.node_table
    has_values = scratch.feature_sum.shape[0] + scratch.gappy_sum.shape[0] > 0
    if is_sparse:
        remaining = draw_and_lay_out(matrix, columns, rows, n_candidates, state)
    else:
        remaining = columns.features.shape[0]
    if is_random and totals.form == BLOCK and not has_values:
        return best_drawn_cut(
            matrix,
            columns,
            rows,
            totals,
            scratch,
            drawn,
            n_candidates,
            remaining,
            least,
            state,
            cut_state,
        )
    bound_squares = 0.0
    if bounds.width > 0 and totals.form == LISTS:
        bound_squares = sum_node_bounds(rows, weights, bounds)
    best = -np.inf
    best_feature = np.int32(-1)
    cut = 0
    missing_left = -1
    tried = 0
    while tried < n_candidates and remaining > 0:
        remaining -= 1
        if is_sparse:
            feature = columns.drawn[tried]
            lowest, highest, has_missing = gather(
                columns.block, np.uint32(tried), columns.numbers, n_rows, current
            )
        else:
            feature = draw_feature(columns.features, remaining, state)
            lowest, highest, has_missing = gather(
                matrix.codes, np.uint32(feature), rows, n_rows, current
            )
            if highest < lowest + (0 if has_missing else 1):
                continue  # alike in all rows: does not count as a try
        tried += 1
        if is_random:
            drawn_cut, drawn_missing = draw_cut(lowest, highest, has_missing, cut_state)
            n_left = mark_left_side(
                current, n_rows, drawn_cut, drawn_missing, columns.marks
            )
            if n_left < least or n_rows - n_left < least:
                continue
            n_moved = list_smaller_side(columns.marks, n_rows, n_left, order)
            if has_values or totals.form == LISTS:
                gain = _gain_of_drawn(
                    rows, order, n_moved, table, targets, totals, scratch, has_values
                )
            else:
                gain = _side_gain(order, n_moved, table, totals, scratch)
            if gain > best:
                best = gain
                best_feature = feature
                cut = drawn_cut
                missing_left = drawn_missing
                for i in range(n_rows):
                    chosen[i] = current[i]
            continue
        n_known = sort_by_code(current, n_rows, order, scratch.bin_start)
        for side in range(1 if n_known == n_rows else 2):
            gain, k = _best_cut(
                rows,
                current,
                n_known,
                side,
                least,
                table,
                targets,
                totals,
                scratch,
                has_values,
                bounds,
                bound_squares,
                best,
            )
            if gain > best:
                best = gain
                best_feature = feature
                code = np.int64(current[order[k]])
                following = np.int64(current[order[k + 1]])
                # Half-way to the next bin that occurs; all bins if none does.
                cut = (code + following) // 2
                if following == MISSING:
                    cut = MISSING - 1
                missing_left = side if n_known < n_rows else -1
                for i in range(n_rows):
                    chosen[i] = current[i]
    return best, best_feature, cut, missing_left
