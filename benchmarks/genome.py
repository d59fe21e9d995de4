"""Memory at the size of a genome; ``python -m benchmarks.genome``.

The benchmark generates 20,000 rows with sparse columns, and 11,000 terms, of which each
row has about 50. ``hilabel fit`` reads, matches, divides into folds, scores out of
fold, calibrates, decides, judges and saves: with label frequencies, with a forest and
with the default, each in its own process. Peak memory is compared with that of a
process that only reads the features; the limit is 1.5 GB above it. The table is written
to ``benchmarks/results/genome.md``.

To select runs, pass their names, such as ``prior``.
"""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks._results import write_table
from hilabel.persistence import read_manifest

N_ROWS, N_TERMS, N_COLUMNS = 20_000, 11_000, 8_000
PER_ROW, ANNOTATED, TERMS_PER_ROW = 60, 0.85, 9
RUNS = {
    "prior": ["--method", "PriorClassifier"],
    "forest": ["--method", "PredictiveClusteringForest"],
    "default": [],
}
_FOLDER = Path(".benchmarks/genome")
_READ = (
    "import sys; from hilabel.datasets import read_features; read_features(sys.argv[1])"
)
_HEADINGS = ("run", "seconds", "GB above the features", "model file, MB", "micro AP")


def make_files() -> dict[str, Path]:
    """Write features, annotations and hierarchy, if they do not exist."""
    paths = {
        "features": _FOLDER / "genes.npz",
        "labels": _FOLDER / "annotations.tsv",
        "hierarchy": _FOLDER / "terms.csv",
    }
    if not all(path.exists() for path in paths.values()):
        _FOLDER.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(0)
        parents = _draw_parents(random)
        annotated = _draw_annotations(random)
        edges = (f"T{parent},T{term}\n" for term, parent in enumerate(parents) if term)
        paths["hierarchy"].write_text("".join(edges))
        lines = (
            f"g{row}\tT{term}\n" for row, own in enumerate(annotated) for term in own
        )
        paths["labels"].write_text("".join(["id\tterm\n", *lines]))
        _write_features(paths["features"], annotated, parents, random)
    return paths


def _draw_parents(random: Any) -> Any:
    """Return the parent of each term but the first: about eight levels."""
    earlier = np.arange(N_TERMS) * random.random(N_TERMS) ** 1.5
    return earlier.astype(np.int64)


def _draw_annotations(random: Any) -> list[Any]:
    n_terms = np.where(
        random.random(N_ROWS) < ANNOTATED, random.poisson(TERMS_PER_ROW, N_ROWS), 0
    )
    return [np.unique(random.integers(1, N_TERMS, count)) for count in n_terms]


def _write_features(
    path: Path, annotated: list[Any], parents: Any, random: Any
) -> None:
    """Write columns: a row has some for each of its terms, and some by chance."""
    of_term = random.integers(0, N_COLUMNS, (N_TERMS, 4))
    columns = []
    for own in annotated:
        related = np.concatenate([own, parents[own]]).astype(np.int64)
        drawn = random.integers(0, N_COLUMNS, max(PER_ROW - 4 * len(related), 5))
        columns.append(np.unique(np.append(of_term[related].ravel(), drawn)))
    ends = np.append(0, np.cumsum([len(one) for one in columns]))
    index = np.concatenate(columns).astype(np.int32)
    values = np.ones(index.size, dtype=np.float32)
    X = sp.csr_array((values, index, ends), shape=(N_ROWS, N_COLUMNS))
    ids = np.array([f"g{row}" for row in range(N_ROWS)])
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    np.savez(path, ids=ids, shape=X.shape, format=np.array(b"csr"), **arrays)


def run(name: str, base: float) -> tuple[str, ...]:
    """Fit with one method, and return a row of the table."""
    paths, model = make_files(), _FOLDER / f"{name}.hilabel"
    command = ["-m", "hilabel", "fit", str(paths["features"])]
    command += ["-l", str(paths["labels"]), "-H", str(paths["hierarchy"])]
    command += ["-o", str(model), *RUNS[name]]
    start = time.perf_counter()
    above = peak_of(command) - base
    seconds = time.perf_counter() - start
    quality = read_manifest(model).summary["quality"]
    return (
        name,
        f"{seconds:.0f}",
        f"{above:.2f}",
        f"{model.stat().st_size / 1e6:.0f}",
        f"{quality['average_precision']:.3f} "
        f"(constant {quality['constant_average_precision']:.3f})",
    )


def peak_of(arguments: list[str]) -> float:
    """Run Python with arguments, and return its peak memory in GB."""
    measured = (
        "import resource, subprocess, sys; "
        "code = subprocess.run([sys.executable, *sys.argv[1:]], "
        "stdout=subprocess.DEVNULL).returncode; "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); "
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", measured, *arguments], capture_output=True, text=True
    )
    # 3: the model is no better than the constant predictor, and was saved.
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return int(done.stdout) * 1024 / 1e9


def main(wanted: list[str]) -> None:
    base = peak_of(["-c", _READ, str(make_files()["features"])])
    rows = []
    for name in wanted or RUNS:
        rows.append(run(name, base))
        print(*rows[-1], sep="  ", flush=True)
    if not wanted:
        write_table("genome", _HEADINGS, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
