"""Collect evidence for predicted terms, based on what the method itself uses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import BoolArray, IntArray
from hilabel.classifiers import LogisticClassifier
from hilabel.forests import ClusteringTrees
from hilabel.hierarchy import Hierarchy
from hilabel.report._decision_path import RowReading, decision_path
from hilabel.report.page._bounds import (
    DECISIONS,
    LABELS,
    NEIGHBORS,
    TERMS_SUMMED,
    VOTES,
)
from hilabel.report.page._shared_leaves import SharedLeaves
from hilabel.semi_supervised import (
    Neighborhood,
    inner_classifier,
    neighbor_finders,
    voting_neighbors,
)


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The training rows of a model, in their original order.

    Attributes
    ----------
    ids : sequence of str
    labeled : bool array of shape (n_rows,)
    labels : csr_array of shape (n_rows, n_nodes)
        Not 0 where a row has the label, including ancestors.
    at_hand : int array, optional
        Numbers of the labelled rows whose features are available.
    X : array or sparse matrix, optional
        The features of these rows, as passed to the classifier.
    """

    ids: Sequence[str]
    labeled: BoolArray
    labels: sp.csr_array
    at_hand: IntArray | None = None
    X: Any = None


class Evidence:
    """Collects the evidence for the predicted terms of rows.

    Parameters
    ----------
    estimator : fitted hierarchical classifier
    reading : RowReading
        The names and the scaling of its columns.
    training : TrainingRows or None
        If None, neighbours have no ids.
    """

    def __init__(
        self, estimator: Any, reading: RowReading, training: TrainingRows | None
    ) -> None:
        self._estimator = estimator
        self._reading = reading
        self._training = training
        self._hierarchy: Hierarchy = estimator.hierarchy_
        self._place: dict[str, int] = {}
        self._grown_as, self._grown = _part(estimator, _has_trees)
        self._linear_as, self._linear = _part(estimator, _is_linear)
        self._leaves: SharedLeaves | None = None
        if training is not None:
            self._place = {name: row for row, name in enumerate(training.ids)}
            if self._grown is not None and training.X is not None:
                self._leaves = SharedLeaves(self._grown.trees_, training.X)

    def of(
        self, X: Any, ids: Sequence[str], terms: Sequence[IntArray]
    ) -> list[dict[str, Any] | None]:
        """Return the evidence for each row, or None if there is none.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features)
            The rows as passed to the classifier.
        ids : sequence of str
            The ids of the rows, by which training rows are found.
        terms : sequence of int array
            For each row, the nodes for which to show the scores of the members of a
            blend.
        """
        members = self._members(X)
        near = self._near(X, ids)
        gathered = []
        for at, nodes in enumerate(terms):
            neighbors, votes = near[at]
            one = {
                "neighbours": neighbors,
                "votes": votes,
                "decisions": self._decisions(X[[at]]),
                "sums": self._sums(X[[at]], nodes[:TERMS_SUMMED]),
                "candidates": _candidates(members, at, nodes),
            }
            gathered.append(one if any(one.values()) else None)
        return gathered

    # Neighbours ---------------------------------------------------------------------

    def _near(self, X: Any, ids: Sequence[str]) -> list[tuple[Any, Any]]:
        """Return the neighbours of each row and their votes."""
        n_rows = X.shape[0]
        if hasattr(self._estimator, "training_data_"):
            numbers = [self._place.get(name) for name in ids]
            return [
                self._voters(one)
                for one in voting_neighbors(self._estimator, X, numbers)
            ]
        found: list[list[Any]] = [[] for _ in range(n_rows)]
        if self._training is None:
            return [(each, []) for each in found]
        # Methods that store rows for comparison store labelled rows first.
        order = np.argsort(~self._training.labeled, kind="stable")
        for name, finder in neighbor_finders(self._estimator):
            near, distances = finder.neighbors(X)
            self._add(found, name, ids, zip(order[near], distances, strict=True))
        if self._leaves is not None and self._training.at_hand is not None:
            pairs = self._leaves.nearest(X, NEIGHBORS + 1)
            rows = self._training.at_hand
            near_leaves = ((rows[places], far) for places, far in pairs)
            self._add(
                found, f"leaves of {self._grown_as or 'the trees'}", ids, near_leaves
            )
        return [(each, []) for each in found]

    def _add(self, found: Any, seen_by: str, ids: Sequence[str], near: Any) -> None:
        """Add the neighbours of each row, except the row itself."""
        for listed, name, (numbers, distances) in zip(found, ids, near, strict=True):
            others = numbers != self._place.get(name, -1)
            listed += self._named(numbers[others], distances[others], seen_by)

    def _voters(self, evidence: Neighborhood) -> tuple[Any, Any]:
        nodes = np.flatnonzero(evidence.votes)
        nodes = nodes[np.argsort(-evidence.votes[nodes], kind="stable")][:VOTES]
        shares = evidence.votes[nodes] / evidence.knowers[nodes]
        votes = list(zip(nodes.tolist(), shares.tolist(), strict=True))
        return self._named(evidence.neighbors, evidence.distances, ""), votes

    def _named(self, numbers: Any, distances: Any, seen_by: str) -> list[Any]:
        training, listed = self._training, []
        labels = self._labels_of(numbers[:NEIGHBORS])
        pairs = zip(numbers[:NEIGHBORS], distances, labels, strict=False)
        for number, distance, nodes in pairs:
            one = {
                "id": f"training row {number}"
                if training is None
                else training.ids[number],
                "distance": float(distance),
                "labels": nodes,
                "labelled": self._is_labeled(number),
            }
            listed.append({**one, "seen_by": seen_by} if seen_by else one)
        return listed

    def _is_labeled(self, number: int) -> bool:
        if self._training is not None:
            return bool(self._training.labeled[number])
        return bool(number in self._estimator.training_data_.labeled_rows)

    def _labels_of(self, numbers: Any) -> list[Any]:
        """Return the most specific labels of training rows, including pseudo-labels."""
        if hasattr(self._estimator, "transduction_"):
            labels = self._estimator.transduction_[numbers] > 0
        else:
            assert self._training is not None  # otherwise, there are no neighbours
            labels = self._training.labels[numbers].toarray() > 0
        specific = self._hierarchy.most_specific(labels)
        return [np.flatnonzero(row)[:LABELS].tolist() for row in specific]

    # Splits and contributions -------------------------------------------------------

    def _decisions(self, X: Any) -> list[str]:
        if self._grown is None:
            return []
        path = decision_path(self._grown, X, self._reading)
        if "decision" in path:
            return [
                f"{one.decision} (the row has {_number(one.value)}; {one.rows} "
                "training rows came this far)"
                for one in path.itertuples()
            ]
        return [
            f"{100 * one.share:.0f} % of trees test {one.feature} (here "
            f"{_number(one.value)}; median cut-off {_number(one.median_threshold)})"
            for one in path.head(DECISIONS).itertuples()
        ]

    def _sums(self, X: Any, nodes: IntArray) -> list[tuple[int, str]]:
        """Describe the largest contributions to the log odds of the given terms."""
        if self._linear is None:
            return []
        (found,) = self._linear.contributions(X, nodes)
        sentences = []
        for node, parts in zip(nodes, found, strict=True):
            best = np.argsort(-np.abs(parts), kind="stable")[:DECISIONS]
            told = ", ".join(
                f"{self._reading.names[column]} {_minus(f'{parts[column]:+.2g}')}"
                for column in best
                if parts[column] != 0
            )
            who = f" in {self._linear_as}" if self._linear_as else ""
            sentences.append((int(node), f"added to the log odds{who}: {told}"))
        return sentences

    def _members(self, X: Any) -> dict[str, Any]:
        if not hasattr(self._estimator, "member_scores"):
            return {}
        found: dict[str, Any] = self._estimator.member_scores(X)
        return found


def _part(estimator: Any, is_wanted: Callable[[Any], bool]) -> tuple[str, Any]:
    """Return the first wanted part of a model that uses all columns, and its name."""
    parts = {"": inner_classifier(estimator)}
    for name, part in (parts | getattr(estimator, "members_", {})).items():
        if is_wanted(part) and part.n_features_in_ == estimator.n_features_in_:
            return name, part
    return "", None


def _has_trees(part: Any) -> bool:
    return isinstance(getattr(part, "trees_", None), ClusteringTrees)


def _is_linear(part: Any) -> bool:
    return isinstance(part, LogisticClassifier)


def _number(value: float) -> str:
    return "missing" if np.isnan(value) else _minus(f"{value:.4g}")


def _minus(number: str) -> str:
    """Return a number with a true minus sign, which the page uses everywhere."""
    return number.replace("-", "\N{MINUS SIGN}")


def _candidates(
    members: dict[str, Any], at: int, nodes: IntArray
) -> list[dict[str, Any]]:
    """Return the scores from each member for the given terms."""
    return [
        {
            "name": name,
            "scores": [(int(node), float(scores[at, node])) for node in nodes],
        }
        for name, scores in members.items()
    ]
