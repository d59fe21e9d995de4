"""Evidence for the terms of a row: what ``explain`` prints and the page shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._typing import FloatArray, IntArray
from hilabel.classifiers import LinearClassifier
from hilabel.forests import ClusteringTrees
from hilabel.links import LinkedRows, columns_of
from hilabel.models import TableModel
from hilabel.report._decision_path import RowReading, decision_path
from hilabel.report.page._given_rows import GivenRows, TrainingRows
from hilabel.report.page._shared_leaves import SharedLeaves
from hilabel.semi_supervised import (
    Neighborhood,
    inner_classifier,
    neighbor_finders,
    voting_neighbors,
)

NEAREST: Final = 5
"""Number of neighbours for each part of the model that finds some."""

# Columns with the largest contributions to a term.
_PARTS_SHOWN: Final = 6


@dataclass(frozen=True)
class NearRow:
    """A training row near the row to explain, which it never is itself.

    Attributes
    ----------
    id : str
    distance : float
    labels : tuple of int
        Its most specific labels.
    labels_given : bool
        Whether it had labels in training; otherwise, they are pseudo-labels.
    found_by : str
        The part of the model that found it.
    shares_leaves : bool
        Whether the distance is the share of trees in which the rows are in different
        leaves.
    """

    id: str
    distance: float
    labels: tuple[int, ...]
    labels_given: bool
    found_by: str
    shares_leaves: bool = False


@dataclass(frozen=True)
class Vote:
    """How many neighbours have a node, and their share of those that know it."""

    node: int
    votes: int
    share: float


@dataclass(frozen=True)
class Contributions:
    """What the columns add to the log odds of a node, largest first."""

    node: int
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class MemberScores:
    """The scores that a member of a blend gives to some nodes, and its weight."""

    name: str
    share: float
    scores: tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence for the terms of one row.

    Attributes
    ----------
    neighbors : tuple of NearRow
    votes : tuple of Vote
        Most votes first; empty unless the neighbours vote.
    path : DataFrame
        The splits on the path of the row; see :func:`~hilabel.report.decision_path`.
    path_of, contributions_of : str
        The member of a blend that has the trees, or that is linear; otherwise empty.
    contributions : tuple of Contributions
    members : tuple of MemberScores
        Of the final model. Empty for a row with out-of-fold probabilities, which come
        from other models.
    """

    neighbors: tuple[NearRow, ...]
    votes: tuple[Vote, ...]
    path: pd.DataFrame
    path_of: str
    contributions: tuple[Contributions, ...]
    contributions_of: str
    members: tuple[MemberScores, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the method gives no evidence."""
        found = self.neighbors, self.votes, self.contributions, self.members
        return not any(found) and self.path.empty


class EvidenceFinder:
    """Finds the evidence for the terms of rows, in what the method itself uses.

    Parameters
    ----------
    rows : GivenRows
        With features.
    """

    def __init__(self, rows: GivenRows) -> None:
        model = rows.model
        self._rows = rows
        self._model = model
        self._estimator: Any = model.estimator
        self._reading = reading_of(model)
        self._shares = {
            one.name: one.share for one in getattr(self._estimator, "candidates_", ())
        }
        self._grown_as, self._grown = _part(self._estimator, _has_trees)
        self._linear_as, self._linear = _part(self._estimator, _is_linear)
        self._training: TrainingRows | None = rows.training_rows
        self._leaves: SharedLeaves | None = None
        if self._grown is not None and self._training is not None:
            self._leaves = SharedLeaves(self._grown.trees_, self._training.X)

    def find(
        self,
        rows: IntArray,
        nodes: Sequence[IntArray],
        most_contributions: int | None = None,
    ) -> list[Evidence]:
        """Return the evidence for some rows.

        Parameters
        ----------
        rows : int array
        nodes : sequence of int array
            The nodes to explain for each row: for these, there are contributions, and
            scores of the members of a blend.
        most_contributions : int, optional
            Only the first nodes of each row have contributions.
        """
        linked = self._rows.X[rows]
        X = columns_of(linked)
        near = self._near(X, rows)
        members = self._member_scores(linked)
        found = []
        for at, row in enumerate(rows):
            neighbors, votes = near[at]
            is_left_out = self._rows.is_left_out[row]
            one = Evidence(
                neighbors=tuple(neighbors),
                votes=tuple(votes),
                path=self._path(X[[at]]),
                path_of=self._grown_as,
                contributions=self._contributions(
                    X[[at]], nodes[at][:most_contributions]
                ),
                contributions_of=self._linear_as,
                members=() if is_left_out else members(at, nodes[at]),
            )
            found.append(one)
        return found

    # Neighbours ---------------------------------------------------------------------

    def _near(self, X: Any, rows: IntArray) -> list[tuple[list[NearRow], list[Vote]]]:
        """Return the neighbours of each row and their votes."""
        if not self._model.labeled.any():  # the training rows are not known
            return [([], []) for _ in rows]
        numbers = self._rows.numbers[rows]
        if hasattr(self._estimator, "training_data_"):
            own = [int(number) if number >= 0 else None for number in numbers]
            around = voting_neighbors(self._estimator, X, own)
            return [(self._voters(one), _votes(one)) for one in around]
        found: list[list[NearRow]] = [[] for _ in rows]
        # Methods that store rows for comparison store labelled rows first.
        order = np.argsort(~self._model.labeled, kind="stable")
        for name, finder in neighbor_finders(self._estimator):
            near, distances = finder.neighbors(X)
            for at, (places, far) in enumerate(zip(near, distances, strict=True)):
                found[at] += self._others(order[places], far, numbers[at], name)
        if self._leaves is not None and self._training is not None:
            name = self._grown_as or "the trees"
            pairs = self._leaves.nearest(X, NEAREST + 1)
            for at, (places, far) in enumerate(pairs):
                same_leaves = self._training.numbers[places]
                found[at] += self._others(same_leaves, far, numbers[at], name, True)
        return [(near_rows, []) for near_rows in found]

    def _others(
        self,
        near: IntArray,
        distances: FloatArray,
        own: int,
        name: str,
        shares_leaves: bool = False,
    ) -> list[NearRow]:
        """Return the nearest rows except the row itself."""
        nearest_first = np.argsort(distances, kind="stable")
        others = nearest_first[near[nearest_first] != own][:NEAREST]
        return self._named(near[others], distances[others], name, shares_leaves)

    def _voters(self, around: Neighborhood) -> list[NearRow]:
        return self._named(around.neighbors, around.distances, "the method", False)

    def _named(
        self, numbers: IntArray, distances: FloatArray, name: str, shares_leaves: bool
    ) -> list[NearRow]:
        model = self._model
        labels = self._labels_of(numbers)
        return [
            NearRow(
                id=model.sample_ids[number],
                distance=float(distance),
                labels=tuple(np.flatnonzero(specific).tolist()),
                labels_given=bool(model.labeled[number]),
                found_by=name,
                shares_leaves=shares_leaves,
            )
            for number, distance, specific in zip(
                numbers, distances, labels, strict=True
            )
        ]

    def _labels_of(self, numbers: IntArray) -> Any:
        """Return the most specific labels of training rows, including pseudo-labels."""
        if hasattr(self._estimator, "transduction_"):
            labels = self._estimator.transduction_[numbers] > 0
        else:
            labels = self._model.marks[numbers].toarray() > 0
        return self._model.hierarchy.most_specific(labels)

    # Splits, contributions and members ----------------------------------------------

    def _path(self, X: Any) -> pd.DataFrame:
        if self._grown is None:
            return pd.DataFrame()
        return decision_path(self._grown, X, self._reading)

    def _contributions(self, X: Any, nodes: IntArray) -> tuple[Contributions, ...]:
        if self._linear is None or not len(nodes):
            return ()
        (found,) = self._linear.contributions(X, nodes)
        return tuple(
            Contributions(int(node), self._largest(parts))
            for node, parts in zip(nodes, found, strict=True)
        )

    def _largest(self, parts: FloatArray) -> tuple[tuple[str, float], ...]:
        best = np.argsort(-np.abs(parts), kind="stable")
        best = best[parts[best] != 0][:_PARTS_SHOWN]
        return tuple((self._reading.names[at], float(parts[at])) for at in best)

    def _member_scores(self, X: Any) -> Callable[[int, IntArray], Any]:
        """Return a function that returns the members' scores for nodes of a row."""
        said: dict[str, FloatArray] = {}
        if hasattr(self._estimator, "member_scores"):
            links = X.links if isinstance(X, LinkedRows) else None
            said = self._estimator.member_scores(columns_of(X), links)

        def of_row(at: int, nodes: IntArray) -> tuple[MemberScores, ...]:
            return tuple(
                MemberScores(
                    name,
                    float(self._shares.get(name, np.nan)),
                    tuple((int(node), float(scores[at, node])) for node in nodes),
                )
                for name, scores in said.items()
            )

        return of_row


def reading_of(model: TableModel) -> RowReading:
    """Return the names and the scaling of the columns of a model."""
    return RowReading(model.feature_names, *model.preparation.scaling())


def _votes(around: Neighborhood) -> list[Vote]:
    nodes = np.flatnonzero(around.votes)
    nodes = nodes[np.argsort(-around.votes[nodes], kind="stable")]
    return [
        Vote(
            int(node),
            int(around.votes[node]),
            float(around.votes[node] / around.knowers[node]),
        )
        for node in nodes
    ]


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
    return isinstance(part, LinearClassifier)
