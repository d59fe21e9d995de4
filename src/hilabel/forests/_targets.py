"""Targets for predictive clustering trees: labels, and optionally features."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray

# A mean of more than this many standard deviations is subtracted before squaring.
_FAR = 8
# If fewer of the values are zeros, they are stored too, which is faster.
_MOST_ZEROS = 0.75
# From this number of partially known cells, not all are processed.
_MANY_CELLS = 2_000_000


class RowLists(NamedTuple):
    """A list of numbers for each row, stored as in CSR (int64 ptr, uint32 index)."""

    ptr: IntArray
    index: Any

    def view(self) -> _engine.RowLists:
        """Return the lists in the engine's format."""
        return _engine.RowLists(self.ptr, self.index)


class FeatureTargets(NamedTuple):
    """The values of the features used as targets, with and without missing values.

    For each entry of ``complete_values``, ``complete_features`` contains the number of
    its feature among the ``n_complete`` features without missing values; zeros may be
    omitted. ``gappy_known`` is 1 where a value is known and 0 elsewhere.
    ``gappy_values``, of shape (n_rows, n_gappy), is also 0 where a value is unknown.
    """

    n_complete: int
    complete_features: RowLists
    complete_values: FloatArray
    gappy_values: FloatArray
    gappy_known: FloatArray


@dataclass(frozen=True)
class ClusteringTargets:
    """The targets of all rows, labelled rows first.

    Nodes with the same rows are merged into one target, whose weight is the sum of
    their weights. This reduces the number of targets: in the Gene Ontology, a third of
    the terms have the same genes as another term.

    Attributes
    ----------
    target_of : int32 array of shape (n_nodes,)
        The target that represents each node; -1 for nodes that no row has.
    n_labeled : int
    labels : RowLists
        The targets of each row.
    searched : RowLists
        The same for the split search, where targets that most rows have are replaced
        with their complements.
    label_weights : ndarray of shape (n_targets,)
    features : FeatureTargets
    group_of : int array of shape (n_nodes,) or None
        For partial labels, the group of nodes known in the same rows; -1 for nodes
        known in all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ClusteringTargets
    >>> Y = np.array([[1, 1, 0], [0, 0, 1]], dtype=bool)
    >>> targets = ClusteringTargets.from_labels(Y, np.ones(3))
    >>> targets.target_of  # the first two nodes have the same rows
    array([0, 0, 1], dtype=int32)
    """

    target_of: Any
    n_labeled: int
    labels: RowLists
    searched: RowLists
    label_weights: FloatArray
    features: FeatureTargets
    group_of: IntArray | None = None

    def view(self) -> _engine.ClusteringTargets:
        """Return the targets in the engine's format, without a copy."""
        features = self.features
        return _engine.ClusteringTargets(
            _engine.LabelTargets(
                self.labels.view(),
                self.searched.view(),
                self.label_weights,
                self.n_labeled,
            ),
            _engine.ValueTargets(
                features.complete_features.view(),
                features.complete_values,
                features.n_complete,
            ),
            _engine.GappyTargets(features.gappy_values, features.gappy_known),
        )

    @classmethod
    def from_labels(cls, Y: BoolArray | sp.csr_array, node_weights: FloatArray) -> Self:
        """Create targets from labels only.

        Parameters
        ----------
        Y : bool array or csr_array of shape (n_rows, n_nodes)
        node_weights : ndarray of shape (n_nodes,)
        """
        return cls._make(Y, node_weights, _no_features(Y.shape[0]))

    @classmethod
    def from_partial_labels(cls, labels: LabelMatrix, node_weights: FloatArray) -> Self:
        """Create targets from labels that are unknown in some rows.

        In any set of rows, such a label counts only in the rows where it is known, like
        a feature with missing values. This requires processing every cell. With more
        than two million cells, the split search instead replaces unknown cells with
        those of a random row in which they are known, which adds no information on
        average. Leaves use only known cells: nodes known in the same rows share an
        extra label that marks them as unknown; see
        :meth:`ClusteringTrees.known_shares`.

        Parameters
        ----------
        labels : LabelMatrix of shape (n_rows, n_nodes)
        node_weights : ndarray of shape (n_nodes,)
        """
        n_rows, n_nodes = labels.shape
        group_of, unknown = _unknown_groups(labels)
        part = np.flatnonzero(group_of >= 0)
        features = _no_features(n_rows)
        if n_rows * part.size > _MANY_CELLS:
            drawn = _drawn_where_unknown(labels.positive, group_of, unknown)
            searched, weights = _rarer_side(drawn), node_weights
        else:
            whole = np.flatnonzero(group_of < 0)
            searched = _rarer_side(labels.positive[:, whole])
            searched = sp.csr_array(
                (searched.data, whole[searched.indices], searched.indptr),
                shape=labels.shape,
            )
            weights = np.where(group_of < 0, node_weights, 0.0)
            few = labels.of_nodes(part)
            features = features._replace(
                gappy_values=np.where(few.present(), np.sqrt(node_weights[part]), 0.0),
                gappy_known=few.known().astype(np.float64, order="C"),
            )
        marked = sp.hstack([labels.positive, unknown], format="csr")
        return cls(
            np.arange(n_nodes, dtype=np.int32),
            n_labeled=n_rows,
            labels=_lists(marked, n_rows),
            searched=_lists(searched, n_rows),
            label_weights=np.concatenate([weights, np.zeros(unknown.shape[1])]),
            features=features,
            group_of=group_of,
        )

    @classmethod
    def from_labels_and_features(
        cls, Y: BoolArray, X: Any, node_weights: FloatArray, w: float
    ) -> Self:
        """Create targets from labels (weight ``w``) and features (weight ``1 - w``).

        Parameters
        ----------
        Y : bool array of shape (n_labeled, n_nodes)
        X : array or csr matrix of shape (n_rows, n_features)
            Labelled rows first. Features are standardised.
        node_weights : ndarray of shape (n_nodes,)
        w : float from 0 to 1
        """
        scale = np.sqrt((1 - w) / X.shape[1])
        features = _sparse_features if sp.issparse(X) else _dense_features
        return cls._make(Y, w * node_weights, features(X, scale))

    @classmethod
    def _make(
        cls,
        Y: BoolArray | sp.csr_array,
        node_weights: FloatArray,
        features: FeatureTargets,
    ) -> Self:
        labels = _as_csr(Y)
        target_of, columns = _distinct_columns(labels)
        has_target = target_of >= 0
        weights = np.bincount(
            target_of[has_target],
            weights=node_weights[has_target],
            minlength=columns.size,
        )
        labels = sp.csr_array(labels[:, columns])
        n_rows = features.gappy_values.shape[0]
        return cls(
            target_of,
            n_labeled=Y.shape[0],
            labels=_lists(labels, n_rows),
            searched=_lists(_rarer_side(labels), n_rows),
            label_weights=weights.astype(np.float64),
            features=features,
        )


