"""The predictions and rows to check first, with at most one prediction per row."""

from typing import Final

import numpy as np
from scipy.special import entr, logit

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.hierarchy import Hierarchy

# A probability of 0 would be infinitely surprising.
_LEAST: Final = 1e-4


def new_terms(
    frequency: FloatArray, probability: FloatArray, is_new: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Return the most informative new term of each row, and its information in bits.

    The information is p log2(p / frequency), which is large if the term is probable but
    rare. It is 0 if a row has no new term.
    """
    rows, nodes = np.nonzero(is_new)
    found = np.maximum(probability[rows, nodes], _LEAST)
    bits = found * np.log2(found / np.maximum(frequency[nodes], _LEAST))
    return _best(len(probability), rows, nodes, bits)


def surprising_labels(
    frequency: FloatArray, probability: FloatArray, is_doubted: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Return the most doubtful label of each row, and the doubt about it.

    The doubt is the difference between the log odds of the term's frequency and those
    of the predicted probability.
    """
    rows, nodes = np.nonzero(is_doubted)
    usual, found = (
        logit(np.clip(values, _LEAST, 1 - _LEAST))
        for values in (frequency[nodes], probability[rows, nodes])
    )
    return _best(len(probability), rows, nodes, usual - found)


def uncertainty(probability: FloatArray, hierarchy: Hierarchy) -> FloatArray:
    """Return the expected information content of each row's labels, in bits.

    This is the sum of the entropies of all terms given their parents, each weighted by
    the probability of the least probable parent.
    """
    above = np.ones_like(probability)
    has_parents = np.flatnonzero(np.diff(hierarchy.parents_ptr))
    if has_parents.size:
        above[:, has_parents] = np.minimum.reduceat(
            probability[:, hierarchy.parents_idx],
            hierarchy.parents_ptr[has_parents],
            axis=1,
        )
    share = np.divide(
        probability, above, out=np.zeros_like(probability), where=above > 0
    )
    share = np.clip(share, 0, 1)
    bits = (entr(share) + entr(1 - share)) / np.log(2)
    return np.asarray((above * bits).sum(axis=1))


def _best(
    n_rows: int, rows: IntArray, nodes: IntArray, values: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the node with the largest positive value in each row, and that value."""
    best_node = np.zeros(n_rows, dtype=np.int64)
    best = np.zeros(n_rows)
    ascending = np.argsort(values, kind="stable")
    ascending = ascending[values[ascending] > 0]
    # If a row has several values, the last one written is the largest.
    best_node[rows[ascending]] = nodes[ascending]
    best[rows[ascending]] = values[ascending]
    return best_node, best
