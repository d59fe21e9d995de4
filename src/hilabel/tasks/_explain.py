"""Explain why a row gets its terms: show neighbours, votes, splits and features."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._typing import FilePath, FloatArray, IntArray
from hilabel.classifiers import node_importances
from hilabel.exceptions import ParameterError
from hilabel.persistence import TableModel
from hilabel.report import ExplanationDisplay, RowReading, decision_path
from hilabel.semi_supervised import RowEvidence, inner_classifier, voting_neighbors
from hilabel.tasks._members import around_frame, member_frame
from hilabel.tasks._predict import as_table_model


@dataclass(frozen=True, eq=False)
class Explanation:
    """The evidence for the terms of one row, with names instead of indices.

    Attributes
    ----------
    row_id : str
    role : str
        The role of the row in training.
    decisions : DataFrame
        One row per term, parents before children: ``term``, ``name``, ``depth``,
        ``own`` (the node's own probability before calibration; NaN if the method has
        none), ``probability`` (after the constraint), ``limited_by`` (the ancestor that
        lowered the probability, if any), ``threshold``, ``predicted`` and ``features``
        (the most important features of the node).
    path : DataFrame
        For trees of the whole hierarchy, the splits on the row's path. One tree:
        ``decision``, ``value`` of the row, number of training ``rows`` at the split. A
        forest: ``feature``, ``value``, ``share`` of the trees with the feature on the
        path, ``median_threshold``. Empty for other methods.
    neighbors : DataFrame
        ``id``, ``distance``, ``labels_given`` and ``labels``, nearest first; empty if
        the method does not use neighbours.
    votes : DataFrame
        ``term``, ``name``, ``votes``, and their ``share`` of the neighbours for which
        the term is known.
    passes : DataFrame
        For an unlabelled training row, the passes that changed its labels or its
        similarity: ``pass``, ``neighbors``, ``similarity``, ``accepted``, ``labels``.
    members : DataFrame
        For a mean of several models, the scores of each: ``member``, ``share`` in the
        mean, ``term``, ``name``, ``score`` before calibration.
    around : DataFrame
        For methods and members that use them, the nearest training rows: ``seen_by``,
        ``id``, ``distance``, ``labels_given``, at most five each. A training row is
        among its own nearest rows.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, explain_row, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree", thresholds=None)
    ...     why = explain_row(fit_table(files, choices).model, "P0001", files.features)
    >>> why.path.columns.tolist()
    ['decision', 'value', 'rows']
    """

    row_id: str
    role: str
    decisions: pd.DataFrame
    path: pd.DataFrame
    neighbors: pd.DataFrame
    votes: pd.DataFrame
    passes: pd.DataFrame
    members: pd.DataFrame
    around: pd.DataFrame

    @property
    def display(self) -> ExplanationDisplay:
        """The figure."""
        title = f"{self.row_id} ({self.role})"
        return ExplanationDisplay(title, self.decisions, self.neighbors)


def explain_row(
    model: TableModel | FilePath,
    row_id: str,
    features: FilePath | None = None,
    *,
    id_column: str | None = None,
    ids: FilePath | None = None,
    top: int = 10,
) -> Explanation:
    """Explain why a row gets its terms.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or its file.
    row_id : str
        Id of a training row, if the method stores them, or of a row in ``features``.
    features : path-like, optional
        A table with the row.
    id_column : str, optional
        Id column of ``features``; by default, the same as in training.
    ids : path-like, optional
        The ids of the rows, if ``features`` are arrays.
    top : int, default=10
        Number of most probable terms; all predicted terms are also shown.

    Raises
    ------
    ParameterError
        If the row is not found; the message names the places searched.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, explain_row, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree", thresholds=None)
    ...     why = explain_row(fit_table(files, choices).model, "P0001", files.features)
    >>> why.decisions["term"].iloc[0]
    'food'
    """
    model = as_table_model(model)
    number = model.sample_ids.index(row_id) if row_id in model.sample_ids else None
    X = _row(model, row_id, number, features, id_column, ids)
    score = np.asarray(model.estimator.predict_proba(X))[0]
    probability = model.calibrated([score], [row_id])[0]
    shown = _nodes_shown(model, probability, top)
    decisions = _decisions(model, X, score, probability, shown)
    role, neighbors, votes, passes = _past(model, X, number)
    path = decision_path(model.estimator, X, reading_of(model))
    return Explanation(
        row_id=row_id,
        role=role,
        decisions=decisions,
        path=path,
        neighbors=neighbors,
        votes=votes,
        passes=passes,
        members=member_frame(model, X, shown),
        around=around_frame(model, X),
    )


def _past(
    model: TableModel, X: FloatArray, number: int | None
) -> tuple[str, pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the role of a row in training, and its neighbours, votes and passes."""
    estimator: Any = model.estimator
    nothing = pd.DataFrame()
    if not hasattr(estimator, "training_data_"):
        role = "new row" if number is None else "training row"
        return role, nothing, nothing, nothing
    role, passes = "new row", nothing
    if number is not None:
        is_unlabeled = number in estimator.training_data_.unlabeled_rows
        role = f"{'unlabelled' if is_unlabeled else 'labelled'} training row"
        passes = (
            _pass_frame(model, estimator.explain(number)) if is_unlabeled else passes
        )
    (evidence,) = voting_neighbors(estimator, X, [number])
    return (
        role,
        _neighbor_frame(model, evidence.neighbors, evidence.distances),
        _vote_frame(model, evidence.votes, evidence.knowers),
        passes,
    )


