"""Do our forests predict what scikit-learn's do? Ten GO sets, three seeds.

It takes a while; finished runs are kept in ``.benchmarks/agreement.jsonl`` and not
done again.
"""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks._comparison import Measurement
from benchmarks._data import go_rows, missing_data_reason
from hilabel.classifiers import LocalClassifierPerNode
from hilabel.constraints import cap_by_parents
from hilabel.forests import ForestClassifier
from hilabel.metrics import average_precision

DATA_SETS = (
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
SEEDS = (0, 1, 2)
FRACTION = 0.5
_DONE = Path(".benchmarks/agreement.jsonl")


def run() -> Iterator[Measurement]:
    reason = missing_data_reason()
    if reason:
        print(f"bench_agreement: {reason}")
        return
    gaps, correlations = [], []
    for name in DATA_SETS:
        outcomes = [_outcome(name, seed) for seed in SEEDS]
        ours = np.mean([o["ours"] for o in outcomes])
        theirs = np.mean([o["theirs"] for o in outcomes])
        correlation = np.mean([o["correlation"] for o in outcomes])
        gaps.append(ours - theirs)
        correlations.append(correlation)
        yield Measurement(
            f"{name}_GO, 50% labelled: scikit-learn's AP less ours",
            theirs - ours,
            "",
            0.01,
            f"ours {ours:.4f}, scikit-learn's {theirs:.4f}, correlation "
            f"{correlation:.3f}, mean of {len(SEEDS)} seeds",
        )
    yield Measurement(
        "ten GO sets: mean difference of AP", abs(float(np.mean(gaps))), "", 0.005
    )
    yield Measurement(
        "ten GO sets: mean correlation of a node's predictions",
        float(np.mean(correlations)),
        "",
        note="wanted: above .95; but see how far scikit-learn agrees with itself",
    )
    yield from _how_far_chance_goes()


def _how_far_chance_goes() -> Iterator[Measurement]:
    """Compare forests that differ in their seed alone, and forests of more trees."""
    X, Y, X_test, _, hierarchy = go_rows("pheno", FRACTION)

    def scores(local: object, seed: int) -> np.ndarray:
        return _local_scores(hierarchy, local, seed, X, Y, X_test)

    for n_trees in (100, 1000):
        theirs = scores(RandomForestClassifier(n_trees), 0)
        ours = scores(ForestClassifier(n_trees), 0)
        again = scores(RandomForestClassifier(n_trees), 1)
        yield Measurement(
            f"pheno_GO, {n_trees} trees: correlation of ours and scikit-learn's",
            _mean_correlation(ours, theirs),
            "",
            note="scikit-learn's with another seed: "
            f"{_mean_correlation(again, theirs):.3f}",
        )


def _outcome(name: str, seed: int) -> dict[str, float]:
    key = f"{name}/{seed}"
    done = {}
    if _DONE.exists():
        lines = _DONE.read_text().splitlines()
        done = {row["key"]: row for row in map(json.loads, lines)}
    if key not in done:
        done[key] = {"key": key, **_compare(name, seed)}
        _DONE.parent.mkdir(exist_ok=True)
        with _DONE.open("a") as file:
            file.write(json.dumps(done[key]) + "\n")
    return done[key]


def _compare(name: str, seed: int) -> dict[str, float]:
    X, Y, X_test, Y_test, hierarchy = go_rows(name, FRACTION, random_state=seed)
    scores = [
        _local_scores(hierarchy, local, seed, X, Y, X_test)
        for local in (ForestClassifier(), RandomForestClassifier())
    ]
    ours, theirs = (
        average_precision(Y_test, cap_by_parents(s, hierarchy)) for s in scores
    )
    return {
        "ours": float(ours),
        "theirs": float(theirs),
        "correlation": _mean_correlation(*scores),
    }


def _local_scores(  # type: ignore[no-untyped-def]
    hierarchy, local, seed, X, Y, X_test
) -> np.ndarray:
    """Return the predictions of each node's forest, before the constraint."""
    model = LocalClassifierPerNode(
        hierarchy, estimator=local, constraint=None, n_jobs=2, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nodes without a labelled row
        return model.fit(X, Y).predict_proba(X_test)


def _mean_correlation(A: np.ndarray, B: np.ndarray) -> float:
    """Return the mean over nodes of the correlation of two sets of predictions."""
    return float(
        np.mean(
            [
                np.corrcoef(a, b)[0, 1]
                for a, b in zip(A.T, B.T)
                if a.std() > 0 and b.std() > 0
            ]
        )
    )
