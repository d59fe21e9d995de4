"""The data set that every loader returns: rows, labels and their hierarchy."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.exceptions import DatasetFormatError
from hilabel.hierarchy import Hierarchy, ProblemType
from hilabel.links import Links


@dataclass(frozen=True, eq=False)
class HMCDataset:
    """A table of rows with hierarchical labels.

    Attributes
    ----------
    X : float array or csr_array of shape (n_samples, n_features)
        Missing values are NaN; :func:`impute` fills them.
    Y : int8 array of shape (n_samples, n_nodes)
        1, 0 or ``UNLABELED``, possibly in single cells; closed over ancestors.
    hierarchy : Hierarchy
        One node per column of ``Y``.
    feature_names : tuple of str
        One name per column of ``X``.
    sample_ids : tuple of str or None
        One name per row, if the source has names.
    name : str
        The name of the data in tables and messages.
    links : Links of shape (n_samples, n_training) or None
        Links from the rows to training rows, which are these rows themselves in
        training data.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.datasets import HMCDataset
    >>> h = Hierarchy.from_edges([("food", "tea")])
    >>> Y = np.array([[1, 1], [-1, -1]], dtype=np.int8)
    >>> HMCDataset(np.zeros((2, 1)), Y, h, ("price",), name="shop").name
    'shop'
    """

    X: Any
    Y: LabelArray
    hierarchy: Hierarchy
    feature_names: tuple[str, ...]
    sample_ids: tuple[str, ...] | None = None
    name: str = ""
    links: Links | None = None

    def __post_init__(self) -> None:
        n_samples, n_features = self.X.shape
        expected = {
            "Y": (self.Y.shape, (n_samples, self.hierarchy.n_nodes)),
            "feature_names": (len(self.feature_names), n_features),
        }
        if self.sample_ids is not None:
            expected["sample_ids"] = (len(self.sample_ids), n_samples)
        if self.links is not None:
            expected["links"] = (self.links.n_rows, n_samples)
        for field, (got, wanted) in expected.items():
            if got != wanted:
                raise DatasetFormatError(
                    f"Expected {field} of size {wanted} to match X of shape "
                    f"{self.X.shape} and {self.hierarchy!r}, got {got}."
                )

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of ``X``."""
        return int(self.X.shape[1])

    @property
    def labeled(self) -> BoolArray:
        """Mask of the rows with at least one known cell."""
        return np.asarray(self.Y.max(axis=1, initial=UNLABELED) >= 0)

    @property
    def n_missing(self) -> int:
        """Number of missing values in ``X``."""
        values = self.X.data if sp.issparse(self.X) else self.X
        return int(np.isnan(values).sum())

    @cached_property
    def problem_type(self) -> ProblemType:
        """Problem type of the labels: structure, paths and depth."""
        return self.hierarchy.problem_type(self.Y)

    @property
    def is_partly_known(self) -> bool:
        """Whether any row is known only in part."""
        return bool(((self.Y.max(axis=1) >= 0) & (self.Y.min(axis=1) < 0)).any())

    def complete(self) -> "HMCDataset":
        """Return the data with unknown cells set to 0 in rows that are known in part.

        Some methods require that no row is known only in part. Rows that are known in
        part but have no labels become unlabelled.
        """
        rows = (self.Y.max(axis=1) > 0) | (self.Y.min(axis=1) >= 0)
        Y = np.maximum(self.Y, 0)
        Y[~rows] = UNLABELED
        return replace(self, Y=Y)

    def rows(self, rows: Any) -> "HMCDataset":
        """Return the rows selected by a slice, row numbers or a mask."""
        ids = self.sample_ids
        return replace(
            self,
            X=self.X[rows],
            Y=self.Y[rows],
            sample_ids=ids and tuple(np.array(ids, dtype=object)[rows]),
            links=None if self.links is None else self.links[rows],
        )

    def __repr__(self) -> str:
        title = f"{self.name}: " if self.name else ""
        return (
            f"HMCDataset({title}{self.n_samples} rows, {self.labeled.sum()} labelled, "
            f"{self.n_features} features, {self.hierarchy!r})"
        )


@dataclass(frozen=True, eq=False)
class HMCSplits:
    """A data set split into training, validation and test rows.

    Examples
    --------
    >>> from hilabel.datasets import HMCSplits, make_hierarchical_classification
    >>> parts = [make_hierarchical_classification(n, 2, n_nodes=3) for n in (6, 2, 4)]
    >>> splits = HMCSplits(*parts)
    >>> len(splits.train.Y), len(splits.valid.Y), len(splits.test.Y)
    (6, 2, 4)
    """

    train: HMCDataset
    valid: HMCDataset
    test: HMCDataset

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of all three parts."""
        return self.train.hierarchy

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of ``X`` in all three parts."""
        return self.train.feature_names

    @property
    def name(self) -> str:
        """The name of the data in tables and messages."""
        return self.train.name

    def __iter__(self) -> Iterator[HMCDataset]:
        return iter((self.train, self.valid, self.test))

    def __repr__(self) -> str:
        return (
            f"HMCSplits({self.name}: {self.train.n_samples} train, "
            f"{self.valid.n_samples} valid, {self.test.n_samples} test rows, "
            f"{self.train.n_features} features, {self.hierarchy!r})"
        )


def impute(dataset: HMCSplits | HMCDataset, strategy: str = "mean") -> Any:
    """Return the data with missing values imputed, column by column.

    Parameters
    ----------
    dataset : HMCSplits or HMCDataset
        For splits, the values are learned on the training rows only.
    strategy : {"mean", "median", "zero"}, default="mean"
        The mean of the training rows, their median, or 0. A column without any value is
        filled with 0.

    Returns
    -------
    The same type as ``dataset``.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.datasets import HMCDataset, impute
    >>> data = HMCDataset(
    ...     X=np.array([[1.0], [np.nan], [3.0]]),
    ...     Y=np.ones((3, 1), dtype=np.int8),
    ...     hierarchy=Hierarchy(["a"]),
    ...     feature_names=("x",),
    ... )
    >>> impute(data).X.ravel()
    array([1., 2., 3.])
    """
    if strategy not in ("mean", "median", "zero"):
        raise ValueError(
            f"Expected strategy 'mean', 'median' or 'zero', got {strategy!r}."
        )
    if isinstance(dataset, HMCDataset):
        fill = _fill_values(dataset.X, strategy)
        return replace(dataset, X=_filled(dataset.X, fill))
    fill = _fill_values(dataset.train.X, strategy)
    return HMCSplits(*(replace(part, X=_filled(part.X, fill)) for part in dataset))


def _fill_values(X: Any, strategy: str) -> FloatArray:
    if strategy == "zero":
        return np.zeros(X.shape[1])
    dense = X.toarray() if sp.issparse(X) else X
    fill = np.zeros(X.shape[1])
    seen = ~np.isnan(dense).all(axis=0)
    reduce = np.nanmean if strategy == "mean" else np.nanmedian
    fill[seen] = reduce(dense[:, seen], axis=0)
    return fill


def _filled(X: Any, fill: FloatArray) -> Any:
    if sp.issparse(X):
        X = X.copy()
        missing = np.isnan(X.data)
        X.data[missing] = fill[X.indices[missing]]
        return X
    return np.where(np.isnan(X), fill, X)
