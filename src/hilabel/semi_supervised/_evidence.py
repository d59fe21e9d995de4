"""Evidence: the neighbours, votes and decisions behind a row's labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hilabel._matrices import stack_rows
from hilabel._typing import BoolArray, FloatArray, IntArray, LabelArray
from hilabel.classifiers import TrainingData
from hilabel.hierarchy import Hierarchy
from hilabel.links import LinkedRows, Links
from hilabel.neighbors import ExactSearch, Metric
from hilabel.pseudo_labeling import PassRecord, strongest_links


@dataclass(frozen=True, kw_only=True)
class Neighborhood:
    """The nearest neighbours of a row, and how many of them have each label.

    The attributes are described in :class:`NewRowEvidence`.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.semi_supervised import Neighborhood
    >>> around = Neighborhood(
    ...     neighbors=np.array([7, 2]),
    ...     distances=np.array([0.1, 0.4]),
    ...     neighbor_is_labeled=np.array([True, True]),
    ...     votes=np.array([2, 1]),
    ...     knowers=np.array([2, 2]),
    ... )
    >>> around.votes / around.knowers  # the share of the neighbours with each label
    array([1. , 0.5])
    """

    neighbors: IntArray
    distances: FloatArray
    neighbor_is_labeled: BoolArray
    votes: IntArray
    knowers: IntArray

    def _table(self, kind: str, hierarchy: Hierarchy) -> Any:
        """Return a table of the neighbours or, if ``kind`` is "votes", of the votes."""
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
class PassEvidence(Neighborhood):
    """The neighbours and the decision for one unlabelled row in one pass.

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
    """The evidence for the labels of an unlabelled training row, pass by pass.

    Attributes
    ----------
    row : int
        Number of the row in the training data.
    passes : tuple of PassEvidence
        The last pass only confirms that nothing changes; the one before it decides.
    hierarchy : Hierarchy

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> why = model.explain(100)
    >>> why.frame("neighbors").columns.tolist()
    ['iteration', 'neighbor', 'distance', 'labels_given']
    >>> len(why.passes) == model.n_iter_
    True
    """

    row: int
    passes: tuple[PassEvidence, ...]
    hierarchy: Hierarchy

    @property
    def deciding(self) -> PassEvidence:
        """The pass whose decision was used to train the final classifier."""
        return self.passes[_deciding(self.passes)]

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
        """Plot the deciding pass: votes for each node, and distances to the neighbours.

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
class NewRowEvidence(Neighborhood):
    """The evidence behind the prediction for a new row.

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

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> why = model.explain([4.0, 4.5])
    >>> len(why.neighbors), why.probability.shape
    (3, (6,))
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
        """Plot the probabilities of the most probable nodes before and after capping.

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


def voting_neighbors(
    estimator: Any, X: Any, numbers: Sequence[int | None]
) -> list[Neighborhood]:
    """Return the neighbours that determine the labels of each row, and their votes.

    Parameters
    ----------
    estimator : fitted SSHMCBLI or SSHCBLI
    X : array or sparse matrix of shape (n_rows, n_features)
    numbers : sequence of int or None
        For a training row, its number, and None for a new row. For an unlabelled
        training row, the neighbours are those of the deciding pass. A labelled row is
        not its own neighbour. If the method was fitted with links, a labelled row has
        its links, and a new row none.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSHMCBLI, voting_neighbors
    >>> data = make_artificial()
    >>> model = SSHMCBLI(data.hierarchy, n_neighbors=3, random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    >>> (found,) = voting_neighbors(model, data.X_labeled[:1], [0])
    >>> found.neighbors.size, 0 in found.neighbors
    (3, False)
    """
    data: TrainingData = estimator.training_data_
    unlabeled = {int(row): at for at, row in enumerate(data.unlabeled_rows)}
    others = [at for at, number in enumerate(numbers) if number not in unlabeled]
    # A labelled row is its own nearest neighbour, which explains nothing, so search for
    # one more.
    k = estimator.settings_.n_neighbors
    search = ExactSearch(Metric(estimator.metric))
    labels = estimator.transduction_
    rows = X[others]
    if data.links is not None:
        rows = LinkedRows(rows, _links_of(data, [numbers[at] for at in others]))
    near = iter(_nearest(rows, data, labels, search, k + 1))
    found: list[Neighborhood] = []
    for number in numbers:
        if number is not None and number in unlabeled:
            passes = estimator.passes_
            found.append(
                _pass_evidence(unlabeled[number], _deciding(passes), data, passes)
            )
        else:
            own = -1 if number is None else number
            found.append(_without(next(near), own, k, labels))
    return found


def _links_of(data: TrainingData, numbers: Sequence[int | None]) -> Links:
    """Return the links of labelled rows with the given numbers; new rows have none."""
    links = data.links
    assert links is not None  # checked by the caller
    place = {int(row): at for at, row in enumerate(data.labeled_rows)}
    found = [-1 if number is None else place[number] for number in numbers]
    none = Links.none(links.names, 1, links.n_targets)
    return Links.stack(links.both_ways(), none)[np.array(found, dtype=np.int64)]


def explain_training_row(
    row: int, data: TrainingData, passes: Sequence[PassRecord]
) -> RowEvidence:
    """Collect the evidence from every pass for an unlabelled training row."""
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
    evidence = [
        _pass_evidence(int(found[0]), number, data, passes)
        for number in range(len(passes))
    ]
    return RowEvidence(row, tuple(evidence), data.hierarchy)


def _deciding(passes: Sequence[Any]) -> int:
    """Return the index of the deciding pass, usually the second to last."""
    return max(len(passes) - 2, 0)


def _pass_evidence(
    position: int, number: int, data: TrainingData, passes: Sequence[PassRecord]
) -> PassEvidence:
    """Collect the evidence from one pass for the unlabelled row at ``position``."""
    record = passes[number]
    decided = record.row(position)
    rows = np.concatenate([data.labeled_rows, data.unlabeled_rows])
    votes, knowers = _votes_at(number + 1, decided.neighbors, data, passes)
    return PassEvidence(
        iteration=number + 1,
        neighbors=rows[decided.neighbors],
        distances=decided.distances,
        neighbor_is_labeled=decided.neighbors < data.labeled_rows.size,
        votes=votes,
        knowers=knowers,
        proposed=record.proposed_row(position),
        similarity=float(decided.similarity),
        accepted=bool(decided.accepted),
    )


def explain_new_row(
    X: Any,
    data: TrainingData,
    transduction: LabelArray,
    estimator: Any,
    search: ExactSearch,
    n_neighbors: int,
    scored: Any,
) -> NewRowEvidence:
    """Return the training rows nearest to a new row, and the row's probabilities.

    ``scored`` is the row as ``estimator`` expects it.
    """
    (near,) = _nearest(X, data, transduction, search, n_neighbors)
    score = estimator._predict_scores
    probability = score(scored)[0]
    local = getattr(estimator, "_local_scores", score)(scored)[0]
    return NewRowEvidence(
        **vars(near), local=local, probability=probability, hierarchy=data.hierarchy
    )


def _nearest(
    X: Any,
    data: TrainingData,
    transduction: LabelArray,
    search: ExactSearch,
    n_neighbors: int,
) -> list[Neighborhood]:
    """Return, for each row, the nearest training rows that have labels.

    If rows have links, these are the rows with the strongest links.
    """
    numbers = np.concatenate([data.labeled_rows, data.unlabeled_rows])
    used = np.flatnonzero((transduction[numbers] >= 0).any(axis=1))
    if isinstance(X, LinkedRows) and data.links is not None:
        links = X.links.to(used)
        near = zip(*strongest_links(links, data.links, n_neighbors), strict=True)
        return [
            _neighborhood(used[found], far, data, transduction) for found, far in near
        ]
    points = stack_rows(data.X_labeled, data.X_unlabeled)[used]
    # Distances are computed between rows of the same kind, as in training.
    query = stack_rows(points[:0], X)
    found, distances = search.nearest(query, points, min(n_neighbors, used.size))
    return [
        _neighborhood(nearest, far, data, transduction)
        for nearest, far in zip(used[found], distances, strict=True)
    ]


def _neighborhood(
    nearest: IntArray, distances: FloatArray, data: TrainingData, labels: LabelArray
) -> Neighborhood:
    """Return the votes of training rows, of which labelled rows come first."""
    rows = np.concatenate([data.labeled_rows, data.unlabeled_rows])[nearest]
    return Neighborhood(
        neighbors=rows,
        distances=distances,
        neighbor_is_labeled=nearest < data.labeled_rows.size,
        votes=(labels[rows] > 0).sum(axis=0),
        knowers=(labels[rows] >= 0).sum(axis=0),
    )


def _without(
    near: Neighborhood, number: int, n_neighbors: int, transduction: LabelArray
) -> Neighborhood:
    """Return the neighbourhood without the given row."""
    others = np.flatnonzero(near.neighbors != number)[:n_neighbors]
    labels = transduction[near.neighbors[others]]
    return Neighborhood(
        neighbors=near.neighbors[others],
        distances=near.distances[others],
        neighbor_is_labeled=near.neighbor_is_labeled[others],
        votes=(labels > 0).sum(axis=0),
        knowers=(labels >= 0).sum(axis=0),
    )


def _votes_at(
    iteration: int,
    neighbors: IntArray,
    data: TrainingData,
    passes: Sequence[PassRecord],
) -> tuple[IntArray, IntArray]:
    """Count the neighbours that have each node, and those for which it is known."""
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
