"""Rivals at real size; ``python -m benchmarks._real_rivals RIVAL FOLDER FILE``.

All learn from the same matrices. A rival runs in its own process, writes its scores of
the rows of the test to a file, and prints the seconds of training and of prediction.
Label trees of other packages run in an environment of their own
(``benchmarks/_real_trees.py``).
"""

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from benchmarks import _real_trees
from benchmarks._real_matrices import read_edges, read_matrices, write_matrices
from benchmarks._real_trees import LEAST_SCORE, N_THREADS, TREES, Seconds
from hilabel.hierarchy import Hierarchy

ENVIRONMENT = Path(".benchmarks/rivals")
PACKAGES = ("omikuji", "napkinxc", "scipy")
_N_NEAR, _ROWS_AT_ONCE = 30, 1_000
# Of the logistic regressions: the best for words in short texts.
_C = 30.0

Rival = Callable[[Any, Any, Any, Hierarchy], tuple[Seconds, Any]]


def near_rows(X: Any, Y: Any, X_test: Any, hierarchy: Hierarchy) -> tuple[Seconds, Any]:
    """Votes of the 30 nearest rows by cosine, squared: a few lines of SciPy."""
    start, parts = time.perf_counter(), []
    for first in range(0, X_test.shape[0], _ROWS_AT_ONCE):
        block = X_test[first : first + _ROWS_AT_ONCE].toarray()
        # Dense: with frequent columns, most products are not 0.
        near = (X @ block.T).T
        number = min(_N_NEAR, near.shape[1])
        rows = np.argpartition(near, -number, axis=1)[:, -number:]
        weights = np.take_along_axis(near, rows, axis=1) ** 2
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        ends = np.arange(0, rows.size + 1, number)
        parts.append(
            sp.csr_array((weights.ravel(), rows.ravel(), ends), shape=near.shape) @ Y
        )
    scores = sp.csr_array(sp.vstack(parts))
    return {"fit": 0.0, "predict": time.perf_counter() - start}, scores


def logistic(X: Any, Y: Any, X_test: Any, hierarchy: Hierarchy) -> tuple[Seconds, Any]:
    """LogisticRegression of each node, on the rows that have all its parents."""
    start = time.perf_counter()
    by_node = sp.csc_array(Y)
    work = (delayed(_weights)(X, by_node, hierarchy, v) for v in range(Y.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no convergence
        found = Parallel(n_jobs=N_THREADS, prefer="threads")(work)
    weights = sp.csr_array(sp.vstack([one for one, _ in found]))
    bias = np.array([one for _, one in found])
    between = time.perf_counter()
    parts = []
    for first in range(0, X_test.shape[0], _ROWS_AT_ONCE):
        block = X_test[first : first + _ROWS_AT_ONCE] @ weights.T
        scores = expit(block.toarray() + bias).astype(np.float32)
        for node in hierarchy.order:
            above = hierarchy.parents(node)
            if above.size:
                scores[:, node] *= scores[:, above].min(axis=1)
        scores[scores < LEAST_SCORE] = 0
        parts.append(sp.csr_array(scores))
    seconds = {"fit": between - start, "predict": time.perf_counter() - between}
    return seconds, sp.csr_array(sp.vstack(parts))


def _weights(X: Any, Y: Any, hierarchy: Hierarchy, node: int) -> tuple[Any, float]:
    """Return the weights of a node, without small ones, and its bias."""
    rows = np.arange(X.shape[0])
    for parent in hierarchy.parents(node):
        rows = np.intersect1d(rows, _rows_with(Y, parent))
    y = np.isin(rows, _rows_with(Y, node))
    if y.all() or not y.any():
        return sp.csr_array((1, X.shape[1])), 20.0 if y.all() else -20.0
    model = LogisticRegression(C=_C, solver="liblinear", dual=True)
    model.fit(X[rows], y)
    weights = model.coef_.astype(np.float32)
    weights[np.abs(weights) < 0.01] = 0
    return sp.csr_array(weights), float(model.intercept_[0])


def _rows_with(Y: Any, node: int) -> Any:
    return Y.indices[Y.indptr[node] : Y.indptr[node + 1]]


def linear(X: Any, Y: Any, X_test: Any, hierarchy: Hierarchy) -> tuple[Seconds, Any]:
    """LinearClassifier with all defaults."""
    return _linear(X, Y, X_test, hierarchy)


def mined(X: Any, Y: Any, X_test: Any, hierarchy: Hierarchy) -> tuple[Seconds, Any]:
    """LinearClassifier with squared hinge and mined negatives."""
    settings = {"loss": "squared_hinge", "negatives": "mined", "C": 1.0}
    return _linear(X, Y, X_test, hierarchy, **settings)


def _linear(
    X: Any, Y: Any, X_test: Any, hierarchy: Hierarchy, **settings: Any
) -> tuple[Seconds, Any]:
    from hilabel.classifiers import LinearClassifier

    model = LinearClassifier(hierarchy, scale=False, n_jobs=N_THREADS, **settings)
    start = time.perf_counter()
    model.fit(X, Y)
    between = time.perf_counter()
    scores = model.predict_proba(X_test)
    seconds = {"fit": between - start, "predict": time.perf_counter() - between}
    scores[scores < LEAST_SCORE] = 0
    return seconds, sp.csr_array(scores)


RIVALS: dict[str, Rival] = {
    "linear": linear,
    "mined": mined,
    "near_rows": near_rows,
    "logistic": logistic,
}


def command_of(rival: str, name: str, scores: Path) -> list[str]:
    """Return the command that runs a rival on a set."""
    folder = write_matrices(name)
    if rival in TREES:
        program = Path(_real_trees.__file__)
        return [environment(), str(program), rival, str(folder), str(scores)]
    module = "benchmarks._real_rivals"
    return [sys.executable, "-m", module, rival, str(folder), str(scores)]


def environment() -> str:
    """Return the Python of the other packages, which are installed on first use."""
    python, ready = ENVIRONMENT / "bin/python", ENVIRONMENT / "ready"
    if not ready.exists():
        make = [sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)]
        install = [str(python), "-m", "pip", "install", "--quiet", *PACKAGES]
        for command in (make, install):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                lines = done.stderr.strip().splitlines() or ["without a message"]
                raise RuntimeError(f"not installed: {lines[-1]}")
        ready.touch()
    return str(python)


def main(rival: str, matrices: str, scores: str) -> None:
    folder = Path(matrices)
    seconds, found = RIVALS[rival](*read_matrices(folder), read_edges(folder))
    sp.save_npz(scores, found, compressed=False)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
