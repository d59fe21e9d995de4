"""Hierarchies in files: OBO ontologies, (parent, child) tables, lists of paths."""

from collections.abc import Sequence
from os import PathLike

from hilabel.datasets._tables.delimited import content_suffix, find_delimiter, read_rows
from hilabel.exceptions import DatasetFormatError, HierarchyError
from hilabel.hierarchy import Hierarchy, Ontology, read_obo
from hilabel.hierarchy._text_file import read_text

__all__ = ["read_hierarchy"]

Rows = list[tuple[int, list[str]]]


def read_hierarchy(
    path: str | PathLike[str],
    *,
    relations: Sequence[str] = ("is_a", "part_of"),
    separator: str = "/",
) -> Ontology:
    r"""Read a hierarchy from a file, plain or compressed.

    Three kinds of file are told apart by name and content:

    - **OBO**, such as ``go-basic.obo``: a name in ``.obo`` or a ``[Term]`` line;
    - **an edge list**, a CSV or TSV file of two columns. **The parent comes first, the
      child second**, unless a first line names the columns ``parent`` and ``child``
      (in any order and case; further columns are then ignored). A row with an empty
      parent only says that the child exists: so a node without edges is written;
    - **a list of paths**, one column: ``food/drinks/tea`` makes three nodes, each
      named by its whole path. A first line ``path`` is taken as a heading, and says
      that commas and tabs below it belong to the names.

    Blank lines and repeated rows are skipped.

    Parameters
    ----------
    path : path-like
        The file.
    relations : sequence of str, default=("is_a", "part_of")
        Of an OBO file, the relations that make edges; see :func:`read_obo`.
    separator : str, default="/"
        Of a list of paths, what joins the steps.

    Returns
    -------
    Ontology
        Only an OBO file knows of retired identifiers; otherwise ``replaced`` and
        ``obsolete`` are empty.

    Raises
    ------
    DatasetFormatError
        If the file is of none of these kinds, or has a cycle. The message names file
        and line, or the cycle.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import read_hierarchy
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("parent,child\nfood,tea\nfood,bread\n,books\n")
    ...     file.flush()
    ...     ontology = read_hierarchy(file.name)
    >>> ontology.hierarchy
    Hierarchy(4 nodes, 2 edges, 2 roots, depth 2, tree)
    """
    if content_suffix(path) == ".obo":
        return read_obo(path, relations)
    text = read_text(path)
    if text.startswith("[Term]") or "\n[Term]" in text:
        return read_obo(path, relations)
    try:
        hierarchy = _read_paths_or_edges(path, text, separator)
    except HierarchyError as error:
        raise DatasetFormatError(f"{path}: {error}") from error
    return Ontology(hierarchy, {}, frozenset())


def _read_paths_or_edges(
    path: str | PathLike[str], text: str, separator: str
) -> Hierarchy:
    lines = [(i, line.strip()) for i, line in enumerate(text.split("\n"), start=1)]
    lines = [(i, line) for i, line in lines if line]
    if lines[0][1].lower() == "path":
        return _from_paths(path, lines[1:], separator)
    delimiter = find_delimiter(path, text)
    if delimiter is None:
        return _from_paths(path, lines, separator)
    return _from_edge_rows(path, read_rows(path, text, delimiter))


def _from_paths(
    path: str | PathLike[str], lines: list[tuple[int, str]], separator: str
) -> Hierarchy:
    if not lines:
        raise DatasetFormatError(f"{path}: expected a path per line, got a heading.")
    for line, steps in lines:
        if not all(steps.split(separator)):
            raise DatasetFormatError(
                f"{path}, line {line}: the path {steps!r} has an empty step; expected "
                f"names joined by {separator!r}."
            )
    return Hierarchy.from_paths([steps for _, steps in lines], separator)


def _from_edge_rows(path: str | PathLike[str], rows: Rows) -> Hierarchy:
    parent_at, child_at, has_header = _find_columns(path, rows[0])
    width = len(rows[0][1])
    nodes: dict[str, None] = {}
    edges: dict[tuple[str, str], None] = {}
    for line, cells in rows[has_header:]:
        if len(cells) != width:
            raise DatasetFormatError(
                f"{path}, line {line}: expected {width} columns, as in line "
                f"{rows[0][0]}, got {len(cells)}."
            )
        parent, child = cells[parent_at], cells[child_at]
        if not child or parent == child:
            what = f"{child!r} is its own parent" if child else "the child is empty"
            raise DatasetFormatError(
                f"{path}, line {line}: {what}; expected a parent and a child. For a "
                "node without parents leave the parent empty."
            )
        if parent:
            nodes[parent] = None
            edges[parent, child] = None
        nodes[child] = None
    if not nodes:
        raise DatasetFormatError(f"{path}: expected edges, got only a heading.")
    return Hierarchy.from_edges(edges, nodes=nodes)


def _find_columns(
    path: str | PathLike[str], first: tuple[int, list[str]]
) -> tuple[int, int, bool]:
    """Return the positions of parent and child, and whether there is a heading."""
    line, cells = first
    names = [cell.lower() for cell in cells]
    if names.count("parent") == names.count("child") == 1:
        return names.index("parent"), names.index("child"), True
    if len(cells) != 2:
        raise DatasetFormatError(
            f"{path}, line {line}: expected two columns, parent and child, got "
            f"{len(cells)}; or name the columns 'parent' and 'child' in the first "
            "line."
        )
    if "parent" in names or "child" in names:
        raise DatasetFormatError(
            f"{path}, line {line}: expected the columns to be named 'parent' and "
            f"'child', got {cells[0]!r} and {cells[1]!r}."
        )
    return 0, 1, False
