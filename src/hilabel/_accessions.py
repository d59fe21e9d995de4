"""The accession in an id as UniProt writes it in FASTA files."""

import re
from collections.abc import Callable, Sequence
from typing import Final

# Ids in UniProt's FASTA files, and in the output of programs that read them.
_UNIPROT: Final = re.compile(r"^(?:sp|tr)\|([^|\s]+)\|[^|]*$")


def accession_of(written: str) -> str:
    """Return the accession in an id of UniProt, and any other id unchanged.

    Examples
    --------
    >>> from hilabel._accessions import accession_of
    >>> accession_of("sp|P12345|NAME_HUMAN"), accession_of("YBR160W")
    ('P12345', 'YBR160W')
    """
    return _UNIPROT.sub(r"\1", written)


def row_finder(row_ids: Sequence[str]) -> Callable[[str], int]:
    """Return a function that finds the row of an id, or -1.

    An id is the whole id of a row or, if there is none, has the same accession.

    Examples
    --------
    >>> from hilabel._accessions import row_finder
    >>> find = row_finder(["sp|P12345|NAME_HUMAN", "YBR160W"])
    >>> find("YBR160W"), find("P12345"), find("sp|P12345|OTHER"), find("Q1")
    (1, 0, 0, -1)
    """
    row_of = {row_id: row for row, row_id in enumerate(row_ids)}
    by_accession: dict[str, int] = {}
    for row, row_id in enumerate(row_ids):
        by_accession.setdefault(accession_of(row_id), row)

    def find(written: str) -> int:
        row = row_of.get(written)
        return by_accession.get(accession_of(written), -1) if row is None else row

    return find
