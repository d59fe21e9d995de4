"""Self-training of all nodes, relative to a single fit of the local classifiers.

There are up to eleven rounds, most of them on about twice the number of labelled rows.
HMC-SSLP trains a forest for every class of its tree after every batch; it is compared
with the same method and scikit-learn's forests. All results are ratios of processor
times, so they can be compared across machines.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks._comparison import Comparison, Measurement
from benchmarks._data import go_rows, missing_data_reason
from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerNode
from hilabel.metrics import average_precision
from hilabel.semi_supervised import HMCSSLP, STHC

FRACTION = 0.5
BOUND = 20
REPEATS = 3
ROWS = 240
SECOND_LABEL = 0.3
TARGET = 5


def run() -> Iterator[Comparison | Measurement]:
    yield _small_forests()
    reason = missing_data_reason()
    if reason:
        print(f"bench_self_training: {reason}")
        return
    masked = go_rows("cellcycle", FRACTION, keep_unlabeled=True)
    labeled = go_rows("cellcycle", FRACTION)
    everything = go_rows("cellcycle", 1.0)
    X_test, Y_test, hierarchy = masked[2:]
    method = STHC(hierarchy, random_state=0)
    same = LocalClassifierPerNode(hierarchy, policy="less_inclusive", random_state=0)
    usual = LocalClassifierPerNode(
        hierarchy, policy="balanced_bottom_up", random_state=0
    )
    _cpu_seconds(usual, X_test[:50], Y_test[:50])  # warm-up
    units = {
        "LCN, all labelled rows for every node": (same, labeled),
        "LCN, the paper's policy, labelled rows": (usual, labeled),
        "LCN, the paper's policy, the labels of all rows": (usual, everything),
    }
    seconds = {
        name: min(_cpu_seconds(model, *rows[:2]) for _ in range(REPEATS))
        for name, (model, rows) in units.items()
    }
    taken = _cpu_seconds(method, *masked[:2])
    score = average_precision(Y_test, method.predict_proba(X_test))
    supervised = average_precision(Y_test, same.predict_proba(X_test))
    for name, unit in seconds.items():
        # The bound applies to the same rows and the same policy.
        is_alike = name == next(iter(units))
        yield Measurement(
            f"cellcycle_GO, {FRACTION:.0%} labelled: STHC in fits of {name}",
            taken / unit,
            "fits",
            bound=BOUND if is_alike else None,
            note=f"{taken:.1f} s and {unit:.2f} s of one core; {len(method.history_)} "
            f"rounds; AP {score:.4f}, supervised {supervised:.4f}",
        )


def _small_forests() -> Comparison:
    """Train HMC-SSLP on 240 rows with scikit-learn's forests and with hilabel's."""
    generator = np.random.default_rng(0)
    tree = Hierarchy.from_dict({"a": ["c", "d"], "b": ["e", "f"]})
    leaf = generator.integers(4, size=ROWS)
    X = generator.normal(size=(ROWS, 4)) + 2 * np.eye(4)[leaf]
    Y = [{"cdef"[number]} for number in leaf]
    for row in np.flatnonzero(generator.random(ROWS) < SECOND_LABEL):
        Y[row].add("cdef"[generator.integers(4)])
    rows = X[: ROWS // 4], Y[: ROWS // 4], X[ROWS // 4 :]
    methods = {
        "theirs": HMCSSLP(tree, estimator=RandomForestClassifier(), random_state=0),
        "ours": HMCSSLP(tree, random_state=0),
    }
    _cpu_seconds(methods["ours"], *rows)  # warm-up
    seconds = {name: _cpu_seconds(model, *rows) for name, model in methods.items()}
    return Comparison(
        f"{ROWS} rows, 4 features, 6 nodes: fit of HMC-SSLP",
        seconds["ours"],
        "the same with scikit-learn's forests",
        seconds["theirs"],
        target=TARGET,
    )


def _cpu_seconds(model: Any, *rows: Any) -> float:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare nodes without a labelled row
        model.fit(*rows)
    return time.process_time() - start
