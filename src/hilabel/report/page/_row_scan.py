"""A single pass over all rows that selects the terms to show and the rows to check."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._matrices import row_blocks
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.report.page._bounds import (
    CELLS_AT_ONCE,
    MOST_ROWS,
    MOST_TO_CHECK,
    SMALLEST_SHOWN,
    cells_per_row,
)
from hilabel.report.page._content import PageContent
from hilabel.report.page._given_rows import GivenRows
from hilabel.report.page._term_numbers import TermNumbers
from hilabel.report.page._to_check import new_terms, surprising_labels, uncertainty


class RowScan:
    """The information about all rows that a page needs, computed in blocks.

    Attributes
    ----------
    cells : csr_array of shape (n_rows, n_nodes)
        Probabilities, none of them 0, of the terms shown for each row: the most
        probable terms, those that it gets, its labels, and the ancestors of all.
    decided : csr_array of bool of shape (n_rows, n_nodes)
        The terms that each row gets.
    n_predicted, n_new : int array of shape (n_rows,)
        Number of terms that each row gets, and of those that were not known before.
    new, surprising : tuple of three arrays of shape (n_rows,)
        For each row, the term, its probability, and how much it is worth checking.
    uncertainty : ndarray of shape (n_rows,)
    """

    def __init__(
        self, content: PageContent, rows: GivenRows, numbers: TermNumbers
    ) -> None:
        self._rows, self._model = rows, content.model
        self._trusted = _trusted_terms(content) & numbers.is_here
        self._n_shown = cells_per_row(min(len(rows), MOST_ROWS))
        shape = len(rows), self._model.hierarchy.n_nodes
        parts = [
            self._block(np.arange(part.start, part.stop))
            for part in row_blocks(shape, CELLS_AT_ONCE)
        ]
        cells, decided, n_predicted, n_new, new, surprising, bits = zip(
            *parts, strict=True
        )
        self.cells = sp.csr_array(sp.vstack(cells, format="csr"))
        self.decided = sp.csr_array(sp.vstack(decided, format="csr"))
        self.n_predicted: IntArray = np.concatenate(n_predicted)
        self.n_new: IntArray = np.concatenate(n_new)
        self.new: Any = [np.concatenate(part) for part in zip(*new, strict=True)]
        self.surprising: Any = [
            np.concatenate(part) for part in zip(*surprising, strict=True)
        ]
        self.uncertainty: FloatArray = np.concatenate(bits)

    def _block(self, numbers: IntArray) -> Any:
        model, rows, trusted = self._model, self._rows, self._trusted
        probability = np.asarray(rows.probabilities(numbers))
        known = rows.known[numbers].toarray()
        decided = rows.decide(probability)
        shown = _most_probable(probability, self._n_shown) | known | decided
        shown = model.hierarchy.close(shown)
        # Shown terms with probability 0 would be lost in the sparse matrix.
        values = np.where(shown, np.maximum(probability, 1e-6), 0)
        new, told = new_terms(model.prior, probability, decided & ~known & trusted)
        doubted, doubt = surprising_labels(
            model.prior, probability, known & ~decided & trusted
        )
        bits = uncertainty(probability, model.hierarchy)
        each = np.arange(len(numbers))
        # Predictions of a model that was trained on these labels are uninformative.
        is_seen = rows.is_seen[numbers]
        return (
            sp.csr_array(values),
            sp.csr_array(decided),
            decided.sum(axis=1),
            (decided & ~known).sum(axis=1),
            (new, probability[each, new], np.where(is_seen, 0, told)),
            (doubted, probability[each, doubted], np.where(is_seen, 0, doubt)),
            np.where(rows.is_labeled[numbers], 0, bits),
        )

    def listed(self) -> dict[str, IntArray]:
        """Return the rows of each list, starting with those to check first."""
        interest = {
            "new": self.new[2],
            "surprising": self.surprising[2],
            "label_next": self.uncertainty,
        }
        found = {}
        for name, value in interest.items():
            best = np.argsort(-value, kind="stable")[:MOST_TO_CHECK]
            found[name] = best[value[best] > 0]
        return found

    def chosen(self) -> IntArray:
        """Return the rows on the page in ascending order; rows to check have priority.

        Rows to check are taken from the lists in turn, so that no list is truncated
        before the others.
        """
        n_rows = self.cells.shape[0]
        if n_rows <= MOST_ROWS:
            return np.arange(n_rows)
        lists = self.listed().values()
        longest = max(len(rows) for rows in lists)
        turns = [rows[at] for at in range(longest) for rows in lists if at < len(rows)]
        first = list(dict.fromkeys([*turns, *range(n_rows)]))[:MOST_ROWS]
        return np.sort(np.array(first, dtype=np.int64))


def _trusted_terms(content: PageContent) -> BoolArray:
    """Return the terms predicted better than by chance or, if unknown, all."""
    judgement, informative = content.judgement, content.model.informative
    return informative if judgement is None else informative & judgement.reliable


def _most_probable(probability: FloatArray, n_shown: int) -> Any:
    shown = probability >= SMALLEST_SHOWN
    if probability.shape[1] > n_shown:
        place = probability.shape[1] - n_shown
        shown &= probability >= np.partition(probability, place, axis=1)[:, [place]]
    return shown
