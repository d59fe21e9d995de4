"""Read hierarchies: OBO ontologies, (parent, child) tables and lists of paths."""

import re
from collections.abc import Sequence

from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.datasets._tables.delimited import content_suffix, find_delimiter, read_rows
from hilabel.datasets._tables.gaf import is_gaf
from hilabel.datasets._tables.paths import is_path_heading, read_paths
from hilabel.exceptions import DatasetFormatError, HierarchyError
from hilabel.hierarchy import Hierarchy, Ontology, read_obo

Rows = list[tuple[int, list[str]]]


def read_hierarchy(
    path: FilePath,
    *,
    relations: Sequence[str] = ("is_a", "part_of"),
    separator: str | None = None,
    lenient: bool = False,
    most_unpacked: float | None = None,
) -> Ontology:
    r"""Read a hierarchy from a plain or compressed file.

    Three file formats are supported; the format is detected from the name and content:

    - **OBO**, such as ``go-basic.obo``: a name ending in ``.obo`` or a ``[Term]`` line;
    - **an edge list**, a CSV or TSV file with two columns. **The parent comes first,
      the child second**, unless the first line names the columns ``parent`` and
      ``child`` (in any order and case; other columns are then ignored). Names such as
      ``Parent Category`` and ``Category`` are also recognised. A row with an empty
      parent defines a node without edges;
    - **a list of paths** in one column: ``food/drinks/tea`` defines three nodes, each
      named by its whole path. The steps are separated by ``/``, ``>`` or ``|``, with or
      without spaces. The separator that occurs in the most lines is used; in a tie,
      ``>`` takes precedence over ``|``, and ``|`` over ``/``. A first line such as
      ``path``, ``category`` or ``taxonomy`` is a header; commas and tabs below it are
      then part of the names.

    Blank lines, duplicate rows and leading lines that start with ``#`` are skipped.

    Parameters
    ----------
    path : path-like
        The file.
    relations : sequence of str, default=("is_a", "part_of")
        The relations of an OBO file that become edges; see
        :func:`~hilabel.hierarchy.read_obo`.
    separator : str, optional
        The separator of the steps in a list of paths; detected by default.
    lenient : bool, default=False
        Skip invalid lines of an OBO file; see
        :func:`~hilabel.hierarchy.read_obo`.
    most_unpacked : float, optional
        As in :func:`read_features`.

    Returns
    -------
    Ontology
        Only an OBO file has obsolete identifiers; otherwise ``replaced`` and
        ``obsolete`` are empty. Only a list of paths has a ``separator``.

    Raises
    ------
    DatasetFormatError
        If the file is none of these kinds, has a cycle, is a list of names without
        any path, or unpacks to too much. The message names file and line, or the cycle.

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
        return read_obo(path, relations, lenient=lenient, most_unpacked=most_unpacked)
    text = read_text(path, most_unpacked)
    if _has_terms(text):
        return read_obo(path, relations, lenient=lenient, most_unpacked=most_unpacked)
    _refuse_annotations(path, text)
    try:
        return _read_paths_or_edges(path, text, separator)
    except HierarchyError as error:
        raise DatasetFormatError(str(error), source=path) from error


def is_hierarchy(path: FilePath, text: str) -> bool:
    """Return whether a file is recognisable as a hierarchy."""
    if content_suffix(path) == ".obo" or _has_terms(text):
        return True
    lines = _numbered_lines(text)
    if not lines or is_gaf(path, text):
        return False
    delimiter = find_delimiter(path, lines[0][1])
    if delimiter is None or is_path_heading(lines):
        return True
    cells = read_rows(path, lines[0][1], delimiter)[0][1]
    return len(cells) == 1 or find_parent_and_child(cells) is not None


def _has_terms(text: str) -> bool:
    return text.startswith("[Term]") or "\n[Term]" in text


def _numbered_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines with their numbers, without blank lines and leading comments."""
    lines = [(i, line.strip()) for i, line in enumerate(text.split("\n"), start=1)]
    lines = [(i, line) for i, line in lines if line]
    start = next((k for k, (_, line) in enumerate(lines) if line[0] != "#"), len(lines))
    return lines[start:]


