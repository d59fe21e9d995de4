"""Micro AP of networks on the GO and FUN sets; ``python -m benchmarks.networks``.

Three tables are written to ``benchmarks/results/networks.md``: all nodes, trained on
training and validation rows, next to published scores; nodes with at least 50 rows, at
10, 30 and 50 % labelled; and C-HMCNN(h) with its published settings. This takes minutes
on a GPU and hours on two cores. Finished runs are stored in
``.benchmarks/networks.jsonl`` and are not repeated. To select runs, pass names of
parts, such as ``published``, and of data sets, such as ``cellcycle_GO``.
"""

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._data import go_rows, missing_data_reason
from benchmarks._results import FOLDER, _line, _provenance
from benchmarks.bench_agreement import DATA_SETS
from hilabel.classifiers import (
    CHMCNN,
    HierarchicalNetwork,
    PredictiveClusteringForest,
    PriorClassifier,
)
from hilabel.datasets import load_fun, load_go, load_hmc_arff_splits
from hilabel.metrics import average_precision

PARTS = ("published", "fractions", "chmcnn")
FRACTIONS = (0.1, 0.3, 0.5)
REPETITIONS = 3
_DONE = Path(".benchmarks/networks.jsonl")
# C-HMCNN(h) as published by Giunchiglia and Lukasiewicz, "Coherent hierarchical
# multi-label classification networks", 2020.
PUBLISHED = {
    "cellcycle_FUN": 0.255,
    "derisi_FUN": 0.195,
    "eisen_FUN": 0.306,
    "expr_FUN": 0.302,
    "gasch1_FUN": 0.286,
    "gasch2_FUN": 0.258,
    "seq_FUN": 0.292,
    "spo_FUN": 0.215,
    "cellcycle_GO": 0.413,
    "derisi_GO": 0.370,
    "eisen_GO": 0.455,
    "expr_GO": 0.447,
    "gasch1_GO": 0.436,
    "gasch2_GO": 0.414,
    "seq_GO": 0.446,
    "spo_GO": 0.382,
    "Diatoms_others": 0.758,
    "Enron_others": 0.756,
    "ImCLEF07A_others": 0.956,
    "ImCLEF07D_others": 0.927,
}
# Units of a hidden layer, and epochs, as published.
CHMCNN_SETTINGS = {"cellcycle_GO": (1000, 62), "derisi_GO": (500, 91)}
_ROOT_TERMS = {"GO0003674", "GO0005575", "GO0008150"}

Row = dict[str, Any]


def _whole(name: str) -> tuple[Any, ...] | None:
    """Return (X, Y, X_test, Y_test, hierarchy, scored nodes), if the set is present."""
    stem, _, collection = name.partition("_")
    folder = Path(os.environ["HILABEL_DATA"], collection, stem)
    if not folder.is_dir():
        return None
    if collection == "others":  # training and test rows alone
        train, test = (
            next(folder.glob(f"*.{part}.arff*")) for part in ("train", "test")
        )
        splits = load_hmc_arff_splits(train, train, test)
        X, Y = splits.train.X, splits.train.Y
    else:
        load = load_go if collection == "GO" else load_fun
        splits = load(stem, min_count=None)
        X = np.vstack([splits.train.X, splits.valid.X])
        Y = np.vstack([splits.train.Y, splits.valid.Y])
    names = splits.hierarchy.names
    scored = [node for node, label in enumerate(names) if label not in _ROOT_TERMS]
    return X, Y, splits.test.X, splits.test.Y, splits.hierarchy, scored


def _four(
    X: Any, Y: Any, X_test: Any, Y_test: Any, hierarchy: Any, scored: Any, **forest: Any
) -> Row:
    """Score network, forest, their mean, and the constant predictor."""
    start = time.perf_counter()
    network = HierarchicalNetwork(hierarchy, random_state=0, verbose=1).fit(X, Y)
    scores = {"network": network.predict_proba(X_test)}
    seconds = time.perf_counter() - start
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nodes without a labelled row
        model = PredictiveClusteringForest(
            hierarchy, random_state=0, n_jobs=2, **forest
        )
        scores["forest"] = model.fit(X, Y).predict_proba(X_test)
    scores["both"] = (scores["network"] + scores["forest"]) / 2
    scores["constant"] = PriorClassifier(hierarchy).fit(X, Y).predict_proba(X_test)
    found = {name: _ap(Y_test, own, scored) for name, own in scores.items()}
    kept = {part.name: part.n_steps for part in network.networks_.parts}
    return {**found, "seconds": round(seconds, 1), "kept": kept, "device": _device()}


def _published(name: str) -> Row | None:
    data = _whole(name)
    return None if data is None else _four(*data, n_estimators=500)


def _fraction(name: str, fraction: float, repetition: int) -> Row:
    *rows, hierarchy = go_rows(name, fraction, random_state=repetition)
    return _four(*rows, hierarchy, slice(None))


def _chmcnn(name: str, seed: int) -> Row | None:
    data = _whole(name)
    if data is None:
        return None
    X, Y, X_test, Y_test, hierarchy, scored = data
    n_hidden, n_epochs = CHMCNN_SETTINGS[name]
    start = time.perf_counter()
    model = CHMCNN(
        hierarchy,
        n_hidden=n_hidden,
        n_epochs=n_epochs,
        excluded=sorted(_ROOT_TERMS),
        random_state=seed,
    ).fit(X, Y)
    ap = _ap(Y_test, model.predict_proba(X_test), scored)
    seconds = round(time.perf_counter() - start, 1)
    return {"network": ap, "seconds": seconds, "device": _device()}


def _ap(Y: Any, scores: Any, scored: Any) -> float:
    return round(float(average_precision(Y[:, scored], scores[:, scored])), 5)


