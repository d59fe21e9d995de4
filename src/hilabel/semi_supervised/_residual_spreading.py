"""A classifier on columns, corrected by the errors on linked rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Final

import numpy as np
import scipy.sparse as sp

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Number, Sparse, saved_type
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    BaseLinkedClassifier,
    DelegatesToFitted,
    JudgedRows,
    LocalClassifierPerNode,
    MethodTags,
    PredictiveClusteringForest,
    TrainingData,
    choose_weights,
    links_of,
    map_blocks,
    scores_of_member,
)
from hilabel.constraints import cap_by_parents, labels_from_scores
from hilabel.links import TRANSFORMS, LinkGraph, LinkWeights
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.semi_supervised._link_spreading import ALPHAS, HonestReach

SHRINKAGES: Final = (0.1, 0.01, 0.03, 0.3, 1.0)
"""How much an error of 0 counts, to try."""

# Smaller errors are taken as 0, so that they need not be stored.
_LEAST_ERROR: Final = 0.01
# With fewer labelled rows, too little is known of errors.
_FEWEST_ROWS: Final = 10


@saved_type
@dataclass(frozen=True, eq=False)
class RowErrors:
    """Labels of labelled rows minus their scores out of fold.

    Attributes
    ----------
    values : csr_array of float32 of shape (n_labeled, n_nodes)
        Errors below 0.01, and those of unknown labels, are 0.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel.semi_supervised._residual_spreading import RowErrors
    >>> errors = RowErrors(sp.csr_array(np.array([[0.5, -0.2]], np.float32)))
    >>> errors.sums(sp.csr_array([[3.0], [0.0]]))[0]
    array([[ 1.5, -0.6],
           [ 0. ,  0. ]], dtype=float32)
    """

    values: Annotated[sp.csr_array, Sparse("f4", ("n_labeled", "n_nodes"), -1, 1)]

    @classmethod
    def of(cls, data: TrainingData, scores: ScoreMatrix) -> "RowErrors":
        """Return the errors of scores of the labelled rows."""
        parts = [sp.csr_array((0, data.Y.shape[1]), dtype=np.float32)]
        for rows in scores.row_blocks():
            errors: Any = data.Y.present(rows) - scores.read(rows).astype(np.float32)
            is_large = (np.abs(errors) >= _LEAST_ERROR) & data.Y.known(rows)
            parts.append(sp.csr_array(np.where(is_large, errors, np.float32(0))))
        return cls(sp.csr_array(sp.vstack(parts, format="csr")))

    def sums(self, shares: sp.csr_array) -> tuple[FloatArray, FloatArray]:
        """Return what reaches rows: of errors, and in total.

        Parameters
        ----------
        shares : csr_array of shape (n_rows, n_labeled)
        """
        shares = shares.astype(np.float32)
        total = np.asarray(shares.sum(axis=1))[:, None]
        return (shares @ self.values).toarray(), total

    def sums_by_block(
        self,
        shares_of: Callable[[slice], sp.csr_array],
        n_rows: int,
        n_jobs: int | None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the same for many rows, whose shares are found block by block."""
        found = map_blocks(lambda rows: self.sums(shares_of(rows)), n_rows, n_jobs)
        errors, total = zip(*found)
        return np.concatenate(errors), np.concatenate(total)


def mean_error(sums: tuple[FloatArray, FloatArray], shrinkage: float) -> FloatArray:
    """Return mean errors, where an error of 0 counts as much as ``shrinkage``."""
    errors, total = sums
    return np.asarray(errors / (total + np.float32(shrinkage)))


