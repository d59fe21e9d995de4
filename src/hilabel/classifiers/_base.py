"""Base class for all hierarchical classifiers: validation, conversion and scoring."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import average_precision_score
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from hilabel._compat import (
    InvalidParameterError,
    _check_sample_weight,
    check_output_container,
    in_output_container,
)
from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import row_blocks, stack_rows
from hilabel._saved_types import (
    Array,
    Count,
    Maybe,
    Pair,
    Words,
)
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import (
    UNLABELED,
    BoolArray,
    FloatArray,
    LabelArray,
    MatrixLike,
)
from hilabel._validation import check_features, check_labels, check_settings
from hilabel.classifiers._refusals import (
    refusal,
    refusal_of_unknown,
    refuse_flat_target,
    warn_of_other_scales,
)
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData, rows_of
from hilabel.constraints import (
    cap_in_place,
    labels_from_scores,
    most_probable_cells,
    path_from_scores,
)
from hilabel.exceptions import LabelError
from hilabel.hierarchy import Hierarchy
from hilabel.links import Links, columns_of
from hilabel.metrics import average_precision

# Scores of a block of rows: 64 MB in single precision.
_CELLS_AT_ONCE = 2**24


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

    # Set when a model file is loaded.
    _is_from_file = False

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
        links: Any = None,
    ) -> Self:
        if unknown:
            raise TypeError(refusal(type(self), unknown))
        self._validate_params()
        data = self._check_training_data(X, y, X_unlabeled)
        if links is not None:
            data = data.with_links(Links.of(links, data.n_rows))
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
        self._begin(data)
        self._fit(data)
        return self

    def scores_itself(self, data: TrainingData) -> bool:
        """Whether training on this data can also score each row out of fold.

        If so, the method is trained once instead of once per fold; see
        :meth:`fit_scoring`.
        """
        return False

    def fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        """Fit, and return scores of the labelled rows by models trained without them.

        Only for methods whose ``scores_itself`` returns True. If the data has folds,
        what scores a row was trained without its whole fold, unless rows are left out
        at random, as in a bootstrap. The scores are not kept in the model.
        """
        self._begin(data)
        return self._fit_scoring(data)

    def check_training_data(self, X: MatrixLike, labels: LabelMatrix) -> TrainingData:
        """Validate rows for :meth:`fit_checked`; their labels are valid already.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        labels : LabelMatrix of shape (n_samples, n_nodes)
            Closed over ancestors.

        Returns
        -------
        TrainingData
        """
        # A clone, since checking sets fitted attributes.
        return clone(self)._check_training_data(X, labels, None)

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
        return self._proba_of(self._check_new_rows(X), X)

    def predict_top(
        self, X: MatrixLike, top: int = 10, *, least: float = 0
    ) -> sp.csr_array:
        """Return the probabilities of the most probable nodes of each row, sparse.

        Rows are scored in blocks, so that the memory for many rows and nodes is
        bounded.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        top : int, default=10
            At most this many nodes per row; parents come first among ties, so the nodes
            are closed over ancestors.
        least : float, default=0
            Only nodes with at least this probability, which is above 0.

        Returns
        -------
        csr_array of shape (n_samples, n_nodes)

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> from hilabel.classifiers import PriorClassifier
        >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
        >>> model = PriorClassifier(h).fit([[0], [0]], [[1, 0, 1], [1, 0, 0]])
        >>> model.predict_top([[7]], 2).toarray()
        array([[1. , 0. , 0.5]], dtype=float32)
        """
        return self._top_of(self._check_new_rows(X), top, least)

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
        return self._labels_of(self._check_new_rows(X), X, decode)

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
        return self._names_of(self._check_new_rows(X), decode)

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
        return self._score_of(self._check_new_rows(X), y, sample_weight)

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

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        """Fit on validated data, and return out-of-fold scores."""
        raise NotImplementedError(f"{type(self).__name__} does not score itself.")

    @abstractmethod
    def _predict_scores(self, X: Any) -> FloatArray:
        """Return consistent scores for validated rows."""

    @property
    def _must_cap(self) -> bool:
        """Whether scores must be checked: a file may contain any model."""
        return self._is_from_file and self.method_tags.consistent

    def _capped_scores(self, X: Any) -> FloatArray:
        """Return scores in which no child exceeds a parent, if the method says so.

        Fitted methods return such scores themselves.
        """
        scores = self._predict_scores(X)
        return cap_in_place(scores, self.hierarchy_) if self._must_cap else scores

    def _predict_labels(self, X: Any) -> BoolArray:
        """Return consistent label sets for validated rows."""
        return labels_from_scores(self._capped_scores(X), self.hierarchy_)

    def _decode(self, X: Any, decode: str) -> BoolArray:
        if decode == "labels":
            labels = self._predict_labels(X)
            return self.hierarchy_.close(labels) if self._must_cap else labels
        if decode == "path":
            return path_from_scores(self._capped_scores(X), self.hierarchy_)
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

    # Answers for checked rows, which may include links ------------------------------

    def _proba_of(self, rows: Any, X: MatrixLike | None) -> FloatArray:
        return self._as_output(self._capped_scores(rows), X)

    def _top_of(self, rows: Any, top: int, least: float) -> sp.csr_array:
        shape = rows.shape[0], self.hierarchy_.n_nodes
        parts = [sp.csr_array((0, shape[1]), dtype=np.float32)]
        for block in row_blocks(shape, _CELLS_AT_ONCE):
            scores = self._capped_scores(rows[block])
            parts.append(most_probable_cells(scores, self.hierarchy_, top, least=least))
        return sp.csr_array(sp.vstack(parts, format="csr"))

    def _labels_of(self, rows: Any, X: MatrixLike | None, decode: str) -> LabelArray:
        labels = self._decode(rows, decode)
        absent, present = self._label_values
        if (absent, present) != (0, 1):
            labels = np.where(labels, present, absent)
        return self._as_output(labels.astype(self._label_dtype), X)

    def _names_of(self, rows: Any, decode: str) -> Any:
        labels = self._decode(rows, decode)
        if decode == "path":
            return self.hierarchy_.to_paths(labels)
        return self.hierarchy_.to_names(labels)

    def _score_of(
        self, rows: Any, y: MatrixLike, sample_weight: MatrixLike | None
    ) -> float:
        labels = check_labels(
            y, self.hierarchy_, n_samples=rows.shape[0], any_two_values=True
        ).to_array()
        scores = self._capped_scores(rows)
        if sample_weight is None:
            return float(average_precision(labels, scores))
        weights = _check_weights(sample_weight, columns_of(rows))
        known = labels != UNLABELED
        cells = np.broadcast_to(weights[:, None], labels.shape)
        return float(
            average_precision_score(
                labels[known], scores[known], sample_weight=cells[known]
            )
        )

    # Checking -----------------------------------------------------------------------

    def _check_training_data(
        self, X: MatrixLike, y: MatrixLike | LabelMatrix, X_unlabeled: MatrixLike | None
    ) -> TrainingData:
        X = self._check_rows(X, reset=True)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None: expected a label matrix with one row for each row of X."
            )
        refuse_flat_target(y, has_names=self.hierarchy is not None)
        labels = check_labels(
            y, self.hierarchy, n_samples=X.shape[0], any_two_values=True
        )
        self._label_values = labels.values
        self._label_dtype = labels.dtype
        data = _divided(X, labels.table, labels.hierarchy)
        if X_unlabeled is None or not _n_rows(X_unlabeled):
            return data
        more = self._check_rows(X_unlabeled, reset=False)
        if sp.issparse(X):
            more = sp.csr_array(more)
        elif sp.issparse(more):
            more = more.toarray()
        warn_of_other_scales(X, more)
        below = np.arange(X.shape[0], X.shape[0] + more.shape[0])
        return replace(
            data,
            X_unlabeled=stack_rows(data.X_unlabeled, more),
            unlabeled_rows=np.concatenate([data.unlabeled_rows, below]),
        )

    def _begin(self, data: TrainingData) -> None:
        self._validate_params()
        self._refuse_unknown(data)
        self._describe(data)

    def _refuse_unknown(self, data: TrainingData) -> None:
        if data.is_partly_known and not self.method_tags.partial_labels:
            raise LabelError(refusal_of_unknown(type(self), data))

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

    def _as_output(self, values: Any, X: MatrixLike | None) -> Any:
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


def _divided(X: Any, labels: LabelMatrix, hierarchy: Hierarchy) -> TrainingData:
    """Divide validated rows into labelled and unlabelled ones."""
    known = labels.labeled
    return TrainingData(
        X_labeled=rows_of(X, known),
        Y=rows_of(labels, known),
        X_unlabeled=rows_of(X, ~known),
        labeled_rows=np.flatnonzero(known),
        unlabeled_rows=np.flatnonzero(~known),
        hierarchy=hierarchy,
    )


def _n_rows(X: MatrixLike) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _check_weights(sample_weight: MatrixLike, X: MatrixLike) -> Any:
    return _check_sample_weight(sample_weight, X, ensure_non_negative=True)
