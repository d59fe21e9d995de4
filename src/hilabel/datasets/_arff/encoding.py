"""Encode nominal attributes as columns, in the same way for all files of a data set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray
from hilabel.datasets._arff.header import Attribute


@dataclass(frozen=True)
class _Block:
    """The columns that encode one attribute.

    ``values`` is empty for a numeric attribute. A nominal attribute with two values has
    one column, which contains the position of the value, 0 or 1; any other nominal
    attribute has one column per value.
    """

    attribute: Attribute
    start: int
    values: tuple[str, ...]

    @property
    def is_one_hot(self) -> bool:
        return len(self.values) not in (0, 2)

    @property
    def width(self) -> int:
        return len(self.values) if self.is_one_hot else 1

    @property
    def names(self) -> list[str]:
        if not self.values:
            return [self.attribute.name]
        shown = self.values if self.is_one_hot else self.values[1:]
        return [f"{self.attribute.name}={value}" for value in shown]

    def codes(self, column: FloatArray) -> FloatArray:
        """Encode the missing nominal values of a column as the last position."""
        if not self.values:
            return column
        return np.where(np.isnan(column), len(self.values) - 1, column)


def encode_features(
    features: Sequence[Attribute], tables: Sequence[Any]
) -> tuple[list[Any], tuple[str, ...]]:
    """Encode the same attributes in several tables.

    Parameters
    ----------
    features : sequence of Attribute
        One per column of the tables, numeric or nominal.
    tables : sequence of arrays or csr_arrays of shape (n_rows, n_features)
        Numbers, and positions among the declared values; NaN is missing.

    Returns
    -------
    encoded : list of float arrays or csr_arrays of shape (n_rows, n_columns)
        All are sparse if one of the tables is. A missing number stays NaN; a missing
        nominal value becomes a separate value, in all tables if it occurs in any.
    names : tuple of str
        The attribute's name, or "attribute=value" for a column that is 1 where the
        attribute has that value.
    """
    is_sparse = any(sp.issparse(table) for table in tables)
    if is_sparse:
        tables = [_without_zeros(table) for table in tables]
    blocks = _plan(features, _with_missing(tables))
    encode = _encode_sparse if is_sparse else _encode_dense
    names = tuple(name for block in blocks for name in block.names)
    return [encode(table, blocks) for table in tables], names


def _without_zeros(table: Any) -> sp.csr_array:
    sparse = sp.csr_array(table, copy=True)
    sparse.eliminate_zeros()
    return sparse


def _with_missing(tables: Sequence[Any]) -> set[int]:
    """Return the columns that have a missing value in at least one table."""
    found: set[int] = set()
    for table in tables:
        if sp.issparse(table):
            found.update(table.indices[np.isnan(table.data)].tolist())
        else:
            found.update(np.flatnonzero(np.isnan(table).any(axis=0)).tolist())
    return found


def _plan(features: Sequence[Attribute], with_missing: set[int]) -> list[_Block]:
    blocks = []
    start = 0
    for i, attribute in enumerate(features):
        values = attribute.values
        if values and i in with_missing:
            values = (*values, "?")
        blocks.append(_Block(attribute, start, values))
        start += blocks[-1].width
    return blocks


def _n_columns(blocks: list[_Block]) -> int:
    return blocks[-1].start + blocks[-1].width if blocks else 0


def _encode_dense(table: FloatArray, blocks: list[_Block]) -> FloatArray:
    # Columns are written one by one, so they are contiguous until the last step.
    X = np.zeros((len(table), _n_columns(blocks)), order="F")
    rows = np.arange(len(table))
    for i, block in enumerate(blocks):
        codes = block.codes(table[:, i])
        if block.is_one_hot:
            X[rows, block.start + codes.astype(np.int64)] = 1.0
        else:
            X[:, block.start] = codes
    return np.ascontiguousarray(X)


def _encode_sparse(table: sp.csr_array, blocks: list[_Block]) -> sp.csr_array:
    """Encode a sparse table without converting it to a dense one.

    The cost is O(stored values), plus one entry for each row that omits an attribute
    with three or more values, because the first value also has its own column. The
    table must not store zeros explicitly.
    """
    start = np.array([block.start for block in blocks], dtype=np.int64)
    is_one_hot = np.array([block.is_one_hot for block in blocks], dtype=bool)
    # The code of a missing value; NaN again for a number.
    missing = np.array([len(b.values) - 1 if b.values else np.nan for b in blocks])
    stored = table.tocoo()
    codes = np.where(np.isnan(stored.data), missing[stored.col], stored.data)
    in_one_hot = is_one_hot[stored.col]
    shift = np.where(in_one_hot, codes, 0).astype(np.int64)
    rows = [stored.row]
    columns = [start[stored.col] + shift]
    data = [np.where(in_one_hot, 1.0, codes)]
    by_column = sp.csc_array(table)
    for i in np.flatnonzero(is_one_hot):
        with_other = by_column.indices[by_column.indptr[i] : by_column.indptr[i + 1]]
        first = np.setdiff1d(np.arange(table.shape[0]), with_other)
        rows.append(first)
        columns.append(np.full(first.size, start[i]))
        data.append(np.ones(first.size))
    shape = (table.shape[0], _n_columns(blocks))
    positions = (np.concatenate(rows), np.concatenate(columns))
    return sp.csr_array(sp.coo_array((np.concatenate(data), positions), shape=shape))
