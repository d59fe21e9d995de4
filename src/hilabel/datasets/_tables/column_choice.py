"""Which ids and columns of a feature table to read, and how."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import FilePath
from hilabel.datasets._tables.gaf import without_version
from hilabel.datasets._tables.places import Places
from hilabel.datasets._tables.words import text_columns
from hilabel.exceptions import DatasetFormatError


@dataclass(frozen=True)
class Choice:
    """The columns to read, and how to read them."""

    id_column: str | None
    usual_id_column: str | None
    categorical: list[str]
    text: list[str]
    columns: list[str] | None
    drop: list[str]
    strip_version: bool
    merge_duplicates: str | None
    most_unpacked: float | None = None

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Create an instance from the options of :func:`read_features`."""
        if options["merge_duplicates"] not in (None, "mean", "first"):
            raise DatasetFormatError(
                "Expected 'mean', 'first' or None, got "
                f"{options['merge_duplicates']!r}.",
                parameter="merge_duplicates",
            )
        for name in ("categorical", "text", "columns", "drop"):
            if options[name] is not None:
                options[name] = _as_names(options[name])
        return cls(**options)

    def ids(
        self, path: FilePath, found: list[str], where: Places, id_column: str
    ) -> list[str]:
        """Return the ids, which must be unique unless duplicates are merged."""
        if self.strip_version:
            found = [without_version(row_id) for row_id in found]
        _check_ids(path, found, where, id_column, self.merge_duplicates is not None)
        return found

    @property
    def words(self) -> set[str]:
        """The columns to treat as non-numeric."""
        return {*self.categorical, *self.text}

    def text_of(self, frame: pd.DataFrame) -> tuple[str, ...]:
        """Return the declared and the detected text columns."""
        likely = {*text_columns(frame)} - {*self.categorical} | {*self.text}
        return tuple(name for name in frame.columns if name in likely)

    def id_of(self, path: FilePath, header: list[str]) -> str:
        """Return the name of the id column."""
        if self.id_column is not None:
            _check_present(path, [self.id_column], header)
            return self.id_column
        usual = self.usual_id_column
        return usual if usual is not None and usual in header else header[0]

    def wanted(self, path: FilePath, header: list[str], id_column: str) -> list[str]:
        """Return the requested columns, without the id column."""
        available = [name for name in header if name != id_column]
        listed = [*self.categorical, *self.text, *(self.columns or ()), *self.drop]
        _check_present(path, listed, available, id_column)
        dropped = set(self.drop)
        wanted = available if self.columns is None else self.columns
        wanted = [name for name in wanted if name not in dropped]
        if not wanted:
            raise DatasetFormatError(
                f"expected at least one feature besides the id column {id_column!r}, "
                "got none; without features, links between the rows are needed.",
                source=path,
                parameter="links",
            )
        if "" in wanted:
            raise DatasetFormatError(
                "column 1 has no name, like the row numbers that pandas writes; omit "
                f"it (index=False) or name it. The id column is {id_column!r}.",
                source=path,
            )
        return wanted


def _as_names(given: Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _check_present(
    path: FilePath,
    wanted: Sequence[str],
    columns: list[str],
    id_column: str | None = None,
) -> None:
    present = set(columns)
    for name in wanted:
        if name in present:
            continue
        if name == id_column:
            raise DatasetFormatError(
                f"expected a column {name!r} of features, but it is the id column; "
                "choose another id column, or do not use it as a feature.",
                source=path,
                parameter="id_column",
            )
        meant = did_you_mean(closest(name, columns))
        some = ", ".join(repr(column) for column in columns[:5])
        more = ", ..." if len(columns) > 5 else ""
        beside = "" if id_column is None else f" besides the id column {id_column!r}"
        raise DatasetFormatError(
            f"expected a column {name!r}, got {len(columns)} columns{beside}"
            + (f".{meant}" if meant else f": {some}{more}."),
            source=path,
        )


def _check_ids(
    path: FilePath,
    ids: list[str],
    where: Places,
    id_column: str,
    may_repeat: bool,
) -> None:
    empty = [row for row, row_id in enumerate(ids) if not row_id]
    if empty:
        raise DatasetFormatError(
            f"the id is empty (column {id_column!r}); choose another id column or "
            "fill it in.",
            source=path,
            **where.field(empty[0]),
            parameter="id_column",
            culprits={where.name(row): "empty id" for row in empty},
        )
    if may_repeat:
        return
    first: dict[str, int] = {}
    repeated: dict[str, list[int]] = {}
    for row, row_id in enumerate(ids):
        if row_id in first:
            repeated.setdefault(row_id, [first[row_id]]).append(row)
        else:
            first[row_id] = row
    if repeated:
        row_id, (one, other, *_) = next(iter(repeated.items()))
        raise DatasetFormatError(
            f"id {row_id!r} is already in {where.name(one)}; each id may have only one "
            "row, unless duplicates are merged.",
            source=path,
            **where.field(other),
            parameter="merge_duplicates",
            culprits={
                name: " and ".join(where.name(row) for row in rows[:2])
                for name, rows in repeated.items()
            },
        )
