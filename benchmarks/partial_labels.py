"""The effect of unknown cells; ``python -m benchmarks.partial_labels``.

On cellcycle_GO, each aspect of the Gene Ontology in turn is unknown for half of the
training rows. The nodes of the aspect are scored after three kinds of training: on
these labels, only on the rows with known labels, and with unknown labels replaced by
absent ones. The table is written to ``benchmarks/results/partial_labels.md``.
"""

import sys
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks._data import go_rows, missing_data_reason
from benchmarks._results import write_table
from hilabel.classifiers import (
    HierarchicalNetwork,
    LinearClassifier,
    LocalClassifierPerNode,
    NeighborsClassifier,
    PredictiveClusteringForest,
    PriorClassifier,
)
from hilabel.metrics import average_precision
from hilabel.semi_supervised import Blend

HEADINGS = (
    "aspect",
    "method",
    "unknown left out",
    "rows that know alone",
    "unknown as absent",
    "other aspects, unknown left out",
    "other aspects, rows that know alone",
)


_QUICK = {
    "forest": PredictiveClusteringForest(),
    "logistic": LinearClassifier(C=0.003, negatives="all"),
    "neighbours": NeighborsClassifier(),
}


def _methods(hierarchy: Any) -> dict[str, Any]:
    common: dict[str, Any] = {"random_state": 0}
    return {
        "constant predictor": PriorClassifier(hierarchy),
        "LCN": LocalClassifierPerNode(hierarchy, n_jobs=2, **common),
        "forest": PredictiveClusteringForest(hierarchy, n_jobs=2, **common),
        "network": HierarchicalNetwork(
            hierarchy, shape="deep", n_members=6, max_steps=400, **common
        ),
        "blend": Blend(hierarchy, candidates=_QUICK, n_jobs=2, **common),
    }


def main() -> None:
    reason = missing_data_reason()
    if reason:
        print(f"partial_labels: {reason}")
        return
    warnings.simplefilter("ignore")  # nodes without a labelled row
    X, Y, X_test, Y_test, hierarchy = go_rows("cellcycle", 1.0)
    generator = np.random.default_rng(0)
    rows = []
    for root in hierarchy.roots:
        own = np.append(hierarchy.descendants(root), root)
        rest = np.setdiff1d(np.arange(hierarchy.n_nodes), own)
        unknown = generator.random(len(X)) < 0.5
        partly = Y.astype(np.int8)
        partly[np.ix_(unknown, own)] = -1
        training = {
            "partly": (X, partly),
            "alone": (X[~unknown], Y[~unknown]),
            "absent": (X, np.maximum(partly, 0)),
        }
        for name, method in _methods(hierarchy).items():
            scores = {
                how: clone(method).fit(*data).predict_proba(X_test)
                for how, data in training.items()
            }
            found = [
                average_precision(Y_test[:, nodes], scores[how][:, nodes])
                for nodes, how in (
                    (own, "partly"),
                    (own, "alone"),
                    (own, "absent"),
                    (rest, "partly"),
                    (rest, "alone"),
                )
            ]
            texts = [f"{value:.4f}" for value in found]
            rows.append((hierarchy.names[root], name, *texts))
            print(*rows[-1], flush=True)
    print(write_table("partial_labels", HEADINGS, rows))


if __name__ == "__main__":
    sys.exit(main())