# The row ------------------------------------------------------------------------------


def _row(
    model: TableModel,
    row_id: str,
    number: int | None,
    features: FilePath | None,
    id_column: str | None,
    ids: FilePath | None,
) -> FloatArray:
    if features is not None:
        table = model.read(features, id_column, ids)
        if row_id not in table.ids:
            raise ParameterError(
                f"{features}: no row has the id {row_id!r}; it has {len(table)} rows, "
                f"such as {table.ids[0]!r}."
            )
        place = table.ids.index(row_id)
        return model.matrix(table)[[place]]
    if number is None:
        raise ParameterError(
            f"No training row has the id {row_id!r}; the model knows "
            f"{len(model.sample_ids)}, such as {model.sample_ids[0]!r}. For a new row, "
            "pass the file that contains it.",
            parameter="features",
        )
    data = getattr(model.estimator, "training_data_", None)
    if data is None:
        raise ParameterError(
            f"{type(model.estimator).__name__} does not store its training rows; pass "
            f"the file that contains {row_id!r}.",
            parameter="features",
        )
    X, rows = data.X_labeled, data.labeled_rows
    if number not in rows:
        X, rows = data.X_unlabeled, data.unlabeled_rows
    row = X[np.flatnonzero(rows == number)]
    return row if sp.issparse(row) else np.asarray(row)


def reading_of(model: TableModel) -> RowReading:
    """Return the names and the scaling of the feature columns of a model."""
    return RowReading(model.feature_names, *model.preparation.scaling())


# What is shown ------------------------------------------------------------------------


def _nodes_shown(model: TableModel, probability: FloatArray, top: int) -> Any:
    """Return the nodes to show, in depth-first order."""
    hierarchy = model.hierarchy
    wanted = model.labels(probability[None])[0]
    probable = np.argsort(-probability, kind="stable")[:top]
    wanted[probable[probability[probable] > 0]] = True
    # Terms are shown below their ancestors.
    wanted = hierarchy.close(wanted[None])[0]

    def probable_last(nodes: IntArray) -> list[int]:
        order = np.argsort(-probability[nodes], kind="stable")
        return [node for node in nodes[order[::-1]].tolist() if wanted[node]]

    walk: dict[int, None] = {}
    waiting = probable_last(hierarchy.roots)
    while waiting:  # no recursion: hierarchies may be deeper than Python's stack
        node = waiting.pop()
        if node not in walk:
            walk[node] = None
            waiting += probable_last(hierarchy.children(node))
    return np.array(list(walk))


