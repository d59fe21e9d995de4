"""Odd numbers for every method: scores from 0 to 1, or an error that says why.

No score is NaN, NumPy has nothing to warn of, and what was given stays as it was.
"""

import contextlib
import signal
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import scipy.sparse as sp

from fuzz.saved_models import small_method
from hilabel.classifiers import (
    HierarchicalNetwork,
    LinearClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
)
from hilabel.exceptions import HilabelWarning
from hilabel.semi_supervised import LabelSpreading, ViewsClassifier
from hilabel.tasks import list_methods
from hilabel.testing import Problem

SECONDS = 120
ROWS = ("X", "X_unlabeled", "X_test")
TABLE_SCALES = [
    *(5e-324, 1e-320, 1e-300, 1e-150, 1e-100, 1e-45, 1e-38, 1e-20, 1e-10, 1e10, 1e15),
    *(1e18, 1e29, 1e30, 1e31, 1e38, 1e39, 1e100, 1e150, 1e155, 1e300, 1e308),
]
SHIFTS = [1e3, 1e8, 1e15, 1e16, 1e29, -1e29]
CELLS = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e31, 1e300, -1e300, 1e308, 5e-324, -0.0]
COLUMNS = [0.0, 1.0, 1e30, -1e30, 1e-320, np.nan, np.inf]
TYPES = ["float32", "float16", "longdouble", "int8", "int64", "uint8", "bool", "object"]
LIMITS = ["int64", "uint64", "int8", "float16", "float32"]
LATE = [np.nan, np.inf, 1e30, -1e30, 1e300, 1e308]


def _in_all(change: Callable) -> Callable[[Problem], Problem]:
    """Return a function that changes the tables of a problem."""
    return lambda data: replace(
        data, **{name: change(getattr(data, name).copy()) for name in ROWS}
    )


def _in_one(name: str, change: Callable) -> Callable[[Problem], Problem]:
    return lambda data: replace(data, **{name: change(getattr(data, name).copy())})


def _set(where, value) -> Callable:
    def change(X):
        X[where] = value
        return X

    return change


def _limits(X, dtype):
    """Return the numbers of a table as the least and the largest of a type."""
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    least, largest = np.array([info.min, info.max], dtype)
    return np.where(X.mean() < X, largest, least)


def _sparse(X):
    return sp.csr_array(np.where(X > 1, X, 0))


def _kinds() -> dict[str, Callable[[Problem], Problem]]:
    cell, column = (3, 1), (slice(None), 2)
    kinds = {}
    for scale in TABLE_SCALES:
        kinds[f"all times {scale}"] = _in_all(lambda X, by=scale: X * by)
    for shift in SHIFTS:
        kinds[f"all plus {shift}"] = _in_all(lambda X, by=shift: X + by)
    for value in CELLS:
        kinds[f"a cell of {value}"] = _in_all(_set(cell, value))
    for value in COLUMNS:
        kinds[f"a column of {value}"] = _in_all(_set(column, value))
    for size in (1.0, 1e15, 1e30, 1e154, 1e308):
        kinds[f"a column of both signs of {size}"] = _in_all(
            lambda X, by=size: np.column_stack([X, np.where(X[:, 0] > 1, by, -by)])
        )
    for value in (0.0, -0.0, 1.0, np.nan):
        kinds[f"nothing but {value}"] = _in_all(_set(..., value))
    for dtype in TYPES:
        kinds[f"as {dtype}"] = _in_all(lambda X, to=dtype: X.astype(to))
    for dtype in LIMITS:
        kinds[f"limits of {dtype}"] = _in_all(lambda X, to=dtype: _limits(X, to))
    for value in LATE:
        kinds[f"new rows with {value}"] = _in_one("X_test", _set(cell, value))
        kinds[f"unlabelled rows with {value}"] = _in_one(
            "X_unlabeled", _set(cell, value)
        )
    kinds |= {
        "below zero": _in_all(np.negative),
        "one column": _in_all(lambda X: X[:, :1]),
        "no column": _in_all(lambda X: X[:, :0]),
        "no new row": _in_one("X_test", lambda X: X[:0]),
        "no unlabelled row": _in_one("X_unlabeled", lambda X: X[:0]),
        "one labelled row": lambda data: replace(data, X=data.X[:1], Y=data.Y[:1]),
        "all rows alike": _in_all(lambda X: np.repeat(X[:1], len(X), axis=0)),
        "each row twice": lambda data: replace(
            data, X=np.repeat(data.X, 2, axis=0), Y=np.repeat(data.Y, 2, axis=0)
        ),
        "columns of a kind": _in_all(lambda X: np.repeat(X[:, :1], 5, axis=1)),
        "backwards in memory": _in_all(lambda X: np.asfortranarray(X)[::-1][::-1]),
        "sparse": _in_all(_sparse),
        "sparse and empty": _in_all(lambda X: sp.csr_array(X.shape)),
        "sparse, large": _in_all(lambda X: _sparse(X) * 1e29),
        "sparse, too large": _in_all(lambda X: _sparse(X) * 1e300),
        "sparse with gaps": _in_all(lambda X: _sparse(_set(cell, np.nan)(X))),
        "sparse, tiny": _in_all(lambda X: _sparse(X) * 1e-320),
    }
    return kinds


KINDS = _kinds()


def model_of(name: str):
    """Return a small model of a method, and a problem for it."""
    model, data = small_method(name)
    if name == "Blend":
        model.set_params(
            candidates={
                "forest": PredictiveClusteringForest(n_estimators=3),
                "views": ViewsClassifier(estimator=LinearClassifier()),
                "neighbors": NeighborsClassifier(),
                "spreading": LabelSpreading(),
                "network": HierarchicalNetwork(
                    shape={"layers": (6, 5)}, n_members=2, max_steps=2
                ),
            }
        )
    return model, data


def failure_of(name: str, kind: str) -> str | None:
    """Train a method on odd numbers and predict; return what went wrong."""
    model, data = model_of(name)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = KINDS[kind](data)
    before = [_bytes(getattr(data, rows)) for rows in ROWS]
    told = f"{name}, {kind}"
    try:
        with _limited(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", HilabelWarning)
            model.fit(data.X, data.Y, X_unlabeled=data.X_unlabeled)
            scores = np.asarray(model.predict_proba(data.X_test))
            model.predict(data.X_test)
    except ValueError as error:
        if not str(error):
            return f"{told}: {type(error).__name__} without a word"
    except Exception as error:
        return f"{told}: {type(error).__name__}: {str(error)[:200]}"
    else:
        if not ((scores >= 0) & (scores <= 1)).all():
            return f"{told}: scores from {scores.min()} to {scores.max()}"
    if before != [_bytes(getattr(data, rows)) for rows in ROWS]:
        return f"{told}: the rows were changed"
    return None


def _bytes(X) -> bytes:
    return X.data.tobytes() if sp.issparse(X) else X.tobytes()


@contextlib.contextmanager
def _limited():
    def stop(*args):
        raise TimeoutError(f"no end after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(n_cases: int, seed: int) -> list[str]:
    """Try so many of all pairs of a method and a kind of numbers, or all of them."""
    pairs = [*product(list_methods(), KINDS)]
    if n_cases < len(pairs):
        pairs = sorted(Random(seed).sample(pairs, n_cases))
    found = (failure_of(*pair) for pair in pairs)
    return [failure for failure in found if failure is not None]
