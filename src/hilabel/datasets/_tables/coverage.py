"""Determine the unknown labels of each row: those in aspects without annotations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from hilabel._typing import UNLABELED, BoolArray, IntArray, LabelArray
from hilabel._validation import implied_cells
from hilabel.hierarchy import Hierarchy, Ontology

_CELLS_PER_BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class Coverage:
    """The aspects in which each row is annotated.

    Within these aspects, all other terms are known to be absent.

    Attributes
    ----------
    aspects : tuple of str
        The namespaces of an OBO file; other hierarchies only have "".
    annotated : bool array of shape (n_rows, n_aspects)
    """

    aspects: tuple[str, ...]
    annotated: BoolArray

    @classmethod
    def of(cls, annotations: sp.csr_array, ontology: Ontology) -> "Coverage":
        """Create a coverage from a matrix that is non-zero where a row is annotated."""
        hierarchy = ontology.hierarchy
        aspects = tuple(dict.fromkeys(_aspects_of(hierarchy.names, ontology)))
        annotated = np.zeros((annotations.shape[0], len(aspects)), dtype=bool)
        rows, nodes = annotations.nonzero()
        coverage = cls(aspects, annotated)
        annotated[rows, coverage.numbers(hierarchy.names, ontology)[nodes]] = True
        return coverage

    @property
    def rows(self) -> BoolArray:
        """Mask of the rows with at least one annotation."""
        return np.asarray(self.annotated.any(axis=1))

    def complete(self) -> "Coverage":
        """Return a coverage in which annotated rows are known in all aspects."""
        return Coverage(("",), self.rows[:, np.newaxis])

    def numbers(self, names: Sequence[str], ontology: Ontology) -> IntArray:
        """Return the index of each term's aspect in ``aspects``, or -1 if absent."""
        number = {aspect: at for at, aspect in enumerate(self.aspects)}
        found = [number.get(aspect, -1) for aspect in _aspects_of(names, ontology)]
        return np.array(found, dtype=np.int64)

    def forget(self, Y: LabelArray, hierarchy: Hierarchy, ontology: Ontology) -> None:
        """Mark absent cells as unknown in aspects in which a row has no annotation.

        The array is changed in place. A term whose aspect is not in ``aspects`` is
        known in all annotated rows.
        """
        numbers = self.numbers(hierarchy.names, ontology)
        known = np.column_stack([self.annotated, self.rows])  # the last one is -1
        rows = np.flatnonzero(~known.all(axis=1))
        n_rows = max(1, _CELLS_PER_BLOCK // Y.shape[1])
        for start in range(0, rows.size, n_rows):
            some = rows[start : start + n_rows]
            cells = Y[some]
            cells[(cells == 0) & ~known[some][:, numbers]] = UNLABELED
            Y[some] = cells
        if (numbers[hierarchy.edges[:, 0]] != numbers[hierarchy.edges[:, 1]]).any():
            # A term that a row lacks may have descendants of another aspect.
            Y[implied_cells(Y == 1, Y == 0, hierarchy) & (Y < 0)] = 0

    def unknown_rows(
        self, labeled: BoolArray, hierarchy: Hierarchy, ontology: Ontology
    ) -> Mapping[str, int]:
        """Count the labelled rows that lack annotations, by aspect.

        Aspects with a count of zero are omitted.
        """
        present = set(self.numbers(hierarchy.names, ontology))
        counts = {
            aspect: int((labeled & ~self.annotated[:, number]).sum())
            for number, aspect in enumerate(self.aspects)
            if number in present
        }
        return {aspect: count for aspect, count in counts.items() if count}


def _aspects_of(names: Sequence[str], ontology: Ontology) -> list[str]:
    return [ontology.aspects.get(name, "") for name in names]