def _refuse_annotations(path: FilePath, text: str) -> None:
    numbered = enumerate(text.split("\n"), start=1)
    comment = next((i for i, line in numbered if line.startswith("!")), None)
    if comment or is_gaf(path, text):
        raise DatasetFormatError(
            "expected a hierarchy (OBO, parent and child, or paths), got GAF "
            "annotations; pass them as labels.",
            source=path,
            line=comment or 1,
        )


def _read_paths_or_edges(path: FilePath, text: str, separator: str | None) -> Ontology:
    lines = _numbered_lines(text)
    if not lines:
        raise DatasetFormatError(
            "expected a hierarchy, got only comments.", source=path
        )
    delimiter = find_delimiter(path, lines[0][1])
    if delimiter is None or is_path_heading(lines):
        return read_paths(path, lines, separator)
    rows = read_rows(path, text, delimiter)
    rows = [(line, cells) for line, cells in rows if line >= lines[0][0]]
    if _are_paths_with_commas(rows):
        return read_paths(path, lines, separator)
    return Ontology(_from_edge_rows(path, rows), {}, frozenset())


def _are_paths_with_commas(rows: Rows) -> bool:
    """Return whether rows are paths whose names have commas, as in Food, Drinks > Tea.

    All rows of an edge list have the same number of cells; paths with commas usually do
    not.
    """
    widths = {len(cells) for _, cells in rows}
    if widths == {1}:
        return True
    n_paths = sum(any(" > " in cell for cell in cells) for _, cells in rows)
    return len(widths) > 1 and 2 * n_paths > len(rows)


def _from_edge_rows(path: FilePath, rows: Rows) -> Hierarchy:
    parent_at, child_at, has_header = _find_columns(path, rows[0])
    width = len(rows[0][1])
    nodes: dict[str, None] = {}
    edges: dict[tuple[str, str], None] = {}
    for line, cells in rows[has_header:]:
        if len(cells) != width:
            raise DatasetFormatError(
                f"expected {width} columns, as in line {rows[0][0]}, got {len(cells)}.",
                source=path,
                line=line,
            )
        parent, child = cells[parent_at], cells[child_at]
        if not child or parent == child:
            what = f"{child!r} is its own parent" if child else "the child is empty"
            raise DatasetFormatError(
                f"{what}; expected a parent and a child. For a node without parents, "
                "leave the parent empty.",
                source=path,
                line=line,
            )
        if parent:
            nodes[parent] = None
            edges[parent, child] = None
        nodes[child] = None
    if not nodes:
        raise DatasetFormatError("expected edges, got only a header.", source=path)
    return Hierarchy.from_edges(edges, nodes=nodes)


def _find_columns(
    path: FilePath, first: tuple[int, list[str]]
) -> tuple[int, int, bool]:
    """Return the parent and child columns, and whether there is a header."""
    line, cells = first
    named = find_parent_and_child(cells)
    if named is not None:
        return *named, True
    if len(cells) != 2:
        raise DatasetFormatError(
            f"expected two columns, parent and child, got {len(cells)}; name the "
            "columns 'parent' and 'child' in the first line.",
            source=path,
            line=line,
        )
    if any("parent" in _words(cell) or cell.lower() == "child" for cell in cells):
        raise DatasetFormatError(
            f"expected the columns to be named 'parent' and 'child', got {cells[0]!r} "
            f"and {cells[1]!r}. If these are labels, add a first line with the names "
            "of the columns.",
            source=path,
            line=line,
        )
    return 0, 1, False


def find_parent_and_child(cells: list[str]) -> tuple[int, int] | None:
    """Return the positions of the parent and child columns in a header, or None."""
    words = [_words(cell) for cell in cells]
    parents = [at for at, found in enumerate(words) if "parent" in found]
    others = [at for at in range(len(cells)) if at not in parents]
    children = [at for at in others if "child" in words[at]]
    children = children or [at for at in others if "category" in words[at]]
    if len(parents) == len(children) == 1:
        return parents[0], children[0]
    return None


def _words(cell: str) -> list[str]:
    return re.findall(r"[^\W_]+", cell.lower())
