"""Proteins as numbers: how often each run of up to three amino acids occurs."""

from pathlib import Path

from benchmarks._real_files import write_rows
from hilabel.datasets import read_features


def write_mers(fasta: Path, target: Path) -> None:
    """Write the columns that hilabel makes of a FASTA file, for other programs, too."""
    columns = read_features(fasta)
    assert columns.sparse is not None
    write_rows(target, columns.ids, columns.sparse.matrix(), columns.columns)
