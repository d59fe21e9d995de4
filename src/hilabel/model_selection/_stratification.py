"""Split rows into parts in which every label is about equally frequent.

No other module depends on the stratification method.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray, IntArray

# Candidate rows for each row that must change its part. The best of a sample is nearly
# as good as the best of all, and the time does not grow with their number.
N_CANDIDATES: Final = 200
MANY_CELLS: Final = 10_000_000
"""From this many rows times labels, speed and memory matter more than exact sums."""


def assign_parts(
    matrix: Any,
    sizes: Sequence[int] | IntArray,
    generator: np.random.RandomState,
    *,
    stratified: bool = True,
    shuffle: bool = True,
) -> IntArray:
    """Assign each row to a part, with exactly ``sizes[part]`` rows in each part.

    Parameters
    ----------
    matrix : bool array or sparse array of shape (n_samples, n_nodes)
        The labels.
    sizes : sequence of int
        Desired number of rows in each part; they sum to ``n_samples``.
    generator : RandomState
    stratified : bool
        Choose the parts by iterative stratification [1]_, rarest label first. It only
        approximates the sizes, so rows are moved between the parts afterwards, starting
        with those that bring the label counts closer. If False, the parts are random.
    shuffle : bool
        Process the rows in random order. If False and not ``stratified``, the parts are
        blocks of consecutive rows.

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
    labels = sp.csr_array(matrix)
    parts[row_order] = _stratify(labels[row_order], wanted / n_rows, generator)
    _correct_sizes(parts, labels, wanted, generator)
    return parts


def assign_groups(
    matrix: Any,
    sizes: FloatArray | IntArray,
    groups: IntArray,
    generator: np.random.RandomState,
) -> IntArray:
    """Assign each row to a part, all rows of a group to the same.

    Parts are stratified like those of :func:`assign_parts`, with groups in place of
    rows, large groups first. Their sizes are only close to those that are wanted.

    Parameters
    ----------
    matrix : bool array or sparse array of shape (n_samples, n_nodes)
        The labels.
    sizes : array of shape (n_parts,)
    groups : int array of shape (n_samples,)
    generator : RandomState

    Returns
    -------
    int array of shape (n_samples,)
    """
    labels = sp.csr_array(matrix).astype(np.int64)
    names, of_row = np.unique(groups, return_inverse=True)
    n_rows, n_groups = labels.shape[0], names.size
    members = sp.csr_array(
        (np.ones(n_rows, dtype=np.int64), (of_row, np.arange(n_rows))),
        shape=(n_groups, n_rows),
    )
    size = np.bincount(of_row, minlength=n_groups)
    order = generator.permutation(n_groups)
    order = order[np.argsort(-size[order], kind="stable")]
    counts = sp.csr_array(members @ labels)[order]
    parts = np.empty(n_groups, dtype=np.int64)
    shares = np.asarray(sizes) / n_rows
    parts[order] = _stratify(counts, shares, generator, size[order])
    return parts[of_row]


def _stratify(
    labels: sp.csr_array,
    shares: FloatArray,
    generator: np.random.RandomState,
    sizes: IntArray | None = None,
) -> IntArray:
    """Assign each row, or group of rows, to a part by iterative stratification.

    ``labels`` contains how many rows of a group have a label, and ``sizes`` how many
    rows it has.

    Each step selects the label with the fewest remaining rows, and assigns each of
    these rows to the part that needs the most rows with the label. In case of a tie,
    the part that needs the most rows overall is chosen. Remaining ties are broken at
    random. The running time grows with the number of positive cells and, with a very
    small constant factor, with the square of the number of labels.
    """
    if sizes is None:
        sizes = np.ones(labels.shape[0], dtype=np.int64)
    n_rows = int(sizes.sum())
    counts = labels.data.astype(np.int64)
    rows_of = sp.csc_array(labels)
    n_left = np.asarray(labels.sum(axis=0))
    # For each label, the number of rows with it that each part still needs.
    lacking = np.outer(n_left, shares)
    rows_lacking: list[float] = (shares * n_rows).tolist()
    parts = np.full(sizes.size, -1)
    while n_left.any():
        fewest = n_left.min(where=n_left > 0, initial=n_rows)
        label = _any_of(np.flatnonzero(n_left == fewest), generator)
        rows = rows_of.indices[rows_of.indptr[label] : rows_of.indptr[label + 1]]
        for row in rows[parts[rows] < 0]:
            part = _neediest(lacking[label].tolist(), rows_lacking, generator)
            parts[row] = part
            cells = slice(labels.indptr[row], labels.indptr[row + 1])
            own, n_own = labels.indices[cells], counts[cells]
            # One by one, because adding a sum of ones would round differently.
            lacking[own, part] -= n_own
            n_left[own] -= n_own
            rows_lacking[part] -= int(sizes[row])
    for row in np.flatnonzero(parts < 0):
        parts[row] = _neediest(rows_lacking, rows_lacking, generator)
        rows_lacking[parts[row]] -= int(sizes[row])
    return parts


def _neediest(
    lacking: list[float], rows_lacking: list[float], generator: np.random.RandomState
) -> int:
    """Return the part that needs the most rows with a label.

    In case of a tie, return the tied part that needs the most rows overall.
    """
    parts: list[int] = list(range(len(lacking)))
    for needs in (lacking, rows_lacking):
        most = max(needs[part] for part in parts)
        parts = [part for part in parts if needs[part] == most]
    return _any_of(parts, generator)


def _any_of(choices: Sequence[int] | IntArray, generator: np.random.RandomState) -> int:
    # Draw no random number if there is nothing to choose.
    return int(choices[generator.randint(len(choices)) if len(choices) > 1 else 0])


def _correct_sizes(
    parts: IntArray,
    labels: sp.csr_array,
    wanted: IntArray,
    generator: np.random.RandomState,
) -> None:
    """Move rows, in place, from parts with too many rows to parts with too few."""
    totals = labels.sum(axis=0)
    held = np.array([labels[parts == part].sum(axis=0) for part in range(wanted.size)])
    excess = held - np.outer(wanted / parts.size, totals)
    surplus = np.bincount(parts, minlength=wanted.size) - wanted
    while surplus.any():
        source, target = int(surplus.argmax()), int(surplus.argmin())
        candidates = np.flatnonzero(parts == source)
        if candidates.size > N_CANDIDATES:
            candidates = generator.choice(candidates, N_CANDIDATES, replace=False)
        # Half the change in the squared excesses of both parts when a row with the
        # label is moved, relative to the frequency of the label.
        change = (1 + excess[target] - excess[source]) / np.maximum(totals, 1)
        theirs = labels[candidates]
        # A sparse product sums in another order, which could change ties; a dense one
        # keeps the folds of small problems stable.
        if parts.size * totals.size <= MANY_CELLS:
            theirs = theirs.toarray()
        row = candidates[(theirs @ change).argmin()]
        parts[row] = target
        own = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
        excess[source, own] -= 1
        excess[target, own] += 1
        surplus[source] -= 1
        surplus[target] += 1
