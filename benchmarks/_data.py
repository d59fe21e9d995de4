"""The real data sets that several benchmarks use."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from hilabel.datasets import HMCSplits, impute, load_go
from hilabel.model_selection import mask_labels


def missing_data_reason() -> str:
    """Return why the real data sets cannot be used, or nothing if they can."""
    folder = os.environ.get("HILABEL_DATA")
    if folder and Path(folder, "GO").is_dir():
        return ""
    return "the real data sets are skipped; set HILABEL_DATA to the folder with GO/"


@cache
def _splits(name: str) -> HMCSplits:
    return impute(load_go(name))


def go_rows(
    name: str, fraction: float, *, keep_unlabeled: bool = False, random_state: int = 0
) -> tuple[Any, ...]:
    """Return (X, Y, X_test, Y_test, hierarchy) of a GO set with some labels kept."""
    go = _splits(name)
    X, Y = go.train.X, go.train.Y
    if fraction < 1:
        Y = mask_labels(Y, fraction, random_state=random_state)
        if not keep_unlabeled:
            labeled = ~(Y < 0).all(axis=1)
            X, Y = X[labeled], Y[labeled]
    return X, Y, go.test.X, go.test.Y, go.hierarchy
