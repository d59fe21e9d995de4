"""Choose the reader for a matrix file based on its first bytes."""

from collections.abc import Callable

from hilabel._text_files import read_start
from hilabel._typing import FilePath
from hilabel.datasets._tables.arrays import NPY_MAGIC, is_npz, read_npy, read_npz
from hilabel.datasets._tables.eggnog import is_eggnog, read_eggnog
from hilabel.datasets._tables.fasta import is_fasta, read_fasta
from hilabel.datasets._tables.h5ad import HDF_MAGIC, read_h5ad
from hilabel.datasets._tables.interproscan import is_interproscan, read_interproscan
from hilabel.datasets._tables.matrix_file import MatrixFile

MatrixReader = Callable[[FilePath, FilePath | None, float | None], MatrixFile]

# Enough for the leading comments of eggNOG-mapper.
_LOOKED_AT = 8192


def matrix_reader(path: FilePath) -> MatrixReader | None:
    """Return the reader for a matrix file, or None if the file is an ordinary table."""
    start = read_start(path, _LOOKED_AT)
    if start.startswith(NPY_MAGIC):
        return read_npy
    if start.startswith(HDF_MAGIC):
        return read_h5ad
    if start.startswith(b"PK"):
        return read_npz if is_npz(path) else None
    text = start.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    if is_interproscan(text):
        return read_interproscan
    if is_fasta(text):
        return read_fasta
    return read_eggnog if is_eggnog(text) else None
