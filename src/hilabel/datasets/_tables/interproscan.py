"""Read InterProScan's TSV: protein signatures as columns of zeros and ones."""

import re
from typing import Final

from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.datasets._tables.matrix_file import (
    Hit,
    MatrixFile,
    matrix_of_hits,
    read_ids,
    tab_rows,
)

# Columns, counted from 0; those from the InterPro accession on may be missing.
_ANALYSIS, _SIGNATURE, _INTERPRO, _GO, _FEWEST = 3, 4, 11, 13, 11

GO_NOTE: Final = "GO terms in the features are ignored: they would leak the labels"


def is_interproscan(start: str) -> bool:
    """Return whether a file starts like the output of InterProScan.

    This output has no header, its second column is the MD5 sum of the sequence, and its
    third column is the length of the sequence.
    """
    cells = start.lstrip("\n").partition("\n")[0].split("\t")
    return (
        len(cells) >= _FEWEST
        and re.fullmatch("[0-9a-fA-F]{32}", cells[1].strip()) is not None
        and cells[2].strip().isdigit()
    )


def read_interproscan(
    path: FilePath, ids: FilePath | None, most_unpacked: float | None = None
) -> MatrixFile:
    """Return a matrix with one column per signature and one per InterPro accession."""
    hits: list[Hit] = []
    proteins: dict[str, None] = {}
    has_go = False
    text = read_text(path, most_unpacked)
    for _, cells in tab_rows(path, text, _FEWEST, "InterProScan"):
        protein = cells[0]
        proteins[protein] = None
        hits.append((protein, cells[_SIGNATURE], cells[_ANALYSIS]))
        if len(cells) > _INTERPRO and cells[_INTERPRO] not in ("", "-"):
            hits.append((protein, cells[_INTERPRO], "InterPro"))
        has_go |= len(cells) > _GO and cells[_GO] not in ("", "-")
    return matrix_of_hits(
        path,
        list(proteins) if ids is None else read_ids(ids),
        hits,
        id_name="protein",
        notes=(GO_NOTE,) if has_go else (),
    )
