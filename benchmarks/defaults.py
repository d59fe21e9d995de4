"""Defaults for several kinds of data; ``python -m benchmarks.defaults``.

The benchmark compares every policy of ``LocalClassifierPerNode``, with and without
prior correction, on five kinds of data. hiclass is included if it is installed and
every row has one path. The tables are printed and written to
``benchmarks/results/defaults.md``. They contain three scores:

- AP: micro average precision of the probabilities;
- F1: micro F1 of the label sets that ``predict`` returns;
- leaf: share of rows whose best leaf (``decode="path"``) is right.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from benchmarks._data import go_rows, missing_data_reason
from hilabel import Hierarchy
from hilabel._validation import check_labels
from hilabel.classifiers import POLICIES, LocalClassifierPerNode
from hilabel.datasets import make_artificial
from hilabel.metrics import average_precision

RESULTS = Path(__file__).parent / "results" / "defaults.md"
SHAPES = {
    "0": "round/closed/0",
    "6": "round/loop/6",
    "9": "round/loop/9",
    "8": "round/closed/8",
    "1": "straight/thin/1",
    "7": "straight/thin/7",
    "4": "straight/crossed/4",
    "2": "open/mixed/2",
    "3": "open/arcs/3",
    "5": "open/mixed/5",
}


@dataclass(frozen=True)
class Rows:
    """Training and test rows; ``paths`` if each row has one path to a leaf."""

    X: Any
    Y: Any
    X_test: Any
    Y_test: Any
    hierarchy: Hierarchy
    paths: tuple[Any, Any] | None = None


def _single_paths(X: Any, paths: list[tuple[str, ...]], test_size: float) -> Rows:
    hierarchy = Hierarchy.from_labels(paths)
    y = np.array(paths, dtype=object)
    X, X_test, y, y_test = train_test_split(
        X, y, test_size=test_size, random_state=0, stratify=y[:, -1]
    )
    Y, Y_test = (check_labels(rows, hierarchy).to_array() for rows in (y, y_test))
    return Rows(X, Y, X_test, Y_test, hierarchy, (y, y_test))


def _tree_paths(classes: Any) -> list[tuple[str, ...]]:
    """Place 60 classes below 5 roots with 4 children each."""
    return [(f"r{c // 12}", f"m{c // 3}", f"c{c}") for c in classes.tolist()]


def clusters() -> Rows:
    """60 classes with 20 rows each, in clusters close to those of siblings."""
    rng = np.random.default_rng(0)
    roots, middles, own = (rng.normal(size=(n, 20)) for n in (5, 20, 60))
    centers = 3 * roots.repeat(12, axis=0) + 2 * middles.repeat(3, axis=0) + own
    X, classes = make_blobs([40] * 60, centers=centers, cluster_std=1.5, random_state=0)
    return _single_paths(X, _tree_paths(classes), 0.5)


def words() -> Rows:
    """60 classes of short texts over 2,000 words, as counts in a sparse matrix."""
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(60), 40)
    usual = rng.dirichlet(np.full(2000, 0.3))
    parts = [rng.dirichlet(np.full(2000, 0.02), size=n) for n in (5, 20, 60)]
    own = [part[classes // size] for part, size in zip(parts, (12, 3, 1))]
    shares = 0.7 * usual + 0.1 * (own[0] + own[1] + own[2])
    counts = [rng.multinomial(60, share / share.sum()) for share in shares]
    X = sp.csr_array(np.array(counts, dtype=np.float64))
    return _single_paths(X, _tree_paths(classes), 0.5)


def digits() -> Rows:
    """Images of digits with a hierarchy of their shapes."""
    X, y = load_digits(return_X_y=True)
    return _single_paths(X, [tuple(SHAPES[str(c)].split("/")) for c in y], 0.5)


def artificial() -> Rows:
    """The example of the paper: a DAG, several paths, few rows."""
    data = make_artificial()
    Y_test = data.hierarchy.close(data.Y_test)
    return Rows(data.X_labeled, data.Y_labeled, data.X_test, Y_test, data.hierarchy)


def genes() -> Rows:
    """The Gene Ontology set cellcycle: a DAG, several paths, rare labels."""
    return Rows(*go_rows("cellcycle", 0.5))


def _figures(rows: Rows, model: LocalClassifierPerNode) -> tuple[float, ...]:
    model.fit(rows.X, rows.Y)
    scores = model.predict_proba(rows.X_test)
    labels = model.predict(rows.X_test)
    ap = average_precision(rows.Y_test, scores)
    f1 = f1_score(rows.Y_test, labels, average="micro", zero_division=0)
    if rows.paths is None:
        return ap, f1, np.nan
    chosen = model.predict(rows.X_test, decode="path")
    return ap, f1, float((chosen == rows.Y_test).all(axis=1).mean())


def _figures_of_hiclass(rows: Rows, local: Any) -> tuple[float, ...]:
    from hiclass import LocalClassifierPerNode as TheirClassifier

    y, y_test = rows.paths  # type: ignore[misc]
    predicted = TheirClassifier(local).fit(rows.X, y.astype(str)).predict(rows.X_test)
    right = np.asarray(predicted) == y_test
    labels = check_labels(np.asarray(predicted), rows.hierarchy).matrix
    f1 = f1_score(rows.Y_test, labels, average="micro", zero_division=0)
    return np.nan, f1, float(right.all(axis=1).mean())


def table(make: Callable[[], Rows]) -> pd.DataFrame:
    """Return the scores of every choice on one kind of data."""
    rows = make()
    found = {}
    for policy in sorted(POLICIES):
        for calibration in (None, "prior"):
            model = LocalClassifierPerNode(
                rows.hierarchy,
                policy=policy,
                calibration=calibration,
                n_jobs=2,
                random_state=0,
            )
            corrected = ", corrected" if calibration else ""
            found[f"{policy}{corrected}"] = _figures(rows, model)
    if rows.paths is not None and find_spec("hiclass"):
        for local in (
            LogisticRegression(max_iter=500),
            RandomForestClassifier(random_state=0),
        ):
            name = f"hiclass, {type(local).__name__}"
            found[name] = _figures_of_hiclass(rows, local)
    return pd.DataFrame.from_dict(found, orient="index", columns=["AP", "F1", "leaf"])


def main() -> None:
    """Print the tables and write the page."""
    kinds = [clusters, words, digits, artificial]
    if not missing_data_reason():
        kinds.append(genes)
    page = ["# Defaults of LocalClassifierPerNode", "", __doc__.partition("\n\n")[2]]
    for make in kinds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nodes with examples of a single class
            frame = table(make)
        print(f"\n{make.__name__}\n{frame.to_string(float_format='%.3f')}", flush=True)
        page += [
            "",
            f"## {make.__name__}",
            "",
            make.__doc__ or "",
            "",
            _markdown(frame),
        ]
    RESULTS.write_text("\n".join(page) + "\n", encoding="utf-8")


def _markdown(frame: pd.DataFrame) -> str:
    lines = ["| policy | AP | F1 | leaf |", "|---|---|---|---|"]
    for name, figures in frame.iterrows():
        shown = [
            "" if value != value else f"{value:.3f}"[1:] if value < 1 else "1"
            for value in figures
        ]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