@dataclass(eq=False, repr=False, kw_only=True)
class ResidualSpreading(BaseLinkedClassifier, DelegatesToFitted):
    """Correct the scores of a classifier by its errors on linked rows.

    The classifier learns from columns. The labelled rows are scored out of fold, and
    their errors spread along links, as labels do in
    :class:`~hilabel.semi_supervised.LinkSpreading`. The mean error that reaches a row,
    shrunk to 0, is added to the score of each node; scores are then clipped to [0, 1]
    and capped by those of the parents.

    If no correction makes the scores of labelled rows better, there is none. Handles
    the same problems as ``estimator``.

    In the source, corrected predictions are smoothed, too, and each row has one label.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    estimator : hierarchical or local classifier, optional
        By default, a :class:`~hilabel.classifiers.PredictiveClusteringForest`. A local
        classifier is trained for each node by a
        :class:`~hilabel.classifiers.LocalClassifierPerNode`.
    alpha : float or "auto", default="auto"
        The part of what arrives at a row that goes on; by default, the best of 0.5,
        0.75 and 0.9.
    shrinkage : float or "auto", default="auto"
        How much an error of 0 counts; by default, the best of 0.01, 0.03, 0.1, 0.3 and
        1.
    weighting : {"auto", "raw", "log", "square"}, default="auto"
    kind_weights : dict of str to float, or "auto", default="auto"
        Both as in :class:`~hilabel.classifiers.LinkVotes`.
    n_jobs, random_state
        Used by the parts that do not set them, and for drawing folds.
    verbose : int, default=0

    Attributes
    ----------
    estimator_ : hierarchical classifier
    alpha_, shrinkage_ : float
    link_weights_ : LinkWeights or None
        None if there is no correction.
    graph_ : LinkGraph or None
    errors_ : RowErrors or None
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Huang, He, Singh, Lim and Benson, "Combining label propagation and simple models
    outperforms graph neural networks", ICLR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.semi_supervised import ResidualSpreading
    >>> ring = np.roll(np.eye(20), 2, axis=1)  # odd rows and even rows are linked
    >>> y = np.arange(20)[:, None] % 2
    >>> model = ResidualSpreading(estimator=PriorClassifier()).fit(None, y, links=ring)
    >>> model.predict_proba(links=[ring[0], ring[1], 0 * ring[0]]).round(2)
    array([[0.01],
           [0.99],
           [0.5 ]])
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        partial_labels=True,
        links=True,
        name="Errors along links",
        summary="errors follow links",
        use="Columns tell labels, and linked rows have what columns do not tell.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DelegatesToFitted._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"})],
        "shrinkage": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "weighting": [StrOptions({"auto", *TRANSFORMS})],
        "kind_weights": [dict, StrOptions({"auto"})],
        "n_jobs": [Integral, None],
    }

    alpha: float | str = "auto"
    shrinkage: float | str = "auto"
    weighting: str = "auto"
    kind_weights: Mapping[str, float] | str = "auto"

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "alpha_": Number(0, 1),
        "shrinkage_": Number(1e-300),
        "link_weights_": LinkWeights | None,
        "graph_": LinkGraph | None,
        "errors_": RowErrors | None,
    }

    def is_sound(self) -> bool:
        """Return whether the parts of a correction match; used to check model files."""
        graph, errors, weights = self.graph_, self.errors_, self.link_weights_
        if graph is None or errors is None or weights is None:
            is_none = graph is None and errors is None and weights is None
            return super().is_sound() and is_none
        return (
            super().is_sound()
            and self.alpha_ < 1
            and graph.n_rows == self.n_linked_rows
            and errors.values.shape[0] <= graph.n_rows
            and errors.values.shape[1] == self.classes_.size
            and set(weights.medians) == set(self._link_names)
        )

    def _own_base(self, local: Any) -> BaseHierarchicalClassifier:
        if local is None:
            return PredictiveClusteringForest()
        return LocalClassifierPerNode(estimator=local, calibration="prior")

    def _refuse_unknown(self, data: TrainingData) -> None:
        self._template()._refuse_unknown(data)

    def _fit(self, data: TrainingData) -> None:
        self.alpha_, self.shrinkage_ = self._alphas()[0], self._shrinkages()[0]
        self.link_weights_: LinkWeights | None = None
        self.graph_: LinkGraph | None = None
        self.errors_: RowErrors | None = None
        if data.links is None or data.n_labeled < _FEWEST_ROWS:
            self.estimator_ = self.base_classifier().fit_checked(data)
            return
        if data.fold is None or data.sets_rows_aside:
            data = replace(data, fold=draw_folds(data.Y, None, self.random_state))
        found = score_out_of_fold(self.base_classifier(), data)
        trained = found.model
        if trained is None:
            trained = self.base_classifier().fit_checked(replace(data, fold=None))
        self.estimator_ = trained
        self._correct(data, found.scores)

    def _correct(self, data: TrainingData, scores: ScoreMatrix) -> None:
        """Choose the correction, or none, on labelled rows scored out of fold."""
        links: Any = data.links
        judged = JudgedRows.of(data)
        if not judged.can_judge:
            return
        both_ways = links.both_ways()
        whole, nodes = RowErrors.of(data, scores), np.flatnonzero(judged.nodes)
        errors = RowErrors(whole.values[:, nodes])
        given = scores.read(judged.rows, nodes)
        hierarchy = data.hierarchy.restrict(nodes)

        def judge(weights: LinkWeights) -> tuple[float, tuple[float, float]]:
            graph = LinkGraph.of(weights.of_links(both_ways), both_ways=True)
            best = -np.inf, (0.0, 0.0)
            for alpha in self._alphas():
                reach = HonestReach(graph, weights, data, judged.parts, alpha)
                sums = errors.sums_by_block(
                    partial(reach.to_block, judged.rows), judged.rows.size, self.n_jobs
                )
                for shrinkage in self._shrinkages():
                    corrected = np.clip(given + mean_error(sums, shrinkage), 0, 1)
                    quality = judged.quality(cap_by_parents(corrected, hierarchy))
                    if quality > best[0]:
                        best = quality, (alpha, shrinkage)
            return best

        weights, settings, quality = choose_weights(
            links, self.weighting, self.kind_weights, judge
        )
        if quality > judged.quality(given):
            self.alpha_, self.shrinkage_ = settings
            self.link_weights_, self.errors_ = weights, whole
            best = weights.of_links(both_ways)
            self.graph_ = LinkGraph.of(best, both_ways=True)

    def _predict_scores(self, X: Any) -> FloatArray:
        scores, links = scores_of_member(self.estimator_, X), links_of(X)
        errors, graph, weights = self.errors_, self.graph_, self.link_weights_
        if links is None or errors is None or graph is None or weights is None:
            return scores
        n_kept = errors.values.shape[0]

        def shares_of(rows: slice) -> sp.csr_array:
            starts = weights.of_links(links[rows])
            return graph.reached_from(starts, alpha=self.alpha_, n_kept=n_kept)

        sums = errors.sums_by_block(shares_of, len(scores), self.n_jobs)
        corrected = np.clip(scores + mean_error(sums, self.shrinkage_), 0, 1)
        return cap_by_parents(corrected, self.hierarchy_)

    def _predict_labels(self, X: Any) -> BoolArray:
        return labels_from_scores(self._predict_scores(X), self.hierarchy_)

    def _alphas(self) -> tuple[float, ...]:
        return ALPHAS if isinstance(self.alpha, str) else (float(self.alpha),)

    def _shrinkages(self) -> tuple[float, ...]:
        given = self.shrinkage
        return SHRINKAGES if isinstance(given, str) else (float(given),)
