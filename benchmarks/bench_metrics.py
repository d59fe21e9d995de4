"""Average precision over all cells, compared with scikit-learn's."""

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import average_precision_score

from benchmarks._comparison import Comparison, compare
from hilabel.metrics import average_precision

SHAPE = 2_000, 4_000
PREVALENCE = 0.02


def run() -> Iterator[Comparison]:
    random = np.random.default_rng(0)
    Y = (random.random(SHAPE) < PREVALENCE).astype(np.int8)
    distinct = random.random(SHAPE)
    cases = {
        "distinct scores": distinct,
        "single precision": distinct.astype(np.float32),
        # The scores of a forest of 100 trees are shares of trees.
        "101 distinct scores": np.round(distinct, 2),
    }
    for name, scores in cases.items():
        yield compare(
            f"average precision, 2000 x 4000, {name}",
            lambda scores=scores: average_precision(Y, scores),
            "scikit-learn",
            lambda scores=scores: average_precision_score(Y, scores, average="micro"),
        )
