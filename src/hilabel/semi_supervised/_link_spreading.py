"""Spreading of labels along links."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Final

import numpy as np
import scipy.sparse as sp

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Number
from hilabel._typing import IntArray
from hilabel.classifiers import (
    BaseLabelsOverLinks,
    JudgedRows,
    LabelParts,
    MethodTags,
    TrainingData,
    choose_weights,
)
from hilabel.links import LinkGraph, Links, LinkWeights

ALPHAS: Final = (0.9, 0.5, 0.75)
"""Parts of what arrives that go on, to try."""


@dataclass(eq=False, repr=False, kw_only=True)
class LinkSpreading(BaseLabelsOverLinks):
    """Spread labels along links between all rows, labelled or not.

    Labels reach a row from all rows that are connected to it, also over unlabelled
    rows; the more links there are in between, and the more links these rows have, the
    less they count. The label frequencies count with a small weight, so that a row that
    no label reaches gets these.

    Let ``S`` be the weights of links in either direction, each divided by the square
    roots of the sums of both rows' weights. With the labels ``Y`` of labelled rows,
    ``F = sum((alpha * S)**t @ Y)`` over all steps ``t``, likewise ``M`` with 1 for each
    labelled row, and the prior, the scores are ``(F + prior_weight * prior) / (M +
    prior_weight)``. All labels of a row spread together, so no node ever scores higher
    than its parents.

    What reaches a row is found from the row, by following links as long as they matter.
    The time per row is thus bounded however many rows there are, nothing is stored but
    links and labels, and a labelled row is scored without the labels of its fold at no
    additional cost. A new row is scored as if it had been among the unlabelled rows.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    All columns are ignored. If a label is unknown for a row, the row does not count for
    it.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    alpha : float or "auto", default="auto"
        The part of what arrives at a row that goes on; by default, the best of 0.5,
        0.75 and 0.9.
    prior_weight : float or "auto", default="auto"
        How much the label frequencies count; by default, the best of 0.003, 0.01, 0.03,
        0.1 and 0.3.
    weighting : {"auto", "raw", "log", "square"}, default="auto"
    kind_weights : dict of str to float, or "auto", default="auto"
        Both as in :class:`~hilabel.classifiers.LinkVotes`.
    n_jobs : int, optional
        Number of threads.

    Attributes
    ----------
    alpha_, prior_weight_ : float
    link_weights_ : LinkWeights or None
        How links of several kinds become one weight; None without links.
    graph_ : LinkGraph or None
        The weights of all links between training rows, labelled rows first.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Zhou, Bousquet, Lal, Weston and Schölkopf, "Learning with local and global
    consistency", Advances in Neural Information Processing Systems 16, 2004. Andersen,
    Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006, for
    following only what matters. Means with a prior are our choice.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import LinkSpreading
    >>> h = Hierarchy.from_edges([("a", "b")], nodes=["a", "b", "c"])
    >>> chain = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    >>> y = [[1, 1, 0], [-1, -1, -1], [-1, -1, -1], [0, 0, 1]]
    >>> model = LinkSpreading(h, alpha=0.5, prior_weight=0.1).fit(None, y, links=chain)
    >>> model.predict_proba(links=[[0, 0, 1, 0], [0, 0, 0, 0]]).round(2)
    array([[0.73, 0.73, 0.27],
           [0.5 , 0.5 , 0.5 ]], dtype=float32)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        partial_labels=True,
        links=True,
        name="Spreading along links",
        summary="labels follow links",
        use="Links tell labels, and few of the linked rows are labelled.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLabelsOverLinks._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"})],
        "n_jobs": [Integral, None],
    }

    alpha: float | str = "auto"
    n_jobs: int | None = None

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "alpha_": Number(0, 1),
        "graph_": LinkGraph | None,
    }

    _usual_prior_weights: ClassVar[tuple[float, ...]] = (0.03, 0.003, 0.01, 0.1, 0.3)

    def is_sound(self) -> bool:
        """Return whether all training rows are in the graph."""
        graph = self.graph_
        return (
            super().is_sound()
            and self.alpha_ < 1
            and (graph is not None) == self.uses_links
            and (graph is None or graph.n_rows == self.n_linked_rows)
        )

    def _fit(self, data: TrainingData) -> None:
        self.alpha_ = self._alphas()[0]
        self.graph_: LinkGraph | None = None
        super()._fit(data)

    def _choose(self, data: TrainingData, judged: JudgedRows) -> None:
        links: Any = data.links
        both_ways = links.both_ways()

        def judge(weights: LinkWeights) -> tuple[float, tuple[float, float]]:
            graph = LinkGraph.of(weights.of_links(both_ways), both_ways=True)
            best = -np.inf, (0.0, 0.0)
            for alpha in self._alphas():
                reach = HonestReach(graph, weights, data, judged.parts, alpha)
                quality, prior_weight = self._best_prior(judged, reach.to)
                if quality > best[0]:
                    best = quality, (alpha, prior_weight)
            return best

        self.link_weights_, (self.alpha_, self.prior_weight_), _ = choose_weights(
            links, self.weighting, self.kind_weights, judge
        )
        best = self.link_weights_.of_links(both_ways)
        self.graph_ = LinkGraph.of(best, both_ways=True)

    def _shares(self, links: Links) -> sp.csr_array:
        weights: Any = self.link_weights_
        graph: Any = self.graph_
        return graph.reached_from(
            weights.of_links(links),
            alpha=self.alpha_,
            n_kept=len(self._labels.labels),
        )

    def _honest_shares(
        self, data: TrainingData, parts: LabelParts, rows: IntArray
    ) -> sp.csr_array:
        weights: Any = self.link_weights_
        graph: Any = self.graph_
        return HonestReach(graph, weights, data, parts, self.alpha_).to(rows)

    def _alphas(self) -> tuple[float, ...]:
        return ALPHAS if isinstance(self.alpha, str) else (float(self.alpha),)


@dataclass(frozen=True, eq=False)
class HonestReach:
    """How much labelled rows of other parts count for labelled rows, along links.

    The rows of a part are unlabelled rows of the graph, as rows to be predicted are.
    Without any unlabelled rows, rows to be predicted are not in the graph: then no row
    is reached over rows of its own part, either.

    Attributes
    ----------
    graph : LinkGraph
    weights : LinkWeights
    data : TrainingData
    parts : LabelParts
    alpha : float
    """

    graph: LinkGraph
    weights: LinkWeights
    data: TrainingData
    parts: LabelParts
    alpha: float

    def to(self, rows: IntArray) -> sp.csr_array:
        """Return the shares of labelled rows in what some of them receive."""
        links: Any = self.data.links
        how: dict[str, Any] = {"alpha": self.alpha, "n_kept": self.data.n_labeled}
        if not self.data.unlabeled_rows.size:
            part = self.parts.part
            how |= {"part": part, "start_part": part[rows]}
        starts = self.weights.of_links(links[rows])
        return self.parts.without_own(self.graph.reached_from(starts, **how), rows)

    def to_block(self, rows: IntArray, block: slice) -> sp.csr_array:
        """Return the shares for a block of some labelled rows."""
        return self.to(rows[block])
