"""What is known of cells, that is of rows and nodes, from links and from columns."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import scipy.sparse as sp

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.classifiers import LabelParts, LinkVotes, TrainingData
from hilabel.links import Links
from hilabel.semi_supervised._link_spreading import LinkSpreading

N_INPUTS: Final = 11
"""Numbers that describe a cell, besides a score by each classifier on columns."""

LEAST_EVIDENCE: Final = np.float32(0.02)
"""Cells that all methods score lower are not worth a walk through trees."""

# Votes of the strongest links alone: a link of half the weight has a 64th of the vote.
_SHARPNESS: Final = 6
_PRIOR_WEIGHT_OF_SHARP: Final = 0.05
# Log odds end here, so that they are finite.
_LEAST_SCORE: Final = 1e-5
# Sums of weights and of what arrives may be 0.
_LEAST_WEIGHT: Final = 1e-3


@dataclass(frozen=True, eq=False)
class CellInputs:
    """Scores of some rows by several methods, and how much each row has to go by.

    Attributes
    ----------
    votes, spread, strongest : float32 array of shape (n_rows, n_nodes)
        The scores by votes of linked rows, by spreading, and by votes of the strongest
        links alone.
    columns : float32 array of shape (n_classifiers, n_rows, n_nodes)
        The scores by each classifier on columns.
    prior : float32 array of shape (n_nodes,)
        Label frequencies.
    of_row : float32 array of shape (n_rows, 6)
        The logarithms of the sum of votes, of what arrives by spreading, of the number
        of links, of those to labelled rows, and of the strongest; and the share of
        links to labelled rows.
    is_reached : bool array of shape (n_rows,)
        Whether anything arrives from labelled rows.
    """

    votes: FloatArray
    spread: FloatArray
    strongest: FloatArray
    columns: FloatArray
    prior: FloatArray
    of_row: FloatArray
    is_reached: BoolArray

    @property
    def on_columns(self) -> FloatArray:
        """The mean of the scores on columns."""
        return np.asarray(self.columns.mean(axis=0))

    @cached_property
    def mean(self) -> FloatArray:
        """The mean of the scores by votes, by spreading and on columns."""
        total = self.votes + self.spread
        total += self.on_columns
        return total / np.float32(3)

    @property
    def has_evidence(self) -> BoolArray:
        """Mask of the cells of which a score is not next to 0."""
        highest = np.maximum(self.votes, self.spread)
        for one in self.columns:
            np.maximum(highest, one, out=highest)
        return np.asarray(highest >= LEAST_EVIDENCE)

    def of_cells(self, rows: IntArray, nodes: IntArray) -> FloatArray:
        """Return the numbers that describe some cells.

        Returns
        -------
        float32 ndarray of shape (n_cells, N_INPUTS + n_classifiers)
        """
        cells = rows, nodes
        n_inputs = N_INPUTS + len(self.columns)
        found = np.empty((rows.size, n_inputs), dtype=np.float32)
        scores = self.votes, self.spread, self.strongest, *self.columns, self.mean
        for place, one in enumerate(scores):
            found[:, place] = _log_odds(one[cells])
        found[:, len(scores)] = _log_odds(self.prior)[nodes]
        found[:, len(scores) + 1 :] = self.of_row[rows]
        return found


@dataclass(frozen=True, eq=False)
class LinkInputs:
    """Votes and spreading, fitted on the same rows, that describe cells.

    The inputs of labelled rows are made as those of new rows, without the label of this
    row alone: it counts, as all labels do, in the label frequencies and nowhere else.

    Attributes
    ----------
    votes : LinkVotes
    spreading : LinkSpreading
    """

    votes: LinkVotes
    spreading: LinkSpreading

    def of_new(self, links: Links, columns: FloatArray) -> CellInputs:
        """Return the inputs of rows with these links and scores on columns."""
        votes, reach = self.votes._shares(links), self.spreading._shares(links)
        return self._inputs(links, votes, reach, columns)

    def of_labeled(
        self, data: TrainingData, rows: IntArray, columns: FloatArray
    ) -> CellInputs:
        """Return those of labelled rows, given their scores on columns out of fold.

        ``data`` has no folds, so that each row is scored without its own label.
        """
        links, parts = data.links, LabelParts.of(data)
        if links is None:
            raise ValueError("Expected training data with links.")
        votes = self.votes._honest_shares(data, parts, rows)
        reach = self.spreading._honest_shares(data, parts, rows)
        return self._inputs(links[rows], votes, reach, columns)

    def _inputs(
        self,
        links: Links,
        votes: sp.csr_array,
        reach: sp.csr_array,
        columns: FloatArray,
    ) -> CellInputs:
        labels, weights = self.votes._labels, self.votes.link_weights_
        if weights is None:
            raise ValueError("Expected votes that were fitted with links.")
        n_links = np.diff(weights.of_links(links).indptr)
        n_votes = np.diff(votes.indptr)
        most = _largest(votes)
        sharp = (votes.data / np.repeat(most, n_votes)) ** _SHARPNESS
        sharp_votes = sp.csr_array((sharp, votes.indices, votes.indptr), votes.shape)
        sum_of_votes, arrived = (np.asarray(one.sum(axis=1)) for one in (votes, reach))
        of_row = np.column_stack(
            [
                np.log(sum_of_votes + _LEAST_WEIGHT),
                np.log(arrived + _LEAST_WEIGHT),
                np.log1p(n_links),
                np.log1p(n_votes),
                np.log(most + _LEAST_WEIGHT),
                n_votes / np.maximum(n_links, 1),
            ]
        )
        return CellInputs(
            votes=labels.mean(votes, self.votes.prior_weight_),
            spread=labels.mean(reach, self.spreading.prior_weight_),
            strongest=labels.mean(sharp_votes, _PRIOR_WEIGHT_OF_SHARP),
            columns=columns.astype(np.float32, copy=False),
            prior=labels.prior,
            of_row=of_row.astype(np.float32),
            is_reached=arrived > 0,
        )


def _largest(shares: sp.csr_array) -> FloatArray:
    """Return the largest value of each row, 0 if it has none."""
    found = np.zeros(shares.shape[0])
    rows = np.repeat(np.arange(found.size), np.diff(shares.indptr))
    np.maximum.at(found, rows, shares.data)
    return found


def _log_odds(scores: FloatArray) -> FloatArray:
    inside = np.clip(scores, _LEAST_SCORE, 1 - _LEAST_SCORE)
    return np.asarray(np.log(inside / (1 - inside)))
