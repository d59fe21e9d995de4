"""Prediction from the labels of linked rows."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np
import scipy.sparse as sp

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Number
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray, IntArray
from hilabel.classifiers._link_blocks import for_each_block, map_blocks
from hilabel.classifiers._link_choice import JudgedRows, choose_weights
from hilabel.classifiers._linked import BaseLinkedClassifier, links_of
from hilabel.classifiers._linked_labels import Arrived, LabelParts, LinkedLabels
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.exceptions import ParameterError
from hilabel.links import TRANSFORMS, Links, LinkWeights

PRIOR_WEIGHTS: Final = (0.1, 0.03, 0.3, 1.0, 3.0)
"""Weights of the label frequencies to try, the usual one first."""


@dataclass(eq=False, repr=False, kw_only=True)
class BaseLabelsOverLinks(BaseLinkedClassifier):
    """Base class for methods whose scores are means of labels that reach rows by links.

    A subclass finds how much each labelled row counts for other rows, in ``_shares``
    and ``_honest_shares``, and its settings, in ``_choose``.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLinkedClassifier._parameter_constraints,
        "prior_weight": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"auto"}),
        ],
        "weighting": [StrOptions({"auto", *TRANSFORMS})],
        "kind_weights": [dict, StrOptions({"auto"})],
    }

    prior_weight: float | str = "auto"
    weighting: str = "auto"
    kind_weights: Mapping[str, float] | str = "auto"

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_labels": LinkedLabels,
        "prior_weight_": Number(1e-300),
        "link_weights_": LinkWeights | None,
    }

    def is_sound(self) -> bool:
        """Return whether labels and kinds of links match; used to check model files."""
        weights, n_labeled = self.link_weights_, len(self._labels.labels)
        return (
            super().is_sound()
            and self._labels.labels.shape[1] == self.classes_.size
            and (weights is not None) == self.uses_links
            and (weights is None or set(weights.medians) == set(self._link_names))
            and (weights is None or n_labeled <= self.n_linked_rows)
        )

    def scores_itself(self, data: TrainingData) -> bool:
        """Return whether there are folds; a row's score then uses none of its fold."""
        return data.fold is not None and not data.sets_rows_aside

    def _fit(self, data: TrainingData) -> None:
        self._labels = LinkedLabels.of(data)
        self.link_weights_: LinkWeights | None = None
        self.prior_weight_ = self._prior_weights()[0]
        if data.links is not None:
            self._check_kinds(data.links)
            self._choose(data, JudgedRows.of(data))

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        self._fit(data)
        parts, scores = LabelParts.of(data), ScoreMatrix(data.Y.shape)

        def score(rows: slice) -> None:
            numbers = np.arange(rows.start, rows.stop)
            shares = self._no_shares(numbers.size)
            if data.links is not None:
                shares = self._honest_shares(data, parts, numbers)
            prior = parts.prior_of(numbers)
            found = self._labels.mean(shares, self.prior_weight_, prior)
            scores.write(rows, cap_by_parents(found, data.hierarchy))

        for_each_block(score, data.n_labeled, self._n_threads)
        return scores

    def _predict_scores(self, X: Any) -> FloatArray:
        links, n_rows = links_of(X), X.shape[0]
        found = np.empty((n_rows, self._labels.prior.size), np.float32)

        def score(rows: slice) -> None:
            shares = self._no_shares(rows.stop - rows.start)
            if links is not None:
                shares = self._shares(links[rows])
            found[rows] = self._labels.mean(shares, self.prior_weight_)

        for_each_block(score, n_rows, self._n_threads)
        if self._labels.labels.all_known:
            return found
        return cap_by_parents(found, self.hierarchy_)

    def voters(self, links: Any) -> sp.csr_array:
        """Return how much each training row counts in the scores of new rows.

        Parameters
        ----------
        links : Links, matrix or dict, of shape (n_samples, n_training_rows)
            As in :meth:`predict_proba`.

        Returns
        -------
        csr_array of shape (n_samples, n_training_rows)
            In units of ``prior_weight_``; only labelled rows count.
        """
        rows = self._linked(np.zeros((_n_rows(links), self.n_features_in_)), links)
        shares = self._shares(rows.links)
        order: Any = self._row_order
        cells = (shares.data, order[shares.indices], shares.indptr)
        found = sp.csr_array(cells, shape=(shares.shape[0], order.size))
        found.sort_indices()
        return found

    # For subclasses -----------------------------------------------------------------

    @abstractmethod
    def _choose(self, data: TrainingData, judged: JudgedRows) -> None:
        """Choose the settings."""

    @abstractmethod
    def _shares(self, links: Links) -> sp.csr_array:
        """Return how much each labelled row counts for rows with these links."""

    @abstractmethod
    def _honest_shares(
        self, data: TrainingData, parts: LabelParts, rows: IntArray
    ) -> sp.csr_array:
        """Return how much labelled rows of other parts count for labelled rows."""

    def _best_prior(
        self, judged: JudgedRows, shares_of: Callable[[IntArray], sp.csr_array]
    ) -> tuple[float, float]:
        """Return the highest quality, and the weight of the prior that has it.

        ``shares_of`` returns how much labelled rows of other parts count for the given
        labelled rows.
        """
        tried = self._prior_weights()
        if not judged.can_judge:
            return 0.0, tried[0]
        labels = self._labels.of_nodes(judged.nodes)
        found = map_blocks(
            lambda rows: labels.arriving(shares_of(judged.rows[rows])),
            judged.rows.size,
            self._n_threads,
        )
        arrived = Arrived.stack(found)
        return max(
            (
                (judged.quality(labels.mean_of(arrived, one, judged.prior)), one)
                for one in tried
            ),
            key=lambda found: found[0],
        )

    def _prior_weights(self) -> tuple[float, ...]:
        if isinstance(self.prior_weight, str):
            return self._usual_prior_weights
        return (float(self.prior_weight),)

    @property
    def _n_threads(self) -> int | None:
        return getattr(self, "n_jobs", None)

    _usual_prior_weights: ClassVar[tuple[float, ...]] = PRIOR_WEIGHTS

    def _no_shares(self, n_rows: int) -> sp.csr_array:
        return sp.csr_array((n_rows, len(self._labels.labels)))

    def _check_kinds(self, links: Links) -> None:
        given = self.kind_weights
        if isinstance(given, str):
            return
        is_wrong = set(given) != set(links.names) or not any(given.values())
        if is_wrong or not all(0 <= float(one) < np.inf for one in given.values()):
            raise ParameterError(
                "Expected kind_weights with a finite number of 0 or more for each of "
                f"{', '.join(links.names)}, not all 0, got {dict(given)!r}.",
                parameter="kind_weights",
            )

    def _missing_value_advice(self) -> str | None:
        return None


