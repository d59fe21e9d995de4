"""Lists of links from frames, graphs and matrices."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from hilabel.exceptions import LinkError
from hilabel.links._id_numbers import IdNumbers
from hilabel.links._link_list import LinkList
from hilabel.links._links import ONE_KIND

MOST_KINDS: Final = 100
_ROLES: Final = ("source", "target", "weight", "kind")


def is_graph(value: Any) -> bool:
    """Return whether a value is a graph of networkx, which need not be installed."""
    return hasattr(value, "edges") and hasattr(value, "is_directed")


def kinds_of(
    value: Any, ids: Sequence[Any] | None, numbers: IdNumbers
) -> dict[str, LinkList]:
    """Return the links of each kind, and number their ids."""
    if is_graph(value):
        return _of_graph(value, numbers)
    if isinstance(value, pd.DataFrame):
        return _of_frame(value, numbers)
    if sp.issparse(value) or isinstance(value, np.ndarray):
        return _of_matrix(value, ids, numbers)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return _of_frame(_frame_of_tuples(value), numbers)
    raise LinkError(
        "Expected links as a data frame, a graph, a matrix with ids, or tuples of "
        f"source, target and weight, got {type(value).__name__}."
    )


def split_by_kind(
    names: Sequence[str], codes: Any, links: LinkList
) -> dict[str, LinkList]:
    """Return the links of each kind, given the position of the name of each.

    Raises
    ------
    LinkError
        If there are very many kinds, so that they must be something else.
    """
    if len(names) > MOST_KINDS:
        raise LinkError(
            f"Expected at most {MOST_KINDS} kinds of links, got {len(names)}, such as "
            f"{names[0]!r}; remove the column unless it names the kind of each link."
        )
    found = {}
    for code, name in enumerate(names):
        chosen = np.flatnonzero(codes == code)
        found[name] = LinkList(
            links.sources[chosen],
            links.targets[chosen],
            links.weights[chosen],
            None if links.identities is None else links.identities[chosen],
            links.is_undirected,
        )
    return found


def _of_graph(graph: Any, numbers: IdNumbers) -> dict[str, LinkList]:
    edges = list(graph.edges(data=True))
    frame = pd.DataFrame(
        {
            "source": pd.Series([edge[0] for edge in edges], dtype=object),
            "target": pd.Series([edge[1] for edge in edges], dtype=object),
            "weight": np.array([edge[2].get("weight", 1.0) for edge in edges], float),
        }
    )
    if any("kind" in data for *_, data in edges):
        frame["kind"] = [str(data.get("kind", ONE_KIND)) for *_, data in edges]
    return _of_frame(frame, numbers, is_undirected=not graph.is_directed())


def _frame_of_tuples(value: Iterable[Any]) -> pd.DataFrame:
    rows = [tuple(each) for each in value]
    widths = {len(row) for row in rows}
    if len(widths) > 1 or widths - {2, 3, 4}:
        raise LinkError(
            "Expected tuples of source, target and, in each or in none, a weight and "
            f"a kind, got tuples of length {', '.join(map(str, sorted(widths)))}."
        )
    columns = [pd.Series(list(column)) for column in zip(*rows, strict=True)]
    named: dict[Any, Any] = dict(enumerate(columns))
    return pd.DataFrame(named) if rows else pd.DataFrame({"source": [], "target": []})


def _of_frame(
    frame: pd.DataFrame, numbers: IdNumbers, *, is_undirected: bool = False
) -> dict[str, LinkList]:
    roles = _roles(frame)
    sources = _numbered(frame[roles["source"]], "source", numbers)
    targets = _numbered(frame[roles["target"]], "target", numbers)
    weights = frame[roles["weight"]].to_numpy(float) if "weight" in roles else None
    links = LinkList.of(sources, targets, weights, is_undirected=is_undirected)
    if "kind" not in roles:
        return {ONE_KIND: links}
    codes, names = pd.factorize(frame[roles["kind"]])
    if (codes < 0).any():
        raise LinkError("Expected the kind of each link, got a missing one.")
    return split_by_kind([*map(str, names)], codes, links)


def _roles(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the column of each role, by name or else by position and type."""
    named: dict[str, Any] = {
        role: column
        for column in frame.columns
        for role in _ROLES
        if str(column).lower() == role
    }
    if {"source", "target"} <= set(named):
        return named
    columns = list(frame.columns)
    if not 2 <= len(columns) <= len(_ROLES):
        raise LinkError(
            "Expected columns of sources, targets and, optionally, weights and kinds, "
            f"got {len(columns)} columns; name them source, target, weight and kind."
        )
    found: dict[str, Any] = dict(zip(_ROLES, columns[:2], strict=False))
    for column in columns[2:]:
        values = frame[column]
        is_weight = is_numeric_dtype(values) and not is_bool_dtype(values)
        role = "weight" if is_weight else "kind"
        if role in found:
            raise LinkError(
                f"Expected one column of {role}s, got {found[role]!r} and {column!r}."
            )
        found[role] = column
    return found


def _numbered(column: pd.Series, role: str, numbers: IdNumbers) -> Any:
    codes, distinct = pd.factorize(column)
    if (codes < 0).any():
        raise LinkError(f"Expected an id for the {role} of each link, got none.")
    return numbers.of(map(str, distinct))[codes]


def _of_matrix(
    value: Any, ids: Sequence[Any] | None, numbers: IdNumbers
) -> dict[str, LinkList]:
    cells = sp.coo_array(value)
    if ids is None or cells.shape != (len(ids), len(ids)):
        got = "no ids" if ids is None else f"{len(ids)} ids"
        raise LinkError(
            "Expected a square matrix with an id for each row, got the shape "
            f"{value.shape} and {got}; for links by row number, use Links."
        )
    number_of = numbers.of(map(str, ids))
    if len(numbers) < len(ids):
        raise LinkError("Expected a different id for each row, got one twice.")
    row, column = cells.coords
    return {ONE_KIND: LinkList.of(number_of[row], number_of[column], cells.data)}
