"""PCNB: naive Bayes for word counts in which a row also counts for related leaves."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.utils import Tags

from hilabel._compat import Interval
from hilabel._saved_types import Array
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.classifiers._problem import (
    require_non_negative,
    require_paths_to_leaves,
)
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.local_models import (
    LeafMultinomials,
    LeafPaths,
    PathCounts,
    count_words,
)


@dataclass(eq=False, repr=False, kw_only=True)
class PCNB(BaseHierarchicalClassifier):
    """Path-cost-sensitive naive Bayes, with a multinomial over words for each leaf.

    A row counts for a leaf once for each level at which the path of the row and the
    path to the leaf agree. So the closer a leaf is to the row's own leaf, the more the
    row counts for it. The path of a leaf above the deepest level is extended to that
    level by repeating the leaf. ``predict`` returns the most probable leaf and its
    ancestors; the probability of an inner node is the sum of the probabilities of the
    leaves below it.

    Handles trees in which every row has one path of labels that reaches a leaf.
    Features must be counts or other non-negative values. Sparse ``X`` stays sparse.

    The implementation follows the authors' program rather than the equations in their
    paper. Neither of them defines weights other than 1 for deeper levels; here, the
    weights are ``path_weight ** (level - 1)``.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: plain multinomial naive Bayes with one label per row.
    path_weight : float, default=1.0
        Weight of each level relative to the one above it; above 0.
    drop_unseen_words : bool, default=True
        Ignore the columns of ``X`` that are 0 in all labelled rows, in training and in
        prediction. If False, they are smoothed like other rare words.

    Attributes
    ----------
    leaves_ : int array of shape (n_leaves,)
        The nodes that have a multinomial.
    class_log_prior_ : ndarray of shape (n_leaves,)
    feature_log_prob_ : ndarray of shape (n_leaves, n_features)
        Log probability of each word; 0 for dropped words.
    kept_words_ : bool array of shape (n_features,)
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Xiao, Liu and Song, "Efficient Path Prediction for Semi-Supervised and Weakly
    Supervised Hierarchical Text Classification", WWW 2019.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import PCNB
    >>> h = Hierarchy.from_dict({"sport": ["tennis", "chess"], "news": []})
    >>> X = [[2, 0, 0], [0, 2, 0], [0, 0, 2]]  # racket, board, election
    >>> model = PCNB(h).fit(X, [{"tennis"}, {"chess"}, {"news"}])
    >>> h.names
    ('sport', 'tennis', 'chess', 'news')
    >>> model.predict_proba([[1, 0, 0]]).round(3)
    array([[0.892, 0.558, 0.335, 0.108]])
    >>> model.predict([[1, 1, 0], [0, 0, 0]])  # ties go to the lower leaf
    array([[1, 1, 0, 0],
           [1, 1, 0, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        paths="SPL",
        depth="FD",
        summary="naive Bayes of words",
        use="Word counts, including wide sparse ones, with one path to a leaf per row.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "path_weight": [Interval(Real, 0, None, closed="neither")],
        "drop_unseen_words": ["boolean"],
    }

    path_weight: float = 1.0
    drop_unseen_words: bool = True

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_paths": LeafPaths,
        "leaves_": Array("i8", ("n_leaves",), 0),
        "kept_words_": Array("b1", ("n_words",)),
        "_model": LeafMultinomials,
        "class_log_prior_": Array("f8", ("n_leaves",)),
        "feature_log_prob_": Array("f8", ("n_leaves", "n_words")),
    }

    # Training -----------------------------------------------------------------------

    def _fit(self, data: TrainingData) -> None:
        counts = self._count_labeled(data)
        self._keep(LeafMultinomials.estimate(counts, self.kept_words_))

    def _refuse_negative(self, X: Any, rows: IntArray) -> None:
        names = getattr(self, "feature_names_in_", None)
        require_non_negative(type(self).__name__, X, rows, names)

    def _refuse_other_problems(self, data: TrainingData) -> None:
        require_paths_to_leaves(type(self).__name__, data, "LocalClassifierPerNode")

    def _count_labeled(self, data: TrainingData) -> PathCounts:
        """Validate the data, build the paths and count the words in labelled rows."""
        X = data.X_labeled
        self._refuse_negative(X, data.labeled_rows)
        self._refuse_negative(data.X_unlabeled, data.unlabeled_rows)
        self._refuse_other_problems(data)
        self._paths = LeafPaths.of(data.hierarchy, self.path_weight)
        self.leaves_ = self._paths.leaves
        is_seen = np.asarray(X.sum(axis=0)).ravel() > 0
        self.kept_words_ = is_seen if self.drop_unseen_words else np.ones_like(is_seen)
        return count_words(X, self._paths.scores_of(data.Y_labeled))

    def _keep(self, model: LeafMultinomials) -> None:
        self._model = model
        self.class_log_prior_ = model.log_prior
        self.feature_log_prob_ = model.log_words.T

    # Prediction ---------------------------------------------------------------------

    def is_sound(self) -> bool:
        """Return whether paths match the hierarchy and words match the features."""
        leaves = self.hierarchy_.leaves
        return (
            super().is_sound()
            and np.array_equal(self.leaves_, leaves)
            and np.array_equal(self._paths.leaves, leaves)
            and self._paths.nodes_on_path.shape[1] == self.hierarchy_.n_nodes
            and self._model.log_words.shape == (self.n_features_in_, leaves.size)
            and self.kept_words_.size == self.n_features_in_
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        scores = self._paths.sum_over_leaves(softmax(self._log_joint(X), axis=1))
        return np.minimum(scores, 1.0)  # a sum over all leaves may be 1 + rounding

    def _predict_labels(self, X: Any) -> BoolArray:
        best = self._log_joint(X).argmax(axis=1)
        return self._paths.nodes_on_path[best].toarray() > 0

    def _log_joint(self, X: Any) -> FloatArray:
        self._refuse_negative(X, np.arange(X.shape[0]))
        return self._model.log_joint(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
