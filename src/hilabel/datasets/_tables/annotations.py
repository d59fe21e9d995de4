"""Read annotations: GAF files and two-column tables."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, TypeAlias

from hilabel._suggestions import closest, did_you_mean
from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.datasets._tables.delimited import find_delimiter, read_rows
from hilabel.datasets._tables.gaf import (
    GAF_COLUMNS,
    GafFile,
    GafRow,
    NamedRow,
    is_gaf,
    read_gaf,
    without_version,
)
from hilabel.exceptions import DatasetFormatError, LabelError

MATCHED_BY: Final = ("accession", "symbol", "synonym")
"""The columns of a GAF file in which ids are searched, in this order."""

STEP: Final = " > "
Row: TypeAlias = tuple[int, list[str]]

_TERM_HEADINGS = {"annotation", "category", "class", "go", "label", "node", "path"}
_TERM_HEADINGS |= {"go_id", "go_term", "term"}


@dataclass(frozen=True, eq=False)
class Annotations:
    """The (id, term) pairs of a file.

    Attributes
    ----------
    ids, terms : tuple of str
        The pairs; an id with several terms occurs several times.
    lines : tuple of int
        The line of each pair in the file.
    source : str
        The file, for messages.
    n_rows : int
        Number of rows of the file, without comments and the header.
    n_not : int
        Number of rows with the qualifier NOT: the gene does *not* have the function.
        They are never among the pairs.
    n_filtered : int
        Number of rows dropped because of their evidence code.
    n_empty : int
        Number of rows dropped because they have an id but no term.
    denied : tuple of (str, str)
        The (id, term) pairs of the NOT rows with the requested evidence.
    no_data : tuple of str
        The id of each row with the evidence code ND, "no data": a curator found
        nothing, so the row provides no information about the gene.
    id_column : {"object_id", "symbol", "synonym", "any"} or ""
        For a GAF file, the column that the ids come from.
    matched_by : mapping of str to int
        For a GAF file matched with the ids of a table, the number of pairs matched by
        accession, symbol and synonym; see ``ids`` of :func:`read_annotations`.
    unknown_codes : tuple of str
        Evidence codes of a GAF file that the Gene Ontology does not define.

    Examples
    --------
    >>> from hilabel.datasets import Annotations
    >>> Annotations(("tea", "tea"), ("drinks", "organic"), (1, 2), "shop.csv", 2)
    Annotations(shop.csv: 2 pairs of 1 id and 2 terms)
    """

    ids: tuple[str, ...]
    terms: tuple[str, ...]
    lines: tuple[int, ...]
    source: str
    n_rows: int
    n_not: int = 0
    n_filtered: int = 0
    n_empty: int = 0
    denied: tuple[tuple[str, str], ...] = ()
    no_data: tuple[str, ...] = ()
    id_column: str = ""
    matched_by: Mapping[str, int] = field(default_factory=dict)
    unknown_codes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        n_ids, n_terms = len(set(self.ids)), len(set(self.terms))
        return (
            f"Annotations({self.source}: {len(self)} pairs of {n_ids} "
            f"id{'' if n_ids == 1 else 's'} and {n_terms} "
            f"term{'' if n_terms == 1 else 's'})"
        )


def read_annotations(
    path: FilePath,
    ids: Collection[str] | None = None,
    *,
    evidence: Iterable[str] = (),
    exclude_evidence: Iterable[str] = (),
    id_column: Literal["object_id", "symbol", "synonym"] = "object_id",
    header: bool | None = None,
    label_columns: Iterable[str] = (),
    id_name: str | None = None,
    separators: str = ";|",
    strip_version: bool = False,
    most_unpacked: float | None = None,
) -> Annotations:
    r"""Read (id, term) annotations from a plain or compressed file.

    Two file formats are supported; the format is detected from the name and content:

    - **GAF 2.0 to 2.2**, as provided by the Gene Ontology: a name ending in ``.gaf``, a
      comment line starting with ``!``, or at least 15 tab-separated columns with an
      aspect (``P``, ``F`` or ``C``) in the ninth column. Rows with the qualifier
      ``NOT`` or the evidence code ``ND`` (no data) are not annotations: they are
      counted and stored separately as ``denied`` and ``no_data``;
    - **CSV or TSV with two columns**: an id and its term. A cell may contain several
      terms separated by ``;`` or ``|``, and an id may have several rows. A row with an
      empty term is dropped and counted, and its id stays unlabelled. In a table with
      more columns, ``label_columns`` names the columns to use.

    Parameters
    ----------
    path : path-like
        The file.
    ids : collection of str, optional
        The ids of a table, to be matched with a GAF file. Tables of genes may use
        accessions, symbols, systematic names or a mix of them. Each line is matched by
        its accession if that is among the ids, or else by its symbol, or else by those
        of its synonyms that are not the accession or symbol of another gene. A line
        without a match keeps its accession. ``matched_by`` of the result contains the
        numbers of matches.
    evidence, exclude_evidence : iterable of str, default=()
        The evidence codes of a GAF file to keep and to drop, such as
        ``exclude_evidence=["IEA"]`` for all but the electronic annotations. A string
        may contain several codes (``"IEA,TAS"``), or name a group of the Gene Ontology:
        ``"experimental"``, ``"high-throughput"``, ``"phylogenetic"``,
        ``"computational"``, ``"author"``, ``"curator"`` or ``"electronic"``. By
        default, all are kept.
    id_column : {"object_id", "symbol", "synonym"}, default="object_id"
        For a GAF file without ``ids``, what identifies a row: column 2 (an accession,
        ``P12345``), column 3 (a symbol, ``CDC28``), or each of the names in column 11,
        such as ``YBR160W``.
    header : bool, optional
        For a two-column file, whether the first line is a header. By default, the first
        line is a header if its second cell is a word such as ``term``, ``label``,
        ``class``, ``category`` or ``go_id``, ignoring case, or its first is
        ``id_name``.
    label_columns : iterable of str, default=()
        For a table with a header and more than two columns, the column of terms, or
        several columns with the steps of a path, starting with the first step; they are
        joined by `` > ``. The ids are in the column ``id_name`` or, if there is no such
        column, in the first column.
    id_name : str, optional
        The name of the id column in the table of features.
    separators : str, default=";|"
        For a two-column file, the characters that separate terms in a cell; "" for
        none.
    strip_version : bool, default=False
        Whether to strip the version at the end of an id: ``ENSG00000139618.5`` becomes
        ``ENSG00000139618``.
    most_unpacked : float, optional
        As in :func:`read_features`.

    Raises
    ------
    DatasetFormatError
        If the file is neither kind, or unpacks to too much; the message names file and
        line.
    LabelError
        If evidence codes are requested for a file without them, or if a code is neither
        known nor in the file.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import read_annotations
    >>> with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
    ...     _ = file.write("id\tterm\np1\ttea;organic\np2\ttea\np3\t\n")
    ...     file.flush()
    ...     annotations = read_annotations(file.name)
    >>> annotations.terms, annotations.n_empty
    (('tea', 'organic', 'tea'), 1)
    """
    if id_column not in GAF_COLUMNS:
        known = ", ".join(map(repr, GAF_COLUMNS))
        raise LabelError(f"Expected {known}, got {id_column!r}.", parameter="id_column")
    text = read_text(path, most_unpacked)
    if not is_gaf(path, text):
        if evidence or exclude_evidence or id_column != "object_id":
            raise LabelError(
                "evidence codes, symbols and synonyms need a GAF file, got a "
                "two-column table; remove these options.",
                source=path,
                parameter=("evidence", "exclude_evidence"),
            )
        rows = read_rows(path, text, find_delimiter(path, text))
        columns = list(label_columns)
        if columns:
            rows = _chosen_columns(path, rows, columns, id_name)
            header, separators = True, separators if len(columns) == 1 else ""
        return _read_pairs(path, rows, header, id_name, separators, strip_version)
    file = read_gaf(path, text, evidence, exclude_evidence, strip_version=strip_version)
    if ids is None:
        name = partial(file.by_column, id_column=id_column)
        return _from_gaf(file, name, id_column, count=False)
    return _from_gaf(
        file, partial(file.by_match, wanted=frozenset(ids)), "any", count=True
    )


# GAF --------------------------------------------------------------------------------


def _from_gaf(
    file: GafFile,
    name: Callable[[list[GafRow]], Iterable[NamedRow]],
    id_column: str,
    *,
    count: bool,
) -> Annotations:
    _check_any(file.path, file.n_rows)
    found = list(name(file.rows))
    matched = Counter(item.found_in for item in found) if count else {}
    return Annotations(
        tuple(item.row_id for item in found),
        tuple(item.row.term for item in found),
        tuple(item.row.line for item in found),
        str(file.path),
        file.n_rows,
        file.n_not,
        file.n_filtered,
        denied=tuple((item.row_id, item.row.term) for item in name(file.denied)),
        no_data=tuple(item.row_id for item in name(file.no_data)),
        id_column=id_column,
        matched_by={name: matched[name] for name in MATCHED_BY} if count else {},
        unknown_codes=file.unknown_codes,
    )


# Two columns ------------------------------------------------------------------------


def _chosen_columns(
    path: FilePath, rows: list[Row], columns: list[str], id_name: str | None
) -> list[Row]:
    """Return the ids and terms in the chosen columns of a table with a header."""
    heading = rows[0][1]
    for name in columns:
        if name not in heading:
            raise LabelError(
                f"expected one of the columns {', '.join(heading)}, got "
                f"{name!r}.{did_you_mean(closest(name, heading))}",
                source=path,
                parameter="label_columns",
            )
    places = [heading.index(name) for name in columns]
    of_id = heading.index(id_name) if id_name in heading else 0
    found = []
    for line, cells in rows:
        if len(cells) != len(heading):
            raise DatasetFormatError(
                f"expected {len(heading)} columns, as in line 1, got {len(cells)}.",
                source=path,
                line=line,
            )
        steps = [cells[place] for place in places]
        found.append((line, [cells[of_id], STEP.join(filter(None, steps))]))
    return found


def _read_pairs(
    path: FilePath,
    rows: list[Row],
    header: bool | None,
    id_name: str | None,
    separators: str,
    strip_version: bool,
) -> Annotations:
    for line, cells in rows:
        if len(cells) != 2:
            raise DatasetFormatError(
                f"expected two columns, id and term, got {len(cells)} column(s).",
                source=path,
                line=line,
                parameter="label_columns" if len(cells) > 2 and line == 1 else (),
            )
        if not cells[0]:
            raise DatasetFormatError(
                "expected two columns, id and term, got an empty id.",
                source=path,
                line=line,
            )
    if header is None:
        first_id, first_term = rows[0][1]
        header = is_heading(first_term) or first_id == id_name
    ids, terms, lines = [], [], []
    n_empty = 0
    for line, (row_id, cell) in rows[header:]:
        found = _split_terms(cell, separators)
        row_id = without_version(row_id) if strip_version else row_id
        n_empty += not found
        ids += [row_id] * len(found)
        terms += found
        lines += [line] * len(found)
    n_rows = len(rows) - header
    _check_any(path, n_rows)
    return Annotations(
        tuple(ids), tuple(terms), tuple(lines), str(path), n_rows, n_empty=n_empty
    )


def is_heading(cell: str) -> bool:
    """Return whether a cell is the name of a column of terms rather than a term."""
    word = cell.lower()
    plurals = {f"{heading}s" for heading in _TERM_HEADINGS} | {"categories", "classes"}
    return word in _TERM_HEADINGS | plurals


def _split_terms(cell: str, separators: str) -> list[str]:
    pieces = re.split(f"[{re.escape(separators)}]", cell) if separators else [cell]
    return [piece.strip() for piece in pieces if piece.strip()]


def _check_any(path: FilePath, n_rows: int) -> None:
    if n_rows == 0:
        raise DatasetFormatError(
            "expected annotations, got only comments or a header.", source=path
        )
