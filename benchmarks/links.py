"""Methods that learn from links between rows; ``python -m benchmarks.links``.

The proteins of HILABEL_DATA, linked by their hits, with a tenth and with all of the
rows outside the test labelled; the other rows are unlabelled. The table is written to
``benchmarks/results/links.md``. With ``--large``, 500,000 made rows with 20 million
links and 2,000 nodes are scored, too.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from benchmarks._real_quality import Truth, quality_of, truth_of
from benchmarks._real_sets import data_folder, few_of
from benchmarks._results import write_table
from hilabel._label_matrix import LabelMatrix
from hilabel._peak_memory import peak_memory, reset_peak_memory
from hilabel.classifiers import LinkVotes, PriorClassifier, TrainingData
from hilabel.hierarchy import Hierarchy
from hilabel.links import Links
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.persistence import save_model
from hilabel.semi_supervised import LinkSpreading

HEADINGS = (
    "set",
    "labelled",
    "method",
    "micro AP",
    "Fmax",
    "out of fold, s",
    "training, s",
    "scoring the test, s",
    "peak memory, MB",
    "model file, MB",
    "settings",
)
_N_FOLDS = 5


def _methods(hierarchy: Hierarchy) -> dict[str, Any]:
    return {
        "constant predictor": PriorClassifier(hierarchy),
        "votes": LinkVotes(hierarchy),
        "spreading": LinkSpreading(hierarchy, n_jobs=2),
    }


# Proteins -----------------------------------------------------------------------------


def hits(ids: tuple[str, ...]) -> Links:
    """Return the hits between proteins, with their bit scores."""
    path = data_folder() / "proteins" / "hits.m8.gz"
    table = pd.read_csv(path, sep="\t", header=None, usecols=[0, 1, 11])
    index = pd.Index(ids)
    cells = index.get_indexer(table[0]), index.get_indexer(table[1])
    known = (cells[0] >= 0) & (cells[1] >= 0)
    places = cells[0][known], cells[1][known]
    shape = len(ids), len(ids)
    matrix = sp.coo_array((table[11].to_numpy(float)[known], places), shape=shape)
    return Links.of({"hits": matrix}, len(ids))


def training_data(truth: Truth, links: Links, labeled: Any) -> TrainingData:
    """Return the rows outside the test, some of them labelled, then those of it."""
    n_rows, n_nodes = links.n_rows, truth.hierarchy.n_nodes
    no_rows = sp.csr_array((len(truth.test_ids), n_nodes), dtype=bool)
    positive = sp.csr_array(sp.vstack([truth.trained.positive, no_rows], format="csr"))
    labels = LabelMatrix.of_rows(positive, np.ones(n_rows, bool)).without_rows(~labeled)
    model = PriorClassifier(truth.hierarchy)
    return model.check_training_data(np.zeros((n_rows, 1)), labels).with_links(links)


def proteins() -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for each method."""
    truth = truth_of("proteins")
    ids = (*truth.train_ids, *truth.test_ids)
    links = hits(ids)
    new = links[slice(len(truth.train_ids), None)]
    few = set(few_of(list(truth.train_ids)))
    for share, chosen in (("10 %", few), ("all", {*truth.train_ids})):
        labeled = np.array([one in chosen for one in ids])
        data = training_data(truth, links, labeled)
        for name, template in _methods(truth.hierarchy).items():
            found = Measured.of(template, data, new)
            quality = quality_of(truth, found.scores)
            measures = f"{quality.micro:.4f}", f"{quality.fmax:.4f}"
            yield "proteins, hits", share, name, *measures, *found.cells


# Measuring ----------------------------------------------------------------------------


class Measured(NamedTuple):
    """Scores of new rows, and what they took as cells of the table."""

    scores: Any
    cells: tuple[str, ...]

    @classmethod
    def of(cls, model: Any, data: TrainingData, links: Links) -> "Measured":
        """Score labelled rows out of fold, train on all, and score new rows."""
        folds = draw_folds(data.Y, _N_FOLDS, 0)
        reset_peak_memory()
        before = _memory()
        _, out_of_fold = _timed(
            lambda: score_out_of_fold(model, replace(data, fold=folds))
        )
        _, training = _timed(lambda: model.fit_checked(data))
        X, uses_links = np.zeros((links.n_rows, 1)), hasattr(model, "uses_links")
        given: dict[str, Any] = {"links": links} if uses_links else {}
        scores, scoring = _timed(lambda: model.predict_proba(X, **given))
        cells = (
            *(f"{seconds:.1f}" for seconds in (out_of_fold, training, scoring)),
            f"{_memory() - before:.0f}",
            f"{_megabytes(model):.1f}",
            _settings(model),
        )
        return cls(scores, cells)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def _memory() -> float:
    return (peak_memory() or 0) / 1e6


