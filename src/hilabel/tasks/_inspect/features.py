"""Inspect features."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from hilabel._typing import FilePath
from hilabel.datasets import FeatureTable, SparseColumns, read_features
from hilabel.tasks._inspect.inspection import Inspection, named
from hilabel.tasks._inspect.mending import mended
from hilabel.tasks._inspect.problem import Problem, counted


def inspect_features(path: FilePath, **options: Any) -> Inspection:
    """Describe a file with features."""
    problems: list[Problem] = []
    title = f"Features {path}"
    table, _ = mended(partial(read_features, path), options, problems, str(path))
    if table is None:
        return Inspection.of(title, problems, {})
    facts, tables = column_facts(table)
    problems += problems_of_table(table)
    return Inspection.of(title, problems, facts, tables=tables)


def column_facts(
    table: FeatureTable,
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    """Return facts about the columns, and tables of their details."""
    if table.sparse is not None:
        return _sparse_facts(table, table.sparse)
    frame = table.frame
    missing = frame.isna().sum()
    varied = frame.nunique(dropna=True)
    facts = {
        "rows": len(table),
        "id column": str(frame.index.name),
        **({"merged rows": table.n_merged} if table.n_merged else {}),
        "columns": frame.shape[1],
        "categorical columns": named(table.categorical),
        "columns like identifiers": named(table.wordy_columns),
        "text columns": named(table.text),
        "missing values": f"{int(missing.sum())} in {int((missing > 0).sum())} columns",
        "constant columns": named(list(frame.columns[varied <= 1])),
        "repeated rows": f"{int(frame.duplicated().sum())} (equal values, other ids)",
    }
    gaps = missing[missing > 0].sort_values(ascending=False).head(10)
    tables = {}
    if len(gaps):
        tables["columns with missing values"] = pd.DataFrame(
            {"column": gaps.index, "missing": gaps.to_numpy()}
        )
    return facts, tables


def _sparse_facts(
    table: FeatureTable, columns: SparseColumns
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    values = columns.values
    n_cells = values.shape[0] * values.shape[1]
    per_column = np.bincount(values.indices, minlength=values.shape[1])
    facts = {
        "rows": len(table),
        "id column": str(table.frame.index.name),
        **({"merged rows": table.n_merged} if table.n_merged else {}),
        "columns": f"{values.shape[1]}, sparse",
        "cells that are not 0": f"{values.nnz} ({100 * values.nnz / n_cells:.2g} %)",
        "rows without features": int((np.diff(values.indptr) == 0).sum()),
        "columns with a single row": int((per_column == 1).sum()),
    }
    most = np.argsort(-per_column, kind="stable")[:10]
    frequent = {"column": [columns.names[at] for at in most], "rows": per_column[most]}
    return facts, {"most frequent columns": pd.DataFrame(frequent)}


def problems_of_table(table: FeatureTable) -> Iterator[Problem]:
    """Yield possible problems in features that were read without errors."""
    where, frame = table.source, table.frame
    columns: list[tuple[str, Iterable[str], tuple[str, ...]]] = [
        (
            "with mostly distinct values, like identifiers and dates",
            table.wordy_columns,
            ("drop", "text"),
        ),
    ]
    if table.sparse is None:
        n_values = frame.nunique(dropna=True)
        n_missing = frame.isna().sum()
        is_constant = ((n_values == 1) & (n_missing == 0)) & (len(frame) > 1)
        columns.append(("without values", frame.columns[n_values == 0], ("drop",)))
        columns.append(("with one value", frame.columns[is_constant], ("drop",)))
        empty = np.flatnonzero(frame.isna().all(axis=1))
        mend = "fill in values or remove the rows"
    else:
        empty = np.flatnonzero(np.diff(table.sparse.values.indptr) == 0)
        mend = "nothing distinguishes these rows; remove them"
    for which, found, ways in columns:
        if names := tuple(map(str, found)):
            what = counted("column", which, names)
            options = tuple((way, name) for way in ways for name in names)
            yield Problem("warning", what, where, "", options, names)
    if empty.size:
        names = tuple(table.ids[row] for row in empty)
        what = counted("row", "without features", names)
        yield Problem("warning", what, where, mend, (), names)
    if table.text:
        options = tuple((way, n) for way in ("categorical", "drop") for n in table.text)
        what = counted("column", "of text, whose words become columns", table.text)
        yield Problem(
            "note", what, where, "if that is not intended", options, table.text
        )
    yield from (Problem("note", note, where) for note in table.notes)
