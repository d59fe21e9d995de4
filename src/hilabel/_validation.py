"""Validation of all user input: hierarchies, label matrices, scores.

Validated labels consist of a boolean matrix closed over ancestors, a mask of labelled
rows and, if some rows are known in part, a mask of known cells. No other code needs to
handle -1, NaN, names or data frames.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from hilabel._compat import InvalidParameterError
from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import laid_out
from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray, MatrixLike
from hilabel.exceptions import FeatureError, HierarchyError, LabelError, ScoreError
from hilabel.hierarchy import Hierarchy, read_paths

LARGEST_FEATURE: Final = 1e30
"""Keeps a sum of a hundred million values finite in single precision."""

LARGEST_SETTING: Final = 2**31 - 1
# scikit-learn checks this parameter, which may be larger.
_SEED: Final = "random_state"
_ROWS_AT_ONCE: Final = 1_000
# Means of many ones in single precision may exceed 1.
_ROUNDING: Final = 1e-5


@dataclass(frozen=True)
class Labels:
    """The internal form of labels."""

    matrix: Any  # bool array or csr_array, closed; all False in unlabelled rows
    labeled: BoolArray  # which rows are labelled; such a row may have no label
    hierarchy: Hierarchy
    dtype: str = "int8"  # dtype of the given numbers; int8 for sets of names
    values: tuple[int, int] = (0, 1)  # values of cells without and with a label
    # Which cells are known, or None if labelled rows are known as a whole. Cells
    # implied by known cells are known too.
    known: BoolArray | None = None
    # The labels as they were given, if they were in this form.
    given: LabelMatrix | None = None

    @cached_property
    def table(self) -> LabelMatrix:
        """The labels without a cell for each row and node."""
        if self.given is not None:
            return self.given
        if self.known is None:
            return LabelMatrix.of_rows(self.matrix, self.labeled)
        return LabelMatrix.of_cells(self.matrix, self.known)

    @property
    def n_samples(self) -> int:
        """Number of rows, labelled or not."""
        return int(self.matrix.shape[0])

    @cached_property
    def n_labeled(self) -> int:
        """Number of labelled rows."""
        return int(self.labeled.sum())

    def to_array(self) -> LabelArray:
        """Return the labels as a dense int8 array of 1, 0 and ``UNLABELED``."""
        if self.given is not None:
            return self.given.to_array()
        matrix = self.matrix
        dense = matrix.toarray() if sp.issparse(matrix) else matrix
        public = dense.astype(np.int8)
        public[~self.labeled if self.known is None else ~self.known] = UNLABELED
        return public


def check_hierarchy(hierarchy: Hierarchy | None, n_nodes: int) -> Hierarchy:
    """Return the hierarchy, or a hierarchy without edges if it is None."""
    if hierarchy is None:
        return Hierarchy([str(node) for node in range(n_nodes)])
    if not isinstance(hierarchy, Hierarchy):
        raise HierarchyError(
            f"Expected a hilabel.Hierarchy or None, got {type(hierarchy).__name__}; "
            "use Hierarchy.from_edges, from_networkx or similar to create one."
        )
    return hierarchy


def check_integer(name: str, value: object, least: int) -> None:
    """Raise an error if a value is not an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(
            f"Expected {name} to be an integer of at least {least}, got {value!r}."
        )


def check_settings(owner: str, settings: Mapping[str, Any]) -> None:
    """Raise an error if an integer parameter exceeds the engine's 32-bit range."""
    for name, value in settings.items():
        is_integer = isinstance(value, Integral) and name.split("__")[-1] != _SEED
        if is_integer and abs(value) > LARGEST_SETTING:
            raise InvalidParameterError(
                f"The {name!r} parameter of {owner} must be at most "
                f"{LARGEST_SETTING}. Got {value} instead."
            )


