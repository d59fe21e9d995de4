"""The tasks that ``before_after`` times: ``python -m benchmarks._jobs NAME``.

A job runs in its own process, with the installation to be measured, and prints one line
of JSON: the minimum time of each task after a warm-up call, the peak memory of the
process, and the path from which ``hilabel`` was imported.
"""

import json
import os
import resource
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import hilabel
from benchmarks import bench_global_trees, bench_pseudo_labeling, bench_scale
from benchmarks._comparison import best_of
from benchmarks._data import go_rows, missing_data_reason
from benchmarks.bench_forests import fit_predict, tree_model, tree_rows
from hilabel.classifiers import LocalClassifierPerNode, PredictiveClusteringForest
from hilabel.datasets import impute, load_go
from hilabel.semi_supervised import SSHMCBLI, SSLPCTForest

# Tasks and their seconds.
Seconds = dict[str, float]

# Calls that are timed in one process; more for tasks that take milliseconds.
FEWEST_CALLS, MOST_CALLS, SECONDS = 3, 20, 1.0


def _calls(function: Callable[[], object]) -> int:
    """Warm up, and return how often to call."""
    function()
    enough = SECONDS / best_of(function, 1)
    return int(min(max(enough, FEWEST_CALLS), MOST_CALLS))


def _warm(function: Callable[[], object]) -> float:
    return best_of(function, _calls(function))


def _node_forests(fraction: float) -> Seconds:
    X, Y, X_test, _, hierarchy = go_rows("cellcycle", fraction)
    model = LocalClassifierPerNode(
        hierarchy, policy="balanced_bottom_up", random_state=0, n_jobs=2
    )
    work = f"cellcycle_GO, {fraction:.0%} labelled: 164 forests, fit + predict"
    return {work: _warm(partial(fit_predict, model, (X, Y, X_test)))}


def _sshmcbli(fraction: float) -> Seconds:
    X, Y, X_test, _, hierarchy = go_rows("cellcycle", fraction, keep_unlabeled=True)
    model = SSHMCBLI(hierarchy, random_state=0, n_jobs=2)
    work = f"cellcycle_GO, {fraction:.0%} labelled: SSHMC-BLI V2, fit + predict"
    return {work: _warm(partial(fit_predict, model, (X, Y, X_test)))}


def _tree() -> Seconds:
    X, Y, _, hierarchy = tree_rows()
    model = tree_model(hierarchy)
    work = f"tree, {X.shape[0]} rows, 80 features, 96 nodes, siblings policy"
    return {work: _warm(partial(fit_predict, model, (X, Y, X[:1000])))}


def _clustering_forest(min_count: int | None, n_trees: int, form: str) -> Seconds:
    go = impute(load_go("cellcycle", min_count=min_count))
    X, Y = go.train.X, np.asarray(go.train.Y)
    model = PredictiveClusteringForest(
        go.hierarchy,
        n_estimators=n_trees,
        **bench_global_trees.COMMON,
        **bench_global_trees.RIVALS[form][0],
    )
    once = partial(bench_global_trees.seconds_of, model, X, Y, go.test, 0)
    fits, predictions, _ = zip(*[once() for _ in range(_calls(once))])
    work = f"cellcycle_GO, {Y.shape[1]} nodes, {n_trees} trees: {form}"
    return {f"{work}, fit": min(fits), f"{work}, predict": min(predictions)}


def _pseudo_labels(fraction: float) -> Seconds:
    rows = bench_pseudo_labeling.divide(impute(load_go("cellcycle")).train, fraction)
    taken = {}
    for profile in bench_pseudo_labeling.PROFILES:
        for variant in bench_pseudo_labeling.VARIANTS:
            settings = bench_pseudo_labeling.settings_of(profile, variant)
            once = partial(bench_pseudo_labeling.ours_accepts, *rows, settings)
            work = f"cellcycle_GO, {fraction:.0%} labelled, {profile}, {variant}"
            taken[f"{work}: pseudo-labels"] = _warm(once)
    return taken


def _ssl_forest() -> Seconds:
    X, Y, X_test, _, hierarchy = go_rows("cellcycle", 0.1, keep_unlabeled=True)
    model = SSLPCTForest(hierarchy, w=0.5, random_state=0, n_jobs=2)
    work = "cellcycle_GO, 10% labelled: SSL-RF, 100 trees, fit + predict"
    return {work: _warm(partial(fit_predict, model, (X, Y, X_test)))}


def _scale(size: int) -> Seconds:
    bench_scale.fit(1_000, n_labeled=1_000)
    work = f"{size:,} unlabelled rows x {bench_scale.N_FEATURES}, "
    work += f"{bench_scale.N_NODES:,} nodes: SSHMC-BLI, fit"
    return {work: float(bench_scale.fit(size)["seconds"])}  # type: ignore[arg-type]


def all_jobs() -> dict[str, Callable[[], Seconds]]:
    """Return the jobs that can run here, by name."""
    jobs: dict[str, Callable[[], Any]] = {}
    if not missing_data_reason():
        for fraction in (0.1, 0.5, 1.0):
            jobs[f"forests_{fraction:.0%}"] = partial(_node_forests, fraction)
        for fraction in (0.1, 0.5):
            jobs[f"sshmcbli_{fraction:.0%}"] = partial(_sshmcbli, fraction)
        for min_count, n_trees, *_ in bench_global_trees.SIZES:
            for number, form in enumerate(bench_global_trees.RIVALS):
                name = f"global_trees_{n_trees}_{number}"
                jobs[name] = partial(_clustering_forest, min_count, n_trees, form)
        for fraction in bench_pseudo_labeling.FRACTIONS:
            jobs[f"pseudo_labeling_{fraction:.0%}"] = partial(_pseudo_labels, fraction)
        jobs["ssl_forest"] = _ssl_forest
    jobs["tree"] = _tree
    sizes = [*bench_scale.SIZES]
    if os.environ.get("HILABEL_BENCH_LARGE") == "1":
        sizes.append(bench_scale.LARGE)
    for size in sizes:
        jobs[f"scale_{size}"] = partial(_scale, size)
    return jobs


def main(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds = all_jobs()[name]()
    outcome = {
        "seconds": seconds,
        "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        "hilabel": hilabel.__file__,
    }
    print(json.dumps(outcome))


if __name__ == "__main__":
    main(sys.argv[1])
