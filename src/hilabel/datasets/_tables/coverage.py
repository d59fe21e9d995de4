"""Determine the unknown labels of each row: those in aspects without annotations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, IntArray
from hilabel.datasets._tables.known_cells import with_certain_cells
from hilabel.hierarchy import Hierarchy, Ontology


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

    @property
    def knows(self) -> BoolArray:
        """Mask of the known aspects of each row.

        Terms of another aspect, the last one, are known in all annotated rows.
        """
        return np.column_stack([self.annotated, self.rows])

    def complete(self) -> "Coverage":
        """Return a coverage in which annotated rows are known in all aspects."""
        return Coverage(("",), self.rows[:, np.newaxis])

    def numbers(self, names: Sequence[str], ontology: Ontology) -> IntArray:
        """Return the index of each term's aspect in the columns of ``knows``."""
        number = {aspect: at for at, aspect in enumerate(self.aspects)}
        other = len(self.aspects)
        found = [number.get(aspect, other) for aspect in _aspects_of(names, ontology)]
        return np.array(found, dtype=np.int64)

    def labels(
        self,
        positive: sp.csr_array,
        ontology: Ontology,
        absent: sp.csr_array | None = None,
    ) -> LabelMatrix:
        """Return labels that are absent or unknown where they are not positive.

        Parameters
        ----------
        positive : csr_array of bool of shape (n_rows, n_nodes)
            Closed over ancestors.
        ontology : Ontology
            The terms of the columns and their aspects.
        absent : csr_array of bool, optional
            Cells that are known to be absent in any aspect, closed over descendants.
        """
        hierarchy = ontology.hierarchy
        knows, row_group = np.unique(self.knows, axis=0, return_inverse=True)
        node_group = self.numbers(hierarchy.names, ontology)
        by_aspect = LabelMatrix(positive, row_group.reshape(-1), node_group, knows)
        return with_certain_cells(by_aspect, hierarchy, absent)

    def unknown_rows(
        self, labeled: BoolArray, hierarchy: Hierarchy, ontology: Ontology
    ) -> Mapping[str, int]:
        """Count the labelled rows that lack annotations, by aspect.

        Aspects with a count of zero are omitted.
        """
        present = set(self.numbers(hierarchy.names, ontology).tolist())
        counts = {
            aspect: int((labeled & ~self.annotated[:, number]).sum())
            for number, aspect in enumerate(self.aspects)
            if number in present
        }
        return {aspect: count for aspect, count in counts.items() if count}


def _aspects_of(names: Sequence[str], ontology: Ontology) -> list[str]:
    return [ontology.aspects.get(name, "") for name in names]
