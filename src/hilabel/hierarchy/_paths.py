"""Read labels that are given as paths from a root, in any supported form."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hilabel._typing import IntArray
from hilabel.exceptions import LabelError

Path = tuple[str, ...]


def read_paths(y: Any, separator: str | None = None) -> list[list[Path] | None]:
    """Return the paths in each row of labels, or None for a row without paths.

    Parameters
    ----------
    y : array, DataFrame or list of n_samples rows
        As accepted by :meth:`hilabel.Hierarchy.from_labels`.
    separator : str, optional
        If given, every string is a whole path; otherwise, a row of strings is one path.

    Returns
    -------
    list of n_samples lists of tuples of str, or None

    Examples
    --------
    >>> from hilabel.hierarchy import read_paths
    >>> read_paths([["pet", "cat"], ["stone", ""], None])
    [[('pet', 'cat')], [('stone',)], None]
    """
    return [_paths_of_row(row, i, separator) for i, row in enumerate(_rows(y))]


def _rows(y: Any) -> Iterable[Any]:
    if hasattr(y, "columns") and hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if isinstance(y, str) or not isinstance(y, Iterable):
        raise LabelError(
            f"Expected y with a path or a list of paths for each row, got {y!r}."
        )
    return y


def _paths_of_row(row: Any, i: int, separator: str | None) -> list[Path] | None:
    if isinstance(row, set | frozenset):
        raise LabelError(
            f"Row {i} of y is a set, which has no order; expected a path such as "
            "('animal', 'cat'). For sets of names, create the hierarchy from its edges."
        )
    if not _is_sequence(row):
        row = [row]
    is_nested = any(_is_sequence(part) for part in row)
    if is_nested or separator is not None:
        paths = [_steps(part, i, separator) for part in row]
    else:
        paths = [_steps(row, i, separator)]
    return [path for path in paths if path] or None


def _steps(path: Any, i: int, separator: str | None) -> Path:
    """Return the steps of one path, without empty steps at its end."""
    if isinstance(path, str) and separator is not None and path:
        parts: Sequence[Any] = path.split(separator)
        if "" in parts:
            raise LabelError(
                f"Path {path!r} in row {i} of y has an empty step; expected names "
                f"joined by {separator!r}, such as 'a{separator}b'."
            )
    else:
        parts = list(path) if _is_sequence(path) else [path]
    is_given = [not _is_missing(part) for part in parts]
    length = sum(is_given)
    if not all(is_given[:length]):
        raise LabelError(
            f"Path {list(parts)!r} in row {i} of y has an empty step before others; "
            "only the end of a path may be empty."
        )
    return tuple(_as_name(part) for part in parts[:length])


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _is_missing(value: Any) -> bool:
    """Return whether a value is missing: None, "", NaN, NaT or NA."""
    try:
        return value is None or value == "" or bool(value != value)
    except TypeError:  # pandas' NA is neither equal nor different
        return True


def _as_name(step: Any) -> str:
    """Convert a step to a name; a float that is a whole number loses its ``.0``."""
    if isinstance(step, float | np.floating) and float(step).is_integer():
        return str(int(step))
    return str(step)


def parts_from_rows(
    rows: Iterable[list[Path] | None], separator: str
) -> tuple[list[str], IntArray, list[str]]:
    """Return the names, edges and last steps of the tree that the paths define."""
    places: dict[Path, int] = {}
    edges: list[tuple[int, int]] = []
    for path in (path for row in rows if row for path in row):
        for length in range(1, len(path) + 1):
            place = path[:length]
            if place in places:
                continue
            places[place] = len(places)
            if length > 1:
                edges.append((places[place[:-1]], places[place]))
    names = [separator.join(place) for place in places]
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return names, pairs, [place[-1] for place in places]
