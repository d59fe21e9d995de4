"""The record of a run, and tables of many records."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

import pandas as pd

from hilabel.studies._specs import RunSpec

TIMING_COLUMNS: Final = ("started", "seconds", "seconds_saved", "peak_memory")
"""The columns that may differ when the same study is run twice.

Examples
--------
>>> from hilabel.studies import TIMING_COLUMNS
>>> "seconds" in TIMING_COLUMNS
True
"""

_RUN_TYPES: Final = {
    "run": "str",
    "dataset": "str",
    "fraction": "float64",
    "repetition": "int64",
    "method": "str",
}

# Approximate number of rows of a table that are collected before joining.
_ROWS_AT_A_TIME: Final = 10_000
# The tables, the columns of each after those of the run, and their types.
_CYCLE_TYPES: Final = {
    "cycle_length": "Int64",
    "cycle_rows": "Int64",
    "cycle_labels": "Int64",
}
_FACT_TYPES: Final = {
    "n_labeled": "Int64",
    "n_unlabeled": "Int64",
    "n_passes": "Int64",
    "stop_reason": "str",
    "n_pseudo_labeled": "Int64",
    **_CYCLE_TYPES,
    "params": "str",
    "seed": "int64",
    "dataset_hash": "str",
    "started": "str",
    "seconds": "float64",
    "seconds_saved": "float64",
    "peak_memory": "Int64",
    "hilabel": "str",
    "commit": "str",
    "python": "str",
    "numpy": "str",
    "scipy": "str",
    "scikit_learn": "str",
    "joblib": "str",
    "code": "str",
    "warnings": "str",
    "error": "str",
}
_PASS_TYPES: Final = {
    "iteration": "int64",
    "n_nodes": "Int64",
    "n_neighbors": "Int64",
    "n_proposed": "Int64",
    "n_accepted": "Int64",
    "n_positive": "Int64",
    "n_newly_accepted": "Int64",
    "n_dropped": "Int64",
    "n_changed_rows": "Int64",
    "n_changed_labels": "Int64",
    "repeats": "Int64",
    "mean_similarity": "float64",
}
TABLES: Final[dict[str, dict[str, str]]] = {
    "results": {"measure": "str", "value": "float64", **_FACT_TYPES},
    "nodes": {
        "node": "str",
        "depth": "int64",
        "n_positive": "int64",
        # This table has by far the most rows, and seven digits are sufficient.
        "average_precision": "float32",
        "roc_auc": "float32",
    },
    "depths": {
        "depth": "int64",
        "n_nodes": "int64",
        "n_positive": "int64",
        "micro_average_precision": "float64",
        "macro_average_precision": "float64",
    },
    "passes": _PASS_TYPES,
    "grid": {
        "params": "str",
        "value": "float64",
        "n_passes": "Int64",
        "stop_reason": "str",
        "n_pseudo_labeled": "Int64",
        **_CYCLE_TYPES,
        "error": "str",
    },
}
"""The tables of results: their names, columns and types.

Examples
--------
>>> from hilabel.studies import TABLES
>>> list(TABLES)
['results', 'nodes', 'depths', 'passes', 'grid']
"""


@dataclass(frozen=True)
class RunRecord:
    """Everything stored about a run, as plain values.

    Attributes
    ----------
    run, dataset, method : str
    fraction : float
    repetition : int
    facts : dict
        Facts about the whole run: seed, versions, seconds and so on.
    measures : dict of str to float
        Empty if the run failed.
    nodes, depths, passes, grid : list of dict
        Rows of the tables of that name.
    traceback : str
        The traceback of a failed run; empty otherwise.

    Examples
    --------
    >>> from hilabel.studies import RunRecord
    >>> measures = {"fmax": 0.5}
    >>> record = RunRecord("id", "tree", 0.1, 1, "V2", {}, measures, [], [], [], [])
    >>> record.measures["fmax"]
    0.5
    """

    run: str
    dataset: str
    fraction: float
    repetition: int
    method: str
    facts: dict[str, Any]
    measures: dict[str, float]
    nodes: list[dict[str, Any]]
    depths: list[dict[str, Any]]
    passes: list[dict[str, Any]]
    grid: list[dict[str, Any]]
    traceback: str = ""

    @property
    def error(self) -> str:
        """The reason why the run failed; empty if it succeeded."""
        return str(self.facts["error"])

    @property
    def code(self) -> str:
        """The hash of the user's code that the run used; empty if there was none."""
        return str(self.facts.get("code", ""))

    @property
    def warnings(self) -> list[str]:
        """The distinct warnings of the run."""
        return str(self.facts.get("warnings", "")).splitlines()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per measure, or a single row without a measure if the run failed."""
        measures: Iterable[tuple[str, float]] = self.measures.items()
        if not self.measures:
            measures = [("", float("nan"))]
        return [
            {**self._name, "measure": measure, "value": value, **self.facts}
            for measure, value in measures
        ]

    def table(self, name: str) -> list[dict[str, Any]]:
        """Return the rows that the run contributes to a table."""
        if name == "results":
            return self.rows
        return [{**self._name, **row} for row in getattr(self, name)]

    @property
    def _name(self) -> dict[str, Any]:
        return {column: getattr(self, column) for column in _RUN_TYPES}

    @classmethod
    def of(cls, run: RunSpec, **content: Any) -> Self:
        """Return a record with the given content for a run."""
        cell = run.cell
        return cls(
            run=run.id,
            dataset=cell.dataset.name,
            fraction=cell.fraction,
            repetition=cell.repetition,
            method=run.method.name,
            **content,
        )

    def to_bytes(self) -> bytes:
        """Return the record as JSON, with numbers in full precision."""
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Parse a record; raise ``ValueError`` if the content is invalid."""
        try:
            return cls(**json.loads(content))
        except TypeError as error:
            raise ValueError(str(error)) from None


def make_tables(records: Iterable[RunRecord]) -> dict[str, pd.DataFrame]:
    """Join records into the tables of :data:`TABLES`, in the given order.

    Rows are converted to data frames in batches: a long study has millions of rows, and
    storing them individually would take many times as much memory.
    """
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in TABLES}
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for record in records:
        for name, types in TABLES.items():
            rows[name] += record.table(name)
            if len(rows[name]) >= _ROWS_AT_A_TIME:
                parts[name].append(_frame(rows[name], types))
                rows[name] = []
    for name, types in TABLES.items():
        parts[name].append(_frame(rows[name], types))
    return {name: _joined(frames) for name, frames in parts.items()}


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    # An empty frame at the end provides the types.
    filled = [frame for frame in frames if len(frame)] or frames[-1:]
    return pd.concat(filled, ignore_index=True)


def _frame(rows: list[dict[str, Any]], types: dict[str, str]) -> pd.DataFrame:
    all_types = {**_RUN_TYPES, **types}
    return _with_types(pd.DataFrame(rows), all_types)


def with_all_columns(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with empty columns for those that an older version lacked."""
    types = {**_RUN_TYPES, **TABLES[name]}
    return table if set(types) <= set(table) else _with_types(table, types)


def _with_types(frame: pd.DataFrame, types: dict[str, str]) -> pd.DataFrame:
    """Return a frame with the given columns, empty where it has none."""
    frame = frame.reindex(columns=list(types))
    empty = {column: "" for column, kind in types.items() if kind == "str"}
    # As objects, because a column that is empty throughout has no other type.
    texts = frame[list(empty)].astype(object).fillna(empty)
    return frame.assign(**texts).astype(types)
