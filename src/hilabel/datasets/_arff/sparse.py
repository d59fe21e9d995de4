"""Sparse ARFF rows: ``{index value, index value, ...}``."""

import math
import re
from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

from hilabel.datasets._arff.dense import cell_value
from hilabel.datasets._arff.header import Header
from hilabel.datasets._arff.text import QUOTED, ArffText, Place, unquote
from hilabel.exceptions import DatasetFormatError

_ITEM = re.compile(rf"\s*([^\s,]*)\s*({QUOTED}|[^,]*?)\s*(,|\Z)")


def read_sparse_rows(
    text: ArffText, header: Header
) -> tuple[sp.csr_array, list[str], list[str] | None]:
    """Return the values (as a sparse matrix), the labels and the identifiers.

    An omitted numeric attribute is 0; an omitted nominal attribute has the first
    declared value. Clus counts attributes from 1, Weka from 0. The label is the last
    attribute and is present in every row, so its index shows which numbering is used:
    it equals the number of attributes, or one less.
    """
    reader = _SparseReader(header)
    for line, row in text.rows():
        reader.read_row(row, text.place(line))
    values = sp.csr_array(
        (
            np.array(reader.data, dtype=np.float64),
            np.array(reader.indices, dtype=np.int64),
            np.array(reader.indptr, dtype=np.int64),
        ),
        shape=(len(reader.labels), len(header.features)),
    )
    values.eliminate_zeros()
    has_identifiers = header.identifier is not None
    return values, reader.labels, reader.identifiers if has_identifiers else None


class _SparseReader:
    """Collects rows into the three arrays of a CSR matrix."""

    def __init__(self, header: Header) -> None:
        self.data: list[float] = []
        self.indices: list[int] = []
        self.indptr = [0]
        self.labels: list[str] = []
        self.identifiers: list[str] = []
        self._header = header
        self._label = len(header.attributes) - 1
        self._column = {i: k for k, i in enumerate(header.features)}
        self._positions = [
            {v: j for j, v in enumerate(a.values)} if a.values else None
            for a in header.attributes
        ]
        self._convert: dict[int, Callable[[str], float]] = {
            i: float if (known := self._positions[i]) is None else known.__getitem__
            for i in header.features
        }
        self._base: int | None = None

    def read_row(self, row: str, where: Place) -> None:
        """Add a row; raise ``DatasetFormatError`` if it is invalid."""
        if not (row.startswith("{") and row.endswith("}")):
            raise DatasetFormatError(
                "expected a sparse row '{index value, ...}' like those above; this "
                "one is dense or lacks a brace.",
                **where,
            )
        if not self._read_quickly(row):
            self._read_exactly(row, where)
        self.indptr.append(len(self.data))

    def _read_quickly(self, row: str) -> bool:
        """Add the row and return True, or return False if it needs the full parser."""
        if self._base is None or any(character in row for character in "'\"_"):
            return False
        try:
            pairs = [item.split() for item in row[1:-1].split(",")]
            if not all(index.isdecimal() for index, _ in pairs):
                return False
            *positions, label = [int(index) - self._base for index, _ in pairs]
            values = [self._convert[p](v) for p, (_, v) in zip(positions, pairs)]
        except (ValueError, KeyError):
            return False
        is_ascending = positions == sorted(set(positions))
        if label != self._label or not is_ascending or not math.isfinite(sum(values)):
            return False
        self.data += values
        self.indices += [self._column[position] for position in positions]
        self.labels.append(pairs[-1][1])
        self.identifiers.append("")
        return True

    def _read_exactly(self, row: str, where: Place) -> None:
        items = list(self._items(row[1:-1], where))
        if self._base is None:
            self._base = self._detect_base(items)
        previous = -1
        label, identifier = None, ""
        for index, field in items:
            position = self._checked(index, previous, where)
            if position == self._label:
                label = field
            elif position == self._header.identifier:
                identifier = field
            elif position in self._column:
                self._add(position, field, where)
            previous = position
        if label is None:
            raise DatasetFormatError(
                f"the row has no label: expected the index {self._label + self._base} "
                "with the labels, or '?', at its end.",
                **where,
            )
        self.labels.append(label)
        self.identifiers.append(identifier)

    def _add(self, position: int, field: str, where: Place) -> None:
        attribute = self._header.attributes[position]
        self.data.append(cell_value(field, attribute, self._positions[position], where))
        self.indices.append(self._column[position])

    def _items(self, row: str, where: Place) -> Iterator[tuple[int, str]]:
        for found in _ITEM.finditer(row):
            index, field, comma = found.groups()
            if not index.isdecimal():
                if not index and not comma and not field:
                    return  # an empty row, or a comma before the closing brace
                raise DatasetFormatError(
                    "expected 'index value' in a sparse row, got "
                    f"{found.group().strip(' ,')!r}.",
                    **where,
                )
            yield int(index), unquote(field)
            if not comma:
                return

    def _detect_base(self, items: list[tuple[int, str]]) -> int:
        last = items[-1][0] if items else -1
        return 1 if last == len(self._header.attributes) else 0

    def _checked(self, index: int, previous: int, where: Place) -> int:
        """Return the position of an attribute, which must be in range and in order."""
        base = self._base or 0
        position = index - base
        if not 0 <= position <= self._label:
            raise DatasetFormatError(
                f"attribute index {index} is out of range; expected {base} to "
                f"{self._label + base}.",
                **where,
            )
        if position == previous:
            raise DatasetFormatError(f"attribute index {index} occurs twice.", **where)
        if position < previous:
            raise DatasetFormatError(
                f"attribute index {index} follows {previous + base}; expected "
                "ascending indices.",
                **where,
            )
        return position
