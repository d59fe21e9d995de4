"""The cells, that is pairs of a row and a node, from which trees learn."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.semi_supervised._link_inputs import CellInputs


@dataclass(eq=False)
class Cells:
    """Known cells of labelled rows with some evidence, and how many others there are.

    Attributes
    ----------
    labels : LabelMatrix
    n_left : int
        How many more cells may be taken.
    n_rows : int
        Number of rows taken.
    n_rest, n_positive_rest : int
        Number of cells of these rows without evidence, and of the positive among them.
    """

    labels: LabelMatrix
    n_left: int
    n_rows: int = 0
    n_rest: int = 0
    n_positive_rest: int = 0
    _inputs: list[Any] = field(default_factory=list)
    _present: list[Any] = field(default_factory=list)

    @property
    def rest_share(self) -> float:
        """The label frequency of cells without evidence."""
        return self.n_positive_rest / max(self.n_rest, 1)

    def take(self, rows: IntArray, inputs: CellInputs, *, limited: bool = True) -> int:
        """Take the cells of some rows, and return of how many there was room.

        Whole rows are taken, so that it does not matter how many are given at a time.
        """
        known = self.labels.known(rows)
        is_taken = known & inputs.has_evidence
        n_taken = rows.size
        if limited:
            ends = np.cumsum(is_taken.sum(axis=1))
            n_taken = int(np.searchsorted(ends, self.n_left, side="right"))
            self.n_left -= int(ends[n_taken - 1]) if n_taken else 0
            self.n_rows += n_taken
        present = self.labels.present(rows)
        known, is_taken = known[:n_taken], is_taken[:n_taken]
        if limited:
            rest = known & ~is_taken
            self.n_rest += int(rest.sum())
            self.n_positive_rest += int((rest & present[:n_taken]).sum())
        row, node = np.nonzero(is_taken)
        self._inputs.append(inputs.of_cells(row, node))
        self._present.append(present[row, node])
        return n_taken

    def joined(self) -> tuple[FloatArray, BoolArray]:
        """Return the inputs of all cells, and whether they are positive."""
        return (
            np.concatenate(self._inputs),
            np.concatenate(self._present),
        )
