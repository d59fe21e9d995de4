"""Evidence: the neighbours, votes and decisions behind a row's labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hilabel._matrices import stack_rows
from hilabel._typing import BoolArray, FloatArray, IntArray, LabelArray
from hilabel.classifiers import TrainingData
from hilabel.hierarchy import Hierarchy
from hilabel.neighbors import ExactSearch
from hilabel.pseudo_labeling import PassRecord


@dataclass(frozen=True, kw_only=True)
class _Neighborhood:
    """The nearest rows of a row, and how many of them have each label."""

    neighbors: IntArray
    distances: FloatArray
    neighbor_is_labeled: BoolArray
    votes: IntArray
    knowers: IntArray

    def _table(self, kind: str, hierarchy: Hierarchy) -> Any:
        """Return one row per neighbour or, for "votes", per node with votes."""
        import pandas as pd

        if kind == "neighbors":
            columns = {
                "neighbor": self.neighbors,
                "distance": np.asarray(self.distances, dtype=np.float64),
                "labels_given": self.neighbor_is_labeled,
            }
        else:
            nodes = np.flatnonzero(self.votes)
            columns = {
                "node": np.array(hierarchy.names, dtype=object)[nodes],
                "votes": self.votes[nodes],
                "share": self.votes[nodes] / self.knowers[nodes],
            }
        return pd.DataFrame(columns)

    def _draw_neighbors(self, axes: Any, title: str) -> None:
        colors = np.where(self.neighbor_is_labeled, "tab:green", "tab:orange")
        _bars(axes, [f"row {row}" for row in self.neighbors], self.distances, colors)
        axes.set(xlabel="distance", title=title)


@dataclass(frozen=True, kw_only=True)
class PassEvidence(_Neighborhood):
    """What one pass found and decided for one unlabelled row.

    Attributes
    ----------
    iteration : int
    neighbors, distances, neighbor_is_labeled, votes, knowers
        As in :class:`NewRowEvidence`, among the rows that had labels at that time.
    proposed : bool array of shape (n_nodes,)
    similarity : float
    accepted : bool
    """

    iteration: int
    proposed: BoolArray
    similarity: float
    accepted: bool

    def _table(self, kind: str, hierarchy: Hierarchy) -> Any:
        table = super()._table(kind, hierarchy)
        table.insert(0, "iteration", self.iteration)
        if kind == "votes":
            table["proposed"] = self.proposed[self.votes > 0]
        return table

    @property
    def _verdict(self) -> str:
        return "accepted" if self.accepted else "not accepted"


@dataclass(frozen=True)
class RowEvidence:
    """Why an unlabelled training row got its labels, pass by pass.

    Attributes
    ----------
    row : int
        Its number in the training data.
    passes : tuple of PassEvidence
        The last pass finds that nothing changes; the previous one decides.
    hierarchy : Hierarchy
    """

    row: int
    passes: tuple[PassEvidence, ...]
    hierarchy: Hierarchy

    @property
    def deciding(self) -> PassEvidence:
        """The pass whose decision the final classifier was trained on."""
        return self.passes[max(len(self.passes) - 2, 0)]

    def frame(self, kind: str = "passes") -> Any:
        """Return the evidence as a pandas DataFrame.

        Parameters
        ----------
        kind : {"passes", "neighbors", "votes"}, default="passes"
            One row per pass, per pass and neighbour, or per pass and node with votes.
        """
        import pandas as pd

        if kind in ("neighbors", "votes"):
            tables = [record._table(kind, self.hierarchy) for record in self.passes]
            return pd.concat(tables, ignore_index=True)
        if kind != "passes":
            raise ValueError(
                f"Expected kind 'passes', 'neighbors' or 'votes', got {kind!r}."
            )
        return pd.DataFrame(
            [
                {
                    "iteration": record.iteration,
                    "n_neighbors": record.neighbors.size,
                    "similarity": record.similarity,
                    "accepted": record.accepted,
                    "labels": self._names(record.proposed),
                }
                for record in self.passes
            ]
        )

    def plot(self, axes: Any = None) -> Any:
        """Draw the deciding pass: votes per node, and the distances to neighbours.

        Parameters
        ----------
        axes : pair of matplotlib axes, optional

        Returns
        -------
        matplotlib figure
        """
        record = self.deciding
        figure, (votes_axes, distance_axes) = _two_panels(axes)
        shown = np.flatnonzero(record.votes)
        names = [self.hierarchy.titles[node] for node in shown]
        colors = np.where(record.proposed[shown], "tab:blue", "lightgrey")
        _bars(votes_axes, names, record.votes[shown], colors)
        votes_axes.set(xlabel="neighbours with the label", title="Votes")
        record._draw_neighbors(distance_axes, "Neighbours")
        figure.suptitle(
            f"Row {self.row}, pass {record.iteration}: similarity "
            f"{record.similarity:.2f}, {record._verdict}"
        )
        return figure

    def _names(self, labels: BoolArray) -> str:
        return ", ".join(self.hierarchy.names[node] for node in np.flatnonzero(labels))

    def __repr__(self) -> str:
        record = self.deciding
        return (
            f"RowEvidence(row {self.row}: {record._verdict} with similarity "
            f"{record.similarity:.2f} and labels {{{self._names(record.proposed)}}} "
            f"after {len(self.passes)} passes)"
        )


@dataclass(frozen=True, kw_only=True)
class NewRowEvidence(_Neighborhood):
    """The evidence for the prediction of a new row.

    Attributes
    ----------
    neighbors : int array of shape (k,)
        Nearest training rows of the classifier, nearest first.
    distances : ndarray of shape (k,)
    neighbor_is_labeled : bool array of shape (k,)
        Whether the labels of the neighbour were given, not voted for.
    votes : int array of shape (n_nodes,)
        Number of neighbours with each label.
    knowers : int array of shape (n_nodes,)
        Number of neighbours for which each label is known; fewer than all if labels are
        partially known.
    local : ndarray of shape (n_nodes,)
        The probability of each node before the constraint.
    probability : ndarray of shape (n_nodes,)
        The probability after the constraint.
    hierarchy : Hierarchy
    """

    local: FloatArray
    probability: FloatArray
    hierarchy: Hierarchy

    def frame(self, kind: str = "nodes") -> Any:
        """Return the evidence as a pandas DataFrame.

        Parameters
        ----------
        kind : {"nodes", "neighbors", "votes"}, default="nodes"
            One row per node, most probable first; per neighbour, nearest first; or per
            node with votes.
        """
        import pandas as pd

        if kind in ("neighbors", "votes"):
            return self._table(kind, self.hierarchy)
        if kind != "nodes":
            raise ValueError(
                f"Expected kind 'nodes', 'neighbors' or 'votes', got {kind!r}; for "
                "passes, explain an unlabelled training row by its number."
            )
        table = pd.DataFrame(
            {
                "node": self.hierarchy.names,
                "title": self.hierarchy.titles,
                "votes": self.votes,
                "local": self.local,
                "probability": self.probability,
                "capped": self.probability < self.local,
            }
        )
        return table.sort_values("probability", ascending=False, kind="stable")

    def plot(self, axes: Any = None, top: int = 15) -> Any:
        """Draw the most probable nodes before and after the constraint.

        Parameters
        ----------
        axes : pair of matplotlib axes, optional
        top : int, default=15
            Number of nodes shown.

        Returns
        -------
        matplotlib figure
        """
        figure, (score_axes, distance_axes) = _two_panels(axes)
        shown = np.argsort(-self.probability, kind="stable")[:top]
        names = [self.hierarchy.titles[node] for node in shown]
        _bars(score_axes, names, self.local[shown], "lightgrey")
        _bars(score_axes, names, self.probability[shown], "tab:blue")
        score_axes.set(xlabel="probability (grey: before the cap)", title="Nodes")
        self._draw_neighbors(distance_axes, "Nearest training rows")
        return figure


def explain_training_row(
    row: int, data: TrainingData, passes: Sequence[PassRecord]
) -> RowEvidence:
    """Collect the decisions of every pass about an unlabelled training row."""
    if not 0 <= row < data.n_rows:
        raise ValueError(
            f"Expected a row of the training data, 0 to {data.n_rows - 1}, got {row}."
        )
    found = np.flatnonzero(data.unlabeled_rows == row)
    if not found.size:
        raise ValueError(
            f"Row {row} was passed with labels, so there is nothing to explain; "
            "expected the number of an unlabelled row, or a new row as an array."
        )
    position = int(found[0])
    numbers = np.concatenate([data.labeled_rows, data.unlabeled_rows])
    evidence = []
    for iteration, record in enumerate(passes, start=1):
        decided = record.row(position)
        votes, knowers = _votes_at(iteration, decided.neighbors, data, passes)
        evidence.append(
            PassEvidence(
                iteration=iteration,
                neighbors=numbers[decided.neighbors],
                distances=decided.distances,
                neighbor_is_labeled=decided.neighbors < data.labeled_rows.size,
                votes=votes,
                knowers=knowers,
                proposed=record.proposed_row(position),
                similarity=float(decided.similarity),
                accepted=bool(decided.accepted),
            )
        )
    return RowEvidence(row, tuple(evidence), data.hierarchy)


def explain_new_row(
    X: Any,
    data: TrainingData,
    transduction: LabelArray,
    estimator: Any,
    search: ExactSearch,
    n_neighbors: int,
) -> NewRowEvidence:
    """Find the nearest training rows of a new row, and its probabilities."""
    numbers = np.concatenate([data.labeled_rows, data.unlabeled_rows])
    used = np.flatnonzero((transduction[numbers] >= 0).any(axis=1))
    points = stack_rows(data.X_labeled, data.X_unlabeled)[used]
    # Distances are computed between rows of the same kind, as in training.
    query = stack_rows(points[:0], X)
    found, distances = search.nearest(query, points, min(n_neighbors, used.size))
    nearest = used[found[0]]
    neighbors = numbers[nearest]
    probability = estimator.predict_proba(X)[0]
    local = getattr(estimator, "_local_scores", estimator.predict_proba)(X)[0]
    return NewRowEvidence(
        neighbors=neighbors,
        distances=distances[0],
        neighbor_is_labeled=nearest < data.labeled_rows.size,
        votes=(transduction[neighbors] > 0).sum(axis=0),
        knowers=(transduction[neighbors] >= 0).sum(axis=0),
        local=local,
        probability=probability,
        hierarchy=data.hierarchy,
    )


def _votes_at(
    iteration: int,
    neighbors: IntArray,
    data: TrainingData,
    passes: Sequence[PassRecord],
) -> tuple[IntArray, IntArray]:
    """Count the labels of the neighbours when a pass started, and known labels."""
    n_labeled = data.labeled_rows.size
    votes, knowers = np.zeros((2, data.hierarchy.n_nodes), dtype=np.int64)
    for neighbor in neighbors:
        if neighbor < n_labeled:
            votes += data.Y_labeled[neighbor]
            knowers += True if data.known is None else data.known[neighbor]
        else:  # accepted in the previous pass, with the labels proposed there
            before, number = passes[iteration - 2], int(neighbor) - n_labeled
            votes += before.proposed_row(number)
            knowers += before.known_row(number)
    return votes, knowers


def _two_panels(axes: Any) -> Any:
    if axes is not None:
        return axes[0].figure, axes
    import matplotlib.pyplot as plt

    return plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")


def _bars(axes: Any, names: Sequence[str], lengths: Any, colors: Any) -> None:
    positions = np.arange(len(names))
    axes.barh(positions, lengths, color=colors)
    axes.set_yticks(positions, names)
    if not axes.yaxis_inverted():
        axes.invert_yaxis()
