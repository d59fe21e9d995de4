"""The tables on a page: column names and number formats."""

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hilabel.report.study._curves import FrequencyCurves
from hilabel.report.study._findings import MINUS, percent_text
from hilabel.report.study._pseudo_labeling import pass_table
from hilabel.report.study._results import StudyResults, measure_title
from hilabel.report.study._verdict import Verdict

MISSING = "\N{EN DASH}"
# More digits than any column shows; keeps the page small.
_STORED_DIGITS = 6
_BLOCK = ["dataset", "fraction", "method"]
_MEBI = 2**20


@dataclass(frozen=True)
class Column:
    """The format of one column."""

    key: str  # in the data
    label: str  # in the header of the table
    kind: str = "text"  # "text", "number" or "percent"
    digits: int = 0  # decimal places
    is_filter: bool = False  # whether readers can filter by its values

    def text(self, value: Any) -> str:
        """Return a formatted value."""
        if _is_missing(value):
            return MISSING
        if self.kind == "number":
            return f"{value:.{self.digits}f}".replace("-", MINUS)
        if self.kind == "percent":
            return percent_text(value, self.digits)
        return str(value)


@dataclass(frozen=True, eq=False)
class Table:
    """A table with formatted columns."""

    name: str
    caption: str
    columns: list[Column]
    frame: pd.DataFrame = field(repr=False)  # with at least these columns
    note: str = ""  # a note on the rows

    def __bool__(self) -> bool:
        return not self.frame.empty

    def rows(self) -> list[list[Any]]:
        """Return the rows as plain values, with None for missing values."""
        return [
            [_plain(value) for value in row]
            for row in self.frame[[c.key for c in self.columns]].itertuples(index=False)
        ]

    def cells(self) -> list[list[tuple[Any, str]]]:
        """Return the plain and the formatted value of each cell."""
        return [
            [(value, column.text(value)) for column, value in zip(self.columns, row)]
            for row in self.rows()
        ]

    def to_json(self) -> str:
        """Return the columns and rows as JSON for a script on the page."""
        columns = [asdict(column) for column in self.columns]
        content = {"name": self.name, "columns": columns, "rows": self.rows()}
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
        # "</script" and "<!--" would be interpreted inside the data too.
        return text.replace("<", "\\u003c")

    def to_csv(self) -> str:
        """Return the rows as CSV, with the keys of the columns as the header."""
        named = self.frame[[c.key for c in self.columns]]
        return named.to_csv(index=False, lineterminator="\n")


def texts(*, is_filter: bool = False, **labels: str) -> list[Column]:
    """Create text columns from a mapping of keys to labels."""
    return [Column(key, label, "text", 0, is_filter) for key, label in labels.items()]


def numbers(digits: int = 0, /, **labels: str) -> list[Column]:
    """Create numeric columns from a mapping of keys to labels."""
    return [Column(key, label, "number", digits) for key, label in labels.items()]


def fraction_column(fractions: pd.Series, *, is_filter: bool = False) -> Column:
    """Return a column of labelled fractions in percent, with enough digits."""
    percents = 100 * fractions.dropna().astype("float64")
    digits = next(
        (n for n in range(_STORED_DIGITS) if np.allclose(percents, percents.round(n))),
        _STORED_DIGITS,
    )
    return Column("fraction", "labelled", "percent", digits, is_filter)


def _where(frame: pd.DataFrame) -> list[Column]:
    return [
        *texts(dataset="data set", is_filter=True),
        fraction_column(frame["fraction"], is_filter=True),
        *texts(method="method", is_filter=True),
    ]


def score_rows(results: StudyResults, verdict: Verdict | None) -> Table:
    """Return a table with one row per data set, fraction and method."""
    values, measure = results.values, results.measure
    first = values[values["measure"] == measure].groupby(_BLOCK, sort=False)["value"]
    frame = first.agg(n_runs="size", mean="mean", sd="std").reset_index()
    columns = [*_where(frame), *numbers(n_runs="runs")]
    columns += numbers(3, mean=measure_title(measure), sd="± sd")
    if verdict is not None:
        better = results.higher_is_better(measure)
        ranks = verdict.blocks.rank(axis=1, ascending=not better)
        tidy = ranks.melt(ignore_index=False, var_name="method", value_name="rank")
        frame = _joined(frame, tidy.set_index("method", append=True)["rank"])
        columns += numbers(1, rank="rank")
    gaps = results.gaps
    if gaps["gap_closed"].notna().any():
        frame = _joined(frame, gaps.set_index(_BLOCK)["gap_closed"])
        columns.append(Column("gap_closed", "gap closed", "percent"))
    for other in results.measures[1:]:
        rows = values[values["measure"] == other]
        mean = rows.groupby(_BLOCK, sort=False)["value"].mean().rename(other)
        frame = _joined(frame, mean)
        columns.append(_measure_column(other))
    return Table("scores", "Means over the repetitions", columns, frame)


