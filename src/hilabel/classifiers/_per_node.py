"""One local classifier per node, with scores made consistent by capping."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from hilabel._compat import StrOptions
from hilabel._saved_types import Array
from hilabel._typing import FloatArray
from hilabel.classifiers._base import BaseWeightedClassifier
from hilabel.classifiers._calibration import correct_prior
from hilabel.classifiers._local_estimator import BaseLocalClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.forests import NodeForests
from hilabel.local_models import (
    NEGATIVES_ORDERS,
    POLICIES,
    Examples,
    ForestModels,
    LocalModels,
    fit_node_models,
    report_one_sided,
    select_examples,
    within_parents,
)

# Policies that use all rows with a parent of the node, so that there is no share to
# correct.
_TRUE_SHARES = ("within_parents", within_parents)


@dataclass(eq=False, repr=False, kw_only=True)
class LocalClassifierPerNode(BaseLocalClassifier, BaseWeightedClassifier):
    """A binary classifier for every node of the hierarchy (LCN).

    Handles every problem type: trees and DAGs, with one or several paths per row that
    may end at any depth. Unlabelled rows are ignored.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: plain multi-label classification.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``. The default is a
        :class:`~hilabel.forests.ForestClassifier`, a random forest of 100 trees; the
        forests of all nodes are then grown in one call, which is many times faster than
        growing them one by one.
    policy : str or callable, default="within_parents"
        Which rows each node is trained on: ``"within_parents"``, ``"less_inclusive"``,
        ``"inclusive"``, ``"siblings"``, ``"exclusive"``, ``"balanced_bottom_up"``, or a
        function with the same signature. The default was chosen on the five kinds of
        data of ``benchmarks/defaults.py``, where it has the best mean score;
        ``"balanced_bottom_up"`` is the policy of the paper on
        :class:`~hilabel.semi_supervised.SSHMCBLI`.
    negatives_order : {"index", "siblings_first", "authors", "random"}, \
default="random"
        Which negatives the balanced policy uses first; see
        :func:`~hilabel.classifiers.balanced_bottom_up`. ``"siblings_first"`` follows
        the paper's text, ``"authors"`` reproduces its scores, and the default has the
        best scores in ``benchmarks/negatives_order.py``.
    constraint : {"min"} or None, default="min"
        Cap each probability by those of its ancestors, or return them unchanged.
    calibration : {"prior"} or None, default=None
        ``"prior"`` corrects the probabilities for the share of positives that results
        from the policy. Without it, as in the paper, the balanced policy gives rare and
        common nodes similar scores, which hurts micro-averaged measures. The default
        policy does not change the share and needs no correction.
    on_empty : {"constant", "raise"}, default="constant"
        What to do with nodes without positive or negative rows.
    n_jobs : int, optional
        Number of nodes trained in parallel with joblib. The result does not depend on
        it.
    random_state : int, RandomState or None
        Seed of ``negatives_order="random"``, and of the classifiers unless
        ``estimator`` has its own.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    forests_ : NodeForests or None
        The forests of all nodes, if the local classifier is a forest of hilabel.
    estimators_ : tuple or None
        Otherwise, the classifier of each node, or a constant.
    prior_ : ndarray of shape (n_nodes,)
        Share of labelled rows that have each label.
    positive_share_ : ndarray of shape (n_nodes,)
        Share of positives among the training rows of each node; NaN for constants.
    classes_ : ndarray of shape (n_nodes,)
        The names of the nodes, one for each column of ``predict_proba``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Silla and Freitas, "A survey of hierarchical classification across different
    application domains", Data Mining and Knowledge Discovery 22, 2011.

    Examples
    --------
    >>> from hilabel.classifiers import LocalClassifierPerNode
    >>> from hilabel.datasets import make_artificial
    >>> data = make_artificial()
    >>> model = LocalClassifierPerNode(data.hierarchy, random_state=0)
    >>> model.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test).shape
    (300, 6)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="LCN",
        summary="one per node",
        use="A first supervised model for any hierarchy.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLocalClassifier._parameter_constraints,
        "policy": [StrOptions(set(POLICIES)), callable],
        "negatives_order": [StrOptions(set(NEGATIVES_ORDERS))],
        "constraint": [StrOptions({"min"}), None],
        "calibration": [StrOptions({"prior"}), None],
        "on_empty": [StrOptions({"constant", "raise"})],
    }

    policy: str | Callable[..., Examples] = "within_parents"
    negatives_order: str = "random"
    constraint: str | None = "min"
    calibration: str | None = None
    on_empty: str = "constant"

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_models": ForestModels | LocalModels,
        "forests_": NodeForests | None,
        "estimators_": tuple[Any, ...] | None,
        "positive_share_": Array("f8", ("n_nodes",), 0, 1, gaps=True),
        "prior_": Array("f8", ("n_nodes",), 0, 1),
    }

    def _fit(self, data: TrainingData) -> None:
        # One generator for both, so that a seed and its RandomState are equivalent.
        generator = check_random_state(self.random_state)
        examples = select_examples(
            data.Y_labeled,
            data.hierarchy,
            self.policy,
            self.negatives_order,
            generator,
            data.known,
        )
        report_one_sided(examples, data.hierarchy, self.on_empty)
        local = self._local_estimator()
        if data.weights is not None:
            self._refuse_weights_of(local)
        models = fit_node_models(
            local,
            data.X_labeled,
            examples,
            n_jobs=self.n_jobs,
            random_state=generator,
            weights=data.weights,
        )
        self._keep(models, data)

    def _refuse_weights_of(self, local: Any) -> None:
        if not has_fit_parameter(local, "sample_weight"):
            raise ValueError(
                f"{type(self).__name__} cannot use sample_weight with the local "
                f"classifier {type(local).__name__}, whose fit does not accept it; "
                "choose one that does, such as the default or a decision tree."
            )

    def adopt(self, models: LocalModels | ForestModels, data: TrainingData) -> Self:
        """Use local models that another method has already trained on the same data.

        Parameters
        ----------
        models : LocalModels or ForestModels
        data : TrainingData
        """
        self._describe(data)
        self._keep(models, data)
        return self

    def _keep(self, models: LocalModels | ForestModels, data: TrainingData) -> None:
        self._models = models
        self.forests_ = getattr(models, "forests", None)
        self.estimators_ = getattr(models, "models", None)
        self.positive_share_ = models.positive_share
        self.prior_ = data.prior

    def is_sound(self) -> bool:
        """Return whether every node has a model that accepts the features."""
        n_nodes = self.hierarchy_.n_nodes
        return (
            super().is_sound()
            and self._models.n_nodes == self.positive_share_.size == n_nodes
            and self.prior_.size == n_nodes
            and self._models.takes(self.n_features_in_)
        )

    @property
    def _must_cap(self) -> bool:
        return super()._must_cap and self.constraint is not None

    def _predict_scores(self, X: Any) -> FloatArray:
        scores = self._local_scores(X)
        if self.constraint == "min":
            scores = cap_by_parents(scores, self.hierarchy_)
        return scores

    def _local_scores(self, X: Any) -> FloatArray:
        """Return the probability of each node, before capping."""
        scores = self._models.predict_scores(X, self.n_jobs)
        if self.calibration == "prior" and self.policy not in _TRUE_SHARES:
            scores = correct_prior(scores, self.positive_share_, self.prior_)
        return scores
