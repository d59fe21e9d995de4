"""Which negatives come first; ``python -m benchmarks.negatives_order``.

The paper takes negatives "first from its siblings, then from uncles and so on"; its
program ranks rows by the depth of the deepest shared ancestor. The benchmark compares
both on the Gene Ontology sets, with 10 and 50 % of the rows labelled: micro average
precision with prior correction (without it, scores of different nodes are not
comparable) and as in the paper, and macro average precision. The table is written to
``benchmarks/results/negatives_order.md``.
"""

import sys
import warnings
from typing import Any

import numpy as np

from benchmarks._data import go_rows, missing_data_reason
from benchmarks._results import write_table
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.local_models import NEGATIVES_ORDERS
from hilabel.metrics import average_precision

SETS = (
    "cellcycle",
    "church",
    "derisi",
    "eisen",
    "expr",
    "gasch1",
    "gasch2",
    "pheno",
    "seq",
    "spo",
)
FRACTIONS = (0.1, 0.5)
DRAWS = (0, 1)


def _scores(rows: tuple[Any, ...], order: str, draw: int) -> list[float]:
    """Return corrected micro, uncorrected micro and macro average precision."""
    X, Y, X_test, Y_test, hierarchy = rows
    if order == "constant":
        model: Any = PriorClassifier(hierarchy).fit(X, Y)
        scores = {calibration: model.predict_proba(X_test) for calibration in ("", "p")}
    else:
        model = LocalClassifierPerNode(
            hierarchy,
            policy="balanced_bottom_up",
            negatives_order=order,
            calibration="prior",
            random_state=draw,
        ).fit(X, Y)
        scores = {"p": model.predict_proba(X_test)}
        # The correction is applied in prediction, so one training serves both.
        scores[""] = model.set_params(calibration=None).predict_proba(X_test)
    return [
        average_precision(Y_test, scores["p"]),
        average_precision(Y_test, scores[""]),
        average_precision(Y_test, scores[""], average="macro"),
    ]


def main() -> None:
    """Print and write one line for each order, fraction and measure."""
    if reason := missing_data_reason():
        sys.exit(reason)
    warnings.simplefilter("ignore")  # nodes without positives, in every run
    found: dict[tuple[float, str], list[list[float]]] = {}
    for name in SETS:
        for fraction in FRACTIONS:
            for draw in DRAWS:
                rows = go_rows(name, fraction, random_state=draw)
                for order in ("constant", *NEGATIVES_ORDERS):
                    scores = _scores(rows, order, draw)
                    found.setdefault((fraction, order), []).append(scores)
        print(f"{name} is done", flush=True)
    lines = []
    for (fraction, order), scores in found.items():
        ours, rival = np.array(scores), np.array(found[fraction, "index"])
        wins = int((ours[:, 0] > rival[:, 0]).sum())
        means = [f"{mean:.4f}" for mean in ours.mean(axis=0)]
        lines.append((f"{100 * fraction:g} %", order, *means, f"{wins} of {len(ours)}"))
    headings = (
        "labelled",
        "negatives_order",
        "micro AP, corrected",
        "micro AP, as in the paper",
        "macro AP",
        "corrected above index",
    )
    print(write_table("negatives_order", headings, lines).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
