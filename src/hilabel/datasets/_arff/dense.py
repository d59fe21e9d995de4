"""Dense ARFF rows: a fast reader for plain ones, an exact reader for all.

The exact reader decides what is right. The fast one hands the block to the C parser
of pandas after counting the fields of every line, checks what came back, and steps
aside (returns None) for anything it cannot vouch for: quotes, odd numbers, unknown
values, short rows. The exact reader then reads the rows or names the line at fault.
"""

import csv
import io
import math
import re
from typing import Any

import numpy as np
import pandas as pd

from hilabel._typing import FloatArray
from hilabel.datasets._arff.header import Attribute, Header
from hilabel.datasets._arff.text import ArffText, format_error, split_fields

__all__ = ["cell_value", "read_dense_rows"]

Rows = tuple[FloatArray, list[str], list[str] | None]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# From 3.1 on pandas always rounds to the nearest float, and warns when asked to.
_PANDAS_VERSION = tuple(int(part) for part in pd.__version__.split(".")[:2])
_EXACT_NUMBERS: dict[str, Any] = (
    {} if _PANDAS_VERSION >= (3, 1) else {"float_precision": "round_trip"}
)
_COMMENT_LINE = re.compile(rb"^[ \t]*%[^\n]*$", re.MULTILINE)


def read_dense_rows(text: ArffText, header: Header) -> Rows:
    """Return (values, labels, identifiers).

    ``values`` is (n_rows, n_features), a feature being a numeric or nominal
    attribute: the number, or the position among the declared values; NaN where the
    file has ``?``. ``labels`` and ``identifiers`` are the fields as they stand.
    """
    return _read_fast(text, header) or _read_exactly(text, header)


def cell_value(
    field: str,
    attribute: Attribute,
    position: dict[str, int] | None,
    path: str,
    line: int,
) -> float:
    """Return the number of one field; ``position`` numbers the nominal values."""
    if field == "?":
        return np.nan
    if position is not None:
        if field in position:
            return position[field]
        raise format_error(
            path,
            line,
            f"{field!r} is not a value of attribute {attribute.name!r}; expected one "
            f"of {_some(attribute.values)}, or '?'.",
        )
    number = float(field) if _NUMBER.fullmatch(field) else np.nan
    if math.isfinite(number):
        return number
    raise format_error(
        path,
        line,
        f"{field!r} is not a number; attribute {attribute.name!r} is numeric, "
        "expected a finite number or '?'.",
    )


def _read_exactly(text: ArffText, header: Header) -> Rows:
    attributes = header.attributes
    features = [
        (i, attributes[i], _positions(attributes[i].values)) for i in header.features
    ]
    values, labels, identifiers = [], [], []
    for line, row in text.rows():
        fields = split_fields(row)
        if len(fields) != len(attributes):
            raise _wrong_length(row, len(fields), len(attributes), text.path, line)
        values.append(
            [
                cell_value(fields[i], attribute, position, text.path, line)
                for i, attribute, position in features
            ]
        )
        labels.append(fields[-1])
        if header.identifier is not None:
            identifiers.append(fields[header.identifier])
    table = np.array(values, dtype=np.float64).reshape(len(labels), len(features))
    return table, labels, None if header.identifier is None else identifiers


def _positions(values: tuple[str, ...]) -> dict[str, int] | None:
    return {value: i for i, value in enumerate(values)} if values else None


def _wrong_length(
    row: str, n_fields: int, n_expected: int, path: str, line: int
) -> ValueError:
    if row.startswith("{"):
        message = "expected a dense row like those above, got a sparse one."
    else:
        amount = "few" if n_fields < n_expected else "many"
        message = (
            f"too {amount} values: expected {n_expected}, one for each attribute, "
            f"got {n_fields}."
        )
    return format_error(path, line, message)


def _some(values: tuple[str, ...], most: int = 10) -> str:
    listed = ", ".join(repr(value) for value in values[:most])
    return listed if len(values) <= most else f"{listed}, ... ({len(values)} in all)"


# The fast reader --------------------------------------------------------------------


def _read_fast(text: ArffText, header: Header) -> Rows | None:
    attributes = header.attributes
    frame = _plain_frame(text.body, [a.kind == "numeric" for a in attributes])
    if frame is None:
        return None
    # Whole columns are written, so they should lie together in memory.
    values = np.empty((len(frame), len(header.features)), order="F")
    for k, i in enumerate(header.features):
        if attributes[i].kind == "numeric":
            values[:, k] = frame[i]
            continue
        codes = frame[i].map({"?": -1, **(_positions(attributes[i].values) or {})})
        if codes.isna().any():
            return None
        values[:, k] = codes.where(codes >= 0)
    identifier = header.identifier
    return (
        values,
        frame[len(attributes) - 1].tolist(),
        None if identifier is None else frame[identifier].tolist(),
    )


def _plain_frame(body: bytes, is_numeric: list[bool]) -> pd.DataFrame | None:
    """Parse rows of plain fields; None unless all have as many as there should be."""
    if b"'" in body or b'"' in body:
        return None
    if b"%" in body:
        body = _COMMENT_LINE.sub(b"", body)
    n_commas = len(is_numeric) - 1
    if body.lstrip().partition(b"\n")[0].count(b",") != n_commas:
        return None
    numeric = [i for i, number in enumerate(is_numeric) if number]
    try:
        frame = pd.read_csv(
            io.BytesIO(body),
            header=None,
            dtype={i: np.float64 if n else object for i, n in enumerate(is_numeric)},
            na_values={i: ["?"] for i in numeric},
            keep_default_na=False,
            quoting=csv.QUOTE_NONE,
            skipinitialspace=True,
            **_EXACT_NUMBERS,
        )
    except (ValueError, OverflowError):
        return None
    numbers = frame[numeric].to_numpy()
    # A row that is too long is an error; where all commas are there, none is short.
    if body.count(b",") != n_commas * len(frame) or np.isinf(numbers).any():
        return None
    n_marks = body.count(b"?")
    for i in range(len(is_numeric)):
        if i not in numeric:
            frame[i] = frame[i].str.strip()
            n_marks -= int(frame[i].str.count(r"\?").sum())
    # NaN must come from "?" alone, not from a field that spells out "nan".
    return frame if np.isnan(numbers).sum() == n_marks else None
