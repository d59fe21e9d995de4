"""The accession in an id as UniProt writes it in FASTA files."""

import re
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
