"""Read dense ARFF rows with a fast reader if possible, and an exact one otherwise.

The exact reader is the reference implementation. The fast reader counts the fields of
every line, passes the block to the C parser of pandas and checks the result. It returns
None if the result might be wrong: if the rows contain quotes, unusual numbers or
unknown values, or have too few fields. The exact reader then reads the rows or reports
the invalid line.
"""

import csv
import io
import math
import re

import numpy as np
import pandas as pd

from hilabel._typing import BoolArray, FloatArray
from hilabel.datasets._arff.header import Attribute, Header
from hilabel.datasets._arff.text import ArffText, Place, split_fields
from hilabel.datasets._exact_numbers import EXACT_NUMBERS
from hilabel.exceptions import DatasetFormatError

Rows = tuple[FloatArray, list[str], list[str] | None]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMENT_LINE = re.compile(rb"^[ \t]*%[^\n]*$", re.MULTILINE)


def read_dense_rows(text: ArffText, header: Header) -> Rows:
    """Return the values, labels and identifiers of the rows.

    The values have shape (n_rows, n_features), with one column per numeric or nominal
    attribute. A nominal value is represented by its position among the declared values,
    and ``?`` by NaN. Labels and identifiers are returned as they are in the file.
    """
    return _read_fast(text, header) or _read_exactly(text, header)


def cell_value(
    field: str, attribute: Attribute, position: dict[str, int] | None, where: Place
) -> float:
    """Convert a field to a number; ``position`` maps nominal values to numbers."""
    if field == "?":
        return np.nan
    if position is not None:
        if field in position:
            return position[field]
        raise DatasetFormatError(
            f"{field!r} is not a value of attribute {attribute.name!r}; expected one "
            f"of {_some(attribute.values)}, or '?'.",
            **where,
        )
    number = float(field) if _NUMBER.fullmatch(field) else np.nan
    if math.isfinite(number):
        return number
    raise DatasetFormatError(
        f"{field!r} is not a number; attribute {attribute.name!r} is numeric, "
        "expected a finite number or '?'.",
        **where,
    )


def _read_exactly(text: ArffText, header: Header) -> Rows:
    attributes = header.attributes
    features = [
        (i, attributes[i], _positions(attributes[i].values)) for i in header.features
    ]
    values, labels, identifiers = [], [], []
    for line, row in text.rows():
        fields, where = split_fields(row), text.place(line)
        if len(fields) != len(attributes):
            raise _wrong_length(row, len(fields), len(attributes), where)
        values.append(
            [
                cell_value(fields[i], attribute, position, where)
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
    row: str, n_fields: int, n_expected: int, where: Place
) -> DatasetFormatError:
    if row.startswith("{"):
        message = "expected a dense row like those above, got a sparse one."
    else:
        amount = "few" if n_fields < n_expected else "many"
        message = (
            f"too {amount} values: expected {n_expected}, one for each attribute, "
            f"got {n_fields}."
        )
    return DatasetFormatError(message, **where)


def _some(values: tuple[str, ...], most: int = 10) -> str:
    listed = ", ".join(repr(value) for value in values[:most])
    return listed if len(values) <= most else f"{listed}, ... ({len(values)} in all)"


# The fast reader --------------------------------------------------------------------


def _read_fast(text: ArffText, header: Header) -> Rows | None:
    attributes = header.attributes
    is_number = np.array([attribute.kind == "numeric" for attribute in attributes])
    found = _plain_columns(text.body, is_number)
    if found is None:
        return None
    numbers, fields = found
    # Whole columns are written, so they should be contiguous in memory.
    values = np.empty((len(numbers), len(header.features)), order="F")
    values[:, is_number[header.features]] = numbers
    for k, i in enumerate(header.features):
        if not is_number[i]:
            position = {"?": np.nan, **(_positions(attributes[i].values) or {})}
            try:
                values[:, k] = [position[field] for field in fields[i]]
            except KeyError:
                return None
    identifier = header.identifier
    labels = fields[len(attributes) - 1]
    return values, labels, None if identifier is None else fields[identifier]


def _plain_columns(
    body: bytes, is_number: BoolArray
) -> tuple[FloatArray, dict[int, list[str]]] | None:
    """Return the numbers and other fields, or None if the exact reader is needed."""
    if b"'" in body or b'"' in body:
        return None
    if b"%" in body:
        body = _COMMENT_LINE.sub(b"", body)
    n_commas = len(is_number) - 1
    if body.lstrip().partition(b"\n")[0].count(b",") != n_commas:
        return None
    numeric = np.flatnonzero(is_number).tolist()
    try:
        frame = pd.read_csv(
            io.BytesIO(body),
            header=None,
            dtype={i: np.float64 if n else object for i, n in enumerate(is_number)},
            na_values={i: ["?"] for i in numeric},
            keep_default_na=False,
            quoting=csv.QUOTE_NONE,
            skipinitialspace=b", " in body,
            **EXACT_NUMBERS,
        )
    except (ValueError, OverflowError):
        return None
    # A row that is too long is an error; if all commas are present, no row is too
    # short.
    numbers = frame[numeric].to_numpy(dtype=np.float64)
    if body.count(b",") != n_commas * len(frame) or np.isinf(numbers).any():
        return None
    fields = {
        i: [field.strip() for field in frame[i]]
        for i in np.flatnonzero(~is_number).tolist()
    }
    # NaN must only come from "?", not from a field "nan".
    n_marks = sum("".join(column).count("?") for column in fields.values())
    is_sound = np.isnan(numbers).sum() == body.count(b"?") - n_marks
    return (numbers, fields) if is_sound else None
