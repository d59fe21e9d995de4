"""A single run: train and evaluate one method in one cell, and record the results."""

import json
import time
import traceback
import warnings
from datetime import UTC, datetime
from typing import Any

from hilabel._peak_memory import peak_memory, reset_peak_memory
from hilabel.metrics import per_depth_table, per_node_table
from hilabel.studies._environment import versions
from hilabel.studies._history import read_history
from hilabel.studies._measures import MEASURES, ScoredRows
from hilabel.studies._records import TABLES, RunRecord
from hilabel.studies._specs import RunSpec
from hilabel.studies._tuning import (
    EveryPointFailedError,
    TunedRun,
    error_text,
    tune_run,
)
from hilabel.studies._user_code import method_code
from hilabel.studies._workbench import Workbench


def run_one(run: RunSpec, bench: Workbench | None = None) -> RunRecord:
    """Tune, train and evaluate a method; if it fails, record the error.

    Parameters
    ----------
    run : RunSpec
    bench : Workbench, optional
        The workbench of the run's cell, which contains work shared with other runs of
        the cell. It affects the time, but not the measures.

    Returns
    -------
    RunRecord
        ``rows`` has one entry per measure.

    Examples
    --------
    >>> from hilabel.studies import CellSpec, DatasetSpec, MethodSpec, RunSpec, run_one
    >>> data = DatasetSpec("tree", "synthetic", (("n_samples", 100), ("n_nodes", 5)))
    >>> cell = CellSpec(data, fraction=0.5, repetition=1, seed=0)
    >>> method = MethodSpec("constant", "hilabel.classifiers.PriorClassifier")
    >>> measure = "micro_average_precision"
    >>> record = run_one(RunSpec(cell, method, (measure,), tune_on=measure))
    >>> list(record.measures)
    ['micro_average_precision']
    """
    bench = Workbench(run.cell) if bench is None else bench
    # Before the run: if the code is edited meanwhile, the result is stale.
    code = method_code(run.method)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    saved_before = bench.seconds_saved
    reset_peak_memory()
    start = time.perf_counter()
    content: dict[str, Any] = _nothing()
    error = trace = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            bench.prepared(run.method.preprocessing)
            _ = bench.Y
            # Reading files and choosing labelled rows are not part of a method.
            start = time.perf_counter()
            content = _evaluated(run, bench, tune_run(run, bench))
        except EveryPointFailedError as failure:
            content["grid"] = _grid_rows(failure.grid)
            error, trace = str(failure), traceback.format_exc()
        except Exception as failure:
            error, trace = error_text(failure), traceback.format_exc()
    facts = {
        **content.pop("facts"),
        "seed": run.cell.seed,
        "started": started,
        "seconds": time.perf_counter() - start,
        "seconds_saved": bench.seconds_saved - saved_before,
        "peak_memory": peak_memory(),
        **versions(),
        "code": code,
        "warnings": _distinct(caught),
        "error": error,
    }
    return RunRecord.of(run, facts=facts, traceback=trace, **content)


def _nothing() -> dict[str, Any]:
    tables: dict[str, Any] = {name: [] for name in TABLES if name != "results"}
    facts = {
        "n_labeled": None,
        "n_unlabeled": None,
        **read_history(None).facts,
        "params": "",
        "dataset_hash": "",
    }
    return {"facts": facts, "measures": {}, **tables}


def _evaluated(run: RunSpec, bench: Workbench, tuned: TunedRun) -> dict[str, Any]:
    test, hierarchy = bench.splits.test, bench.splits.hierarchy
    seen = test.Y, tuned.test_scores, hierarchy
    rows, nodes = ScoredRows(*seen), per_node_table(*seen)
    n_labeled = int((bench.Y >= 0).any(axis=1).sum())
    return {
        "facts": {
            "n_labeled": n_labeled,
            "n_unlabeled": len(bench.Y) - n_labeled,
            **tuned.history.facts,
            "params": json.dumps(tuned.params) if tuned.params else "",
            "dataset_hash": bench.dataset_hash,
        },
        "measures": {
            name: float(MEASURES[name].compute(rows)) for name in run.measures
        },
        "nodes": _rows(nodes.assign(node=hierarchy.names), "nodes"),
        "depths": _rows(per_depth_table(*seen), "depths"),
        "passes": tuned.history.passes,
        "grid": _grid_rows(tuned.grid),
    }


def _grid_rows(grid: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "params": json.dumps(row["params"])} for row in grid]


def _rows(frame: Any, table: str) -> list[dict[str, Any]]:
    return frame[list(TABLES[table])].to_dict("records")


def _distinct(caught: list[warnings.WarningMessage]) -> str:
    messages = (f"{w.category.__name__}: {w.message}" for w in caught)
    return "\n".join(dict.fromkeys(messages))