def check_features(check: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Validate rows with scikit-learn, check their range, and lay them out one way.

    Arrays come back in C order and CSR matrices in canonical format, so that equal
    values give equal results, however they are stored.

    Parameters
    ----------
    check : callable
        ``validate_data`` or ``check_array``; the remaining arguments are passed to it.
        If it returns a pair, the rows come first.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # the check sums all values
        checked = check(*args, dtype=np.float64, order="C", **options)
    rows = laid_out(checked[0] if isinstance(checked, tuple) else checked)
    values = rows.data if sp.issparse(rows) else rows
    _check_range(values)
    return (rows, *checked[1:]) if isinstance(checked, tuple) else rows


def _check_range(values: FloatArray) -> None:
    if not values.size:
        return
    for reduce in (np.fmin.reduce, np.fmax.reduce):  # these ignore NaN
        extreme = reduce(values, axis=None)
        if abs(extreme) > LARGEST_FEATURE:
            raise FeatureError(
                f"Expected features from {-LARGEST_FEATURE:g} to {LARGEST_FEATURE:g}, "
                f"so that sums fit single precision, got {extreme:g}. Scale the column "
                "or take its logarithm."
            )


def check_labels(
    Y: MatrixLike,
    hierarchy: Hierarchy | None = None,
    *,
    close: bool = True,
    n_samples: int | None = None,
    any_two_values: bool = False,
) -> Labels:
    """Convert any accepted form of ``Y`` to :class:`Labels` without modifying ``Y``.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame, Series or list
        - bool, 0/1 or -1/0/1 array, or a float array, of shape (n_samples, n_nodes);
          a cell of -1 or NaN is unknown, and a row of such cells is unlabelled;
        - a sparse matrix with such values, including stored zeros;
        - a pandas or polars DataFrame whose columns are the node names, in any order;
        - a list, Series or array of objects with one collection of node names per row,
          None or NaN for an unlabelled row;
        - paths from a root: an array or DataFrame of strings with one step per column,
          or a list with a list of steps or of paths for each row; an empty row is
          unlabelled.
    hierarchy : Hierarchy or None
        None means no edges and one node per column, named like the columns of a
        DataFrame; for paths in columns, it means the tree of
        :meth:`Hierarchy.from_labels`.
    close : bool, default=True
        Add missing ancestors. If False, a missing ancestor is an error.
    n_samples : int, optional
        Number of rows that ``Y`` must have.
    any_two_values : bool, default=False
        Allow any two integers in a single column of a node without edges. This is
        binary classification, where scikit-learn allows any classes.

    Raises
    ------
    LabelError
        If ``Y`` is invalid. The message names the row and what was expected.
    """
    if isinstance(Y, LabelMatrix):
        return _check_table(Y, hierarchy, n_samples)
    if hierarchy is None and _holds_path_columns(Y):
        hierarchy = Hierarchy.from_labels(Y)
    elif hierarchy is None and is_frame(Y):
        hierarchy = Hierarchy(_column_names(Y))
    values = _as_matrix(Y, hierarchy)
    hierarchy = _check_shape(values.shape, hierarchy, n_samples)
    pair = (0, 1)
    if sp.issparse(values):
        matrix, labeled, known = _split_sparse(values)
    else:
        if any_two_values and values.shape[1] == 1:
            values, pair = _as_indicator(values)
        matrix, labeled, known = _split_dense(values)
    _refuse_no_labels(labeled)
    closed = _closed(matrix, hierarchy, close)
    if known is not None and hierarchy.n_edges:
        known = implied_cells(closed, known & ~_dense(closed), hierarchy)
    return Labels(closed, labeled, hierarchy, str(values.dtype), pair, known)


def _check_table(
    labels: LabelMatrix, hierarchy: Hierarchy | None, n_samples: int | None
) -> Labels:
    """Return labels that are validated and closed already, without a copy."""
    hierarchy = _check_shape(labels.shape, hierarchy, n_samples)
    _refuse_no_labels(labels.labeled)
    return Labels(labels.positive, labels.labeled, hierarchy, given=labels)


def _check_shape(
    shape: tuple[int, ...], hierarchy: Hierarchy | None, n_samples: int | None
) -> Hierarchy:
    """Return the hierarchy of labels; raise an error for a wrong number of them."""
    hierarchy = check_hierarchy(hierarchy, shape[1])
    if shape[1] != hierarchy.n_nodes:
        raise LabelError(
            f"Expected Y with {hierarchy.n_nodes} columns, one for each node of the "
            f"hierarchy, got {shape[1]}."
        )
    if n_samples is not None and shape[0] != n_samples:
        raise LabelError(
            f"Expected Y with {n_samples} rows, one for each row of X, got {shape[0]}."
        )
    return hierarchy


def _refuse_no_labels(labeled: BoolArray) -> None:
    if not labeled.any():
        raise LabelError(
            f"Expected at least one labelled row, got {labeled.size} rows, all "
            "unlabelled. Zeros mean 'has no label'; only -1 or NaN mean 'unlabelled'."
        )


def check_known_labels(Y: MatrixLike) -> tuple[BoolArray, BoolArray]:
    """Return masks of the positive and known cells of ``Y``, for computing measures.

    Rows may be known in part: cells of -1 or NaN are unknown.
    """
    values = _as_matrix(Y, None)
    dense = values.toarray() if sp.issparse(values) else values
    if _is_all_zero_or_one(dense):
        # All known: broadcast one cell. Bytes of 0 and 1 need no copy.
        known = np.broadcast_to(np.True_, dense.shape)
        return dense.view(bool) if dense.itemsize == 1 else dense == 1, known
    _check_values(dense)
    return dense == 1, _are_known(dense)


def check_scores(
    scores: MatrixLike, shape: tuple[int | None, int] | None = None
) -> FloatArray:
    """Return scores as a finite 2-D float array; floats keep their precision.

    ``shape`` is the expected shape; None means any number of rows.
    """
    if sp.issparse(scores):
        scores = scores.toarray()
    array = np.asarray(scores)
    if array.dtype.kind not in "fiub":
        raise ScoreError(f"Expected numeric scores, got dtype {array.dtype}.")
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    if array.ndim != 2:
        raise ScoreError(
            "Expected scores of shape (n_samples, n_nodes), "
            f"got {array.ndim} dimension(s)."
        )
    if shape is not None and any(
        wanted not in (None, got)
        for wanted, got in zip(shape, array.shape, strict=True)
    ):
        rows = "n_samples" if shape[0] is None else shape[0]
        raise ScoreError(
            f"Expected scores of shape ({rows}, {shape[1]}), got {array.shape}."
        )
    # A sum is finite if all values are, unless it overflows, and needs no memory.
    with np.errstate(all="ignore"):
        is_finite = bool(np.isfinite(array.sum()))
    if not (is_finite or np.isfinite(array).all()):
        row, node = np.argwhere(~np.isfinite(array))[0]
        raise ScoreError(
            f"Expected finite scores, got {array[row, node]} in row {row}, column "
            f"{node}; check the model that computed them, or drop the row."
        )
    return array


def check_probabilities(
    scores: MatrixLike, shape: tuple[int | None, int] | None = None
) -> FloatArray:
    """Check scores as ``check_scores`` does, and that they are between 0 and 1."""
    values = check_scores(scores, shape)
    if values.size and (values.min() < -_ROUNDING or values.max() > 1 + _ROUNDING):
        raise ScoreError(
            "Expected probabilities from 0 to 1, got scores from "
            f"{values.min():.3g} to {values.max():.3g}; a calibration is only defined "
            "for probabilities."
        )
    return values


# From any container to a numeric matrix ---------------------------------------------


def _as_matrix(Y: MatrixLike, hierarchy: Hierarchy | None) -> Any:
    if sp.issparse(Y):
        return sp.csr_array(Y)
    if _holds_path_columns(Y):
        return _from_names(read_paths(Y), hierarchy)
    if is_frame(Y):
        return _from_frame(Y, hierarchy)
    rows = _name_rows(Y)
    if rows is not None:
        return _from_names(rows, hierarchy)
    try:
        values = np.asarray(Y)
    except ValueError:
        raise LabelError(
            "Expected Y with rows of equal length, or a list with one set of node "
            "names per row; got rows of different lengths."
        ) from None
    if values.ndim != 2:
        raise LabelError(
            "Expected Y of shape (n_samples, n_nodes), got "
            f"{values.ndim} dimension(s); for one node use Y.reshape(-1, 1)."
        )
    return _as_numeric(values)


def _as_numeric(values: Any) -> Any:
    if values.dtype.kind in "bif":
        return values
    if values.dtype.kind == "u":
        return values.astype(np.int64)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        raise LabelError(
            f"Expected Y of 0, 1 and -1, got values of dtype {values.dtype} that are "
            "not numbers."
        ) from None


def is_frame(matrix: Any) -> bool:
    """Return whether a value is a data frame from pandas or another library."""
    return hasattr(matrix, "columns") and hasattr(matrix, "to_numpy")


def _column_names(frame: Any) -> list[str]:
    columns = [str(column) for column in frame.columns]
    if len(set(columns)) < len(columns):
        repeated = next(name for name in columns if columns.count(name) > 1)
        raise LabelError(f"Column {repeated!r} of Y occurs more than once.")
    return columns


def _from_frame(frame: Any, hierarchy: Hierarchy | None) -> Any:
    columns = _column_names(frame)
    values = np.asarray(frame.to_numpy())
    if hierarchy is not None:
        unknown = [name for name in columns if name not in hierarchy]
        missing = set(hierarchy.names) - set(columns)
        if unknown or missing:
            example = repr(unknown[0]) if unknown else repr(min(missing))
            raise LabelError(
                f"Expected the columns of Y to be the {hierarchy.n_nodes} node names "
                f"of the hierarchy; {len(unknown)} are unknown and {len(missing)} "
                f"missing, such as {example}. Pass Y.to_numpy() if the order is right."
            )
        position = {name: i for i, name in enumerate(columns)}
        values = values[:, [position[name] for name in hierarchy.names]]
    return _as_numeric(values)


def _holds_path_columns(Y: MatrixLike) -> bool:
    """Return whether ``Y`` contains steps of paths (strings) rather than numbers."""
    if getattr(Y, "ndim", 2) != 2 or not (isinstance(Y, np.ndarray) or is_frame(Y)):
        return False
    values = np.asarray(Y.to_numpy() if is_frame(Y) else Y)
    if values.dtype.kind == "O":
        return any(isinstance(value, str) for value in values.flat)
    return values.dtype.kind in "UT"


def _name_rows(Y: Any) -> list[Any] | None:
    """Return the rows of a list, Series or array of names; None if it is numeric.

    Unlabelled rows are None.
    """
    if not isinstance(Y, list | tuple):
        is_series = hasattr(Y, "to_list") and not hasattr(Y, "columns")
        is_array = isinstance(Y, np.ndarray) and Y.dtype.kind in "OUT" and Y.ndim == 1
        if not (is_series or is_array):
            return None
        # A missing entry of a Series is NaN, the only value that differs from itself.
        rows = Y.to_list() if is_series else Y.tolist()
        Y = [None if isinstance(row, float) and row != row else row for row in rows]
    return list(Y) if any(_holds_names(row) for row in Y) else None


def _holds_names(row: Any) -> bool:
    if row is None or isinstance(row, set | frozenset | str):
        return True
    return _is_listed(row) and any(isinstance(x, str) or _is_nested(x) for x in row)


def _is_listed(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _is_nested(value: Any) -> bool:
    return _is_listed(value) and any(isinstance(x, str) for x in value)


def hierarchy_of_names(Y: MatrixLike) -> Hierarchy | None:
    """Return a hierarchy of the names or paths in ``Y``; None if ``Y`` is numeric.

    This is sufficient for splitting rows. Names that are not part of a path have no
    edges.
    """
    if _holds_path_columns(Y):
        return Hierarchy.from_labels(Y)
    rows = _name_rows(Y)
    if rows is None:
        return None
    rows = [[row] if isinstance(row, str) else row for row in rows if row is not None]
    if any(_is_nested(label) for row in rows for label in row):
        return Hierarchy.from_labels(rows)
    return Hierarchy(sorted({str(name) for row in rows for name in row}))


def _from_names(rows: Sequence[Any], hierarchy: Hierarchy | None) -> Any:
    if hierarchy is None:
        raise LabelError(
            "A list of label sets needs a hierarchy that names the nodes, got None. If "
            "the rows are paths, use Hierarchy.from_labels(y)."
        )
    values = np.zeros((len(rows), hierarchy.n_nodes), dtype=np.int8)
    for i, row in enumerate(rows):
        if row is None or row is np.nan:
            values[i] = UNLABELED
            continue
        for label in _labels_of_row(row, hierarchy):
            try:
                values[i, _nodes_of_label(label, hierarchy)] = 1
            except HierarchyError:
                raise LabelError(
                    f"Label {label!r} in row {i} of Y is not in the hierarchy of "
                    f"{hierarchy.n_nodes} nodes."
                ) from None
    return values


def _labels_of_row(row: Any, hierarchy: Hierarchy) -> Iterable[Any]:
    """Return the labels of a row: names, or paths as tuples.

    A list of names is a path if it leads down from a root, and a set otherwise.
    """
    if isinstance(row, str):
        return [row]
    if _is_nested(row):
        path = tuple(str(step) for step in row if step not in ("", None))
        if path in hierarchy:
            return [path]
    return [tuple(x) if _is_listed(x) else str(x) for x in row]


def _nodes_of_label(label: str | tuple[str, ...], hierarchy: Hierarchy) -> list[int]:
    if isinstance(label, str):
        return [hierarchy.node(label)]
    return [hierarchy.node(label[: end + 1]) for end in range(len(label))]


# From numbers to labels and a mask --------------------------------------------------


def _check_values(values: Any) -> None:
    if values.dtype == bool:
        return
    is_integer = values.dtype.kind in "iu" and values.size > 0
    if is_integer and values.min() >= UNLABELED and values.max() <= 1:
        return  # without a mask, which would need as much memory as the labels
    allowed = (values == 0) | (values == 1) | (values == UNLABELED) | (values != values)
    if not allowed.all():
        where = tuple(int(i) for i in np.argwhere(~allowed)[0])
        raise LabelError(
            f"Expected 0, 1, -1 or NaN in Y, got {values[where]} at {where}."
        )


def _as_indicator(values: Any) -> tuple[Any, tuple[int, int]]:
    """Map any two integers to 0 and 1, and also return the integers."""
    found = np.unique(values[values != UNLABELED])
    if values.dtype.kind != "i" or found.size != 2:
        return values, (0, 1)
    low, high = (int(value) for value in found)
    known = (values == high).astype(values.dtype)
    return np.where(values == UNLABELED, values, known), (low, high)


def _is_all_zero_or_one(values: Any) -> bool:
    """Return whether all values are 0 or 1, in two passes over the data."""
    if values.dtype == bool:
        return True
    is_integer = values.dtype.kind in "iu" and values.size > 0
    return bool(is_integer and values.min() >= 0 and values.max() <= 1)


def _split_dense(values: Any) -> tuple[BoolArray, BoolArray, BoolArray | None]:
    """Return the positive cells, the labelled rows, and the known cells or None."""
    if _is_all_zero_or_one(values):
        return values.astype(bool), np.ones(values.shape[0], dtype=bool), None
    _check_values(values)
    known = _are_known(values)
    n_known = known.sum(axis=1)
    labeled = (n_known > 0) | (values.shape[1] == 0)
    is_whole = (n_known[labeled] == values.shape[1]).all()
    return values == 1, labeled, None if is_whole else known


def _are_known(values: Any) -> BoolArray:
    known: BoolArray = np.asarray(values != UNLABELED)
    if values.dtype.kind == "f":
        known &= values == values
    return known


def _split_sparse(values: Any) -> tuple[sp.csr_array, BoolArray, BoolArray | None]:
    """Split a sparse matrix like ``_split_dense``; positive cells remain sparse."""
    values = values.copy()
    values.sum_duplicates()
    _check_values(values.data)
    unknown = (values.data == UNLABELED) | (values.data != values.data)
    rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    n_unknown = np.bincount(rows[unknown], minlength=values.shape[0])
    labeled = n_unknown < max(values.shape[1], 1)
    known = None
    if n_unknown[labeled].any():
        known = np.ones(values.shape, dtype=bool)
        known[rows[unknown], values.indices[unknown]] = False
    values.data = (values.data == 1) & ~unknown
    values = values.astype(bool)
    values.eliminate_zeros()
    return values, labeled, known


def implied_cells(present: Any, absent: BoolArray, hierarchy: Hierarchy) -> BoolArray:
    """Return the cells that are known or implied by known cells.

    Ancestors of a present label are present (``present`` already includes them), and
    descendants of an absent label are absent.
    """
    known = np.empty(absent.shape, dtype=bool)
    # In blocks, because intermediate results would be as large as all labels.
    for rows in gen_batches(max(1, len(absent)), _ROWS_AT_ONCE):
        below = np.array(absent[rows], order="F")
        for parent, child in hierarchy.edges_in_order:
            below[:, child] |= below[:, parent]
        known[rows] = _dense(present[rows]) | below
    return known


def _dense(matrix: Any) -> BoolArray:
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)


def _closed(matrix: Any, hierarchy: Hierarchy, close: bool) -> Any:
    if close:
        return hierarchy.close(matrix)
    found = hierarchy.first_inconsistency(matrix)
    if found is not None:
        row, node, parent = found
        raise LabelError(
            f"Row {row} of Y has label {hierarchy.names[node]!r} but not its parent "
            f"{hierarchy.names[parent]!r}; add the ancestors or pass close=True."
        )
    return matrix