def _decisions(
    model: TableModel,
    X: FloatArray,
    score: FloatArray,
    probability: FloatArray,
    shown: Any,
) -> pd.DataFrame:
    hierarchy = model.hierarchy
    inner = inner_classifier(model.estimator)
    own = np.full(hierarchy.n_nodes, np.nan)
    if hasattr(inner, "_local_scores"):
        own = np.asarray(inner._local_scores(X))[0]
    threshold = 0.5 if model.thresholds is None else model.thresholds.overall
    predicted = model.labels(probability[None])[0]
    return pd.DataFrame(
        {
            "term": [hierarchy.names[node] for node in shown],
            "name": [hierarchy.titles[node] for node in shown],
            "depth": hierarchy.depth[shown],
            "own": own[shown].astype(np.float64),
            "probability": probability[shown].astype(np.float64),
            "limited_by": [_limiting(model, int(node), own, score) for node in shown],
            "threshold": threshold,
            "predicted": predicted[shown],
            "features": _features(model, shown),
        }
    )


def _limiting(
    model: TableModel, node: int, own: FloatArray, probability: FloatArray
) -> str | None:
    """Return the title of the ancestor whose probability limits that of the node."""
    if not probability[node] < own[node]:
        return None
    above = model.hierarchy.ancestors(node)
    if above.size == 0:
        return None
    return model.hierarchy.titles[above[np.argmin(own[above])]]


def _features(model: TableModel, shown: Any, n_features: int = 3) -> list[str]:
    importances = node_importances(model.estimator)
    names = np.array(model.feature_names, dtype=object)
    # A classifier with views has more columns than the table.
    if importances is None or importances.shape[1] != len(names):
        return [""] * len(shown)
    listed = []
    for node in shown:
        best = np.argsort(-importances[node], kind="stable")[:n_features]
        best = best[importances[node, best] > 0]
        listed.append(", ".join(names[best]))
    return listed


def _neighbor_frame(
    model: TableModel, neighbors: Any, distances: FloatArray
) -> pd.DataFrame:
    estimator: Any = model.estimator
    labels = model.hierarchy.most_specific(estimator.transduction_[neighbors] > 0)
    return pd.DataFrame(
        {
            "id": [model.sample_ids[row] for row in neighbors],
            "distance": distances.astype(np.float64),
            "labels_given": np.isin(neighbors, estimator.training_data_.labeled_rows),
            "labels": [
                ", ".join(model.hierarchy.titles[node] for node in np.flatnonzero(row))
                for row in labels
            ],
        }
    )


def _pass_frame(model: TableModel, evidence: RowEvidence) -> pd.DataFrame:
    """Return the passes whose decisions differ from those of the previous pass."""
    rows: list[dict[str, Any]] = []
    for record in evidence.passes:
        labels = model.hierarchy.most_specific(record.proposed[None])[0]
        decision = {
            "neighbors": record.neighbors.size,
            "similarity": round(float(record.similarity), 6),
            "accepted": record.accepted,
            "labels": ", ".join(
                model.hierarchy.titles[node] for node in np.flatnonzero(labels)
            ),
        }
        if not rows or any(rows[-1][name] != decision[name] for name in decision):
            rows.append({"pass": record.iteration, **decision})
    return pd.DataFrame(rows)


def _vote_frame(model: TableModel, votes: Any, knowers: Any) -> pd.DataFrame:
    nodes = np.flatnonzero(votes)
    nodes = nodes[np.argsort(-votes[nodes], kind="stable")]
    return pd.DataFrame(
        {
            "term": [model.hierarchy.names[node] for node in nodes],
            "name": [model.hierarchy.titles[node] for node in nodes],
            "votes": votes[nodes].astype(int),
            "share": votes[nodes] / knowers[nodes],
        }
    )