def run_rows(results: StudyResults) -> Table:
    """Return a table with one row per run, including failed runs."""
    runs = results.runs.copy()
    runs["memory"] = runs["peak_memory"].astype("float64") / _MEBI
    runs["status"] = runs["error"].eq("").map({True: "finished", False: "failed"})
    columns = [*_where(runs), *numbers(repetition="rep.")]
    if not results.failed.empty:
        columns += texts(status="status", is_filter=True)
    for measure in results.measures:
        rows = results.values[results.values["measure"] == measure]
        runs[measure] = runs["run"].map(rows.set_index("run")["value"])
        columns.append(_measure_column(measure))
    columns += [*numbers(2, seconds="seconds"), *numbers(memory="MiB")]
    if runs["n_passes"].notna().any():
        columns += numbers(n_passes="passes", n_pseudo_labeled="pseudo-labelled")
        columns += texts(stop_reason="stopped by")
    if (runs["params"] != "").any():
        columns += texts(params="chosen by tuning")
        runs["params"] = runs["params"].map(settings_text)
    columns += texts(run="run")
    return Table("runs", "All runs", columns, runs)


def depth_rows(results: StudyResults) -> Table:
    """Return a table with one row per data set, fraction, method and depth."""
    groups = results.tables["depths"].groupby([*_BLOCK, "depth"], sort=False)
    frame = groups.agg(
        n_nodes=("n_nodes", "first"),
        n_positive=("n_positive", "first"),
        micro=("micro_average_precision", "mean"),
        macro=("macro_average_precision", "mean"),
    ).reset_index()
    columns = [
        *_where(frame),
        Column("depth", "depth", "number", is_filter=True),
        *numbers(n_nodes="nodes", n_positive="positive cells"),
        *numbers(3, micro="micro AP", macro="macro AP"),
    ]
    return Table("depths", "Scores by depth", columns, frame)


def node_rows(notable: pd.DataFrame, methods: list[str], focus: str | None) -> Table:
    """Return a table with one row per node; see ``notable_nodes``."""
    columns = [
        *texts(dataset="data set", is_filter=True),
        *texts(node="node"),
        Column("depth", "depth", "number", is_filter=True),
        *numbers(n_positive="positive rows"),
    ]
    if focus is not None:
        columns += numbers(3, gain=f"gain of {focus}")
    columns += numbers(3, **{name: name for name in methods if name in notable})
    note = "The most frequent nodes of each data set"
    if focus is not None:
        note += f", and those that {focus} helps most and harms most"
    note += ". AP is the mean over fractions and repetitions."
    return Table("nodes", "AP of nodes", columns, notable, note)


def frequency_rows(curves: FrequencyCurves) -> Table:
    """Return a table with one row per method and bin of nodes."""
    columns = [
        *texts(method="method", positive_rows="positive test rows", is_filter=True),
        *numbers(n_nodes="nodes"),
        *numbers(3, y="mean AP"),
    ]
    return Table("frequency", "AP by frequency of the node", columns, curves.data)


def pass_rows(results: StudyResults) -> Table:
    """Return means over repetitions for each data set, fraction, method and pass."""
    passes = pass_table(results)
    types = {"n_newly_accepted": "float64", "n_dropped": "float64"}
    groups = passes.astype(types).groupby([*_BLOCK, "iteration"], sort=False)
    frame = groups.agg(
        n_runs=("share", "size"),
        unit=("unit", "first"),
        n_accepted=("n_accepted", "mean"),
        n_newly_accepted=("n_newly_accepted", "mean"),
        n_dropped=("n_dropped", "mean"),
        share=("share", "mean"),
    ).reset_index()
    columns = [
        *_where(frame),
        *numbers(iteration="pass", n_runs="runs"),
        *texts(unit="unit"),
        *numbers(1, n_accepted="accepted", n_newly_accepted="newly accepted"),
        *numbers(1, n_dropped="dropped"),
        Column("share", "share labelled", "percent", 1),
    ]
    return Table("passes", "Accepted in each pass", columns, frame)


def _joined(frame: pd.DataFrame, column: pd.Series) -> pd.DataFrame:
    return frame.join(column.rename_axis(_BLOCK), on=_BLOCK)


def _measure_column(measure: str) -> Column:
    # Losses are small.
    digits = 3 if StudyResults.higher_is_better(measure) else 4
    return Column(measure, measure_title(measure), "number", digits)


def settings_text(params: str) -> str:
    """Return the settings of a grid point, stored as JSON, as readable text."""
    if not params:
        return ""
    given = json.loads(params).items()
    return ", ".join(f"{key} {value_text(value)}" for key, value in given)


def value_text(value: Any) -> str:
    """Return a value of a study file as text; a class or function by its path.

    Examples
    --------
    >>> from hilabel.report.study._tables import value_text
    >>> value_text({"function": "votes.py:weighted", "power": 2})
    'votes.py:weighted (power = 2)'
    """
    if not isinstance(value, dict):
        return value if isinstance(value, str) else json.dumps(value, default=str)
    rest = dict(value)
    paths = [str(rest.pop(kind)) for kind in ("class", "function") if kind in rest]
    if not paths:
        return json.dumps(value, default=str)
    inner = ", ".join(f"{key} = {value_text(part)}" for key, part in rest.items())
    return f"{paths[0]} ({inner})" if inner else paths[0]


def _is_missing(value: Any) -> bool:
    if value is None or value is pd.NA or value == "":
        return True
    return isinstance(value, float) and math.isnan(value)


def _plain(value: Any) -> Any:
    if value is None or value is pd.NA:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        rounded = round(value, _STORED_DIGITS)
        return int(rounded) if rounded.is_integer() else rounded
    return value
