"""Base class for all hierarchical classifiers: validation, conversion and scoring."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import average_precision_score
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from hilabel._compat import (
    InvalidParameterError,
    _check_sample_weight,
    check_output_container,
    in_output_container,
)
from hilabel._matrices import stack_rows
from hilabel._saved_types import (
    Array,
    Count,
    Declaration,
    Maybe,
    Pair,
    Sparse,
    Words,
    saved_type,
)
from hilabel._typing import (
    UNLABELED,
    BoolArray,
    FloatArray,
    IntArray,
    LabelArray,
    MatrixLike,
)
from hilabel._validation import check_features, check_labels, check_settings
from hilabel._warning import warn_user
from hilabel.classifiers._tags import MethodTags
from hilabel.constraints import (
    cap_by_parents,
    labels_from_scores,
    path_from_scores,
)
from hilabel.exceptions import LabelError
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision

# With this many rows, other rows of the same kind are hardly ever outside their range.
_FEWEST_FOR_A_RANGE = 10
# Maximum number of unlabelled rows to check, since there may be millions.
_MOST_COMPARED = 1_000


def _rows_of_numbers(n_rows: str) -> Declaration:
    axes = (n_rows, "n_features")
    return Array("f8", axes, gaps=True) | Sparse("f8", axes, gaps=True)


@saved_type
@dataclass(frozen=True)
class TrainingData:
    """Validated training data, with labelled and unlabelled rows separated.

    Attributes
    ----------
    X_labeled : array or csr matrix of shape (n_labeled, n_features)
    Y_labeled : bool array of shape (n_labeled, n_nodes)
        Closed over ancestors.
    X_unlabeled : array or csr matrix of shape (n_unlabeled, n_features)
    labeled_rows, unlabeled_rows : int arrays
        Positions of these rows in the data passed to ``fit``; the rows of
        ``X_unlabeled=`` come after those of ``X``.
    hierarchy : Hierarchy
    weights : float array of shape (n_labeled,) or None
        Weights of the labelled rows, all above 0; None means equal weights.
    known : bool array of shape (n_labeled, n_nodes) or None
        Which cells of ``Y_labeled`` are known; unknown cells are False there. None
        means that all are known.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> class Counting(PriorClassifier):
    ...     def _fit(self, data):
    ...         print(len(data.X_labeled), len(data.X_unlabeled), data.labeled_rows)
    ...         super()._fit(data)
    >>> _ = Counting().fit([[0.0], [1.0], [2.0]], [[-1, -1], [1, 0], [0, 1]])
    2 1 [1 2]
    """

    X_labeled: Annotated[Any, _rows_of_numbers("n_labeled")]
    Y_labeled: Annotated[BoolArray, Array("b1", ("n_labeled", "n_nodes"))]
    X_unlabeled: Annotated[Any, _rows_of_numbers("n_unlabeled")]
    labeled_rows: Annotated[IntArray, Array("i8", ("n_labeled",), 0)]
    unlabeled_rows: Annotated[IntArray, Array("i8", ("n_unlabeled",), 0)]
    hierarchy: Hierarchy
    weights: Annotated[FloatArray, Array("f8", ("n_labeled",), 0)] | None = None
    known: Annotated[BoolArray, Array("b1", ("n_labeled", "n_nodes"))] | None = None

    def is_sound(self) -> bool:
        """Return whether the rows are numbered correctly; used to check model files."""
        numbers = np.concatenate([self.labeled_rows, self.unlabeled_rows])
        return self.Y_labeled.shape[1] == self.hierarchy.n_nodes and bool(
            np.array_equal(np.sort(numbers), np.arange(self.n_rows))
        )

    @property
    def n_rows(self) -> int:
        """Number of rows passed to ``fit``."""
        return self.labeled_rows.size + self.unlabeled_rows.size

    @property
    def X(self) -> Any:
        """All rows passed to ``fit``, in their order."""
        rows = np.concatenate([self.labeled_rows, self.unlabeled_rows])
        return stack_rows(self.X_labeled, self.X_unlabeled)[np.argsort(rows)]

    @property
    def transduction(self) -> LabelArray:
        """Labels of all rows passed to ``fit``; ``UNLABELED`` for unlabelled rows."""
        labels = np.full((self.n_rows, self.hierarchy.n_nodes), UNLABELED, np.int8)
        labels[self.labeled_rows] = self.labels
        return labels

    @property
    def labels(self) -> LabelArray:
        """The labels of the labelled rows: 1, 0, or ``UNLABELED`` where unknown."""
        return self.labels_of(slice(None))

    def labels_of(self, rows: Any) -> LabelArray:
        """Return the labels of the given labelled rows."""
        labels = self.Y_labeled[rows].astype(np.int8)
        if self.known is not None:
            labels[~self.known[rows]] = UNLABELED
        return labels

    @property
    def prior(self) -> FloatArray:
        """Weighted fraction of rows with each label, among rows where it is known."""
        if self.known is None and self.weights is None:
            return np.asarray(self.Y_labeled.mean(axis=0))
        if self.known is None:
            return np.average(self.Y_labeled, axis=0, weights=self.weights)
        if self.weights is None:
            # A product would convert all cells to floats.
            total: Any = self.known.sum(axis=0)
            n_positive: Any = self.Y_labeled.sum(axis=0)
        else:
            total, n_positive = self.weights @ self.known, self.weights @ self.Y_labeled
        return self._shares(n_positive[None], total[None])[0]

    def priors_without(self, part: IntArray, n_parts: int) -> FloatArray:
        """Return, for each part, the prior of the labelled rows outside it.

        ``part`` contains the part number of each labelled row.
        """
        if self.weights is not None:
            parts = [self.without_rows(part == number) for number in range(n_parts)]
            return np.array([one.prior for one in parts])
        # Subtract the counts of each part from the total, so that no row is copied
        # twice.
        positive, known = np.zeros((2, n_parts, self.hierarchy.n_nodes), dtype=np.int64)
        for number in range(n_parts):
            rows = part == number
            positive[number] = self.Y_labeled[rows].sum(axis=0)
            known[number] = (
                rows.sum() if self.known is None else self.known[rows].sum(axis=0)
            )
        return self._shares(positive.sum(axis=0) - positive, known.sum(axis=0) - known)

    def _shares(self, n_positive: Any, total: Any) -> FloatArray:
        shares = n_positive / np.where(total > 0, total, 1)
        if self.known is None:
            return np.asarray(shares)
        # The shares refer to different rows, so a child's could exceed its parent's.
        return cap_by_parents(shares, self.hierarchy)

    def with_rows(
        self, rows: BoolArray, labels: BoolArray, known: BoolArray | None = None
    ) -> "TrainingData":
        """Move some unlabelled rows to the labelled rows and give them labels.

        ``rows`` is a mask over the unlabelled rows. ``labels`` has one row for each
        selected row, as does ``known`` if some labels are unknown. The moved rows come
        after the labelled rows. If rows have weights, the moved rows get weight 1.
        """
        weights = self.weights
        if weights is not None:
            weights = np.concatenate([weights, np.ones(labels.shape[0])])
        if self.known is not None:
            more = np.ones_like(labels) if known is None else known
            known = np.concatenate([self.known, more])
        return TrainingData(
            X_labeled=stack_rows(self.X_labeled, self.X_unlabeled[rows]),
            Y_labeled=np.concatenate([self.Y_labeled, labels]),
            X_unlabeled=self.X_unlabeled[~rows],
            labeled_rows=np.concatenate([self.labeled_rows, self.unlabeled_rows[rows]]),
            unlabeled_rows=self.unlabeled_rows[~rows],
            hierarchy=self.hierarchy,
            weights=weights,
            known=known,
        )

    def without_rows(self, rows: BoolArray) -> "TrainingData":
        """Drop some of the labelled rows and renumber the others.

        ``rows`` is a mask over the labelled rows. In the new numbering, labelled rows
        come first.
        """
        kept = ~rows
        n_kept = int(kept.sum())
        return replace(
            self,
            X_labeled=self.X_labeled[kept],
            Y_labeled=self.Y_labeled[kept],
            labeled_rows=np.arange(n_kept),
            unlabeled_rows=n_kept + np.arange(self.unlabeled_rows.size),
            weights=None if self.weights is None else self.weights[kept],
            known=None if self.known is None else self.known[kept],
        )

    def without_unlabeled(self) -> "TrainingData":
        """Drop the unlabelled rows and renumber the others."""
        return replace(
            self,
            X_unlabeled=self.X_unlabeled[:0],
            labeled_rows=np.arange(self.labeled_rows.size),
            unlabeled_rows=self.unlabeled_rows[:0],
        )

    def with_weights(self, weights: FloatArray) -> "TrainingData":
        """Set the weights of the rows in ``X``; drop labelled rows with weight 0."""
        kept = weights[self.labeled_rows] > 0
        if not kept.any():
            raise ValueError(
                "Expected a labelled row with a sample_weight above 0, got only zeros."
            )
        rows = self.labeled_rows[kept]
        return replace(
            self,
            X_labeled=_rows_of(self.X_labeled, kept),
            Y_labeled=_rows_of(self.Y_labeled, kept),
            labeled_rows=rows,
            weights=weights[rows],
            known=None if self.known is None else self.known[kept],
        )


@dataclass(eq=False, repr=False, kw_only=True)
class BaseHierarchicalClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base class for all estimators: public methods validate, private methods compute.

    A subclass either declares its parameters as dataclass fields, in addition to those
    of its base class, or stores them in its own ``__init__`` (``hierarchy`` first). It
    lists the constraints on its parameters and implements ``_fit(data)`` and
    ``_predict_scores(X)``. It declares its limitations in ``method_tags``.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers import BaseHierarchicalClassifier
    >>> class Halves(BaseHierarchicalClassifier):
    ...     def _fit(self, data):
    ...         self.n_nodes_ = data.hierarchy.n_nodes
    ...     def _predict_scores(self, X):
    ...         return np.full((len(X), self.n_nodes_), 0.5)
    >>> Halves().fit([[0.0], [1.0]], [[1, 0], [0, 1]]).predict_proba([[2.0]])
    array([[0.5, 0.5]])
    """

    method_tags: ClassVar[MethodTags] = MethodTags()

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "hierarchy": [Hierarchy, None]
    }

    # Fitted attributes that a model file may contain, besides the parameters.
    _saved_attributes: ClassVar[dict[str, Any]] = {
        "n_features_in_": Count(1),
        "feature_names_in_": Maybe(Words("n_features")),
        "hierarchy_": Hierarchy,
        "classes_": Array("U", ("n_nodes",)),
        "_label_values": Maybe(Pair(Count(-(2**63), 2**63 - 1))),
        "_label_dtype": Maybe(str),
        "_sklearn_output_config": Maybe(
            dict[str, Literal["default", "pandas", "polars"]]
        ),
    }

    hierarchy: Hierarchy | None = field(default=None, kw_only=False)

    # The dtype and the two values that ``predict`` returns; ``fit`` sets both from
    # ``y``.
    _label_dtype = "int8"
    _label_values = (0, 1)

    def fit(
        self,
        X: MatrixLike,
        y: MatrixLike,
        X_unlabeled: MatrixLike | None = None,
        **unknown: Any,
    ) -> Self:
        """Fit on labelled rows, and on unlabelled rows if the method supports them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like, sparse matrix, DataFrame or list of sets, of n_samples rows
            1, 0, and ``UNLABELED`` (-1) or NaN if unknown; a row with only unknown
            cells is unlabelled. Missing ancestors are added. Alternatively, paths of
            names as accepted by :meth:`hilabel.Hierarchy.from_labels`; paths in columns
            need no hierarchy.
        X_unlabeled : array-like or sparse matrix, optional
            Additional unlabelled rows, numbered after those of ``X``.
        **unknown
            Raises an error; this includes ``sample_weight`` if the method does not
            support it.

        Returns
        -------
        self
        """
        return self._fit_rows(X, y, X_unlabeled, None, unknown)

    def _fit_rows(
        self,
        X: MatrixLike,
        y: MatrixLike,
        X_unlabeled: MatrixLike | None,
        sample_weight: MatrixLike | None,
        unknown: Mapping[str, Any],
    ) -> Self:
        if unknown:
            raise TypeError(_refusal(type(self), unknown))
        self._validate_params()
        data = self._check_training_data(X, y, X_unlabeled)
        if sample_weight is not None:
            data = data.with_weights(_check_weights(sample_weight, X))
        return self.fit_checked(data)

    def _validate_params(self) -> None:
        """Validate the parameters and give advice about the most common mistake."""
        if not isinstance(self.hierarchy, Hierarchy | None):
            raise InvalidParameterError(
                f"The 'hierarchy' parameter of {type(self).__name__} must be an "
                "instance of 'hilabel.Hierarchy' or None. Got a "
                f"{type(self.hierarchy).__name__} instead; convert it with "
                "Hierarchy.from_edges, from_dict, from_paths, from_networkx or "
                "from_adjacency."
            )
        super()._validate_params()
        check_settings(type(self).__name__, self.get_params(deep=False))

    @property
    def learns_from_unlabeled(self) -> bool:
        """Whether ``fit`` learns from unlabelled rows with the current parameters."""
        return self.method_tags.semi_supervised

    def fit_checked(self, data: TrainingData) -> Self:
        """Fit on data that another estimator has validated, without copying it."""
        self._validate_params()
        self._refuse_unknown(data)
        self._describe(data)
        self._fit(data)
        return self

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Return the probability of each node, which never exceeds that of its parents.

        If ``method_tags.consistent`` is False, this is not guaranteed, and ``predict``
        may return labels without their ancestors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_nodes), or as set by ``set_output``
        """
        scores = self._predict_scores(self._check_new_rows(X))
        return self._as_output(scores, X)

    def predict(self, X: MatrixLike, decode: str = "labels") -> LabelArray:
        """Return label sets that are consistent with the hierarchy.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        decode : {"labels", "path"}, default="labels"
            ``"path"`` returns the leaf with the highest score and its ancestors for
            every row, for problems in which each row has one path to a leaf.

        Returns
        -------
        ndarray of shape (n_samples, n_nodes), or as set by ``set_output``
            The dtype is that of ``y`` in ``fit``; int8 if ``y`` was sets of names.
        """
        labels = self._decode(self._check_new_rows(X), decode)
        absent, present = self._label_values
        if (absent, present) != (0, 1):
            labels = np.where(labels, present, absent)
        return self._as_output(labels.astype(self._label_dtype), X)

    def predict_names(self, X: MatrixLike, decode: str = "labels") -> Any:
        """Return the names of the predicted labels, in a form that ``fit`` accepts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        decode : {"labels", "path"}, default="labels"

        Returns
        -------
        list of sets of str, or object ndarray of shape (n_samples, max_depth)
            The labels of each row or, for ``"path"``, a step in each column, as
            :meth:`hilabel.Hierarchy.to_names` and :meth:`hilabel.Hierarchy.to_paths`
            write them.
        """
        labels = self._decode(self._check_new_rows(X), decode)
        if decode == "path":
            return self.hierarchy_.to_paths(labels)
        return self.hierarchy_.to_names(labels)

    def score(
        self,
        X: MatrixLike,
        y: MatrixLike,
        sample_weight: MatrixLike | None = None,
    ) -> float:
        """Return the micro average precision; unlabelled rows are ignored.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : label matrix, in any form that ``fit`` accepts
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        X = self._check_new_rows(X)
        labels = check_labels(
            y, self.hierarchy_, n_samples=X.shape[0], any_two_values=True
        ).to_array()
        scores = self._predict_scores(X)
        if sample_weight is None:
            return float(average_precision(labels, scores))
        weights = _check_weights(sample_weight, X)
        known = labels != UNLABELED
        cells = np.broadcast_to(weights[:, None], labels.shape)
        return float(
            average_precision_score(
                labels[known], scores[known], sample_weight=cells[known]
            )
        )

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the type of container returned by ``predict`` and ``predict_proba``.

        By default, the setting of ``sklearn.set_config(transform_output=...)`` applies.
        A pipeline calls ``set_output`` only on its transformers, so call it on the last
        step directly.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None
            A data frame has the node names as columns; a pandas data frame also has the
            index of ``X``. None leaves the setting unchanged.

        Returns
        -------
        self
        """
        if transform is not None:
            check_output_container(transform)
            # The name of the attribute that scikit-learn's clone copies.
            self._sklearn_output_config = {"transform": transform}
        return self

    def is_sound(self) -> bool:
        """Return whether fitted attributes are consistent; used to check model files.

        Subclasses add checks for their own attributes.
        """
        names = getattr(self, "feature_names_in_", None)
        return (
            self.classes_.tolist() == list(self.hierarchy_.names)
            and (names is None or names.size == self.n_features_in_)
            and np.dtype(self._label_dtype).kind in "biufO"
            and set(getattr(self, "_sklearn_output_config", {})) <= {"transform"}
        )

    def _is_fitted_for(self, hierarchy: Hierarchy) -> bool:
        """Return whether the estimator has been fitted with the given hierarchy."""
        is_fitted = getattr(self, "__sklearn_is_fitted__", lambda: True)
        return getattr(self, "hierarchy_", None) == hierarchy and is_fitted()

    # For subclasses -----------------------------------------------------------------

    @abstractmethod
    def _fit(self, data: TrainingData) -> None:
        """Fit on validated data."""

    @abstractmethod
    def _predict_scores(self, X: Any) -> FloatArray:
        """Return consistent scores for validated rows."""

    def _predict_labels(self, X: Any) -> BoolArray:
        """Return consistent label sets for validated rows."""
        return labels_from_scores(self._predict_scores(X), self.hierarchy_)

    def _decode(self, X: Any, decode: str) -> BoolArray:
        if decode == "labels":
            return self._predict_labels(X)
        if decode == "path":
            return path_from_scores(self._predict_scores(X), self.hierarchy_)
        raise ValueError(f"Expected decode 'labels' or 'path', got {decode!r}.")

    def _missing_value_advice(self) -> str | None:
        """Return the reason why NaN in ``X`` is not supported, or None if it is."""
        return "it needs complete rows"

    def _describe(self, data: TrainingData) -> None:
        """Set the fitted attributes that describe the training data."""
        self.n_features_in_ = data.X_labeled.shape[1]
        self.hierarchy_ = data.hierarchy
        # One entry per column, as in scikit-learn's OneVsRestClassifier.
        self.classes_ = np.array(data.hierarchy.names)

    # Checking -----------------------------------------------------------------------

    def _check_training_data(
        self, X: MatrixLike, y: MatrixLike, X_unlabeled: MatrixLike | None
    ) -> TrainingData:
        X = self._check_rows(X, reset=True)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None: expected a label matrix with one row for each row of X."
            )
        _refuse_flat_target(y, has_names=self.hierarchy is not None)
        labels = check_labels(
            y, self.hierarchy, n_samples=X.shape[0], any_two_values=True
        )
        self._label_values = labels.values
        self._label_dtype = labels.dtype
        known = labels.labeled
        Y_labeled = labels.matrix[known]
        unlabeled = _rows_of(X, ~known)
        unlabeled_rows = np.flatnonzero(~known)
        if X_unlabeled is not None and _n_rows(X_unlabeled):
            more = self._check_rows(X_unlabeled, reset=False)
            if sp.issparse(X):
                more = sp.csr_array(more)
            elif sp.issparse(more):
                more = more.toarray()
            _warn_of_other_scales(X, more)
            unlabeled = stack_rows(unlabeled, more)
            below = np.arange(X.shape[0], X.shape[0] + more.shape[0])
            unlabeled_rows = np.concatenate([unlabeled_rows, below])
        return TrainingData(
            X_labeled=_rows_of(X, known),
            Y_labeled=Y_labeled.toarray() if sp.issparse(Y_labeled) else Y_labeled,
            X_unlabeled=unlabeled,
            labeled_rows=np.flatnonzero(known),
            unlabeled_rows=unlabeled_rows,
            hierarchy=labels.hierarchy,
            known=None if labels.known is None else labels.known[known],
        )

    def _refuse_unknown(self, data: TrainingData) -> None:
        if data.known is not None and not self.method_tags.partial_labels:
            raise LabelError(_refusal_of_unknown(type(self), data.known))

    def _check_new_rows(self, X: MatrixLike) -> Any:
        check_is_fitted(self)
        return self._check_rows(X, reset=False)

    def _check_rows(self, X: MatrixLike, *, reset: bool) -> Any:
        X = check_features(
            validate_data,
            self,
            X,
            reset=reset,
            accept_sparse="csr" if get_tags(self).input_tags.sparse else False,
            ensure_all_finite="allow-nan",
        )
        advice = self._missing_value_advice()
        if advice is not None:
            self._refuse_missing(X, advice)
        return X

    def _refuse_missing(self, X: Any, advice: str) -> None:
        missing = np.isnan(X.data if sp.issparse(X) else X)
        if missing.any():
            name = type(self).__name__
            raise ValueError(
                f"X has {missing.sum()} missing values (NaN), and {advice}. Impute "
                f"them in a previous step: make_pipeline(SimpleImputer(), {name}(...)) "
                "with sklearn.impute.SimpleImputer."
            )

    def _as_output(self, values: Any, X: MatrixLike) -> Any:
        return in_output_container(self, values, X, list(self.hierarchy_.names))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._missing_value_advice() is None
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags


class BaseWeightedClassifier(BaseHierarchicalClassifier):
    """Base class for methods that support weights for labelled rows.

    Such methods use the ``weights`` of the training data. scikit-learn recognises them
    by the ``sample_weight`` parameter of ``fit``.
    """

    def fit(
        self,
        X: MatrixLike,
        y: MatrixLike,
        X_unlabeled: MatrixLike | None = None,
        sample_weight: MatrixLike | None = None,
        **unknown: Any,
    ) -> Self:
        """Fit on labelled rows; unlabelled rows are ignored.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like, sparse matrix, DataFrame or list of sets, of n_samples rows
            1, 0, and ``UNLABELED`` (-1) or NaN if unknown; a row with only unknown
            cells is unlabelled. Missing ancestors are added.
        X_unlabeled : array-like or sparse matrix, optional
            Additional unlabelled rows, numbered after those of ``X``.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows of ``X``, at least 0. Weights of unlabelled rows are
            ignored; labelled rows with weight 0 are dropped.
        **unknown
            Raises an error.

        Returns
        -------
        self
        """
        return self._fit_rows(X, y, X_unlabeled, sample_weight, unknown)


def _rows_of(X: Any, mask: BoolArray) -> Any:
    """Return the rows selected by a mask, without copying if all rows are selected."""
    return X if mask.all() else X[mask]


def _n_rows(X: MatrixLike) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _check_weights(sample_weight: MatrixLike, X: MatrixLike) -> Any:
    return _check_sample_weight(sample_weight, X, ensure_non_negative=True)


def _refusal(kind: type, unknown: Mapping[str, Any]) -> str:
    """Return the error message for arguments that ``fit`` does not support."""
    name = next(iter(unknown))
    message = f"{kind.__name__}.fit() does not accept the argument {name!r}"
    if name == "Y":
        return f"{message}; the label matrix is y."
    if name == "sample_weight":
        return (
            f"{message}: the method does not support weights. LocalClassifierPerNode, "
            "TopDownClassifier, HMCBR, HierarchicalNetwork and PriorClassifier do."
        )
    return f"{message}; it accepts X, y and X_unlabeled."


def _refusal_of_unknown(kind: type, known: BoolArray) -> str:
    """Return an error message that suggests other methods for rows known in part."""
    partly = (~known).any(axis=1)
    return (
        f"{partly.sum()} of {partly.size} labelled rows are unknown (-1) in some "
        f"nodes, but {kind.__name__} needs fully known rows. Use "
        "PredictiveClusteringForest, LocalClassifierPerNode or HierarchicalNetwork, or "
        "fill the cells with 0 if the labels are absent."
    )


def _warn_of_other_scales(X: Any, X_unlabeled: Any) -> None:
    """Warn if most values in the unlabelled rows are outside the range of ``X``.

    A pipeline passes ``step__X_unlabeled`` to its last step without scaling it.
    """
    if X.shape[0] < _FEWEST_FOR_A_RANGE:
        return
    share = _share_outside(X, X_unlabeled[:_MOST_COMPARED])
    if share > 0.5:
        warn_user(
            f"{share:.0%} of the values of X_unlabeled are outside the range of X. A "
            "pipeline only transforms X: enable metadata routing in scikit-learn and "
            'give the pipeline transform_input=["X_unlabeled"], or pass unlabelled '
            "rows in X, with rows of -1 in y."
        )


def _share_outside(X: Any, more: Any) -> float:
    """Return the fraction of values in ``more`` outside their column's range in X."""
    if sp.issparse(X):
        low, high = (
            ends.toarray().ravel() for ends in (X.nanmin(axis=0), X.nanmax(axis=0))
        )
        low, high, values = low[more.indices], high[more.indices], more.data
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # columns with only NaN
            low, high, values = np.nanmin(X, axis=0), np.nanmax(X, axis=0), more
    outside = (values < low) | (values > high)
    return float(outside.mean()) if outside.size else 0.0


def _refuse_flat_target(y: MatrixLike, has_names: bool) -> None:
    """Raise a helpful error if ``y`` is a flat target, such as one class per row."""
    dtype = getattr(y, "dtype", None)
    taken = "OUT" if has_names else "O"  # one name per row, from the hierarchy
    if getattr(y, "ndim", 2) != 1 or getattr(dtype, "kind", "O") in taken:
        return
    raise LabelError(
        "Only binary classification is supported, for each node: expected y of shape "
        f"(n_samples, n_nodes), got 1 dimension(s) of a {type_of_target(y)} target. "
        "For one node use y.reshape(-1, 1); sklearn.preprocessing.LabelBinarizer "
        "creates one column per class."
    )
