"""Real rows with links between them, a tenth of them labelled."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from benchmarks._real_files import opened
from benchmarks._real_matrices import all_rows
from benchmarks._real_quality import Truth, truth_of
from benchmarks._real_sets import SETS, data_folder, few_of
from hilabel._label_matrix import LabelMatrix
from hilabel._typing import FloatArray, IntArray
from hilabel.classifiers import BaseHierarchicalClassifier, TrainingData
from hilabel.hierarchy import Hierarchy
from hilabel.links import LinkedRows, Links
from hilabel.metrics import average_precision

_HIT_COLUMNS = {"source": 0, "target": 1, "score": 11}


@dataclass(frozen=True, eq=False)
class LinkedSet:
    """Rows of which some are labelled, some are to be scored, and all have links.

    Attributes
    ----------
    X : csr_array of shape (n_rows, n_features)
    links : Links of shape (n_rows, n_rows)
    labels : LabelMatrix of shape (n_rows, n_nodes)
        Unknown in rows that are not labelled.
    scored : int array
        The rows to score; they are unlabelled.
    truth : LabelMatrix of shape (n_scored, n_nodes)
    counted : bool array of shape (n_nodes,)
    hierarchy : Hierarchy
    """

    X: Any
    links: Links
    labels: LabelMatrix
    scored: IntArray
    truth: LabelMatrix
    counted: Any
    hierarchy: Hierarchy

    def validation(self, share: float = 0.2, seed: int = 0) -> "LinkedSet":
        """Return the same rows, with labelled rows to score instead of the test."""
        labeled = np.flatnonzero(self.labels.labeled)
        random = np.random.default_rng(seed)
        hidden = np.zeros(len(self.labels), dtype=bool)
        hidden[random.permutation(labeled)[: round(share * labeled.size)]] = True
        rows = np.flatnonzero(hidden)
        labels = self.labels.without_rows(hidden)
        return replace(self, labels=labels, scored=rows, truth=self.labels[rows])

    def scores(self, model: BaseHierarchicalClassifier) -> FloatArray:
        """Train a model on all rows, and return the scores of the rows to score."""
        model.set_params(hierarchy=self.hierarchy)
        data = model.check_training_data(self.X, self.labels).with_links(self.links)
        if not model.method_tags.links:
            data = replace(data, links=None)
        model.fit_checked(data)
        return np.asarray(model._predict_scores(self._to_score(data)))

    def quality(self, scores: FloatArray) -> float:
        """Return the micro average precision."""
        nodes = np.flatnonzero(self.counted)
        found = average_precision(self.truth.of_nodes(nodes), scores[:, nodes])
        return float(found)

    def constant(self) -> FloatArray:
        """Return the scores of the constant predictor."""
        labels = self.labels
        prior = labels.n_positive / np.maximum(labels.n_known, 1)
        return np.repeat(prior[np.newaxis].astype(np.float32), self.scored.size, 0)

    def _to_score(self, data: TrainingData) -> Any:
        X = self.X[self.scored]
        if data.links is None:
            return X
        order = np.concatenate([data.labeled_rows, data.unlabeled_rows])
        return LinkedRows(X, self.links[self.scored].to(order))


def wordnet() -> LinkedSet:
    """Nouns of WordNet by words, with links that are no hypernymy."""
    truth = truth_of("wordnet10")
    ids, X = all_rows(SETS["wordnet10"]())
    return _linked(truth, truth.train_ids, ids, X, _pairs("wordnet/links.csv.gz"))


def proteins(few: bool = True) -> LinkedSet:
    """Proteins by triples of amino acids, with hits of each other."""
    truth = truth_of("proteins")
    ids, X = all_rows(SETS["proteins"]())
    labeled = tuple(few_of([*truth.train_ids])) if few else truth.train_ids
    return _linked(truth, labeled, ids, X, _hits("proteins/hits.m8.gz"))


def _linked(
    truth: Truth,
    labeled: tuple[str, ...],
    ids: list[str],
    X: Any,
    links: Iterator[tuple[str, str, float]],
) -> LinkedSet:
    place = {one: row for row, one in enumerate(ids)}
    source, target, weight = zip(*links)
    rows = [place.get(one, -1) for one in source]
    columns = [place.get(one, -1) for one in target]
    cells = np.array([rows, columns])
    is_known = (cells >= 0).all(axis=0)
    shape = len(ids), len(ids)
    matrix = sp.coo_array(
        (np.array(weight)[is_known], tuple(cells[:, is_known])), shape=shape
    )
    at = {one: row for row, one in enumerate(truth.train_ids)}
    given = truth.trained[[at[one] for one in labeled]]
    nothing = sp.csr_array((len(ids) - len(labeled), given.shape[1]), dtype=bool)
    hidden = LabelMatrix.of_rows(nothing, np.zeros(nothing.shape[0], dtype=bool))
    rows_of_labeled = np.array([place[one] for one in labeled])
    others = np.setdiff1d(np.arange(len(ids)), rows_of_labeled)
    order = np.argsort(np.concatenate([rows_of_labeled, others]))
    return LinkedSet(
        X=normalize(sp.csr_array(X)),
        links=Links.of(matrix, len(ids)).both_ways(),
        labels=given.stacked_on(hidden)[order],
        scored=np.array([place[one] for one in truth.test_ids]),
        truth=truth.tested,
        counted=truth.counted,
        hierarchy=truth.hierarchy,
    )


def _pairs(name: str) -> Iterator[tuple[str, str, float]]:
    with opened(data_folder() / name) as file:
        for row in csv.DictReader(file):
            yield row["source"], row["target"], 1.0


def _hits(name: str) -> Iterator[tuple[str, str, float]]:
    with opened(data_folder() / name) as file:
        for row in csv.reader(file, delimiter="\t"):
            source, target, score = (row[place] for place in _HIT_COLUMNS.values())
            yield source, target, float(score)
