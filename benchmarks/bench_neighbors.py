"""Neighbour searches: exact versus scikit-learn's, approximate versus exact.

With 10,000 rows, our exact search is compared with scikit-learn's, for dense rows and
for sparse rows like those of words. From 10,000 rows on,
the approximate searches are compared with our exact one, and the table also shows the
share of the 32 nearest rows that they find. The time of the exact search is
extrapolated from some of the rows. The exponent describes the growth of the time from
one size to the next. HILABEL_BENCH_LARGE=1 adds 1,000,000 rows; HILABEL_BENCH_BACKENDS
is a comma-separated list of the approximate searches to run.
"""

import importlib.util
import math
import os
import time
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors

from benchmarks._comparison import Comparison, compare
from hilabel.neighbors import ExactSearch, Metric, make_search

N_FEATURES = 64
N_NEIGHBORS = 32
N_CHECKED = 500
METRIC = Metric("euclidean")


def normal_rows(n_rows):
    """No structure: the hardest case, in which no index helps much."""
    return np.random.default_rng(0).standard_normal((n_rows, N_FEATURES))


def clustered_rows(n_rows):
    """Clusters of about a thousand rows each."""
    random = np.random.default_rng(1)
    centres = 3 * random.standard_normal((max(10, n_rows // 1_000), N_FEATURES))
    rows = centres[random.integers(len(centres), size=n_rows)]
    return rows + random.standard_normal(rows.shape)


def flat_rows(n_rows):
    """Twelve dimensions and some noise, spread over all features."""
    random = np.random.default_rng(2)
    rows = random.standard_normal((n_rows, 12))
    rows = rows @ random.standard_normal((12, N_FEATURES))
    return rows + 0.1 * random.standard_normal(rows.shape)


def sparse_rows(n_rows, n_columns=20_000):
    """Words, of which few are frequent: 12 draws for each row, and lengths of 1."""
    random = np.random.default_rng(3)
    shares = 1 / np.arange(1, n_columns + 1)
    words = random.choice(n_columns, (n_rows, 12), p=shares / shares.sum())
    starts = np.arange(0, words.size + 1, 12)
    counts = sp.csr_array((np.ones(words.size), words.ravel(), starts))
    return TfidfTransformer().fit_transform(counts)


KINDS = {"normal": normal_rows, "clustered": clustered_rows, "flat": flat_rows}


def run() -> Iterator[Comparison]:
    rows = normal_rows(10_000)
    rival = NearestNeighbors(n_neighbors=N_NEIGHBORS, algorithm="brute", n_jobs=-1)
    rival.fit(rows)
    exact = ExactSearch(METRIC, n_jobs=-1)
    yield compare(
        "exact neighbours, 10000 x 64, k=32",
        lambda: exact.nearest(rows, rows, N_NEIGHBORS),
        "scikit-learn, brute",
        lambda: rival.kneighbors(rows),
    )
    words = sparse_rows(10_000)
    rival = NearestNeighbors(
        n_neighbors=N_NEIGHBORS, algorithm="brute", metric="cosine", n_jobs=-1
    ).fit(words)
    by_angle = ExactSearch(Metric("cosine"), n_jobs=-1)
    yield compare(
        f"exact neighbours by angle, 10000 x {words.shape[1]} sparse, k=32",
        lambda: by_angle.nearest(words, words, N_NEIGHBORS),
        "scikit-learn, brute",
        lambda: rival.kneighbors(words),
    )
    wanted = os.environ.get("HILABEL_BENCH_BACKENDS", "cells,pynndescent")
    for backend in wanted.split(","):
        if backend != "cells" and importlib.util.find_spec(backend) is None:
            print(f"bench_neighbors: {backend} is not installed")
            continue
        for kind in KINDS:
            yield from _growth(backend, kind)


def _growth(backend: str, kind: str) -> Iterator[Comparison]:
    search = make_search(backend, METRIC, n_jobs=-1, random_state=0)
    search.nearest(*2 * [KINDS[kind](3_000)], N_NEIGHBORS)  # warm-up
    before = None
    for n_rows in _sizes():
        rows = KINDS[kind](n_rows)
        start = time.perf_counter()
        found, _ = search.nearest(rows, rows, N_NEIGHBORS)
        seconds = time.perf_counter() - start
        recall, exact_seconds = _beside_exact(rows, found)
        grown = ""
        if before is not None:
            exponent = math.log(seconds / before[1]) / math.log(n_rows / before[0])
            grown = f", n^{exponent:.2f}"
        before = n_rows, seconds
        yield Comparison(
            f"{backend}, {kind} {n_rows} x {N_FEATURES}, k={N_NEIGHBORS}",
            seconds,
            "our exact search, scaled up",
            exact_seconds,
            note=f"recall {recall:.3f}{grown}",
        )


def _sizes() -> list[int]:
    large = os.environ.get("HILABEL_BENCH_LARGE") == "1"
    return [10_000, 100_000] + ([1_000_000] if large else [])


def _beside_exact(rows, found) -> tuple[float, float]:
    checked = np.random.default_rng(3).choice(len(rows), N_CHECKED, replace=False)
    start = time.perf_counter()
    exact, _ = ExactSearch(METRIC, n_jobs=-1).nearest(rows[checked], rows, N_NEIGHBORS)
    seconds = (time.perf_counter() - start) * len(rows) / N_CHECKED
    shared = [len(set(a) & set(b)) for a, b in zip(found[checked], exact)]
    return float(np.mean(shared)) / N_NEIGHBORS, seconds