def _unknown_groups(labels: LabelMatrix) -> tuple[IntArray, Any]:
    """Return the group of each node, and the unknown groups of each row.

    Nodes known in the same rows form a group, such as an aspect of an ontology. Nodes
    known in all rows have no group, which is encoded as -1. The unknown groups are
    returned as a CSR matrix.
    """
    groups, first = np.unique(labels.node_group, return_index=True)
    number_of = np.full(labels.knows.shape[1], -1)
    numbers: dict[bytes, int] = {}
    columns: list[BoolArray] = []
    for group in groups[np.argsort(first)]:  # in the order of their first nodes
        unknown = ~labels.knows[labels.row_group, group]
        if not unknown.any():
            continue
        key = np.packbits(unknown).tobytes()
        number_of[group] = numbers.setdefault(key, len(numbers))
        if number_of[group] == len(columns):
            columns.append(unknown)
    of_rows = np.array(columns, dtype=bool).reshape(len(columns), len(labels)).T
    return number_of[labels.node_group], _as_csr(np.ascontiguousarray(of_rows))


def _drawn_where_unknown(labels: Any, group_of: IntArray, unknown: Any) -> Any:
    """Return CSR labels with unknown cells drawn from rows where they are known."""
    generator = np.random.default_rng(0)
    parts = [labels]
    by_group = sp.csc_array(unknown)
    for group in range(unknown.shape[1]):
        rows = by_group.indices[by_group.indptr[group] : by_group.indptr[group + 1]]
        knowing = np.setdiff1d(np.arange(labels.shape[0]), rows)
        if not knowing.size:
            continue
        drawn = generator.choice(knowing, rows.size)
        # As a matrix product: row r of the result has the labels of the row drawn for
        # it.
        pick = sp.csr_array(
            (np.ones(rows.size, dtype=np.int8), (rows, drawn)),
            shape=(labels.shape[0],) * 2,
        )
        own = sp.diags_array((group_of == group).astype(np.int8), dtype=np.int8)
        parts.append(pick @ labels.astype(np.int8) @ own)
    filled = sp.csr_array(sum(parts[1:], parts[0].astype(np.int8)))
    filled.eliminate_zeros()
    filled.sort_indices()
    return filled.astype(bool)


def _lists(labels: Any, n_rows: int) -> RowLists:
    """Return the columns of each CSR row as a list, with empty lists for other rows."""
    ptr = np.full(n_rows + 1, labels.nnz, dtype=np.int64)
    ptr[: labels.shape[0] + 1] = labels.indptr
    return RowLists(ptr, labels.indices.astype(np.uint32))


def _rarer_side(labels: Any) -> Any:
    """Return CSR labels, replacing frequent labels with their complements.

    A label is frequent if more than half of the rows have it. The gain of a split is
    the same for a label and its complement, and fewer entries are faster to process.
    """
    counts = np.bincount(labels.indices, minlength=labels.shape[1])
    is_frequent = 2 * counts > labels.shape[0]
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    is_kept = ~is_frequent[labels.indices]
    frequent = np.flatnonzero(is_frequent)
    lacking, which = np.nonzero(~labels[:, frequent].toarray())
    rows = np.concatenate([rows[is_kept], lacking])
    columns = np.concatenate([labels.indices[is_kept], frequent[which]])
    ones = np.ones(rows.size, dtype=bool)
    turned = sp.csr_array((ones, (rows, columns)), shape=labels.shape)
    turned.sort_indices()
    return turned


