"""Compare the default with plain models: ``python -m benchmarks.plain_models``.

The data are of several kinds, with few labelled rows (``benchmarks/_few_labels.py``).
The models of scikit-learn have default parameters and learn from the labelled rows;
their scores are capped by those of the parents. ``Blend`` also gets the unlabelled
rows. With ``--name``, the table is written to ``benchmarks/results/plain_models.md``.
Finished runs are stored in a file and are not repeated.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

from benchmarks._data import missing_data_reason
from benchmarks._few_labels import SETS, Rows
from benchmarks._results import write_table
from hilabel._label_matrix import LabelMatrix
from hilabel.constraints import cap_by_parents
from hilabel.metrics import average_precision
from hilabel.semi_supervised import Blend
from hilabel.semi_supervised._blend_candidates import default_candidates, is_expensive

RECORDS = Path(".benchmarks/plain_models.jsonl")


def extra_trees(rows: Rows) -> Any:
    """ExtraTreesRegressor for all nodes at once."""
    model = ExtraTreesRegressor(random_state=0, n_jobs=2)
    return model.fit(*rows.labeled).predict(rows.X_test)


def random_forest(rows: Rows) -> Any:
    """RandomForestClassifier for all nodes at once."""
    return _by_node(RandomForestClassifier(random_state=0, n_jobs=2), rows)


def neighbors(rows: Rows) -> Any:
    """KNeighborsClassifier(weights="distance")."""
    return _by_node(KNeighborsClassifier(weights="distance"), rows)


def logistic(rows: Rows) -> Any:
    """OneVsRestClassifier(LogisticRegression())."""
    model = OneVsRestClassifier(LogisticRegression())
    return model.fit(*rows.labeled).predict_proba(rows.X_test)


def network(rows: Rows) -> Any:
    """MLPClassifier."""
    model = MLPClassifier(random_state=0)
    return model.fit(*rows.labeled).predict_proba(rows.X_test)


def _by_node(model: Any, rows: Rows) -> Any:
    """Return the probability of class 1 from a list with one array per node."""
    model.fit(*rows.labeled)
    return np.column_stack(
        [
            shares[:, list(classes).index(1)] if 1 in classes else 0 * shares[:, 0]
            for shares, classes in zip(model.predict_proba(rows.X_test), model.classes_)
        ]
    )


def blend(rows: Rows) -> Any:
    """Blend, with unlabelled rows."""
    model = Blend(rows.hierarchy, random_state=0, n_jobs=2)
    return model.fit(rows.X, rows.Y).predict_proba(rows.X_test)


def blend_without_networks(rows: Rows) -> Any:
    """Blend, with unlabelled rows and all candidates but networks."""
    model = Blend(rows.hierarchy, random_state=0, n_jobs=2)
    data = model.check_training_data(rows.X, LabelMatrix.of(rows.Y))
    candidates = {
        name: one.model
        for name, one in default_candidates(data).items()
        if not (one.why_not or is_expensive(one.model))
    }
    model.set_params(candidates=candidates)
    return model.fit(rows.X, rows.Y).predict_proba(rows.X_test)


MODELS: dict[str, Callable[[Rows], Any]] = {
    "Blend": blend,
    "extra-trees": extra_trees,
    "random forest": random_forest,
    "neighbours": neighbors,
    "logistic": logistic,
    "MLP": network,
}


def measured(rows: Rows, model: Callable[[Rows], Any]) -> tuple[float, float]:
    """Return micro average precision and seconds of a model."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no convergence, nodes with a single class
        scores = cap_by_parents(np.clip(model(rows), 0, 1), rows.hierarchy)
    seconds = time.perf_counter() - start
    return float(average_precision(rows.Y_test, scores)), seconds


def run(
    names: list[str], seeds: list[int], models: list[str], records: Path
) -> pd.DataFrame:
    """Do the runs that are not in the file of records, and return all results."""
    records.parent.mkdir(parents=True, exist_ok=True)
    known = _read(records)
    for seed in seeds:
        for name in names:
            todo = [model for model in models if (name, seed, model) not in known]
            rows = SETS[name](seed) if todo else None
            for model in todo:
                score, seconds = measured(rows, MODELS[model])  # type: ignore[arg-type]
                known[name, seed, model] = score, seconds
                print(f"{name}, {seed}, {model}: {score:.4f}", flush=True)
                line = json.dumps([name, seed, model, score, seconds])
                with records.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
    found = [(*key, *figures) for key, figures in known.items()]
    table = pd.DataFrame(found, columns=["set", "seed", "model", "score", "seconds"])
    return table[table["set"].isin(names) & table["seed"].isin(seeds)]


def _read(records: Path) -> dict[tuple[str, int, str], tuple[float, float]]:
    if not records.exists():
        return {}
    lines = map(json.loads, records.read_text(encoding="utf-8").splitlines())
    return {(name, seed, model): (*figures,) for name, seed, model, *figures in lines}


def table(found: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return mean scores, and the lead of the best plain model over Blend."""
    means = found.pivot_table(index="set", columns="model", values="score", sort=False)
    rows = []
    for name, scores in means.reindex(columns=list(MODELS)).iterrows():
        above = scores.drop("Blend").max() - scores["Blend"]
        cells = [f"{score:.4f}"[1:] if score < 1 else "1" for score in scores]
        rows.append((str(name), *cells, f"{above:+.4f}"))
    return rows


def main() -> None:
    """Do the requested runs, print the table and, for a report, write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--name", help="write results/NAME.md")
    parser.add_argument("--networks", action="store_true", help="as candidates too")
    options = parser.parse_args()
    if not options.networks:
        MODELS["Blend"] = blend_without_networks
    names = options.sets
    if missing_data_reason():
        names = [name for name in names if not name.endswith("_GO")]
    found = run(names, options.seeds, options.models, options.records)
    headings = ("set", *MODELS, "best of the others above Blend")
    for row in (headings, *table(found)):
        print(" | ".join(row))
    if options.name:
        write_table(options.name, headings, table(found))


if __name__ == "__main__":
    main()
