"""Dividing rows into parts that all show every label about equally often.

The one place that knows how stratification is done.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from iterstrat.ml_stratifiers import IterativeStratification

from hilabel._typing import BoolArray, IntArray

# Rows looked at for each row that has to change its part. The best of a sample is
# nearly as good as the best of all, and the time no longer grows with their number.
N_CANDIDATES: Final = 200


def assign_parts(
    matrix: BoolArray,
    sizes: Sequence[int] | IntArray,
    generator: np.random.RandomState,
    *,
    stratified: bool = True,
    shuffle: bool = True,
) -> IntArray:
    """Return the part of each row, with exactly ``sizes[part]`` rows in each part.

    Parameters
    ----------
    matrix : bool array of shape (n_samples, n_nodes)
        The labels.
    sizes : sequence of int
        Rows wanted in each part; they add up to ``n_samples``.
    generator : RandomState
    stratified : bool
        Choose the parts by iterative stratification [1]_, rarest label first. It
        comes near the sizes but not always to them, so rows are moved between the
        parts afterwards, those first that bring the label counts closer. Otherwise
        the parts are random.
    shuffle : bool
        Look at the rows in random order. If not, and not ``stratified``, the parts are
        runs of consecutive rows.

    Returns
    -------
    int array of shape (n_samples,)

    References
    ----------
    .. [1] Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of
       multi-label data, ECML PKDD.
    """
    wanted = np.asarray(sizes)
    n_rows = matrix.shape[0]
    row_order = generator.permutation(n_rows) if shuffle else np.arange(n_rows)
    parts = np.empty(n_rows, dtype=np.int64)
    if not stratified:
        parts[row_order] = np.repeat(np.arange(wanted.size), wanted)
        return parts
    # The function and not the package's splitters: those refuse a single label
    # column, and know nothing of parts of unequal sizes.
    parts[row_order] = IterativeStratification(
        matrix[row_order], wanted / n_rows, generator
    )
    _correct_sizes(parts, matrix, wanted, generator)
    return parts


def _correct_sizes(
    parts: IntArray,
    matrix: BoolArray,
    wanted: IntArray,
    generator: np.random.RandomState,
) -> None:
    """Move rows, in place, from parts with too many rows to parts with too few."""
    totals = matrix.sum(axis=0)
    held = np.array([matrix[parts == part].sum(axis=0) for part in range(wanted.size)])
    excess = held - np.outer(wanted / parts.size, totals)
    surplus = np.bincount(parts, minlength=wanted.size) - wanted
    while surplus.any():
        source, target = int(surplus.argmax()), int(surplus.argmin())
        candidates = np.flatnonzero(parts == source)
        if candidates.size > N_CANDIDATES:
            candidates = generator.choice(candidates, N_CANDIDATES, replace=False)
        # Half the change, by moving a row with the label, of the squared excesses of
        # both parts, relative to how frequent the label is.
        change = (1 + excess[target] - excess[source]) / np.maximum(totals, 1)
        row = candidates[(matrix[candidates] @ change).argmin()]
        parts[row] = target
        excess[source] -= matrix[row]
        excess[target] += matrix[row]
        surplus[source] -= 1
        surplus[target] += 1
