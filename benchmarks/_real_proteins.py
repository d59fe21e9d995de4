"""Proteins as numbers: how often each pair and triple of amino acids occurs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks._real_files import opened, write_rows

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
_SIZES = (2, 3)


def read_fasta(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the id and the sequence of each protein."""
    name, parts = "", []
    for line in chain(lines, [">"]):
        if not line.startswith(">"):
            parts.append(line.strip())
            continue
        if name:
            yield name, "".join(parts)
        name, parts = (line[1:].split() or [""])[0], []


def mers_of(sequences: Iterable[str]) -> tuple[Any, list[str]]:
    """Return how often each pair and triple of amino acids occurs, and their names.

    Values are logarithms of 1 plus the count, in a sparse matrix. Those with a letter
    that is no amino acid, such as X, are left out.
    """
    names = ["".join(some) for size in _SIZES for some in _words(size)]
    places = {name: place for place, name in enumerate(names)}
    indices: list[Any] = [np.empty(0)]
    values: list[Any] = [np.empty(0)]
    ends = [0]
    for sequence in sequences:
        counts = Counter(
            sequence[at : at + size]
            for size in _SIZES
            for at in range(len(sequence) - size + 1)
        )
        known = sorted((places[mer], n) for mer, n in counts.items() if mer in places)
        table = np.array(known, dtype=np.int64).reshape(-1, 2)
        indices.append(table[:, 0])
        values.append(np.log1p(table[:, 1]))
        ends.append(ends[-1] + len(table))
    index = np.concatenate(indices).astype(np.int32)
    data = np.concatenate(values).astype(np.float32)
    shape = len(ends) - 1, len(names)
    return sp.csr_array((data, index, np.array(ends)), shape=shape), names


def _words(size: int) -> Iterator[tuple[str, ...]]:
    return product(AMINO_ACIDS, repeat=size)


def write_mers(fasta: Path, target: Path) -> None:
    """Write the proteins in a FASTA file as a matrix."""
    with opened(fasta) as file:
        ids, sequences = zip(*read_fasta(file))
    write_rows(target, ids, *mers_of(sequences))
