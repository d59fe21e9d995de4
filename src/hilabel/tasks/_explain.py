"""Explain why a row gets its terms: neighbours, votes, splits and contributions."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray
from hilabel.classifiers import node_importances
from hilabel.constraints import places_of
from hilabel.exceptions import ParameterError
from hilabel.links import LinkedRows, columns_of
from hilabel.models import TableModel
from hilabel.report import ExplanationDisplay
from hilabel.report.page import Evidence, EvidenceFinder, GivenRows, stored_rows
from hilabel.semi_supervised import RowEvidence, inner_classifier
from hilabel.tasks._predict import as_table_model
from hilabel.tasks._rows_linked import RowsLinked

# Of each kind, the strongest.
_LINKED_SHOWN: Final = 10


@dataclass(frozen=True, eq=False)
class Explanation:
    """The evidence for the terms of one row, with names instead of indices.

    Attributes
    ----------
    row_id : str
    role : str
        The role of the row in training.
    scored : str
        Where its probabilities come from: ``"out of fold"``, from models that were
        trained without its labels, or ``"by the model"``.
    decisions : DataFrame
        One row per informative term, parents before children: ``term``, ``name``,
        ``depth``, ``own`` (the node's own probability before calibration; NaN if the
        method has none, or the row is scored out of fold), ``probability``,
        ``limited_by`` (the ancestor that lowered the probability, if any),
        ``threshold`` (the probability from which a row gets the term), ``precision``
        and ``recall`` of the term at its threshold, ``predicted`` (whether the row gets
        it) and ``features`` (the most important features of the node).
    path : DataFrame
        For trees of the whole hierarchy, the splits on the row's path. One tree:
        ``decision``, ``value`` of the row, number of training ``rows`` at the split. A
        forest: ``feature``, ``value``, ``share`` of the trees with the feature on the
        path, ``median_threshold``. Empty for other methods.
    neighbors : DataFrame
        The nearest training rows, by each part of the model that uses them, and never
        the row itself: ``found_by``, ``id``, ``distance``, ``labels_given`` and
        ``labels``, nearest first. For trees, the distance is the share of trees in
        which the rows are in different leaves (``shares_leaves``).
    votes : DataFrame
        ``term``, ``name``, ``votes``, and their ``share`` of the neighbours for which
        the term is known; empty unless neighbours vote.
    contributions : DataFrame
        For linear models, what the columns add to the log odds of a term: ``term``,
        ``name``, ``feature`` and ``contribution``, largest first.
    members : DataFrame
        For a mean of several models, the scores of each: ``member``, ``share`` in the
        mean, ``term``, ``name``, ``score`` before calibration. Empty for a row that is
        scored out of fold, because the members have learned its labels.
    linked : DataFrame
        The training rows that links of the row lead to, strongest first: ``kind``,
        ``id``, ``weight``, ``role`` (labelled or unlabelled) and ``labels``. Empty
        without links.
    passes : DataFrame
        For an unlabelled training row, the passes that changed its labels or its
        similarity: ``pass``, ``neighbors``, ``similarity``, ``accepted``, ``labels``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, explain_row, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree", measure=False)
    ...     why = explain_row(fit_table(files, choices).model, "P0001", files.features)
    >>> why.path.columns.tolist()
    ['decision', 'value', 'rows']
    """

    row_id: str
    role: str
    scored: str
    decisions: pd.DataFrame
    path: pd.DataFrame
    neighbors: pd.DataFrame
    votes: pd.DataFrame
    contributions: pd.DataFrame
    members: pd.DataFrame
    linked: pd.DataFrame
    passes: pd.DataFrame

    @property
    def display(self) -> ExplanationDisplay:
        """The figure, with the neighbours that the first part of the model found."""
        near = self.neighbors
        if len(near):  # distances of different parts are on different scales
            near = near[near["found_by"] == near["found_by"].iloc[0]]
        return ExplanationDisplay(f"{self.row_id} ({self.role})", self.decisions, near)


def explain_row(
    model: TableModel | FilePath,
    row_id: str,
    features: FilePath | None = None,
    *,
    id_column: str | None = None,
    ids: FilePath | None = None,
    links: Any = None,
    top: int | None = None,
    at_least: int = 10,
) -> Explanation:
    """Explain why a row gets its terms.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or its file.
    row_id : str
        Id of a training row, if the method stores them, or of a row in ``features``.
    features : path-like, optional
        A table with the row. Trees can only name neighbours among its rows.
    id_column : str, optional
        Id column of ``features``; by default, the same as in training.
    ids : path-like, optional
        The ids of the rows, if ``features`` are arrays.
    links : LinkTable, path-like, mapping of str to path-like, or (kind, path) pairs
        Links between ids, or files with them: from the rows to training rows, if the
        model was trained with links.
    top : int, optional
        Number of terms, the most probable ones. By default, all terms that the row
        gets, and the ancestors of all terms shown.
    at_least : int, default=10
        Without ``top``: the number of most probable terms that are shown in any case,
        unless their probability is 0.

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
    ...     choices = FitChoices(method="PredictiveClusteringTree", measure=False)
    ...     why = explain_row(fit_table(files, choices).model, "P0001", files.features)
    >>> why.decisions["term"].iloc[0]
    'food'
    """
    model = as_table_model(model)
    rows = _rows(model, row_id, features, id_column, ids, links)
    at = np.array([rows.ids.index(row_id)])
    (probability,) = rows.probabilities(at)
    (decided,) = rows.decide(probability[None])
    shown = _nodes_shown(model, probability, decided, top, at_least)
    (evidence,) = EvidenceFinder(rows).find(at, [shown])
    names = _Names(model)
    state = rows.state(at[0])
    return Explanation(
        row_id=row_id,
        role="new row" if state == "new" else f"{state} training row",
        scored=rows.scored(at[0]),
        decisions=_decisions(rows, at, probability, decided, shown),
        path=evidence.path,
        neighbors=names.neighbors(evidence),
        votes=names.votes(evidence),
        contributions=names.contributions(evidence),
        members=names.members(evidence),
        linked=names.linked(rows, at),
        passes=_passes(rows, int(at[0]), names),
    )


# The row ------------------------------------------------------------------------------


def _rows(
    model: TableModel,
    row_id: str,
    features: FilePath | None,
    id_column: str | None,
    ids: FilePath | None,
    links: Any,
) -> GivenRows:
    """Return the row and the rows stored or given with it."""
    if features is not None:
        table = model.read(features, id_column, ids)
        if row_id not in table.ids:
            raise ParameterError(
                f"{features}: no row has the id {row_id!r}; it has {len(table)} rows, "
                f"such as {table.ids[0]!r}."
            )
        found = RowsLinked.of(model, table.ids, links).links
        return GivenRows(model, table.ids, model.matrix(table, found))
    if row_id not in model.sample_ids:
        raise ParameterError(
            f"No training row has the id {row_id!r}; the model knows "
            f"{len(model.sample_ids)}, such as {model.sample_ids[0]!r}. For a new row, "
            "pass the file that contains it.",
            parameter="features",
        )
    X = stored_rows(model)
    if X is None:
        raise ParameterError(
            f"{type(model.estimator).__name__} does not store its training rows; pass "
            f"the file that contains {row_id!r}.",
            parameter="features",
        )
    found = None
    if model.uses_links or links:
        found = RowsLinked.of(model, model.sample_ids, links).links
    X = X if found is None else LinkedRows(X, found)
    return GivenRows(model, model.sample_ids, X)


def _passes(rows: GivenRows, row: int, names: "_Names") -> pd.DataFrame:
    """Return the passes of pseudo-labelling that changed the labels of a row."""
    estimator: Any = rows.model.estimator
    if rows.state(row) != "unlabelled" or not hasattr(estimator, "training_data_"):
        return pd.DataFrame()
    return names.passes(estimator.explain(int(rows.numbers[row])))


# What is shown ------------------------------------------------------------------------


def _nodes_shown(
    model: TableModel,
    probability: FloatArray,
    decided: BoolArray,
    top: int | None,
    at_least: int,
) -> IntArray:
    """Return the informative nodes to show, in depth-first order."""
    hierarchy, informative = model.hierarchy, model.informative
    # Parents come first among ties.
    ranking = np.lexsort((places_of(hierarchy), -probability))
    ranking = ranking[informative[ranking]]
    wanted = np.zeros(hierarchy.n_nodes, dtype=bool)
    if top is not None:
        wanted[ranking[:top]] = True
    else:
        probable = ranking[:at_least]
        wanted[probable[probability[probable] > 0]] = True
        wanted = hierarchy.close((wanted | decided)[None])[0] & informative
    walked = _depth_first(model, hierarchy.close(wanted[None])[0], probability)
    return walked[wanted[walked]]


def _depth_first(
    model: TableModel, among: BoolArray, probability: FloatArray
) -> IntArray:
    """Return some nodes, closed over ancestors, with the most probable branch first."""
    hierarchy = model.hierarchy

    def probable_last(nodes: IntArray) -> list[int]:
        order = np.argsort(-probability[nodes], kind="stable")
        return [node for node in nodes[order[::-1]].tolist() if among[node]]

    walk: dict[int, None] = {}
    waiting = probable_last(hierarchy.roots)
    while waiting:  # no recursion: hierarchies may be deeper than Python's stack
        node = waiting.pop()
        if node not in walk:
            walk[node] = None
            waiting += probable_last(hierarchy.children(node))
    return np.array([*walk], dtype=np.int64)


def _decisions(
    rows: GivenRows,
    at: IntArray,
    probability: FloatArray,
    decided: BoolArray,
    shown: IntArray,
) -> pd.DataFrame:
    model = rows.model
    hierarchy, decision = model.hierarchy, model.decision
    own = np.full(hierarchy.n_nodes, np.nan)
    score, inner = probability, inner_classifier(model.estimator)
    # Scores of the final model do not belong beside out-of-fold probabilities.
    if hasattr(inner, "_local_scores") and not rows.is_left_out[at[0]]:
        own = np.asarray(inner._local_scores(columns_of(rows.X[at])))[0]
        score = model.scores_of(rows.X[at])[0]
    return pd.DataFrame(
        {
            "term": [hierarchy.names[node] for node in shown],
            "name": [hierarchy.titles[node] for node in shown],
            "depth": hierarchy.depth[shown],
            "own": own[shown].astype(np.float64),
            "probability": probability[shown].astype(np.float64),
            "limited_by": [_limiting(model, int(node), own, score) for node in shown],
            "threshold": decision.threshold[shown],
            "precision": decision.node_precision[shown],
            "recall": decision.node_recall[shown],
            "predicted": decided[shown],
            "features": _features(model, shown),
        }
    )


def _limiting(
    model: TableModel, node: int, own: FloatArray, score: FloatArray
) -> str | None:
    """Return the title of the ancestor whose score limits that of the node."""
    if not score[node] < own[node]:
        return None
    above = model.hierarchy.ancestors(node)
    if above.size == 0:
        return None
    return model.hierarchy.titles[above[np.argmin(own[above])]]


def _features(model: TableModel, shown: IntArray, n_features: int = 3) -> list[str]:
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


class _Names:
    """Makes tables of evidence, with the names of terms.

    Parameters
    ----------
    model : TableModel
    """

    def __init__(self, model: TableModel) -> None:
        self._hierarchy = model.hierarchy

    def _term(self, node: int) -> dict[str, str]:
        return {
            "term": self._hierarchy.names[node],
            "name": self._hierarchy.titles[node],
        }

    def _titles(self, nodes: Any) -> str:
        return ", ".join(self._hierarchy.titles[node] for node in nodes)

    def neighbors(self, evidence: Evidence) -> pd.DataFrame:
        return pd.DataFrame(
            [
                {**vars(one), "labels": self._titles(one.labels)}
                for one in evidence.neighbors
            ]
        )

    def linked(self, rows: GivenRows, at: IntArray) -> pd.DataFrame:
        """Return the training rows that a row is linked to, strongest links first."""
        model = rows.model
        if not isinstance(rows.X, LinkedRows):
            return pd.DataFrame()
        found: list[dict[str, Any]] = []
        for kind, matrix in rows.X.links[at].kinds.items():
            order = np.argsort(-matrix.data, kind="stable")[:_LINKED_SHOWN]
            labels = model.marks[matrix.indices[order]].toarray() > 0
            specific = self._hierarchy.most_specific(labels)
            for place, target in enumerate(matrix.indices[order]):
                found.append(
                    {
                        "kind": kind,
                        "id": model.sample_ids[target],
                        "weight": float(matrix.data[order[place]]),
                        "role": "labelled" if model.labeled[target] else "unlabelled",
                        "labels": self._titles(np.flatnonzero(specific[place])),
                    }
                )
        return pd.DataFrame(found)

    def votes(self, evidence: Evidence) -> pd.DataFrame:
        return pd.DataFrame(
            [
                {**self._term(one.node), "votes": one.votes, "share": one.share}
                for one in evidence.votes
            ]
        )

    def contributions(self, evidence: Evidence) -> pd.DataFrame:
        return pd.DataFrame(
            [
                {**self._term(one.node), "feature": name, "contribution": value}
                for one in evidence.contributions
                for name, value in one.parts
            ]
        )

    def members(self, evidence: Evidence) -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"member": one.name, "share": one.share}
                | {**self._term(node), "score": score}
                for one in evidence.members
                for node, score in one.scores
            ]
        )

    def passes(self, evidence: RowEvidence) -> pd.DataFrame:
        """Return the passes whose decisions differ from those of the previous pass."""
        rows: list[dict[str, Any]] = []
        for record in evidence.passes:
            labels = self._hierarchy.most_specific(record.proposed[None])[0]
            decision = {
                "neighbors": record.neighbors.size,
                "similarity": round(float(record.similarity), 6),
                "accepted": record.accepted,
                "labels": self._titles(np.flatnonzero(labels)),
            }
            if not rows or any(rows[-1][name] != decision[name] for name in decision):
                rows.append({"pass": record.iteration, **decision})
        return pd.DataFrame(rows)
