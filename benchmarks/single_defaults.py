"""Defaults of single models: ``python -m benchmarks.single_defaults``.

The benchmark compares leaf sizes of ``PredictiveClusteringForest`` and values of ``C``
of ``LinearClassifier`` on the development data of ``benchmarks/_few_labels.py``; data
for reports are not used for the choice. The score is micro average precision, the mean
of two draws. The table is written to ``benchmarks/results/single_defaults.md``.
"""

import warnings
from typing import Any

import numpy as np

from benchmarks._data import missing_data_reason
from benchmarks._few_labels import DEVELOPMENT, SETS
from benchmarks._results import write_table
from hilabel.classifiers import LinearClassifier, PredictiveClusteringForest
from hilabel.metrics import average_precision

SEEDS = (DEVELOPMENT, DEVELOPMENT + 1)
GENES = ("cellcycle_GO", "church_GO", "eisen_GO", "expr_GO", "pheno_GO", "seq_GO")
MODELS: dict[str, Any] = {
    **{
        f"forest, leaves of {size}": PredictiveClusteringForest(
            min_samples_leaf=size, random_state=0
        )
        for size in (1, 2, 3, 5, 10)
    },
    **{
        f"logistic, C={C:g}": LinearClassifier(C=C, negatives="all")
        for C in (0.01, 0.03, 0.1, 0.3)
    },
}


def scores(name: str) -> list[float]:
    """Return the score of each model on a data set."""
    found = []
    for seed in SEEDS:
        rows = SETS[name](seed)
        fitted = [
            model.set_params(hierarchy=rows.hierarchy).fit(*rows.labeled)
            for model in MODELS.values()
        ]
        found.append(
            [
                average_precision(rows.Y_test, model.predict_proba(rows.X_test))
                for model in fitted
            ]
        )
    return np.mean(found, axis=0).tolist()


def main() -> None:
    """Print the scores and write the table."""
    warnings.simplefilter("ignore")  # nodes without a labelled row
    names = [name for name in SETS if not name.endswith("_GO")]
    if not missing_data_reason():
        names += GENES
    rows = []
    for name in names:
        rows.append((name, *(f"{score:.3f}"[1:] for score in scores(name))))
        print(" | ".join(rows[-1]), flush=True)
    write_table("single_defaults", ("set", *MODELS), rows)


if __name__ == "__main__":
    main()
