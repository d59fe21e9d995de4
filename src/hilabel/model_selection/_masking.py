"""Hide labels to turn a fully labelled data set into a partially labelled one."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from hilabel._typing import UNLABELED, LabelArray, MatrixLike
from hilabel._validation import check_labels
from hilabel.model_selection._stratification import assign_parts


def mask_labels(
    Y: MatrixLike,
    labeled_fraction: float,
    *,
    stratified: bool = True,
    random_state: Any = None,
) -> LabelArray:
    """Keep the labels of some rows and hide those of the others.

    Parameters
    ----------
    Y : array, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        1, 0, and -1 or NaN in unlabelled rows. It is not modified.
    labeled_fraction : float in (0, 1]
        Share of the labelled rows that keep their labels. This is exactly
        ``round(labeled_fraction * n_labeled)`` rows, and at least one. Unlabelled rows
        stay unlabelled and are not counted.
    stratified : bool, default=True
        Choose the rows so that every node is about as frequent among them as among all
        labelled rows, by iterative stratification. A rare node whose share rounds to
        zero may lose all its rows. If False, choose at random.
    random_state : int, RandomState or None
        Random seed.

    Returns
    -------
    int8 array of shape (n_samples, n_nodes)
        The chosen rows unchanged, all others filled with ``UNLABELED``.

    Raises
    ------
    LabelError
        If ``Y`` has no labelled row or is not a label matrix.
    ValueError
        If the fraction is outside (0, 1].

    See Also
    --------
    mask_labels_nested : Mask several fractions, each a subset of the larger ones.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.model_selection import mask_labels
    >>> Y = np.array([[1, 1], [1, 0], [0, 0], [1, 1], [-1, -1]])
    >>> mask_labels(Y, 0.5, random_state=0)
    array([[ 1,  1],
           [-1, -1],
           [ 0,  0],
           [-1, -1],
           [-1, -1]], dtype=int8)
    """
    masked = mask_labels_nested(
        Y, [labeled_fraction], stratified=stratified, random_state=random_state
    )
    return masked[labeled_fraction]


def mask_labels_nested(
    Y: MatrixLike,
    labeled_fractions: Iterable[float],
    *,
    stratified: bool = True,
    random_state: Any = None,
) -> dict[float, LabelArray]:
    """Hide labels at several nested fractions.

    The labelled rows for the largest fraction are chosen first, those for the next
    fraction are chosen among them, and so on. Therefore, each fraction contains the
    labelled rows of all smaller fractions.

    Parameters
    ----------
    Y : array, sparse matrix or DataFrame of shape (n_samples, n_nodes)
    labeled_fractions : iterable of float in (0, 1]
        In any order.
    stratified : bool, default=True
    random_state : int, RandomState or None
        All as in :func:`mask_labels`.

    Returns
    -------
    dict of float to int8 array of shape (n_samples, n_nodes)
        One label matrix for each fraction, in the order given.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.model_selection import mask_labels_nested
    >>> Y = np.ones((10, 1))
    >>> masked = mask_labels_nested(Y, [0.1, 0.3, 1.0], random_state=0)
    >>> {fraction: int((Y >= 0).sum()) for fraction, Y in masked.items()}
    {0.1: 1, 0.3: 3, 1.0: 10}
    """
    fractions = list(labeled_fractions)
    if not fractions:
        raise ValueError("Expected at least one labelled fraction, got none.")
    for fraction in fractions:
        check_fraction("labeled_fraction", fraction)
    labels = check_labels(Y, None, close=False)
    given = labels.to_array()
    generator = check_random_state(random_state)
    kept = np.flatnonzero(labels.labeled)
    masked = {}
    for fraction in sorted(fractions, reverse=True):
        n_kept = max(1, round(fraction * labels.n_labeled))
        parts = assign_parts(
            labels.matrix[kept],
            [n_kept, kept.size - n_kept],
            generator,
            stratified=stratified,
        )
        kept = kept[parts == 0]
        masked[fraction] = np.full_like(given, UNLABELED)
        masked[fraction][kept] = given[kept]
    return {fraction: masked[fraction] for fraction in fractions}


def check_fraction(name: str, value: object, *, below_one: bool = False) -> None:
    """Raise an error for a value outside (0, 1], or outside (0, 1) if ``below_one``."""
    if isinstance(value, bool) or not isinstance(value, Real):
        fits = False
    else:
        fits = 0 < float(value) < 1 or (value == 1 and not below_one)
    if not fits:
        interval = "(0, 1)" if below_one else "(0, 1]"
        raise ValueError(f"Expected {name} in {interval}, got {value!r}.")
