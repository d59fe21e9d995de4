"""Find the cells of a label matrix that lines of annotations name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._accessions import row_finder
from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import IntArray
from hilabel.datasets._tables.annotations import Annotations
from hilabel.exceptions import DatasetFormatError
from hilabel.hierarchy import Ontology


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of rows and nodes that were found, and ids and terms without a match.

    Attributes
    ----------
    direct : csr_array of bool of shape (n_rows, n_nodes)
        Where a row is annotated with a node.
    n_seen : int
        Number of pairs, including repeated ones.
    unmatched : tuple of str
        Annotated ids that are not among the rows.
    replaced : dict of str to str
        Terms whose node has another name, and that name.
    obsolete, unknown : tuple of str
        Terms without a node.
    """

    direct: sp.csr_array
    n_seen: int
    unmatched: tuple[str, ...]
    replaced: dict[str, str]
    obsolete: tuple[str, ...]
    unknown: tuple[str, ...]


def find_pairs(
    ids: Sequence[str], annotations: Annotations, ontology: Ontology, *, drop: bool
) -> Pairs:
    """Find the pairs of rows and nodes with an annotation.

    Parameters
    ----------
    ids : sequence of str
        The id of each row.
    annotations : Annotations
    ontology : Ontology
    drop : bool
        Whether to drop unknown terms instead of raising an error.
    """
    terms = _Terms(annotations, ontology, drop)
    row, unmatched = _rows_of(ids, annotations.ids)
    shape = len(ids), ontology.hierarchy.n_nodes
    counts = _count_pairs(row, annotations.terms, terms.nodes, shape)
    return Pairs(
        _mask(counts),
        int(counts.sum()),
        unmatched,
        terms.replaced,
        tuple(terms.obsolete),
        tuple(terms.unknown),
    )


def find_denied(
    ids: Sequence[str], annotations: Annotations, ontology: Ontology
) -> sp.csr_array:
    """Find the pairs of rows and nodes with a NOT annotation.

    Those whose id is not among the rows, or whose term is obsolete or unknown, are
    ignored.

    Returns
    -------
    csr_array of bool of shape (n_rows, n_nodes)
    """

    def nodes_of(term: str, at: int) -> list[int]:
        living = ontology.resolve(term)
        return [] if living is None else [ontology.hierarchy.node(living)]

    row, _ = _rows_of(ids, [row_id for row_id, _ in annotations.denied])
    terms = [term for _, term in annotations.denied]
    shape = len(ids), ontology.hierarchy.n_nodes
    return _mask(_count_pairs(row, terms, nodes_of, shape))


# Files have millions of lines, so each distinct id and term is looked up only once.


def _rows_of(
    ids: Sequence[str], annotated: Sequence[str]
) -> tuple[IntArray, tuple[str, ...]]:
    """Return the row of each annotated id or -1, and the distinct ids without a row."""
    number, distinct = pd.factorize(_as_objects(annotated))
    row = np.array([*map(row_finder(ids), distinct)], dtype=np.int64)
    return row[number], tuple(distinct[row < 0])


def _count_pairs(
    row: IntArray,
    terms: Sequence[str],
    nodes_of: Callable[[str, int], list[int]],
    shape: tuple[int, int],
) -> sp.csr_array:
    """Return how many lines give each node to each row.

    Parameters
    ----------
    row : int array of shape (n_lines,)
        The row of each line; lines with -1 are ignored.
    terms : sequence of str of length n_lines
    nodes_of : callable
        Returns the nodes of a term, given the term and the number of its first line.
    shape : (int, int)
        Number of rows and of nodes.
    """
    lines = np.flatnonzero(row >= 0)
    number, distinct = pd.factorize(_as_objects(terms)[lines])
    first = np.empty(distinct.size, dtype=np.int64)
    first[number[::-1]] = lines[::-1]  # the last assignment remains
    nodes = [nodes_of(term, at) for term, at in zip(distinct, first, strict=True)]
    ends = np.append(0, np.cumsum([len(some) for some in nodes], dtype=np.int64))
    flat = np.array([node for some in nodes for node in some], dtype=np.int64)
    of_term = sp.csr_array(
        (np.ones_like(flat), flat, ends), shape=(distinct.size, shape[1])
    )
    of_row = sp.csr_array(
        (np.ones_like(lines), (row[lines], number)), shape=(shape[0], distinct.size)
    )
    return sp.csr_array(of_row @ of_term)


def _as_objects(names: Sequence[str]) -> Any:
    return np.fromiter(names, dtype=object, count=len(names))


def _mask(counts: sp.csr_array) -> sp.csr_array:
    mask = sp.csr_array(counts, dtype=bool)
    mask.sort_indices()
    return mask


@dataclass
class _Terms:
    """The nodes of terms, and the terms that were replaced or have no node."""

    annotations: Annotations
    ontology: Ontology
    drop: bool
    replaced: dict[str, str] = field(default_factory=dict)
    obsolete: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)

    def nodes(self, cell: str, at: int) -> list[int]:
        """Return the nodes of a term, or of a comma-separated list of terms.

        ``at`` is the number of the first annotation with this cell.
        """
        names = [self._living(term, at) for term in self._split(cell)]
        node = self.ontology.hierarchy.node
        return [node(name) for name in names if name is not None]

    def _split(self, cell: str) -> list[str]:
        """Split a list that contains known terms; a name may contain commas, too."""
        knows = self.ontology.knows
        if "," not in cell or knows(cell):
            return [cell]
        several = [part.strip() for part in cell.split(",") if part.strip()]
        return several if any(map(knows, several)) else [cell]

    def _living(self, term: str, at: int) -> str | None:
        living = self.ontology.resolve(term)
        if living is None and self.drop:
            # A path that continues below a leaf of the hierarchy counts for its prefix.
            living = self.ontology.known_part(term)
        if living is None:
            if term in self.ontology.obsolete:
                self.obsolete[term] = None
            elif self.drop:
                self.unknown[term] = None
            else:
                raise _unknown_term(
                    term,
                    self.annotations.lines[at],
                    self.annotations.source,
                    self.ontology,
                )
        elif living != term:
            self.replaced[term] = living
        return living


def _unknown_term(
    term: str, line: int, source: str, ontology: Ontology
) -> DatasetFormatError:
    hierarchy = ontology.hierarchy
    hint = " If the line is a header, name its columns 'id' and 'term'."
    return DatasetFormatError(
        f"term {term!r} is not in the hierarchy of {hierarchy.n_nodes} nodes, such as "
        f"{hierarchy.names[0]!r}; fix one of the files, or drop unknown "
        f"terms.{did_you_mean(_meant(term, ontology))}{hint if line == 1 else ''}",
        source=source,
        line=line,
        parameter="unknown_terms",
    )


def _meant(term: str, ontology: Ontology) -> list[str]:
    """Return suggestions for a misspelt ``term``, or none if terms are codes."""
    hierarchy = ontology.hierarchy
    if hierarchy.titles != hierarchy.names:
        return []
    several = ontology.paths_ending_in(term)
    if several:
        return several[:3]
    known = {name: name for name in hierarchy.names}
    if ontology.separator:
        ends = {name.rsplit(ontology.separator, 1)[-1]: name for name in known}
        known = {**ends, **known}
    return closest(term, known)
