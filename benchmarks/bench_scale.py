"""SSHMC-BLI on increasing numbers of unlabelled rows: time, peak memory, growth.

A million rows take about seven minutes and 6 GiB, so they are skipped unless the
environment variable ``HILABEL_BENCH_LARGE=1`` is set. Every size runs in its own
process, to measure its peak memory.
"""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._comparison import Measurement

N_LABELED, N_FEATURES, N_NODES = 10_000, 64, 1_000
SIZES = (10_000, 100_000)
LARGE = 1_000_000
# Full trees on a million rows would mostly fit noise.
FOREST = {"n_estimators": 50, "max_samples": 2_000, "min_samples_leaf": 5}


def run() -> Iterator[Measurement]:
    sizes = list(SIZES)
    if os.environ.get("HILABEL_BENCH_LARGE") == "1":
        sizes.append(LARGE)
    found = []
    for size in sizes:
        outcome = _in_a_process(size)
        found.append((size, outcome["seconds"]))
        is_large = size == LARGE
        work = f"{size:,} unlabelled rows x {N_FEATURES}, {N_NODES:,} nodes: fit"
        yield Measurement(
            f"{work}, time",
            outcome["seconds"],
            "s",
            900 if is_large else None,
            outcome["note"],
        )
        yield Measurement(
            f"{work}, peak memory",
            outcome["gibibytes"],
            "GiB",
            8 if is_large else None,
            "X_unlabeled is a memory map",
        )
    (before, first), (after, last) = found[-2:]
    exponent = math.log(last / first) / math.log(after / before)
    yield Measurement(
        f"growth of time from {before:,} to {after:,} rows",
        exponent,
        "(power)",
        1.15 if sizes[-1] == LARGE else None,
    )


def _in_a_process(size: int) -> dict[str, object]:
    command = [sys.executable, "-m", "benchmarks.bench_scale", str(size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def fit(size: int, n_labeled: int = N_LABELED) -> dict[str, object]:
    """Fit on a number of unlabelled rows; return seconds, peak memory and a note."""
    from hilabel.datasets import make_hierarchical_classification
    from hilabel.forests import ForestClassifier
    from hilabel.semi_supervised import SSHMCBLI, Profile

    data = make_hierarchical_classification(
        n_labeled, N_FEATURES, n_nodes=N_NODES, structure="dag", random_state=0
    )
    with tempfile.TemporaryDirectory() as folder:
        unlabeled = _more_rows(data.X, size, Path(folder) / "unlabeled.npy")
        model = SSHMCBLI(
            data.hierarchy,
            estimator=ForestClassifier(**FOREST),
            backend="auto",
            n_jobs=2,
            random_state=0,
            profile=Profile.paper(stop_on_cycle=True),
            max_iter=20,
            verbose=2,
        )
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rare nodes without a labelled row
            model.fit(data.X, data.Y, X_unlabeled=unlabeled)
        seconds = time.perf_counter() - start
    accepted = int((model.labeled_iter_ > 0).sum())
    return {
        "seconds": seconds,
        "gibibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "note": f"{model.n_iter_} passes, {accepted:,} rows accepted",
    }


def _more_rows(X: np.ndarray, n_rows: int, path: Path) -> np.ndarray:
    """Write jittered copies of rows of ``X`` to a file, and return its memory map."""
    random = np.random.default_rng(1)
    shape = (n_rows, X.shape[1])
    rows = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=shape)
    spread = 0.5 * X.std(axis=0)
    for start in range(0, n_rows, 50_000):
        block = rows[start : start + 50_000]
        drawn = random.integers(0, X.shape[0], block.shape[0])
        block[:] = X[drawn] + spread * random.normal(size=block.shape)
    rows.flush()
    return np.load(path, mmap_mode="r")


if __name__ == "__main__":
    print(json.dumps(fit(int(sys.argv[1]))))