def _device() -> str:
    import jax

    return str(jax.devices()[0].device_kind)


def _runs() -> Iterator[tuple[str, Callable[[], Row | None]]]:
    """Yield the key of every run, and the function that computes it."""
    for name in PUBLISHED:
        yield f"published/{name}", lambda name=name: _published(name)  # type: ignore[misc]
    for name in CHMCNN_SETTINGS:
        for seed in range(REPETITIONS):
            yield (
                f"chmcnn/{name}/{seed}",
                lambda name=name, seed=seed: _chmcnn(name, seed),  # type: ignore[misc]
            )
    for fraction in FRACTIONS:
        for name in DATA_SETS:
            for repetition in range(REPETITIONS):
                yield (
                    f"fractions/{name}_GO/{fraction}/{repetition}",
                    lambda one=(name, fraction, repetition): _fraction(*one),  # type: ignore[misc]
                )


def done() -> dict[str, Row]:
    """Return the finished runs by key."""
    if not _DONE.exists():
        return {}
    return {row.pop("key"): row for row in map(json.loads, _DONE.open())}


def compute(wanted: list[str], until: float = float("inf")) -> None:
    """Do the unfinished runs whose keys contain all words."""
    finished = done()
    parts = [word for word in wanted if word in PARTS] or list(PARTS)
    names = [word for word in wanted if word not in PARTS]
    for key, run in _runs():
        part, name, *_ = key.split("/")
        if key in finished or part not in parts or (names and name not in names):
            continue
        if time.time() > until:
            break
        row = run()
        if row is None:
            continue
        _DONE.parent.mkdir(exist_ok=True)
        with _DONE.open("a") as file:
            file.write(json.dumps({"key": key, **row}) + "\n")
        print(key, row, flush=True)


def write() -> Path:
    """Write the tables of the finished runs."""
    rows = done()
    devices = sorted({row["device"] for row in rows.values()})
    text = [
        "<!-- Written by `python -m benchmarks.networks`. -->",
        "",
        "# networks",
        "",
        f"{_provenance()} Networks were trained on: {', '.join(devices)}.",
        "",
        "## All nodes",
        "",
        "Micro average precision on the test rows; training and validation rows, root "
        "terms of the Gene Ontology not scored. *network* is `HierarchicalNetwork()`, "
        "*forest* `PredictiveClusteringForest(n_estimators=500)`, *both* the mean of "
        "their scores, *constant* predicts label frequencies. Shapes and steps were "
        "chosen on out-of-fold scores. Sets that are not at hand are left out.",
        "",
        *_published_table(rows),
        "",
        "## Few labels",
        "",
        "Nodes of at least 50 training rows, all of them scored, mean of three choices "
        "of the labelled rows.",
        "",
        *_fractions_table(rows),
        "",
        "## C-HMCNN(h) reproduced",
        "",
        "`CHMCNN` with the published units and epochs, three seeds.",
        "",
        *_chmcnn_table(rows),
    ]
    path = FOLDER / "networks.md"
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def _table(headings: tuple[str, ...], lines: list[tuple[str, ...]]) -> list[str]:
    return [_line(headings), _line(("---",) * len(headings)), *map(_line, lines)]


_METHODS = ("constant", "forest", "network", "both")


def _published_table(rows: dict[str, Row]) -> list[str]:
    lines, gains = [], []
    for name, published in PUBLISHED.items():
        row = rows.get(f"published/{name}")
        if row is None:
            continue
        gains.append(row["network"] - published)
        kept = ", ".join(f"{shape} {steps}" for shape, steps in row["kept"].items())
        found = [f"{row[method]:.4f}" for method in _METHODS]
        theirs = f"{published:.3f}"
        lines.append(
            (name, *found, theirs, f"{gains[-1]:+.4f}", kept, f"{row['seconds']:.0f}")
        )
    if gains:
        lines.append(("mean", *[""] * 5, f"{np.mean(gains):+.4f}", "", ""))
    headings = ("data set", *_METHODS, "C-HMCNN(h), published", "network's gain")
    return _table((*headings, "shapes and steps", "seconds"), lines)


def _fractions_table(rows: dict[str, Row]) -> list[str]:
    lines = []
    for fraction in FRACTIONS:
        means = []
        for name in DATA_SETS:
            own = [
                rows[key]
                for repetition in range(REPETITIONS)
                if (key := f"fractions/{name}_GO/{fraction}/{repetition}") in rows
            ]
            if not own:
                continue
            means.append([np.mean([row[method] for row in own]) for method in _METHODS])
            texts = [f"{value:.4f}" for value in means[-1]]
            lines.append((f"{name}_GO", f"{fraction:.0%}", *texts, str(len(own))))
        if means:
            texts = [f"{value:.4f}" for value in np.mean(means, axis=0)]
            lines.append(("mean", f"{fraction:.0%}", *texts, ""))
    return _table(("data set", "labelled", *_METHODS, "repetitions"), lines)


def _chmcnn_table(rows: dict[str, Row]) -> list[str]:
    lines = []
    for name in CHMCNN_SETTINGS:
        found = [
            rows[key]["network"]
            for seed in range(REPETITIONS)
            if (key := f"chmcnn/{name}/{seed}") in rows
        ]
        if found:
            single = ", ".join(f"{ap:.4f}" for ap in found)
            lines.append(
                (name, single, f"{np.mean(found):.4f}", f"{PUBLISHED[name]:.3f}")
            )
    return _table(("data set", "seeds", "mean", "published"), lines)


def main(wanted: list[str]) -> None:
    reason = missing_data_reason()
    if reason:
        print(f"networks: {reason}")
        return
    compute(wanted)
    print(write())


if __name__ == "__main__":
    main(sys.argv[1:])
