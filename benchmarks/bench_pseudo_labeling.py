"""Pseudo-labelling a real data set, compared with a straightforward implementation.

The reference refits scikit-learn's NearestNeighbors in every pass and computes the
similarity of each row in a Python loop. Both must accept the same number of rows.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.neighbors import NearestNeighbors

from benchmarks._comparison import Comparison, best_of
from hilabel._progress import Progress
from hilabel.datasets import HMCDataset, impute, load_go
from hilabel.model_selection import mask_labels
from hilabel.neighbors import ActiveNeighbors, ExactSearch, Metric
from hilabel.pseudo_labeling import (
    PseudoLabelSettings,
    StopRule,
    resolve_settings,
    run_passes,
)

FRACTIONS = (0.1, 0.5)
VARIANTS = ("v1", "v2", "v3")
PROFILES = ("paper", "authors")
DATA_SET = "cellcycle"


def run() -> Iterator[Comparison]:
    folder = os.environ.get("HILABEL_DATA")
    if not folder or not Path(folder, "GO", DATA_SET).is_dir():
        print(
            "bench_pseudo_labeling: nothing to read; set HILABEL_DATA to the folder "
            f"with GO/{DATA_SET}.",
            file=sys.stderr,
        )
        return
    data = impute(load_go(DATA_SET, data_home=folder)).train
    for fraction in FRACTIONS:
        rows = divide(data, fraction)
        for profile in PROFILES:
            for variant in VARIANTS:
                yield compare_one(rows, fraction, profile, variant)


def divide(data: HMCDataset, fraction: float) -> tuple[Any, Any, Any]:
    """Return (X_labeled, Y_labeled, X_unlabeled)."""
    Y = mask_labels(data.Y, fraction, random_state=0)
    known = (Y >= 0).all(axis=1)
    return data.X[known], Y[known] == 1, data.X[~known]


def settings_of(profile: str, variant: str) -> PseudoLabelSettings:
    return resolve_settings(
        variant=variant,
        profile=profile,
        k_step=10,
        n_neighbors=3,
        similarity_threshold=0.5,
        label_threshold=0.5,
        similarity_span=3.0,
        max_iter=50,
    )


def compare_one(
    rows: tuple[Any, Any, Any], fraction: float, profile: str, variant: str
) -> Comparison:
    settings = settings_of(profile, variant)
    ours = ours_accepts(*rows, settings)  # also the warm-up
    start = time.perf_counter()
    theirs = rival_accepts(*rows, settings)
    rival_seconds = time.perf_counter() - start
    # Distances are rounded differently, so ties between neighbours may differ.
    if abs(int(ours.sum()) - int(theirs.sum())) > 0.01 * ours.size:
        raise AssertionError(f"{ours.sum()} rows accepted, the rival {theirs.sum()}.")
    return Comparison(
        work=f"{DATA_SET}_GO, {fraction:.0%} labelled, {profile}, {variant}",
        ours=best_of(lambda: ours_accepts(*rows, settings)),
        rival="NearestNeighbors, loop over rows",
        # Timed once: it takes seconds, and the ratio is large.
        theirs=rival_seconds,
    )


def ours_accepts(
    X_labeled: Any, Y_labeled: Any, X_unlabeled: Any, settings: PseudoLabelSettings
) -> Any:
    metric = Metric("euclidean")
    neighbors = ActiveNeighbors(X_labeled, X_unlabeled, ExactSearch(metric))
    outcome = run_passes(
        X_labeled, Y_labeled, X_unlabeled, settings, metric, neighbors, Progress(0)
    )
    return outcome.accepted


def rival_accepts(
    X_labeled: Any, Y_labeled: Any, X_unlabeled: Any, settings: PseudoLabelSettings
) -> Any:
    X, Y = X_labeled, Y_labeled
    accepted = np.zeros(len(X_unlabeled), dtype=bool)
    stop = StopRule(settings.max_passes, settings.stop_on_cycle)
    iteration = 0
    while True:
        iteration += 1
        k = settings.neighbors_at(iteration)
        search = NearestNeighbors().fit(X)
        own = np.where(accepted, len(X_labeled) + np.cumsum(accepted) - 1, -1)
        asked = min(k + settings.exclude_self, len(X))
        distances, nearest = search.kneighbors(X_unlabeled, asked)
        proposed = np.zeros((len(X_unlabeled), Y.shape[1]), dtype=bool)
        now = np.zeros(len(X_unlabeled), dtype=bool)
        for row in range(len(X_unlabeled)):
            kept = np.arange(asked)
            if settings.exclude_self:
                kept = kept[nearest[row] != own[row]]
            kept = kept[:k]
            labels = Y[nearest[row, kept]]
            proposed[row] = labels.sum(axis=0) / k >= settings.label_threshold
            if settings.similarity_set == "contributors":
                kept = kept[(labels & proposed[row]).any(axis=1)]
            score = similarity(distances[row, kept], X[nearest[row, kept]], settings)
            enough = (
                score >= settings.similarity_threshold
                if settings.acceptance == "at_least"
                else score > settings.similarity_threshold
            )
            now[row] = enough and proposed[row].any()
        kept_labels = proposed & now[:, None]
        compared = kept_labels if settings.convergence == "accepted" else proposed
        if stop.check(iteration, compared) is not None:
            return accepted
        accepted = now
        X = np.concatenate([X_labeled, X_unlabeled[now]])
        Y = np.concatenate([Y_labeled, kept_labels[now]])


def similarity(distances: Any, members: Any, settings: PseudoLabelSettings) -> float:
    size = len(members)
    if size < 2:
        return 0.0
    divisor = size * (size - 1) / 2 if settings.similarity_average == "pairs" else size
    l = pdist(members).sum() / divisor  # noqa: E741 - the paper's letter
    u = distances.mean()
    if u <= l:
        return 1.0
    if u >= settings.similarity_span * l:
        return 0.0
    return float(1 + (l - u) / ((settings.similarity_span - 1) * l))
