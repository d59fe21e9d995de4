"""Folds of labelled rows: time, memory, growth, and balance of the labels.

The package ``iterative-stratification`` computes identical folds from dense labels. On
the largest problem, it takes minutes, so it is only timed on smaller ones unless the
environment variable ``HILABEL_BENCH_LARGE=1`` is set. Every size runs in its own
process, to measure its peak memory.
"""

import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from iterstrat.ml_stratifiers import IterativeStratification

from benchmarks._comparison import Comparison, Measurement, compare
from benchmarks._data import missing_data_reason
from hilabel.datasets import load_go
from hilabel.model_selection import LabeledKFold

N_FOLDS, LABELS_PER_ROW = 3, 20
LARGE = 40_000, 8_000
SIZES = ((10_000, 8_000), (20_000, 8_000), (40_000, 2_000), (40_000, 4_000), LARGE)
RARE = 20


def run() -> Iterator[Comparison | Measurement]:
    seconds = {}
    for size in SIZES:
        outcome = _in_a_process(*size)
        seconds[size] = outcome["seconds"]
        is_large = size == LARGE
        work = f"{size[0]:,} rows x {size[1]:,} labels, {N_FOLDS} folds"
        yield Measurement(f"{work}, time", seconds[size], "s", 30 if is_large else None)
        yield Measurement(f"{work}, memory", outcome["mebibytes"], "MiB")
    for name, small in (("rows", (10_000, 8_000)), ("labels", (40_000, 2_000))):
        power = math.log(seconds[LARGE] / seconds[small]) / math.log(4)
        work = f"growth of time with {name}, fourfold"
        yield Measurement(work, power, "(power)", 1.15)
    yield _beside_the_package(*(LARGE if _has_time() else (4_000, 800)))
    if not missing_data_reason():
        yield from _evenness()


def _has_time() -> bool:
    return os.environ.get("HILABEL_BENCH_LARGE") == "1"


def made_up_labels(n_rows: int, n_labels: int) -> sp.csr_array:
    """Return sparse labels, a few frequent and many rare, about 20 per row."""
    random = np.random.default_rng(0)
    frequency = np.arange(1, n_labels + 1) ** -0.8
    shape = (n_rows, LABELS_PER_ROW)
    labels = random.choice(n_labels, shape, p=frequency / frequency.sum())
    ends = LABELS_PER_ROW * np.arange(n_rows + 1)
    matrix = sp.csr_array(
        (np.ones(labels.size, dtype=np.int8), labels.ravel(), ends), (n_rows, n_labels)
    )
    return (matrix > 0).astype(np.int8)


def folds_of(Y: sp.csr_array, **options: bool) -> list[np.ndarray]:
    divider = LabeledKFold(N_FOLDS, random_state=0, **options)
    return [test for _, test in divider.split(None, Y)]


def _beside_the_package(n_rows: int, n_labels: int) -> Comparison:
    Y = made_up_labels(n_rows, n_labels)
    dense, shares = Y.toarray().astype(bool), np.full(N_FOLDS, 1 / N_FOLDS)
    return compare(
        f"{n_rows:,} rows x {n_labels:,} labels, {N_FOLDS} folds",
        lambda: folds_of(Y),
        "iterative-stratification",
        lambda: IterativeStratification(dense, shares, np.random.RandomState(0)),
        repeats=1,
    )


def _evenness() -> Iterator[Measurement]:
    """Yield the deviation of label shares in folds from equal shares, in percent."""
    Y = np.asarray(load_go("cellcycle", min_count=None).train.Y)
    # A label with fewer rows than folds cannot be in all of them.
    Y = Y[:, Y.sum(axis=0) >= N_FOLDS]
    n_rows = Y.sum(axis=0)
    nodes = {"any frequency": n_rows > 0, f"under {RARE} rows": n_rows < RARE}
    for stratified in (True, False):
        tests = folds_of(Y, stratified=stratified)
        shares = np.array([Y[rows].sum(axis=0) for rows in tests]) / np.maximum(
            n_rows, 1
        )
        for title, chosen in nodes.items():
            error = 100 * np.abs(shares[:, chosen] - 1 / N_FOLDS).mean()
            how = "stratified" if stratified else "random"
            work = f"cellcycle_GO, labels of {title}, {how}: distance from a third"
            yield Measurement(work, error, "%", None, f"{chosen.sum()} labels")


def _in_a_process(*size: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.bench_folds", *map(str, size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _measure(n_rows: int, n_labels: int) -> dict[str, float]:
    Y = made_up_labels(n_rows, n_labels)
    folds_of(Y[:100])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    folds_of(Y)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "mebibytes": (after - before) / 2**10}


if __name__ == "__main__":
    print(json.dumps(_measure(*map(int, sys.argv[1:]))))
