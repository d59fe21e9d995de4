"""All node forests in one call, compared with hiclass and scikit-learn per node."""

import pickle
import time
import warnings
from collections.abc import Iterator
from functools import partial
from statistics import median

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks._comparison import Comparison, Measurement
from benchmarks._data import go_rows, missing_data_reason
from hilabel.classifiers import LocalClassifierPerNode
from hilabel.datasets import make_hierarchical_classification, make_hierarchy
from hilabel.forests import ForestClassifier
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI

# The goals of the project.
_TARGETS = {0.1: 40.0, 0.5: None, 1.0: 30.0}
_CALLS = 3
# The authors' program trains a scikit-learn forest per node with this n_jobs.
_AUTHORS_N_JOBS = 10


def run() -> Iterator[Comparison | Measurement]:
    yield _first_forest()
    reason = missing_data_reason()
    if reason:
        print(f"bench_forests: {reason}")
    else:
        yield from _cellcycle()
    yield from _tree_of_hiclass()


def _timed(function):  # type: ignore[no-untyped-def]
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def _times(function):  # type: ignore[no-untyped-def]
    """Return the seconds of a few calls, made before and after the reference.

    The reference takes so long that fluctuations of the machine average out. A call of
    a second may be affected by them, so there are several, and the median counts.
    """
    return [_timed(function)[0] for _ in range(_CALLS)]


def fit_predict(model, rows):  # type: ignore[no-untyped-def]
    """Train and predict, ignoring warnings about nodes with too few rows."""
    X, Y, X_test = rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, Y).predict_proba(X_test)


def _first_forest() -> Measurement:
    X = np.random.default_rng(0).normal(size=(20, 3))
    y = (X[:, 0] > 0).astype(int)
    seconds, _ = _timed(lambda: ForestClassifier(1).fit(X, y).predict_proba(X))
    note = "with what is imported for it"
    return Measurement("first forest in a process", seconds, "s", note=note)


def _cellcycle() -> Iterator[Comparison]:
    for fraction, target in _TARGETS.items():
        yield from _cellcycle_at(fraction, target)


def _cellcycle_at(fraction: float, target: float | None) -> Iterator[Comparison]:
    X, Y, X_test, Y_test, hierarchy = go_rows("cellcycle", fraction)
    percent = f"cellcycle_GO, {fraction:.0%} labelled"
    ours = LocalClassifierPerNode(
        hierarchy, policy="balanced_bottom_up", random_state=0, n_jobs=2
    )
    fit_predict(ours, (X[:50], Y[:50], X_test[:5]))  # warm-up
    ours_once = partial(fit_predict, ours, (X, Y, X_test))
    times = _times(ours_once)
    score = average_precision(Y_test, ours.predict_proba(X_test))
    rivals = {}
    for n_jobs in (1, 2):
        local = RandomForestClassifier(random_state=0)
        rival = LocalClassifierPerNode(
            hierarchy, estimator=local, policy="balanced_bottom_up", n_jobs=n_jobs
        )
        taken, scores = _timed(partial(fit_predict, rival, (X, Y, X_test)))
        rivals[taken] = n_jobs, rival, average_precision(Y_test, scores)
        times += _times(ours_once)
    best = min(rivals)
    n_jobs, rival, rival_score = rivals[best]
    yield Comparison(
        f"{percent}: 164 forests, fit + predict",
        median(times),
        f"one scikit-learn forest per node, n_jobs={n_jobs}",
        best,
        target=target,
        note=f"AP {score:.4f} and {rival_score:.4f}",
    )
    yield Comparison(
        f"{percent}: model as pickle",
        len(pickle.dumps(ours)) / 1e6,
        "the same with scikit-learn forests",
        len(pickle.dumps(rival)) / 1e6,
        unit="MB",
        target=5,
    )
    if fraction < 1:
        yield _against_the_authors(fraction)


def _against_the_authors(fraction: float) -> Comparison:
    """Time V2, compared with only the final fit of the authors' program."""
    X, Y, X_test, _, hierarchy = go_rows("cellcycle", fraction, keep_unlabeled=True)
    ours = SSHMCBLI(hierarchy, random_state=0, n_jobs=2)
    ours_once = partial(fit_predict, ours, (X, Y, X_test))
    ours_once()  # warm-up
    times = _times(ours_once)
    forest = RandomForestClassifier(random_state=0, n_jobs=_AUTHORS_N_JOBS)
    theirs = SSHMCBLI(hierarchy, estimator=forest)
    taken, _ = _timed(lambda: fit_predict(theirs, (X, Y, X_test)))
    times += _times(ours_once)
    return Comparison(
        f"cellcycle_GO, {fraction:.0%} labelled: SSHMC-BLI V2, fit + predict",
        median(times),
        f"scikit-learn forests as the authors train them, n_jobs={_AUTHORS_N_JOBS}",
        taken,
        target=60,
        note="our pseudo-labelling in both",
    )


def _tree_of_hiclass() -> Iterator[Comparison]:
    try:
        from hiclass import LocalClassifierPerNode as TheirClassifier
    except ImportError:
        print("bench_forests: hiclass is not installed; pip install 'hilabel[bench]'")
        return
    X, Y, paths, hierarchy = tree_rows()
    local = RandomForestClassifier(random_state=0)
    theirs = TheirClassifier(local, n_jobs=2, binary_policy="siblings")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rival, _ = _timed(lambda: theirs.fit(X, paths).predict(X[:1000]))
    ours = tree_model(hierarchy)
    seconds = min(
        _timed(lambda: fit_predict(ours, (X, Y, X[:1000])))[0] for _ in range(2)
    )
    yield Comparison(
        f"tree, {X.shape[0]} rows, 80 features, 96 nodes, siblings policy",
        seconds,
        "hiclass, n_jobs=2",
        rival,
        target=15,
    )


def tree_rows():  # type: ignore[no-untyped-def]
    """Return (X, Y, paths, hierarchy) of rows with one path in a tree each."""
    hierarchy = make_hierarchy(96, max_depth=3, n_roots=6, random_state=0)
    data = make_hierarchical_classification(
        10_000, 80, hierarchy=hierarchy, random_state=0
    )
    paths, X = _single_paths(data, hierarchy)
    return X, _closed_from_paths(paths, hierarchy), paths, hierarchy


def tree_model(hierarchy: Hierarchy) -> LocalClassifierPerNode:
    return LocalClassifierPerNode(
        hierarchy, policy="siblings", random_state=0, n_jobs=2
    )


def _single_paths(data, hierarchy: Hierarchy):  # type: ignore[no-untyped-def]
    """Return the path to the most probable leaf of each row, as hiclass needs it."""
    leaves = hierarchy.leaves
    ends = leaves[data.probabilities[:, leaves].argmax(axis=1)]
    paths = np.full((ends.size, hierarchy.max_depth), "", dtype=object)
    for leaf in np.unique(ends):
        path = sorted(
            [*hierarchy.ancestors(int(leaf)), leaf], key=lambda n: hierarchy.depth[n]
        )
        for level, node in enumerate(path):
            paths[ends == leaf, level] = hierarchy.names[node]
    return paths, data.X


def _closed_from_paths(paths, hierarchy: Hierarchy):  # type: ignore[no-untyped-def]
    Y = np.zeros((paths.shape[0], hierarchy.n_nodes), dtype=np.int8)
    for node, name in enumerate(hierarchy.names):
        Y[:, node] = (paths == name).any(axis=1)
    return Y
