"""Read links between ids from a file of any supported format."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import numpy as np

from hilabel._progress import current_report
from hilabel._text_files import byte_blocks, read_start
from hilabel._typing import FilePath
from hilabel._workbooks import is_workbook
from hilabel.datasets._links.blocks import BlockParser, LinkBlock
from hilabel.datasets._links.growing import GrowingArray
from hilabel.datasets._links.layout import TABLE, Layout
from hilabel.datasets._links.recognize import find_layout
from hilabel.datasets._tables.arrays import is_npz, read_npz
from hilabel.datasets._tables.gaf import without_version
from hilabel.exceptions import DatasetFormatError, LinkError
from hilabel.links import ONE_KIND, LinkList, LinkTable, split_by_kind

_BLOCK: Final = 2**24
"""Bytes that are parsed at once, about 300,000 hits."""
_PARTS: Final = ("sources", "targets", "weights", "identities", "kinds")
_LOOKED_AT: Final = 2**17
"""Bytes by which the format is recognised."""


def is_link_file(path: FilePath) -> bool:
    r"""Return whether a file has links in a format that only links have.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import is_link_file
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("protein1 protein2 combined_score\na b 900\n")
    ...     file.flush()
    ...     is_link_file(file.name)
    True
    """
    start = read_start(path, _LOOKED_AT)
    text = start.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    if start.startswith(b"PK") or "\x00" in text or not text.strip():
        return False
    if len(start) == _LOOKED_AT:
        text = text[: text.rfind("\n") + 1]  # the last line may be cut
    try:
        layout = find_layout(path, text)
    except DatasetFormatError:
        return False
    return layout.form != TABLE and not layout.is_sif


def read_links(
    path: FilePath,
    kind: str | None = None,
    *,
    ids: Collection[str] = (),
    columns: Mapping[str, str] | None = None,
    strip_version: bool = False,
) -> LinkTable:
    r"""Read links between ids from a plain or compressed file.

    The file format is detected from the content:

    - **hits of BLAST, DIAMOND or MMseqs2** (outfmt 6), with or without a header or
      comments. The weight is the bit score, in column 12 if no header names it; the
      percentage of identical letters is kept, too;
    - **STRING's** ``protein.links``. The weight is the combined score / 1000;
    - **BioGRID's** tab2 and tab3. The weight is the size of the score, or 1 without
      one;
    - **CSV, TSV, or columns separated by blanks**: source, target and, in any order, a
      weight and the name of a kind, with or without a header. A file with more columns
      needs a header with the names ``source``, ``target``, ``weight`` and ``kind``, or
      ``columns``;
    - **SIF**: source, kind and any number of targets;
    - **.npz**: a square matrix saved by SciPy's ``save_npz``, with an array called
      ``ids``. A row has the links from an id.

    Memory is used for distinct ids and for the numbers of links, 12 to 16 bytes each.

    Parameters
    ----------
    path : path-like
        The file.
    kind : str, optional
        The name of this kind of links; by default, ``hits``, ``interactions`` or
        ``links``, depending on the format. If the file names kinds, it comes before
        them: ``kind.name``.
    ids : collection of str, optional
        The ids of rows. If a file of BioGRID names genes in several ways, the one that
        most rows use is chosen.
    columns : mapping of str to str, optional
        For a file with a header, the names of the columns ``source``, ``target`` and,
        optionally, ``weight``, ``identity`` and ``kind``.
    strip_version : bool, default=False
        Whether to strip the version at the end of an id: ``ENSG00000139618.5`` becomes
        ``ENSG00000139618``.

    Returns
    -------
    LinkTable

    Raises
    ------
    DatasetFormatError
        If the file cannot be read, has another format, or has no links.
    LinkError
        If a weight is negative, NaN or infinite. The message names file and line.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import read_links
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("source,target,kind\ncat,cats,plural\npaw,cat,part\n")
    ...     file.flush()
    ...     table = read_links(file.name)
    >>> table.ids, list(table.kinds)
    (('cat', 'paw', 'cats'), ['plural', 'part'])
    """
    start = read_start(path, _LOOKED_AT)
    if start.startswith(b"PK") and is_npz(path):
        return _read_matrix(path, kind or ONE_KIND, strip_version)
    if is_workbook(start):
        raise DatasetFormatError(
            "expected links as text, got an Excel file; save it as CSV.", source=path
        )
    text = start.decode("utf-8-sig", errors="replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(start) == _LOOKED_AT:
        text = text[: text.rfind("\n") + 1]  # the last line may be cut
    if not text.strip() or "\x00" in text:
        list(byte_blocks(path, _LOOKED_AT))  # this raises the error, if there is one
    layout = find_layout(path, text, ids=ids, columns=columns)
    parser = BlockParser(path, layout, strip_version)
    columns_found = {part: GrowingArray() for part in _PARTS}
    for block in _parsed(path, layout, parser):
        for part, column in columns_found.items():
            column.extend(getattr(block, part))
    whole = {part: column.array for part, column in columns_found.items()}
    if whole["sources"] is None:
        raise DatasetFormatError(
            "expected links below the header, got none.", source=path
        )
    kinds = _kinds_of(whole, layout, parser.kinds.ids, kind)
    return LinkTable(parser.ids.ids, kinds, str(path))


def _parsed(path: FilePath, layout: Layout, parser: BlockParser) -> Iterator[LinkBlock]:
    report, n_lines, n_links = current_report(), 0, 0
    for block in byte_blocks(path, _BLOCK):
        n_skipped = max(layout.n_skipped - n_lines, 0)
        parsed = parser.parse(_without_lines(block, n_skipped), n_lines + n_skipped + 1)
        n_lines += block.count(b"\n")
        if parsed is not None:
            n_links += len(parsed.sources)
            yield parsed
        report(f"Reading links, {n_links / 1e6:.1f} million of {path}", 0, 0)


def _without_lines(block: bytes, n_lines: int) -> bytes:
    at = 0
    for _ in range(n_lines):
        at = block.find(b"\n", at) + 1 or len(block)
    return block[at:]


def _kinds_of(
    whole: dict[str, Any], layout: Layout, names: tuple[str, ...], kind: str | None
) -> dict[str, LinkList]:
    """Return the links of each kind."""
    if whole["weights"] is None:
        whole["weights"] = np.ones(len(whole["sources"]), dtype=np.float32)
    kinds = whole.pop("kinds")
    if whole["identities"] is not None:
        _make_percentages(whole["identities"])
    links = LinkList(**whole, is_undirected=layout.is_undirected)
    if kinds is None:
        return {layout.kind if kind is None else kind: links}
    told = names if kind is None else tuple(f"{kind}.{each}" for each in names)
    return split_by_kind(told, kinds, links)


def _make_percentages(identities: Any) -> None:
    """Multiply fractions by 100, which MMseqs2 writes by default."""
    if identities.max() <= 1:
        identities *= 100


def _read_matrix(path: FilePath, kind: str, strip_version: bool) -> LinkTable:
    matrix = read_npz(path, None)
    ids = [without_version(each) if strip_version else each for each in matrix.ids]
    try:
        table = LinkTable.of({kind: LinkTable.of(matrix.values, ids)})
    except LinkError as error:
        raise LinkError(error.reason, source=path) from error
    return LinkTable(table.ids, table.kinds, str(path))
