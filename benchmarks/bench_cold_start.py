"""The first fit of every public estimator in a process, compared with the second.

Every estimator gets enough rows for a fit of at least 0.3 s, so that one-time costs,
such as imports inside functions, can be separated from the cost of a fit. Importing
hilabel, the garbage collection after the import, and the first use of memory take place
before the measurement.
"""

import gc
import inspect
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import get_tags

import hilabel.classifiers
import hilabel.semi_supervised
from benchmarks._comparison import Measurement
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.forests import ForestClassifier
from hilabel.testing import make_problem

BOUND = 1.2
ENOUGH_SECONDS = 0.3
FEWEST_ROWS, MOST_ROWS = 32, 2**20
PROCESSES = 3
BYTES_BEFORE = 2**30  # more than any fit needs


def run() -> Iterator[Measurement]:
    for name in estimators():
        n_rows = int(_in_a_process("rows", name)["rows"])
        pairs = [_in_a_process("fits", name, str(n_rows)) for _ in range(PROCESSES)]
        first = min(pair["first"] for pair in pairs)
        second = min(pair["second"] for pair in pairs)
        yield Measurement(
            f"{name}: first fit in a process, in second fits",
            first / second,
            "fits",
            BOUND,
            f"{first:.3f} s and {second:.3f} s, {n_rows:,} labelled rows and as many "
            f"unlabelled, least of {PROCESSES} processes, n_jobs=1",
        )


def estimators() -> dict[str, Any]:
    """Return the class of every public estimator by its name."""
    found: dict[str, Any] = {
        name: getattr(package, name)
        for package in (hilabel.classifiers, hilabel.semi_supervised)
        for name in package.__all__
    }
    found = {
        name: value
        for name, value in found.items()
        if isinstance(value, type)
        and issubclass(value, BaseHierarchicalClassifier)
        and not inspect.isabstract(value)
    }
    return {**found, "ForestClassifier": ForestClassifier}


def _in_a_process(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.bench_cold_start", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _enough_rows(name: str) -> dict[str, float]:
    n_rows = FEWEST_ROWS
    while n_rows < MOST_ROWS and _fits(name, n_rows)["second"] < ENOUGH_SECONDS:
        n_rows *= 2
    return {"rows": n_rows}


def _fits(name: str, n_rows: int) -> dict[str, float]:
    model, X, Y = _model_and_rows(name, n_rows)
    _use_memory()
    return {"first": _seconds(model, X, Y), "second": _seconds(model, X, Y)}


def _use_memory() -> None:
    """Write to as much memory as a fit may need, and free it again.

    A virtual machine gets a page from its host on the first write to it, which takes
    several times as long as later. This would be counted for the first fit, although it
    is not a one-time cost of the estimator.
    """
    np.ones(BYTES_BEFORE, dtype=np.uint8)


def _model_and_rows(name: str, n_rows: int) -> tuple[Any, Any, Any]:
    model = estimators()[name]()
    wanted = {"random_state": 0, "n_jobs": 1}
    model.set_params(**{k: v for k, v in wanted.items() if k in model.get_params()})
    problem = make_problem(  # labels that every method supports
        "T",
        "SPL",
        "FD",
        n_samples=n_rows,
        n_unlabeled=n_rows,
        non_negative=get_tags(model).input_tags.positive_only,
    )
    if isinstance(model, ForestClassifier):
        return model, problem.X, problem.Y[:, 0]
    return model.set_params(hierarchy=problem.hierarchy), *problem.mixed()


def _seconds(model: Any, X: Any, Y: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nodes with few rows
        gc.collect()
        start = time.perf_counter()
        model.fit(X, Y)
        return time.perf_counter() - start


if __name__ == "__main__":
    task, name, *numbers = sys.argv[1:]
    outcome = _enough_rows(name) if task == "rows" else _fits(name, int(numbers[0]))
    print(json.dumps(outcome))