def _megabytes(model: Any) -> float:
    """Return the size of the model's file."""
    with tempfile.TemporaryDirectory() as folder:
        return save_model(model, Path(folder, "model.hilabel")).stat().st_size / 1e6


def _settings(model: Any) -> str:
    parts = [
        f"{name} {getattr(model, f'{name}_'):g}"
        for name in ("alpha", "prior_weight")
        if hasattr(model, f"{name}_")
    ]
    if getattr(model, "link_weights_", None) is not None:
        parts.append(model.link_weights_.transform)
    return ", ".join(parts)


# Many rows ----------------------------------------------------------------------------

_LARGE_ROWS, _LARGE_LINKS, _LARGE_NODES = 500_000, 20_000_000, 2_000
_N_TOPICS = 5_000
_LARGE_LABELED, _LARGE_SCORED = 50_000, 20_000


def made_data() -> TrainingData:
    """Make rows of topics that mostly link to rows of the same topic.

    A row has the node of its topic, which several topics share, with its parent, and
    another node at random.
    """
    random = np.random.default_rng(0)
    topic = random.integers(0, _N_TOPICS, _LARGE_ROWS)
    by_topic = np.argsort(topic, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(topic, minlength=_N_TOPICS)))
    source = random.integers(0, _LARGE_ROWS, _LARGE_LINKS)
    own = topic[source]
    inside = ends[own] + (random.random(_LARGE_LINKS) * np.diff(ends)[own]).astype(int)
    is_inside = random.random(_LARGE_LINKS) < 0.5
    anywhere = random.integers(0, _LARGE_ROWS, _LARGE_LINKS)
    target = np.where(is_inside, by_topic[inside], anywhere)
    weights = random.integers(1, 1000, _LARGE_LINKS).astype(float)
    matrix = sp.coo_array((weights, (source, target)), (_LARGE_ROWS, _LARGE_ROWS))
    n_parents = _LARGE_NODES // 10
    edges = [(node % n_parents, node) for node in range(n_parents, _LARGE_NODES)]
    hierarchy = Hierarchy([f"n{node}" for node in range(_LARGE_NODES)], edges)
    leaf = n_parents + topic % (_LARGE_NODES - n_parents)
    other = random.integers(0, _LARGE_NODES, _LARGE_ROWS)
    rows = np.arange(_LARGE_LABELED)
    cells = np.concatenate([rows, rows]), np.concatenate([leaf[rows], other[rows]])
    shape = _LARGE_ROWS, _LARGE_NODES
    positive = hierarchy.close(
        sp.csr_array((np.ones(cells[0].size, bool), cells), shape)
    )
    labels = LabelMatrix.of_rows(positive, np.arange(_LARGE_ROWS) < _LARGE_LABELED)
    X = np.zeros((_LARGE_ROWS, 1))
    data = PriorClassifier(hierarchy).check_training_data(X, labels)
    return data.with_links(Links.of(matrix, _LARGE_ROWS))


def large() -> Iterator[tuple[str, ...]]:
    """Print what many rows take."""
    data = made_data()
    links: Any = data.links
    about = f"made, {data.n_rows:,} rows, {links.n_links:,} links"
    for name, model in _methods(data.hierarchy).items():
        reset_peak_memory()
        before = _memory()
        _, training = _timed(partial(model.fit_checked, data))
        rows = links[slice(_LARGE_LABELED, _LARGE_LABELED + _LARGE_SCORED)]
        X, uses_links = np.zeros((rows.n_rows, 1)), hasattr(model, "uses_links")
        given: dict[str, Any] = {"links": rows} if uses_links else {}
        _, scoring = _timed(partial(model.predict_top, X, 20, **given))
        memory = f"{_memory() - before:.0f}"
        share = f"{_LARGE_LABELED / data.n_rows:.0%}"
        times = f"{training:.1f}", f"{scoring:.1f} for {_LARGE_SCORED:,} rows"
        yield about, share, name, "", "", "", *times, memory, "", _settings(model)


def main(wanted: list[str]) -> None:
    rows = []
    for row in chain(proteins(), large() if "--large" in wanted else ()):
        print(*row, sep="  ", flush=True)
        rows.append(row)
    write_table("links", HEADINGS, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
