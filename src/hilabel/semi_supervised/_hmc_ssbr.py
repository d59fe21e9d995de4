"""HMC-SSBR: HMC-BR trained on its own predictions, batch after batch."""

from collections.abc import Callable
from typing import Any, ClassVar

from hilabel.classifiers import HMCBR, MethodTags
from hilabel.classifiers._policies import Examples
from hilabel.hierarchy import Hierarchy
from hilabel.semi_supervised._batch_adding_classifier import BaseBatchAddingClassifier

__all__ = ["HMCSSBR"]


class HMCSSBR(BaseBatchAddingClassifier):
    """Semi-supervised hierarchical binary relevance (HMC-SSBR).

    :class:`~hilabel.classifiers.HMCBR` learned from the labelled rows predicts a batch
    of the unlabelled ones; they are added with the labels predicted, whatever the
    confidence, and it is trained again, until all unlabelled rows are used. Without
    unlabelled rows it is HMC-BR.

    Handles every problem type (DAGs are ours, as in HMC-BR). The size and the order of
    the batches are ours, since the source does not give them; so is that rows which are
    predicted to have no label go back, and stay out once none of those left gets one.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator : classifier, optional
        The local classifier, as in :class:`~hilabel.classifiers.HMCBR`.
    policy : str or callable, default="siblings"
    on_empty : {"constant", "raise"}, default="constant"
        As in :class:`~hilabel.classifiers.HMCBR`.
    batch_size : float, default=0.1
        Share of all unlabelled rows in a batch, rounded up to whole rows; above 0, and
        1 to label them all at once.
    order : {"random", "index"}, default="random"
        The order in which unlabelled rows are drawn.
    confidence : {"mean"} or None, default=None
        ``"mean"`` adds a row only if the mean probability of its labels is at least
        ``confidence_threshold``; others go back, to be tried again (ours).
    confidence_threshold : float, default=0.8
    n_jobs : int, optional
        For the base; the result does not depend on it.
    random_state : int, RandomState or None
        For the order and for the base; every fit of the base starts from this state.
    verbose : int, default=0
        1 reports the batches of a fit that takes more than two seconds, 2 of any.

    Attributes
    ----------
    estimator_ : HMCBR
        Trained on the labelled rows and all those added.
    n_iter_ : int
        Number of batches; 0 without unlabelled rows.
    termination_condition_ : {"pool_empty", "nothing_added"}
    transduction_ : int8 array of shape (n_rows, n_nodes)
        The labels that ``estimator_`` was trained on. Rows are those given to ``fit``,
        those of ``X_unlabeled`` last; rows left out stay ``UNLABELED``.
    labeled_iter_ : int array of shape (n_rows,)
        0 for given labels, else the batch with which the row was added, -1 for rows
        left out.
    history_ : list of BatchSummary
        A row per batch; ``pandas.DataFrame(model.history_)`` makes a table.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    See Also
    --------
    HMCSSLP, HMCSSRAkEL

    References
    ----------
    Santos and Canuto, "Applying the self-training semi-supervised learning in
    hierarchical multi-label methods", IJCNN 2014.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import HMCSSBR
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]]
    >>> Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"b"}, {"b"}]
    >>> model = HMCSSBR(h, batch_size=0.5, random_state=0)
    >>> model.fit(X, Y, X_unlabeled=[[0.1], [1.1], [9.1]]).transduction_[6:]
    array([[1, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 0, 0, 1]], dtype=int8)
    >>> [batch.n_added for batch in model.history_]
    [2, 1]
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        name="HMC-SSBR",
        summary="self-trained HMC-BR",
        use="As HMC-BR, where it is right so often that it can learn from itself.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseBatchAddingClassifier._parameter_constraints,
        "policy": HMCBR._parameter_constraints["policy"],
        "on_empty": HMCBR._parameter_constraints["on_empty"],
    }

    def __init__(
        self,
        hierarchy: Hierarchy | None = None,
        *,
        estimator: Any = None,
        policy: str | Callable[..., Examples] = "siblings",
        on_empty: str = "constant",
        batch_size: float = 0.1,
        order: str = "random",
        confidence: str | None = None,
        confidence_threshold: float = 0.8,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.policy = policy
        self.on_empty = on_empty
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

    def _supervised_base(self) -> HMCBR:
        return HMCBR(
            self.hierarchy,
            estimator=self.estimator,
            policy=self.policy,
            on_empty=self.on_empty,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
