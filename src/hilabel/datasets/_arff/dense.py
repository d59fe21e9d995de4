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
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hilabel._typing import FloatArray, IntArray
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
    block = _plain_block(text.body, len(header.attributes))
    if block is None:
        return None
    numeric, others = _split_columns(header)
    fields = {i: block.column(i) for i in others}
    codes = _as_codes(fields, header)
    numbers = _as_numbers(block.text, numeric, len(block.ends))
    if codes is None or numbers is None:
        return None
    # NaN must come from "?" alone, not from a field that spells out "nan".
    n_missing = block.text.count(b"?")
    n_missing -= sum("".join(column).count("?") for column in fields.values())
    if np.isnan(numbers).sum() != n_missing:
        return None
    identifier = header.identifier
    return (
        _joined(numbers, codes, header),
        fields[len(header.attributes) - 1],
        None if identifier is None else fields[identifier],
    )


@dataclass(frozen=True)
class _PlainBlock:
    """Rows without quotes, comments and blank lines, all of the right length.

    ``commas`` is (n_rows, n_attributes - 1), where the commas are in ``text``; a row
    begins at ``starts`` and ends before ``ends``.
    """

    text: bytes
    commas: IntArray
    starts: IntArray
    ends: IntArray

    def column(self, i: int) -> list[str]:
        """Return the fields of one attribute, stripped."""
        n_commas = self.commas.shape[1]
        first = self.starts if i == 0 else self.commas[:, i - 1] + 1
        last = self.ends if i == n_commas else self.commas[:, i]
        text = self.text
        return [
            text[start:end].decode().strip()
            for start, end in zip(first.tolist(), last.tolist())
        ]


def _plain_block(body: bytes, n_attributes: int) -> _PlainBlock | None:
    """Return the rows alone if every one has the right number of plain fields."""
    if n_attributes < 2 or b"'" in body or b'"' in body:
        return None
    if b"%" in body:
        body = _COMMENT_LINE.sub(b"", body)
    commas, ends = _find_separators(body)
    n_commas = np.diff(np.searchsorted(commas, ends), prepend=0)
    if (n_commas == 0).any():
        body = b"\n".join(line for line in body.split(b"\n") if line.strip())
        commas, ends = _find_separators(body)
        n_commas = np.diff(np.searchsorted(commas, ends), prepend=0)
    if (n_commas != n_attributes - 1).any():
        return None
    starts = np.append(0, ends[:-1] + 1)
    return _PlainBlock(body, commas.reshape(ends.size, -1), starts, ends)


def _find_separators(body: bytes) -> tuple[IntArray, IntArray]:
    """Return where the commas are and where the lines end."""
    characters = np.frombuffer(body, dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    if ends.size == 0 or ends[-1] < characters.size - 1:
        ends = np.append(ends, characters.size)
    return np.flatnonzero(characters == ord(",")), ends


def _split_columns(header: Header) -> tuple[list[int], list[int]]:
    kinds = [attribute.kind for attribute in header.attributes]
    numeric = [i for i, kind in enumerate(kinds) if kind == "numeric"]
    return numeric, [i for i, kind in enumerate(kinds) if kind != "numeric"]


def _as_codes(
    fields: dict[int, list[str]], header: Header
) -> dict[int, FloatArray] | None:
    """Return the nominal columns as positions; None if a value is unknown."""
    codes = {}
    for i, column in fields.items():
        if header.attributes[i].kind == "nominal":
            position = {"?": np.nan, **(_positions(header.attributes[i].values) or {})}
            try:
                codes[i] = np.array([position[field] for field in column])
            except KeyError:
                return None
    return codes


def _as_numbers(text: bytes, numeric: list[int], n_rows: int) -> FloatArray | None:
    """Parse the numeric columns; None if something else than numbers is in them."""
    if not numeric:
        return np.empty((n_rows, 0))
    try:
        frame = pd.read_csv(
            io.BytesIO(text),
            header=None,
            usecols=numeric,
            dtype=np.float64,
            na_values=["?"],
            keep_default_na=False,
            quoting=csv.QUOTE_NONE,
            skipinitialspace=b", " in text,
            skip_blank_lines=False,
            **_EXACT_NUMBERS,
        )
    except (ValueError, OverflowError):
        return None
    numbers = frame.to_numpy()
    is_sound = len(numbers) == n_rows and not np.isinf(numbers).any()
    return numbers if is_sound else None


def _joined(
    numbers: FloatArray, codes: dict[int, FloatArray], header: Header
) -> FloatArray:
    """Put numeric and nominal columns in the order of the attributes."""
    if not codes:
        return numbers
    # Whole columns are written, so they should lie together in memory.
    values = np.empty((len(numbers), len(header.features)), order="F")
    columns = iter(numbers.T)
    for k, i in enumerate(header.features):
        values[:, k] = codes[i] if i in codes else next(columns)
    return values
