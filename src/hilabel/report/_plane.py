"""Coordinates of rows in the plane: two columns, or two principal components."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.utils import check_array

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import FloatArray, MatrixLike
from hilabel.exceptions import ParameterError


class Plane(NamedTuple):
    """The position of every row, and what the two axes are."""

    points: FloatArray
    axis_names: tuple[str, str]


def plane_of(
    X: MatrixLike,
    columns: Iterable[int | str] | None = None,
    names: Sequence[str] | None = None,
) -> Plane:
    """Return two columns of a matrix or, by default, its first principal components.

    Missing values are replaced with the mean of their column. ``names`` are those of
    the columns, by which ``columns`` may refer to them.
    """
    X = check_array(
        X,
        accept_sparse="csc",
        dtype=np.float64,
        order="C",
        ensure_all_finite="allow-nan",
    )
    if columns is None:
        return _principal_components(_without_gaps(X))
    found = [_column(column, X.shape[1], names) for column in columns]
    if len(found) != 2:
        raise ParameterError(
            f"Expected two columns to draw, got {len(found)}.", parameter="columns"
        )
    shown = _without_gaps(X[:, found])
    points = shown.toarray() if sp.issparse(shown) else shown
    first, second = (
        str(names[number]) if names is not None else f"column {number}"
        for number in found
    )
    return Plane(points, (first, second))


def _principal_components(X: Any) -> Plane:
    n_components = min(2, *X.shape)
    # The solver for sparse matrices needs more columns than components.
    if sp.issparse(X) and min(X.shape) <= 2:
        X = X.toarray()
    solver = "arpack" if sp.issparse(X) else "auto"
    pca = PCA(n_components, svd_solver=solver, random_state=0)
    points = np.zeros((X.shape[0], 2))
    shares = [0.0, 0.0]
    # A matrix of equal rows has no variance that could be divided.
    with np.errstate(invalid="ignore"):
        points[:, :n_components] = pca.fit_transform(X)
        shares[:n_components] = np.nan_to_num(pca.explained_variance_ratio_)
    first, second = (
        f"principal component {number} ({share:.0%})"
        for number, share in enumerate(shares, start=1)
    )
    return Plane(points, (first, second))


def _column(column: int | str, n_columns: int, names: Sequence[str] | None) -> int:
    """Return the number of a column given by its number or name."""
    known = [] if names is None else [str(name) for name in names]
    if str(column) in known:
        return known.index(str(column))
    if isinstance(column, int | np.integer) and 0 <= column < n_columns:
        return int(column)
    expected = f"a column from 0 to {n_columns - 1}"
    if known:
        expected += " or its name"
    hint = did_you_mean(closest(str(column), known))
    raise ParameterError(
        f"Expected {expected}, got {column!r}.{hint}", parameter="columns"
    )


def _without_gaps(X: Any) -> Any:
    """Replace missing values with the mean of their column, or 0 if it has none."""
    if not sp.issparse(X):
        is_missing = np.isnan(X)
        n_known = np.maximum((~is_missing).sum(axis=0), 1)
        means = np.where(is_missing, 0, X).sum(axis=0) / n_known
        return np.where(is_missing, means, X)
    X = sp.csc_array(X, copy=True)
    is_missing = np.isnan(X.data)
    if is_missing.any():
        column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
        n_missing = np.bincount(column[is_missing], minlength=X.shape[1])
        sums = np.bincount(
            column[~is_missing], X.data[~is_missing], minlength=X.shape[1]
        )
        means = sums / np.maximum(X.shape[0] - n_missing, 1)
        X.data[is_missing] = means[column[is_missing]]
    return X
