"""HMC-SSRAkEL: HMC-RAkEL trained on its own predictions, batch after batch."""

from typing import Any, ClassVar

from hilabel.classifiers import HMCRAkEL, MethodTags, TrainingData
from hilabel.classifiers._problem import require_tree
from hilabel.hierarchy import Hierarchy
from hilabel.semi_supervised._batch_adding_classifier import BaseBatchAddingClassifier

__all__ = ["HMCSSRAkEL"]

OF_THE_BASE = ("labelset_size", "n_labelsets", "voting")


class HMCSSRAkEL(BaseBatchAddingClassifier):
    """Semi-supervised hierarchical random k-labelsets (HMC-SSRAkEL).

    :class:`~hilabel.classifiers.HMCRAkEL` in place of HMC-BR in :class:`HMCSSBR`:
    batches of unlabelled rows are predicted, added with the labels predicted, and
    learned from. Without unlabelled rows it is HMC-RAkEL.

    For trees with any number of paths of any depth. What the source does not say of
    the batches is as in :class:`HMCSSBR` (ours).

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator : classifier, optional
    labelset_size : int, default=3
    n_labelsets : int, optional
    voting : {"hard", "soft"}, default="hard"
        As in :class:`~hilabel.classifiers.HMCRAkEL`.
    batch_size, order, confidence, confidence_threshold, n_jobs, random_state, verbose
        As in :class:`HMCSSBR`.

    Attributes
    ----------
    estimator_ : HMCRAkEL
        Trained on the labelled rows and all those added.
    n_iter_, termination_condition_, transduction_, labeled_iter_, history_, \
hierarchy_, classes_, n_features_in_, feature_names_in_
        As in :class:`HMCSSBR`.

    See Also
    --------
    HMCSSBR, HMCSSLP

    References
    ----------
    Santos and Canuto, "Applying semi-supervised learning in hierarchical multi-label
    classification", 2014.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import HMCSSRAkEL
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]]
    >>> Y = [{"c", "d"}, {"c", "d"}, {"a"}, {"a"}, {"b"}, {"b"}]
    >>> model = HMCSSRAkEL(h, batch_size=1, random_state=0)
    >>> model.fit(X, Y, X_unlabeled=[[0.1], [1.1]]).transduction_[6:]
    array([[1, 1, 1, 0],
           [1, 0, 0, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        semi_supervised=True,
        transductive=True,
        name="HMC-SSRAkEL",
        summary="self-trained RAkEL",
        use="As HMC-RAkEL, where it is right so often that it can learn from itself.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseBatchAddingClassifier._parameter_constraints,
        **{name: HMCRAkEL._parameter_constraints[name] for name in OF_THE_BASE},
    }

    def __init__(
        self,
        hierarchy: Hierarchy | None = None,
        *,
        estimator: Any = None,
        labelset_size: int = 3,
        n_labelsets: int | None = None,
        voting: str = "hard",
        batch_size: float = 0.1,
        order: str = "random",
        confidence: str | None = None,
        confidence_threshold: float = 0.8,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.labelset_size = labelset_size
        self.n_labelsets = n_labelsets
        self.voting = voting
        super().__init__(
            hierarchy,
            estimator=estimator,
            batch_size=batch_size,
            order=order,
            confidence=confidence,
            confidence_threshold=confidence_threshold,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

    def _fit(self, data: TrainingData) -> None:
        require_tree(type(self).__name__, data.hierarchy, "HMCSSBR")
        super()._fit(data)

    def _supervised_base(self) -> HMCRAkEL:
        return HMCRAkEL(
            self.hierarchy,
            estimator=self.estimator,
            labelset_size=self.labelset_size,
            n_labelsets=self.n_labelsets,
            voting=self.voting,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