def _as_csr(Y: BoolArray | sp.csr_array) -> Any:
    """Return labels as CSR rows."""
    if sp.issparse(Y):
        return sp.csr_array(Y)
    rows, columns = np.divmod(np.flatnonzero(Y), max(Y.shape[1], 1))
    ones = np.ones(rows.size, dtype=bool)
    return sp.csr_array((ones, (rows, columns)), shape=Y.shape)


def _distinct_columns(labels: Any) -> tuple[Any, Any]:
    """Return the number of each column among the distinct columns, and these columns.

    Columns without labels get the number -1.
    """
    by_column = sp.csc_array(labels)
    used = np.flatnonzero(np.diff(by_column.indptr))
    target_of = np.full(labels.shape[1], -1, dtype=np.int32)
    numbers: dict[bytes, int] = {}
    for column in used:
        rows = slice(by_column.indptr[column], by_column.indptr[column + 1])
        key = by_column.indices[rows].tobytes()
        target_of[column] = numbers.setdefault(key, len(numbers))
    first = np.unique(target_of[used], return_index=True)[1]
    return target_of, used[first]


def _no_features(n_rows: int) -> FeatureTargets:
    return FeatureTargets(
        n_complete=0,
        complete_features=RowLists(
            np.zeros(n_rows + 1, dtype=np.int64), np.empty(0, dtype=np.uint32)
        ),
        complete_values=np.empty(0),
        gappy_values=np.empty((n_rows, 0)),
        gappy_known=np.empty((n_rows, 0)),
    )


def _dense_features(X: FloatArray, scale: float) -> FeatureTargets:
    """Return the standardised values of a dense matrix, multiplied by ``scale``."""
    known = ~np.isnan(X)
    complete = known.all(axis=0)
    part = _no_features(X.shape[0])
    if complete.any():
        part = _sparse_features(sp.csr_array(X[:, complete]), scale)
    gappy = ~complete
    mean, deviation = _moments(np.where(known, X, 0.0), known)
    factor = scale / np.where(deviation > 0, deviation, 1.0)
    return part._replace(
        gappy_values=np.where(known, (X - mean) * factor, 0.0)[:, gappy].copy("C"),
        gappy_known=known[:, gappy].astype(np.float64, order="C"),
    )


def _moments(values: FloatArray, known: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and standard deviation of the known values in each column."""
    counts = np.maximum(known.sum(axis=0), 1)
    mean = values.sum(axis=0) / counts
    squares = np.where(known, values - mean, 0.0) ** 2
    return mean, np.sqrt(squares.sum(axis=0) / counts)


def _sparse_features(X: Any, scale: float) -> FeatureTargets:
    """Return the standardised values of a CSR matrix without NaN; zeros stay zero."""
    n_rows, n_features = X.shape
    X = sp.csr_array(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    # Compare values: the mean of equal numbers may differ from them by rounding.
    varies = (X.max(axis=0) - X.min(axis=0)).toarray().ravel() > 0
    mean, deviation = _sparse_moments(X)
    # Sums of squares lose precision if the mean is far from 0.
    is_full = np.bincount(X.indices, minlength=n_features) == n_rows
    far = is_full & (np.abs(mean) > _FAR * deviation)
    if far.any():
        X.data -= np.where(far, mean, 0.0)[X.indices]
        X.eliminate_zeros()
        deviation = _sparse_moments(X)[1]
    # A constant feature has no variance in any node.
    factor = np.divide(
        scale, deviation, out=np.zeros(n_features), where=varies & (deviation > 0)
    )
    X.data *= factor[X.indices]
    if X.nnz >= (1 - _MOST_ZEROS) * n_rows * n_features:
        ptr: Any = np.arange(n_rows + 1) * n_features
        index: Any = np.tile(np.arange(n_features, dtype=np.uint32), n_rows)
        value = X.toarray().ravel()
    else:
        ptr, index, value = X.indptr, X.indices, X.data
    return _no_features(n_rows)._replace(
        n_complete=n_features,
        complete_features=RowLists(
            ptr.astype(np.int64), index.astype(np.uint32, copy=False)
        ),
        complete_values=value,
    )


def _sparse_moments(X: Any) -> tuple[FloatArray, FloatArray]:
    """Return the mean and standard deviation of each column of a CSR matrix."""
    n_rows, n_features = X.shape
    count = max(n_rows, 1)
    mean = np.bincount(X.indices, X.data, n_features) / count
    n_stored = np.bincount(X.indices, minlength=n_features)
    squares = np.bincount(X.indices, (X.data - mean[X.indices]) ** 2, n_features)
    return mean, np.sqrt((squares + (n_rows - n_stored) * mean**2) / count)
