"""Divide labelled rows into folds, once for everything that needs them."""

from typing import Any, Final

import numpy as np
from sklearn.utils import check_random_state

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import MOST_EXACT
from hilabel._typing import IntArray, MatrixLike
from hilabel._validation import check_labels, hierarchy_of_names
from hilabel.exceptions import LabelError
from hilabel.model_selection._stratification import assign_groups, assign_parts

# With few labelled rows, more folds leave more of them for training.
_USUAL_FOLDS: Final = 5
_FOLDS_OF_FEW: Final = 10
_FEW_ROWS: Final = 50

# If scores of all labelled rows would not be kept exactly, this share of the rows is
# scored by one training instead of five. The smaller it is, the closer is the quality
# that is measured to that of the final model, which learns from all rows.
_SHARE_ASIDE: Final = 0.1
# With so many rows, the standard error of a score is below .01 for any method: more are
# set aside, if there are fewer, but no more than a fold.
_ENOUGH_ROWS: Final = 2_000
_MOST_ASIDE: Final = 1 / _USUAL_FOLDS


def draw_folds(
    Y: MatrixLike,
    n_folds: int | None = None,
    random_state: Any = 0,
    *,
    stratified: bool = True,
    shuffle: bool = True,
    groups: MatrixLike | None = None,
) -> IntArray:
    """Return the fold of each row, numbered from 0; -1 for unlabelled rows.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame or list of sets, of n_samples rows
        1, 0, and -1 or NaN in unlabelled rows; or sets of names, and None.
    n_folds : int, optional
        By default, five, or ten with fewer than 50 labelled rows. With fewer labelled
        rows than that, each is a fold.
    random_state : int, RandomState or None, default=0
    stratified, shuffle : bool, default=True
        As in :class:`LabeledKFold`.
    groups : int array of shape (n_samples,), optional
        The group of each row. Rows of a group are in the same fold, so folds differ in
        size.

    Raises
    ------
    LabelError
        If there are fewer labelled rows, or groups of them, than ``n_folds``.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.model_selection import draw_folds
    >>> draw_folds(np.array([[1], [0], [-1], [1], [0]]), 2)
    array([ 0,  0, -1,  1,  1])
    >>> draw_folds(np.ones((5, 1)), 2, groups=[0, 1, 0, 1, 1])
    array([0, 1, 0, 1, 1])
    """
    labels = Y
    if not isinstance(Y, LabelMatrix):
        labels = check_labels(Y, hierarchy_of_names(Y), close=False).table
    rows = labels.labeled
    n_labeled = int(rows.sum())
    if n_folds is None:
        usual = _USUAL_FOLDS if n_labeled >= _FEW_ROWS else _FOLDS_OF_FEW
        n_folds = min(usual, n_labeled)
    elif n_labeled < n_folds:
        raise LabelError(
            f"Expected at least one labelled row for each of {n_folds} folds, got "
            f"{n_labeled} labelled of {rows.size} rows; ask for fewer folds."
        )
    fold = np.full(rows.size, -1)
    if not n_folds:
        return fold
    if groups is not None:
        fold[rows] = _grouped_folds(labels, groups, n_folds, random_state)
        return fold
    fold[rows] = assign_parts(
        labels.positive[rows],
        np.bincount(np.arange(n_labeled) % n_folds, minlength=n_folds),
        check_random_state(random_state),
        stratified=stratified,
        shuffle=shuffle,
    )
    return fold


def _grouped_folds(
    labels: LabelMatrix, groups: MatrixLike, n_folds: int, random_state: Any
) -> IntArray:
    """Return the fold of each labelled row, the same for all rows of a group."""
    rows = labels.labeled
    of_rows = np.asarray(groups)
    if of_rows.shape != (rows.size,) or of_rows.dtype.kind not in "iu":
        raise LabelError(
            f"Expected groups with one integer for each of {rows.size} rows, got "
            f"{of_rows.dtype} values of shape {of_rows.shape}."
        )
    part = assign_groups(
        labels.positive[rows],
        np.full(n_folds, rows.sum() / n_folds),
        of_rows[rows],
        check_random_state(random_state),
    )
    # With large groups, there may be nothing left for some folds.
    used, part = np.unique(part, return_inverse=True)
    if used.size < 2:
        n_groups = np.unique(of_rows[rows]).size
        raise LabelError(
            "Expected labelled rows in at least two groups of similar size, got "
            f"{int(rows.sum())} rows in {n_groups} "
            f"group{'' if n_groups == 1 else 's'}; group by stronger links.",
            parameter="groups",
        )
    return np.asarray(part)


def rows_to_set_aside(n_labeled: int, n_nodes: int) -> int:
    """Return the number of labelled rows to score: all, or few enough if many.

    Time and memory for choosing and judging models grow with the number of scores, and
    the standard error of their quality falls only with its square root.

    Examples
    --------
    >>> from hilabel.model_selection import rows_to_set_aside
    >>> rows_to_set_aside(2_000, 200), rows_to_set_aside(60_000, 5_000)
    (2000, 6000)
    """
    if n_labeled * n_nodes <= MOST_EXACT:
        return n_labeled
    enough = max(MOST_EXACT // n_nodes, _ENOUGH_ROWS)
    least = min(_ENOUGH_ROWS, int(n_labeled * _MOST_ASIDE))
    return min(enough, max(least, int(n_labeled * _SHARE_ASIDE)))


def draw_aside(
    labels: LabelMatrix,
    n_aside: int,
    random_state: Any = 0,
    groups: IntArray | None = None,
) -> IntArray:
    """Return folds of labelled rows that are set aside; -1 for all other rows.

    Rows of a group are all in one fold, or none of them is set aside.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel.model_selection import draw_aside
    >>> labels = LabelMatrix.of(np.ones((30, 1), dtype=np.int8))
    >>> np.bincount(draw_aside(labels, 10) + 1)
    array([20,  2,  2,  2,  2,  2])
    """
    rows = labels.labeled
    n_others = int(rows.sum()) - n_aside
    sizes = np.bincount(np.arange(n_aside) % _USUAL_FOLDS, minlength=_USUAL_FOLDS)
    fold = np.full(rows.size, -1)
    positive, generator = labels.positive[rows], check_random_state(random_state)
    if groups is None:
        part = assign_parts(positive, [*sizes, n_others], generator)
    else:
        wanted = np.array([*sizes, n_others])
        part = assign_groups(positive, wanted, groups[rows], generator)
    fold[rows] = np.where(part < _USUAL_FOLDS, part, -1)
    return fold