@dataclass(eq=False, repr=False, kw_only=True)
class LinkVotes(BaseLabelsOverLinks):
    """Predict from the labels of the linked labelled rows, weighted by their links.

    The score of a node is the weighted share of the linked labelled rows that have it;
    the label frequencies also vote, with a small weight. In the assessments of protein
    function prediction (CAFA), this baseline is called BLAST or DIAMOND, or votes of
    hits; a row without links gets the label frequencies, which is called Naive.

    All labels of a row have the same weight, so no node ever scores higher than its
    parents. Settings are chosen on the labelled rows, each of which is scored by the
    others.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Unlabelled rows and all columns are ignored. If a label is unknown for a row, the
    row does not vote on it.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    prior_weight : float or "auto", default="auto"
        How much the label frequencies count, in links of median weight; by default, the
        best of 0.03, 0.1, 0.3, 1 and 3.
    weighting : {"auto", "raw", "log", "square"}, default="auto"
        What to do to weights, which have been divided by the median weight of their
        kind: nothing, the logarithm of 1 plus the weight, or the square. By default,
        the best.
    kind_weights : dict of str to float, or "auto", default="auto"
        The importance of each kind of links. By default, all kinds are equally
        important at first; then the importance of each in turn is set to 0, a third or
        three times, if this is better.

    Attributes
    ----------
    prior_weight_ : float
    link_weights_ : LinkWeights or None
        How links of several kinds become one weight; None without links.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Radivojac et al., "A large-scale evaluation of computational protein function
    prediction", Nature Methods 10, 2013.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import LinkVotes
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> links = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    >>> model = LinkVotes(h, prior_weight=1).fit(None, [{"b"}, {"a"}, []], links=links)
    >>> model.predict_proba(links=[[3, 1, 0], [0, 0, 0]]).round(2)
    array([[0.93, 0.67],
           [0.67, 0.33]], dtype=float32)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        links=True,
        name="Votes of links",
        summary="linked rows vote",
        use="Links tell labels, as hits of BLAST or DIAMOND do (a baseline of CAFA).",
    )

    def _choose(self, data: TrainingData, judged: JudgedRows) -> None:
        links: Any = data.links

        def judge(weights: LinkWeights) -> tuple[float, float]:
            def shares_of(rows: IntArray) -> sp.csr_array:
                votes = weights.of_links(links[rows].to(slice(data.n_labeled)))
                return judged.parts.without_own(votes, rows)

            return self._best_prior(judged, shares_of)

        self.link_weights_, self.prior_weight_, _ = choose_weights(
            links, self.weighting, self.kind_weights, judge
        )

    def _shares(self, links: Links) -> sp.csr_array:
        weights: Any = self.link_weights_
        return weights.of_links(links.to(slice(len(self._labels.labels))))

    def _honest_shares(
        self, data: TrainingData, parts: LabelParts, rows: IntArray
    ) -> sp.csr_array:
        links: Any = data.links
        return parts.without_own(self._shares(links[rows]), rows)


def _n_rows(links: Any) -> int:
    one = next(iter(links.values())) if isinstance(links, Mapping) else links
    return int(one.shape[0]) if hasattr(one, "shape") else len(one)
