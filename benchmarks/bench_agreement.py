"""Compare the predictions of our forests with scikit-learn's: ten GO sets, three seeds.

This takes a while. Finished runs are stored in ``.benchmarks/agreement.jsonl`` and are
not repeated.
"""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks._comparison import Measurement
from benchmarks._data import go_rows, missing_data_reason
from hilabel.classifiers import LocalClassifierPerNode, balanced_bottom_up
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
# Nodes per set, evenly chosen, on which larger forests are compared.
N_NODES = 12
N_TREES = (100, 1000)
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
        note="100 trees; see below how far scikit-learn agrees with itself",
    )
    yield from _without_chance()


def _without_chance() -> Iterator[Measurement]:
    """Compare larger forests on a few nodes, to separate differences from chance.

    Two forests of 100 trees differ by chance, even two of scikit-learn's; with more
    trees, they differ less.
    """
    for n_trees in N_TREES:
        found = [_outcome(name, 0, n_trees) for name in DATA_SETS]
        for name, outcome in zip(DATA_SETS, found):
            yield Measurement(
                f"{name}_GO, {n_trees} trees: correlation of ours and scikit-learn's",
                outcome["correlation"],
                "",
                note=f"of scikit-learn's and another seed's {outcome['itself']:.3f}",
            )
        ours, itself = (
            float(np.mean([o[key] for o in found])) for key in ("correlation", "itself")
        )
        yield Measurement(
            f"ten GO sets, {n_trees} trees: mean correlation with scikit-learn's",
            ours,
            "",
            note=f"of scikit-learn's and another seed's {itself:.3f}; {N_NODES} nodes "
            "per set; wanted: above .95",
        )


def _outcome(name: str, seed: int, n_trees: int | None = None) -> dict[str, float]:
    key = f"{name}/{seed}" if n_trees is None else f"{name}/{seed}/{n_trees} trees"
    done = {}
    if _DONE.exists():
        lines = _DONE.read_text().splitlines()
        done = {row["key"]: row for row in map(json.loads, lines)}
    if key not in done:
        if n_trees is None:
            found = _compare(name, seed)
        else:
            found = _compare_nodes(name, seed, n_trees)
        done[key] = {"key": key, **found}
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


def _compare_nodes(name: str, seed: int, n_trees: int) -> dict[str, float]:
    X, Y, X_test, _, hierarchy = go_rows(name, FRACTION, random_state=seed)
    columns = []
    for node in np.linspace(0, hierarchy.n_nodes - 1, N_NODES).astype(int):
        rows = np.concatenate(balanced_bottom_up(Y, hierarchy, node))
        if 0 < Y[rows, node].sum() < rows.size:
            rows.sort()
            case = X[rows], Y[rows, node], X_test
            columns.append(
                (
                    _probability(ForestClassifier(n_trees, random_state=seed), *case),
                    *(
                        _probability(
                            RandomForestClassifier(n_trees, random_state=other), *case
                        )
                        for other in (seed, seed + 1)
                    ),
                )
            )
    ours, theirs, again = (np.column_stack(column) for column in zip(*columns))
    return {
        "correlation": _mean_correlation(ours, theirs),
        "itself": _mean_correlation(again, theirs),
    }


def _probability(  # type: ignore[no-untyped-def]
    forest, X, y, X_test
) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib's threads and scikit-learn's settings
        return forest.set_params(n_jobs=2).fit(X, y).predict_proba(X_test)[:, 1]


def _local_scores(  # type: ignore[no-untyped-def]
    hierarchy, local, seed, X, Y, X_test
) -> np.ndarray:
    """Return the predictions of each node's forest, before the constraint."""
    model = LocalClassifierPerNode(
        hierarchy,
        estimator=local,
        policy="balanced_bottom_up",
        constraint=None,
        n_jobs=2,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nodes without a labelled row
        return model.fit(X, Y).predict_proba(X_test)


def _mean_correlation(A: np.ndarray, B: np.ndarray) -> float:
    """Return the correlation of two sets of predictions, averaged over nodes."""
    return float(
        np.mean(
            [
                np.corrcoef(a, b)[0, 1]
                for a, b in zip(A.T, B.T)
                if a.std() > 0 and b.std() > 0
            ]
        )
    )
