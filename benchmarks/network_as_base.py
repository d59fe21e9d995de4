"""SSHMC-BLI with forests and with networks: ``python -m benchmarks.network_as_base``.

The rows of the example with two columns, and cellcycle_GO with 10 % of its labels
(needs HILABEL_DATA), drawn again for each of three seeds. V2 pseudo-labels the
unlabelled rows once; its forests (LCN), and networks of one shape, are then trained on
the labelled rows alone, or on the pseudo-labelled rows as well. The table is printed
and written to ``benchmarks/results/network_as_base.md``. This takes minutes.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._data import go_rows, missing_data_reason
from benchmarks._results import write_table
from hilabel.classifiers import (
    HierarchicalNetwork,
    LocalClassifierPerNode,
    PriorClassifier,
)
from hilabel.datasets import make_artificial
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI

FRACTION = 0.1
SEEDS = range(3)
SETTINGS = {"shape": "mid", "n_members": 6, "max_steps": 240}
ARTIFICIAL = "artificial example"
CELLCYCLE = f"cellcycle_GO, {FRACTION:.0%} labelled"


def rows_of(name: str, seed: int) -> tuple[Any, ...]:
    """Return (X, Y, X_test, Y_test, hierarchy) with unlabelled rows of -1."""
    if name == CELLCYCLE:
        return go_rows("cellcycle", FRACTION, keep_unlabeled=True, random_state=seed)
    data = make_artificial()
    X = np.vstack([data.X_labeled, data.X_unlabeled])
    unknown = np.full((len(data.X_unlabeled), data.Y_labeled.shape[1]), -1)
    Y = np.vstack([data.Y_labeled, unknown])
    return X, Y, data.X_test, data.Y_test, data.hierarchy


def models_for(hierarchy: Any, seed: int) -> Iterator[tuple[str, Any]]:
    """Yield the methods by name, all with the same settings of their classifiers."""
    network = HierarchicalNetwork(**SETTINGS, random_state=seed)
    forests = LocalClassifierPerNode(
        policy="balanced_bottom_up", negatives_order="siblings_first", random_state=seed
    )
    yield "constant predictor", PriorClassifier(hierarchy)
    yield "forests (LCN)", forests.set_params(hierarchy=hierarchy)
    yield "V2 with its forests", SSHMCBLI(hierarchy, random_state=seed)
    yield "network", network.set_params(hierarchy=hierarchy)
    yield "V2 with the network", SSHMCBLI(hierarchy, estimator=network)


def figures(name: str, seed: int) -> Iterator[tuple[str, str, float]]:
    """Yield the average precision of every method on the test rows."""
    X, Y, X_test, Y_test, hierarchy = rows_of(name, seed)
    for method, model in models_for(hierarchy, seed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nodes without a labelled row
            model.fit(X, Y)
        score = average_precision(Y_test, model.predict_proba(X_test))
        print(f"{name}, {seed}, {method}: {score:.3f}", flush=True)
        yield name, method, score


def main() -> None:
    """Print the scores and write the table."""
    reason = missing_data_reason()
    if reason:
        print(f"without cellcycle_GO: {reason}")
    names = [ARTIFICIAL] if reason else [ARTIFICIAL, CELLCYCLE]
    table = pd.DataFrame(
        [one for name in names for seed in SEEDS for one in figures(name, seed)],
        columns=["data", "method", "AP"],
    )
    found = table.groupby(["method", "data"], sort=False)["AP"].agg(["mean", "std"])
    rows = [
        (
            method,
            *(f"{m:.3f} ± {s:.3f}" for m, s in found.loc[method].loc[names].values),
        )
        for method in table["method"].unique()
    ]
    print(write_table("network_as_base", ("method", *names), rows).read_text())


if __name__ == "__main__":
    main()
