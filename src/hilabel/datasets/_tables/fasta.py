"""Read sequences in FASTA as columns: how often each run of letters occurs."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._text_files import text_lines
from hilabel._typing import FilePath, IntArray
from hilabel.datasets._tables.matrix_file import MatrixFile, read_ids
from hilabel.exceptions import DatasetFormatError

LETTERS: Final = "ACDEFGHIKLMNPQRSTVWY"
"""The amino acids; A, C, G and T are also the letters of DNA."""
SIZES: Final = (1, 2, 3)
"""The lengths of the runs of letters (k-mers) that become columns."""

_N_LETTERS: Final = len(LETTERS)
_AT_ONCE: Final = 2**20
"""Number of letters that are counted at once."""
_UNKNOWN: Final = 255
_GAPS: Final = str.maketrans("", "", "-. \t\r\n")


def _codes() -> Any:
    """Return the position of each byte in ``LETTERS``."""
    codes = np.full(256, _UNKNOWN, dtype=np.uint8)
    for place, letter in enumerate(LETTERS):
        codes[ord(letter)] = codes[ord(letter.lower())] = place
    return codes


_CODES: Final = _codes()


def is_fasta(start: str) -> bool:
    """Return whether a text starts like FASTA."""
    return start.lstrip().startswith(">")


def read_fasta(
    path: FilePath, ids: FilePath | None = None, most_unpacked: float | None = None
) -> MatrixFile:
    """Return a matrix with a column for each run of one, two or three letters.

    Values are logarithms of 1 plus the number of occurrences, divided by the norm of
    the row. Runs with another letter, such as X or a stop (``*``), are left out.
    """
    found, sequences, n_empty = [], [], 0
    for name, sequence in fasta_records(path, most_unpacked):
        found.append(name)
        sequences.append(sequence)
        n_empty += not sequence
    counts, names = count_mers(sequences)
    if not counts.nnz:
        raise DatasetFormatError(
            "expected sequences of amino acids or DNA, got none of their letters.",
            source=path,
        )
    if ids is not None:
        found, counts = _rows_of(path, ids, found, counts)
    notes = [f"sequences without letters: {n_empty}; all their columns are 0"]
    used = np.unique(counts.indices)
    return MatrixFile(
        tuple(found),
        tuple(names[column] for column in used),
        sp.csr_array(_with_norm_1(counts)[:, used]),
        sources=tuple(f"{len(names[column])}-mers" for column in used),
        is_open=True,
        keeps_ids=True,
        notes=tuple(notes if n_empty else ()),
    )


def fasta_records(
    path: FilePath, most_unpacked: float | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the first word of the header and the letters of each sequence.

    Gaps of alignments are removed.

    Raises
    ------
    DatasetFormatError
        If a header has no id, or a line of letters contains something else.
    """
    name: str | None = None
    parts: list[str] = []
    for number, line in enumerate(text_lines(path, most_unpacked), start=1):
        if line.startswith(">"):
            if name is not None:
                yield name, "".join(parts)
            words = line[1:].split(maxsplit=1)
            if not words:
                raise DatasetFormatError(
                    "expected an id after '>', got none.", source=path, line=number
                )
            name, parts = words[0], []
            continue
        letters = line.translate(_GAPS)
        if not letters or line.startswith(";"):  # a comment
            continue
        if name is None or not (letters.isascii() and _are_letters(letters)):
            expected = "a line that starts with '>'" if name is None else "letters"
            raise DatasetFormatError(
                f"expected {expected} of a sequence, got {letters[:20]!r}.",
                source=path,
                line=number,
            )
        parts.append(letters)
    if name is not None:
        yield name, "".join(parts)


def _are_letters(text: str) -> bool:
    return text.isalpha() or text.replace("*", "").isalpha() or set(text) == {"*"}


def mer_names() -> list[str]:
    """Return the names of all columns: runs of one, two and three letters."""
    return ["".join(some) for size in SIZES for some in product(LETTERS, repeat=size)]


def count_mers(sequences: Iterable[str]) -> tuple[sp.csr_array, list[str]]:
    """Return how often each run of letters occurs in each sequence, and their names."""
    blocks = [sp.csr_array((0, len(mer_names())))]
    waiting: list[str] = []
    n_letters = 0
    for sequence in sequences:
        waiting.append(sequence)
        n_letters += len(sequence)
        if n_letters > _AT_ONCE:
            blocks.append(_counts(waiting))
            waiting, n_letters = [], 0
    if waiting:
        blocks.append(_counts(waiting))
    return sp.csr_array(sp.vstack(blocks, format="csr")), mer_names()


def _counts(sequences: list[str]) -> sp.csr_array:
    # A letter that is none of the known separates sequences.
    text = "*".join(sequences).encode("ascii", errors="replace")
    codes = _CODES[np.frombuffer(text, dtype=np.uint8)].astype(np.int64)
    row = np.repeat(np.arange(len(sequences)), [len(each) + 1 for each in sequences])
    parts = [_runs(codes, row, size) for size in SIZES]
    n_columns = sum(_N_LETTERS**size for size in SIZES)
    # Each pair of row and column as one number, to count pairs by sorting.
    pair, count = np.unique(np.concatenate(parts), return_counts=True)
    rows, columns = np.divmod(pair, n_columns)
    cells = count.astype(np.float64), (rows, columns)
    return sp.csr_array(cells, shape=(len(sequences), n_columns))


def _runs(codes: IntArray, row: IntArray, size: int) -> IntArray:
    """Return row * n_columns + column of each run of a length."""
    n_columns = sum(_N_LETTERS**each for each in SIZES)
    first = sum(_N_LETTERS**each for each in SIZES if each < size)
    n_runs = max(codes.size - size + 1, 0)
    column = np.zeros(n_runs, dtype=np.int64)
    is_known = np.ones(n_runs, dtype=bool)
    for at in range(size):
        letter = codes[at : at + n_runs]
        column = column * _N_LETTERS + letter
        is_known &= letter != _UNKNOWN
    return row[:n_runs][is_known] * n_columns + first + column[is_known]


def _with_norm_1(counts: sp.csr_array) -> sp.csr_array:
    """Return logarithms of counts, in rows of norm 1, as linear models need them.

    The norm is that of all runs, so that a row does not depend on the others.
    """
    values = np.log1p(counts.data)
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    norms = np.sqrt(np.bincount(row, values**2, minlength=counts.shape[0]))
    parts = values / norms[row], counts.indices, counts.indptr
    return sp.csr_array(parts, shape=counts.shape)


def _rows_of(
    path: FilePath, ids: FilePath, found: list[str], counts: sp.csr_array
) -> tuple[list[str], sp.csr_array]:
    """Return the sequences with the ids in a file."""
    wanted = list(read_ids(ids))
    row_of = {name: row for row, name in enumerate(found)}
    lost = [name for name in wanted if name not in row_of]
    if lost:
        raise DatasetFormatError(
            f"expected a sequence for each of the {len(wanted)} ids, got none for "
            f"{len(lost)}, such as {lost[0]!r}.",
            source=path,
            parameter="ids",
        )
    return wanted, sp.csr_array(counts[[row_of[name] for name in wanted]])
