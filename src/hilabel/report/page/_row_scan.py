"""A single pass over all rows that selects the terms to show and the rows to check."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray, IntArray
from hilabel.report.page._about import AboutModel, AboutRows
from hilabel.report.page._bounds import (
    CELLS_AT_ONCE,
    MOST_ROWS,
    MOST_TO_CHECK,
    SMALLEST_SHOWN,
    cells_per_row,
)
from hilabel.report.page._term_numbers import TermNumbers
from hilabel.report.page._to_check import (
    new_terms,
    predicted_terms,
    surprising_labels,
    trusted_terms,
    uncertainty,
)


class RowScan:
    """The information about all rows that a page needs, computed in blocks.

    Attributes
    ----------
    cells : csr_array of shape (n_rows, n_nodes)
        Probabilities, none of them 0, of the terms shown for each row: the most
        probable terms, its labels, and the ancestors of both.
    implied : csr_array of bool of shape (n_rows, n_nodes)
        The shown terms that are predicted because a descendant reaches its threshold,
        although they do not reach their own.
    n_predicted, n_new : int array of shape (n_rows,)
        Number of terms predicted for each row, and of those that were not known before.
    new, surprising : tuple of three arrays of shape (n_rows,)
        For each row, the term, its probability, and how much it is worth checking.
    uncertainty : ndarray of shape (n_rows,)
    """

    def __init__(
        self, about: AboutModel, rows: AboutRows, numbers: TermNumbers
    ) -> None:
        self._rows = rows
        self._trusted = trusted_terms(about) & numbers.is_here
        n_rows, n_nodes = rows.known.shape
        n_shown = cells_per_row(min(n_rows, MOST_ROWS))
        step = max(1, CELLS_AT_ONCE // n_nodes)
        parts = [
            self._block(about, np.arange(start, min(start + step, n_rows)), n_shown)
            for start in range(0, n_rows, step)
        ]
        cells, implied, n_predicted, n_new, new, surprising, bits = zip(
            *parts, strict=True
        )
        self.cells = sp.csr_array(sp.vstack(cells, format="csr"))
        self.implied = sp.csr_array(sp.vstack(implied, format="csr"))
        self.n_predicted: IntArray = np.concatenate(n_predicted)
        self.n_new: IntArray = np.concatenate(n_new)
        self.new: Any = [np.concatenate(part) for part in zip(*new, strict=True)]
        self.surprising: Any = [
            np.concatenate(part) for part in zip(*surprising, strict=True)
        ]
        self.uncertainty: FloatArray = np.concatenate(bits)

    def _block(self, about: AboutModel, numbers: IntArray, n_shown: int) -> Any:
        probability = np.asarray(self._rows.predict(numbers))
        known = self._rows.known[numbers].toarray()
        shown = about.hierarchy.close(_most_probable(probability, n_shown) | known)
        # Shown terms with probability 0 would be lost in the sparse matrix.
        values = np.where(shown, np.maximum(probability, 1e-6), 0)
        is_seen = self._rows.is_seen[numbers]
        predicted = predicted_terms(about, probability)
        trusted = self._trusted
        new, told = new_terms(about, probability, predicted & ~known & trusted)
        doubted, doubt = surprising_labels(
            about, probability, known & ~predicted & trusted
        )
        bits = uncertainty(probability, about.hierarchy)
        each = np.arange(len(numbers))
        # Predictions of a model that was trained on these labels are uninformative.
        return (
            sp.csr_array(values),
            sp.csr_array(predicted & shown & (probability < about.thresholds)),
            (predicted & about.says).sum(axis=1),
            (predicted & about.says & ~known).sum(axis=1),
            (new, probability[each, new], np.where(is_seen, 0, told)),
            (doubted, probability[each, doubted], np.where(is_seen, 0, doubt)),
            np.where(self._rows.is_labeled[numbers], 0, bits),
        )

    def listed(self) -> dict[str, IntArray]:
        """Return the rows of each list, starting with those to check first."""
        worth = {
            "new": self.new[2],
            "surprising": self.surprising[2],
            "label_next": self.uncertainty,
        }
        found = {}
        for name, value in worth.items():
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


def _most_probable(probability: FloatArray, n_shown: int) -> Any:
    shown = probability >= SMALLEST_SHOWN
    if probability.shape[1] > n_shown:
        place = probability.shape[1] - n_shown
        shown &= probability >= np.partition(probability, place, axis=1)[:, [place]]
    return shown
