"""Label trees of other packages: ``_real_trees.py RIVAL FOLDER FILE``.

It runs in an environment of its own, with omikuji and napkinXC instead of hilabel. It
reads matrices from a folder, writes scores to a file, and prints the seconds of
training and of prediction as JSON.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

N_THREADS = 2
MOST_LABELS = 200
# A label counts as 0 below this score.
LEAST_SCORE = 1e-4

Seconds = dict[str, float]


def omikuji(X: Any, Y: Any, X_test: Any, folder: Path) -> tuple[Seconds, Any]:
    """Three balanced trees with squared hinge, all defaults (Parabel)."""
    import omikuji as package

    file = folder / "train.txt"
    _write_lines(file, X, Y)
    start = time.perf_counter()
    model = package.Model.train_on_data(str(file), n_threads=N_THREADS)
    between = time.perf_counter()
    model.init_prediction_thread_pool(1)

    def predict(row: int) -> list[tuple[int, float]]:
        here = slice(X_test.indptr[row], X_test.indptr[row + 1])
        pairs = zip(X_test.indices[here].tolist(), X_test.data[here].tolist())
        return model.predict([*pairs], top_k=MOST_LABELS)

    with ThreadPoolExecutor(N_THREADS) as pool:
        found = [*pool.map(predict, range(X_test.shape[0]), chunksize=256)]
    seconds = {"fit": between - start, "predict": time.perf_counter() - between}
    return seconds, scores_of_lists(found, Y.shape[1])


def plt(X: Any, Y: Any, X_test: Any, folder: Path) -> tuple[Seconds, Any]:
    """A probabilistic label tree of napkinXC, all defaults."""
    from napkinxc.models import PLT

    model = PLT(str(folder / "model"), threads=N_THREADS, seed=0)
    labels = [row.tolist() for row in np.split(Y.indices, Y.indptr[1:-1])]
    start = time.perf_counter()
    model.fit(sp.csr_matrix(X), labels)
    between = time.perf_counter()
    found = model.predict_proba(
        sp.csr_matrix(X_test), top_k=MOST_LABELS, threshold=LEAST_SCORE
    )
    seconds = {"fit": between - start, "predict": time.perf_counter() - between}
    return seconds, scores_of_lists(found, Y.shape[1])


def _write_lines(path: Path, X: Any, Y: Any) -> None:
    """Write rows and labels in the format of the extreme classification repository."""
    with path.open("w") as file:
        file.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
        for row in range(X.shape[0]):
            labels = Y.indices[Y.indptr[row] : Y.indptr[row + 1]]
            here = slice(X.indptr[row], X.indptr[row + 1])
            pairs = zip(X.indices[here], X.data[here])
            words = (f"{column}:{value:.6g}" for column, value in pairs)
            file.write(f"{','.join(map(str, labels))} {' '.join(words)}\n")


def scores_of_lists(found: Iterable[Iterable[tuple[int, float]]], n_labels: int) -> Any:
    """Return lists of labels and scores as a sparse matrix."""
    rows = [[*row] for row in found]
    ends = np.append(0, np.cumsum([len(row) for row in rows]))
    pairs = [pair for row in rows for pair in row]
    labels = np.array([label for label, _ in pairs], dtype=np.int32)
    scores = np.array([score for _, score in pairs], dtype=np.float32)
    return sp.csr_array((scores, labels, ends), shape=(len(rows), n_labels))


TREES: dict[str, Callable[..., tuple[Seconds, Any]]] = {"omikuji": omikuji, "plt": plt}


def main(rival: str, matrices: str, scores: str) -> None:
    parts = [
        sp.csr_array(sp.load_npz(Path(matrices, f"{name}.npz")))
        for name in ("X_train", "Y_train", "X_test")
    ]
    with tempfile.TemporaryDirectory() as folder:
        seconds, found = TREES[rival](*parts, Path(folder))
    sp.save_npz(scores, found, compressed=False)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
