"""Who has which label: GAF files of gene annotations, and two-column tables."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal

from hilabel.datasets._tables.delimited import content_suffix, find_delimiter, read_rows
from hilabel.exceptions import DatasetFormatError, LabelError
from hilabel.hierarchy._text_file import read_text

__all__ = ["Annotations", "read_annotations", "read_matching_annotations"]

# Columns of GAF 2.x, counted from 0. The last two of the 17 may be left out.
_GAF_ID = {"object_id": 1, "symbol": 2, "synonym": 10}
_GAF_QUALIFIER, _GAF_TERM, _GAF_EVIDENCE, _GAF_MIN_COLUMNS = 3, 4, 6, 15
_TERM_HEADINGS = {"annotation", "category", "class", "go", "label", "node", "path"}
_TERM_HEADINGS |= {"go_id", "go_term", "term"}


@dataclass(frozen=True, eq=False)
class Annotations:
    """Pairs (id, term), as they stand in a file.

    Attributes
    ----------
    ids, terms : tuple of str
        The pairs; an id with several terms comes several times.
    lines : tuple of int
        The line of each pair in the file.
    source : str
        The file, for messages.
    n_rows : int
        Rows of the file, comments and heading left out.
    n_not : int
        Rows dropped because their qualifier says NOT: the gene does *not* have the
        function.
    n_filtered : int
        Rows dropped for their evidence code.
    n_empty : int
        Rows dropped because they name an id and no term.
    id_column : {"object_id", "symbol", "synonym"} or ""
        Of a GAF file, where the ids come from.

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
    id_column: str = ""

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
    path: str | PathLike[str],
    *,
    evidence: Iterable[str] | None = None,
    exclude_evidence: Iterable[str] | None = None,
    id_column: Literal["object_id", "symbol", "synonym"] = "object_id",
    header: bool | None = None,
    separators: str = ";|",
) -> Annotations:
    r"""Read which id has which term, from a plain or compressed file.

    Two kinds of file are told apart by name and content:

    - **GAF 2.0 to 2.2**, as the Gene Ontology gives out: a name in ``.gaf``, a comment
      line starting with ``!``, or at least 15 tab-separated columns. Rows whose
      qualifier says ``NOT`` are dropped and counted;
    - **two columns**, CSV or TSV: an id and its term. A cell may hold several terms
      joined by ``;`` or ``|``, and an id may have several rows. A row whose term is
      empty is dropped and counted: its id stays unlabelled.

    Parameters
    ----------
    path : path-like
        The file.
    evidence, exclude_evidence : iterable of str, optional
        Of a GAF file, the evidence codes to keep and those to drop, such as
        ``exclude_evidence=["IEA"]`` for all but the electronic annotations. By
        default all are kept.
    id_column : {"object_id", "symbol", "synonym"}, default="object_id"
        Of a GAF file, which identifies a row: column 2 (an accession, ``P12345``),
        column 3 (a symbol, ``CDC28``), or each of the names in column 11, such as
        ``YBR160W``.
    header : bool, optional
        Of a two-column file, whether the first line is a heading. By default it is
        one if its second cell is a word such as ``term``, ``label``, ``class``,
        ``category`` or ``go_id``, in any case.
    separators : str, default=";|"
        Of a two-column file, the characters that join terms in a cell; "" for none.

    Returns
    -------
    Annotations

    Raises
    ------
    DatasetFormatError
        If the file is of neither kind; the message names file and line.
    LabelError
        If evidence codes are asked of a file that has none.

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
    if id_column not in _GAF_ID:
        raise LabelError(
            f"Expected id_column {', '.join(map(repr, _GAF_ID))}, got {id_column!r}."
        )
    text = read_text(path)
    if _is_gaf(path, text):
        return _read_gaf(
            path, text, _codes(evidence), _codes(exclude_evidence), id_column
        )
    if evidence is not None or exclude_evidence is not None or id_column != "object_id":
        raise LabelError(
            f"{path}: evidence codes, symbols and synonyms need a GAF file, got a "
            "two-column table; leave evidence, exclude_evidence and id_column out."
        )
    return _read_pairs(path, text, header, separators)


def read_matching_annotations(
    path: str | PathLike[str], ids: Collection[str], **options: Any
) -> Annotations:
    """Read annotations by the ids of a table, whichever column of a GAF file has them.

    Tables of genes have accessions, symbols or systematic names. The first column of
    the GAF file that has one of ``ids`` is taken; if none has, the accessions.
    Synonyms that are not among ``ids`` are left out: a gene has many.

    Parameters
    ----------
    path : path-like
    ids : collection of str
    **options
        Of :func:`read_annotations`, except ``id_column``.
    """
    wanted = frozenset(ids)
    first = read_annotations(path, **options)
    if not first.id_column or not wanted.isdisjoint(first.ids):
        return first
    symbols = read_annotations(path, id_column="symbol", **options)
    if not wanted.isdisjoint(symbols.ids):
        return symbols
    synonyms = read_annotations(path, id_column="synonym", **options)
    kept = [number for number, name in enumerate(synonyms.ids) if name in wanted]
    if not kept:
        return first
    return replace(
        synonyms,
        ids=tuple(synonyms.ids[number] for number in kept),
        terms=tuple(synonyms.terms[number] for number in kept),
        lines=tuple(synonyms.lines[number] for number in kept),
    )


# GAF --------------------------------------------------------------------------------


def _codes(given: Iterable[str] | None) -> frozenset[str] | None:
    if given is None:
        return None
    return frozenset(
        code.upper() for code in ([given] if isinstance(given, str) else given)
    )


def _is_gaf(path: str | PathLike[str], text: str) -> bool:
    first_line = text.lstrip("\n").partition("\n")[0]
    return (
        content_suffix(path) == ".gaf"
        or first_line.startswith("!")
        or first_line.count("\t") >= _GAF_MIN_COLUMNS - 1
    )


def _read_gaf(
    path: str | PathLike[str],
    text: str,
    evidence: frozenset[str] | None,
    excluded: frozenset[str] | None,
    id_column: str,
) -> Annotations:
    id_at = _GAF_ID[id_column]
    ids: list[str] = []
    terms: list[str] = []
    lines: list[int] = []
    n_rows = n_not = n_filtered = 0
    for line, row in enumerate(text.split("\n"), start=1):
        if row.startswith("!"):
            _check_version(path, line, row)
            continue
        if not row.strip():
            continue
        cells = _gaf_cells(path, line, row, id_at)
        code = cells[_GAF_EVIDENCE].strip().upper()
        n_rows += 1
        if "NOT" in cells[_GAF_QUALIFIER].upper().split("|"):
            n_not += 1
        elif not _is_wanted(code, evidence, excluded):
            n_filtered += 1
        else:
            names = _gaf_ids(cells[id_at], id_column)
            ids += names
            terms += [cells[_GAF_TERM].strip()] * len(names)
            lines += [line] * len(names)
    _check_any(path, n_rows)
    return Annotations(
        tuple(ids),
        tuple(terms),
        tuple(lines),
        str(path),
        n_rows,
        n_not,
        n_filtered,
        id_column=id_column,
    )


def _gaf_ids(cell: str, id_column: str) -> list[str]:
    """Return the ids in a cell; only synonyms may be none, or several."""
    if id_column != "synonym":
        return [cell.strip()]
    return [name.strip() for name in cell.split("|") if name.strip()]


def _is_wanted(
    code: str, evidence: frozenset[str] | None, excluded: frozenset[str] | None
) -> bool:
    if excluded is not None and code in excluded:
        return False
    return evidence is None or code in evidence


def _check_version(path: str | PathLike[str], line: int, comment: str) -> None:
    version = re.match(r"!\s*(ga\w|gp\w+)-version:\s*(\S+)", comment)
    if version and not (version[1] == "gaf" and version[2].startswith("2")):
        raise DatasetFormatError(
            f"{path}, line {line}: expected GAF 2.0 to 2.2, got "
            f"{version[1].upper()} {version[2]}; fetch the GAF file instead."
        )


def _gaf_cells(path: str | PathLike[str], line: int, row: str, id_at: int) -> list[str]:
    cells = row.split("\t")
    if len(cells) < _GAF_MIN_COLUMNS:
        raise DatasetFormatError(
            f"{path}, line {line}: expected the 17 tab-separated columns of GAF 2 (the "
            f"last two may be missing), got {len(cells)}."
        )
    needed = (_GAF_TERM,) if id_at == _GAF_ID["synonym"] else (id_at, _GAF_TERM)
    for position in needed:
        if not cells[position].strip():
            raise DatasetFormatError(
                f"{path}, line {line}: expected an identifier in column "
                f"{position + 1} of a GAF file, got an empty cell."
            )
    return cells


# Two columns ------------------------------------------------------------------------


def _read_pairs(
    path: str | PathLike[str], text: str, header: bool | None, separators: str
) -> Annotations:
    delimiter = find_delimiter(path, text)
    rows = read_rows(path, text, delimiter)
    for line, cells in rows:
        if len(cells) != 2 or not cells[0]:
            got = f"{len(cells)} column(s)" if len(cells) != 2 else "an empty id"
            raise DatasetFormatError(
                f"{path}, line {line}: expected two columns, id and term, got {got}."
            )
    if header is None:
        header = _is_heading(rows[0][1][1])
    ids, terms, lines = [], [], []
    n_empty = 0
    for line, (row_id, cell) in rows[header:]:
        found = _split_terms(cell, separators)
        n_empty += not found
        ids += [row_id] * len(found)
        terms += found
        lines += [line] * len(found)
    n_rows = len(rows) - header
    _check_any(path, n_rows)
    return Annotations(
        tuple(ids), tuple(terms), tuple(lines), str(path), n_rows, n_empty=n_empty
    )


def _is_heading(cell: str) -> bool:
    word = cell.lower()
    plurals = {f"{heading}s" for heading in _TERM_HEADINGS} | {"categories", "classes"}
    return word in _TERM_HEADINGS | plurals


def _split_terms(cell: str, separators: str) -> list[str]:
    pieces = re.split(f"[{re.escape(separators)}]", cell) if separators else [cell]
    return [piece.strip() for piece in pieces if piece.strip()]


def _check_any(path: str | PathLike[str], n_rows: int) -> None:
    if n_rows == 0:
        raise DatasetFormatError(
            f"{path}: expected annotations, got only comments or a heading."
        )
