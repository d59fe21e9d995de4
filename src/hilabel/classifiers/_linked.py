"""Base class for methods that learn from links between rows."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from hilabel._saved_types import Array
from hilabel._typing import FloatArray, IntArray, LabelArray, MatrixLike
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.classifiers._training_data import TrainingData
from hilabel.exceptions import LinkError
from hilabel.links import LinkedRows, Links


class BaseLinkedClassifier(BaseHierarchicalClassifier):
    """Base class for methods that learn from links between rows.

    ``fit`` and all predictions accept ``links``. The links of rows are in ``links`` of
    the training data; ``_predict_scores`` gets rows of type
    :class:`~hilabel.links.LinkedRows`, unless ``fit`` got no links. Their targets are
    in the order of the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers import BaseLinkedClassifier
    >>> class Copying(BaseLinkedClassifier):
    ...     def _fit(self, data):
    ...         self.labels_ = data.Y_labeled
    ...     def _predict_scores(self, X):
    ...         near = X.links.kinds["links"].toarray()[:, : len(self.labels_)]
    ...         return self.labels_[near.argmax(axis=1)].astype(float)
    >>> links = [[0, 5, 1], [5, 0, 0], [1, 0, 0]]  # between all rows, labelled or not
    >>> model = Copying().fit(None, [[-1, -1], [1, 0], [0, 1]], links=links)
    >>> model.predict_proba(links=[[0, 1, 9]])  # from a new row to the rows of fit
    array([[0., 1.]])
    """

    # Of each training row, its number among the rows passed to ``fit``; None if these
    # had no links.
    _row_order: IntArray | None = None
    _link_names: tuple[str, ...] = ()

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_row_order": Annotated[IntArray, Array("i8", ("n_linked_rows",), 0)] | None,
        "_link_names": tuple[str, ...],
    }

    def fit(
        self,
        X: MatrixLike | None,
        y: MatrixLike,
        X_unlabeled: MatrixLike | None = None,
        links: Links | MatrixLike | Mapping[str, MatrixLike] | None = None,
        **unknown: Any,
    ) -> Self:
        """Fit on labelled rows, unlabelled rows, and links between all of them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
            None if there are only links.
        y : array-like, sparse matrix, DataFrame or list of sets, of n_samples rows
            1, 0, and ``UNLABELED`` (-1) or NaN if unknown; a row with only unknown
            cells is unlabelled. Missing ancestors are added. Alternatively, paths of
            names as accepted by :meth:`hilabel.Hierarchy.from_labels`; paths in columns
            need no hierarchy.
        X_unlabeled : array-like or sparse matrix, optional
            Additional unlabelled rows, numbered after those of ``X``.
        links : Links, matrix or dict of matrices of shape (n_rows, n_rows), optional
            The weights of links between rows, those of ``X`` and then those of
            ``X_unlabeled``; 0 is no link. A dict has a matrix for each kind of links.
        **unknown
            Raises an error.

        Returns
        -------
        self
        """
        X = rows_or_none(X, links)
        return self._fit_rows(X, y, X_unlabeled, None, unknown, links)

    def predict_proba(self, X: MatrixLike | None = None, links: Any = None) -> Any:
        """Return the probability of each node, which never exceeds that of its parents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
            None if there were only links in training.
        links : Links, matrix or dict, of shape (n_samples, n_training_rows), optional
            Links from these rows to the rows passed to ``fit``, in that order. A row
            that was passed to ``fit``, too, must not be linked to itself.

        Returns
        -------
        ndarray of shape (n_samples, n_nodes), or as set by ``set_output``
        """
        return self._proba_of(self._linked(X, links), X)

    def predict_top(
        self,
        X: MatrixLike | None = None,
        top: int = 10,
        *,
        least: float = 0,
        links: Any = None,
    ) -> sp.csr_array:
        """Return the probabilities of the most probable nodes of each row, sparse.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
        top : int, default=10
            At most this many nodes per row.
        least : float, default=0
            Only nodes with at least this probability.
        links : Links, matrix or dict, of shape (n_samples, n_training_rows), optional
            As in :meth:`predict_proba`.

        Returns
        -------
        csr_array of shape (n_samples, n_nodes)
        """
        return self._top_of(self._linked(X, links), top, least)

    def predict(
        self, X: MatrixLike | None = None, decode: str = "labels", links: Any = None
    ) -> LabelArray:
        """Return label sets that are consistent with the hierarchy.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
        decode : {"labels", "path"}, default="labels"
            ``"path"`` returns the leaf with the highest score and its ancestors.
        links : Links, matrix or dict, of shape (n_samples, n_training_rows), optional
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_nodes), or as set by ``set_output``
        """
        return self._labels_of(self._linked(X, links), X, decode)

    def predict_names(
        self, X: MatrixLike | None = None, decode: str = "labels", links: Any = None
    ) -> Any:
        """Return the names of the predicted labels, in a form that ``fit`` accepts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
        decode : {"labels", "path"}, default="labels"
        links : Links, matrix or dict, of shape (n_samples, n_training_rows), optional
            As in :meth:`predict_proba`.

        Returns
        -------
        list of sets of str, or object ndarray of shape (n_samples, max_depth)
        """
        return self._names_of(self._linked(X, links), decode)

    def score(
        self,
        X: MatrixLike | None,
        y: MatrixLike,
        sample_weight: MatrixLike | None = None,
        links: Any = None,
    ) -> float:
        """Return the micro average precision; unlabelled rows are ignored.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
        y : label matrix, in any form that ``fit`` accepts
        sample_weight : array-like of shape (n_samples,), optional
        links : Links, matrix or dict, of shape (n_samples, n_training_rows), optional
            As in :meth:`predict_proba`.

        Returns
        -------
        float
        """
        return self._score_of(self._linked(X, links), y, sample_weight)

    @property
    def uses_links(self) -> bool:
        """Whether it was fitted with links."""
        return self._row_order is not None

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """The names of the kinds of links that it was fitted with."""
        return self._link_names

    @property
    def n_linked_rows(self) -> int:
        """The number of training rows that links of new rows may lead to."""
        return 0 if self._row_order is None else int(self._row_order.size)

    def is_sound(self) -> bool:
        """Return whether the training rows are numbered; used to check model files."""
        order = self._row_order
        return super().is_sound() and (
            order is None
            or (
                bool(self._link_names)
                and np.array_equal(np.sort(order), np.arange(order.size))
            )
        )

    def _describe(self, data: TrainingData) -> None:
        super()._describe(data)
        self._row_order, self._link_names = None, ()
        if data.links is not None:
            self._row_order = np.concatenate([data.labeled_rows, data.unlabeled_rows])
            self._link_names = data.links.names

    def _linked(self, X: MatrixLike | None, links: Any) -> Any:
        """Check new rows and their links, and number the targets as in training."""
        check_is_fitted(self)
        order = self._row_order
        if order is None and links is not None:
            raise LinkError(
                f"Expected no links, since this {type(self).__name__} was fitted "
                "without; pass links= to fit, too."
            )
        rows = self._check_rows(rows_or_none(X, links), reset=False)
        if order is None:
            return rows
        n_rows = rows.shape[0]
        if links is None:
            found = Links.none(self._link_names, n_rows, order.size)
        else:
            given = Links.of(links, n_rows, order.size)
            found = given.of_kinds(self._link_names).to(order)
        return LinkedRows(rows, found)

    def _check_new_rows(self, X: MatrixLike) -> Any:
        return self._linked(X, None)


def rows_or_none(X: MatrixLike | None, links: Any) -> Any:
    """Return the given rows or, if there are only links, rows without values.

    Examples
    --------
    >>> from hilabel.classifiers import rows_or_none
    >>> rows_or_none(None, {"hits": [[0, 5], [5, 0]]})
    array([[0.],
           [0.]])
    """
    if X is not None or links is None:
        return X
    is_dict = isinstance(links, Mapping) and not sp.issparse(links)  # as DOK is
    one = next(iter(links.values())) if is_dict else links
    n_rows = one.shape[0] if hasattr(one, "shape") else len(one)
    return np.zeros((n_rows, 1))


def has_columns(data: TrainingData) -> bool:
    """Return whether rows have columns; those with links alone have a column of zeros.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier, has_columns
    >>> class Looking(PriorClassifier):
    ...     def _fit(self, data):
    ...         print(has_columns(data))
    ...         super()._fit(data)
    >>> _ = Looking().fit([[0.0], [0.5]], [[1], [0]])
    True
    """
    parts = data.X_labeled, data.X_unlabeled
    if parts[0].shape[1] > 1:
        return True
    return any((X.data if sp.issparse(X) else X).any() for X in parts)


def links_of(rows: Any) -> Links | None:
    """Return the links of rows, or None if they have none."""
    return rows.links if isinstance(rows, LinkedRows) else None


def scores_of_member(model: Any, rows: Any) -> FloatArray:
    """Return the scores of a model that may use links, or not, for rows with links.

    A model that was trained without the unlabelled rows gets the links to the labelled
    rows, which come first.
    """
    found: FloatArray
    if not isinstance(rows, LinkedRows):
        found = model._predict_scores(rows)
    elif getattr(model, "uses_links", False):
        found = model._predict_scores(rows.to_first(model.n_linked_rows))
    else:
        found = model._predict_scores(rows.columns)
    return found
