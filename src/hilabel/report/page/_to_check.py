"""Which predictions and rows to look at first, one of each row at most."""

import numpy as np
from scipy.special import entr, logit

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.hierarchy import Hierarchy
from hilabel.report.page._about import AboutModel

# A probability of 0 would be infinitely surprising.
_LEAST = 1e-4


def trusted_terms(about: AboutModel) -> BoolArray:
    """Return the terms of which a prediction is to be taken seriously.

    Those that the model tells apart better than by chance; all that say something
    where that was not measured.
    """
    if about.quality is None:
        return about.says
    return about.says & about.quality.worth.reliable


def predicted_terms(about: AboutModel, probability: FloatArray) -> BoolArray:
    """Return the terms that rows are predicted to have, as ``hilabel predict`` does.

    Those that reach their own thresholds, and all ancestors of these: a parent may have
    a higher threshold than its child.
    """
    reached = probability >= about.thresholds
    return np.asarray(about.hierarchy.close(reached), dtype=bool)


def new_terms(
    about: AboutModel, probability: FloatArray, is_new: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Return of each row the most informative new term, and its bits; 0 if it has none.

    These are p log2(p / frequency): many if the term is probable and rare.
    """
    rows, nodes = np.nonzero(is_new)
    found = np.maximum(probability[rows, nodes], _LEAST)
    told = found * np.log2(found / np.maximum(about.frequency[nodes], _LEAST))
    return _best(len(probability), rows, nodes, told)


def surprising_labels(
    about: AboutModel, probability: FloatArray, is_doubted: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Return of each row the label that the model doubts most, and how much.

    That is by how much the log odds are below those of the term's frequency.
    """
    rows, nodes = np.nonzero(is_doubted)
    usual, found = (
        logit(np.clip(values, _LEAST, 1 - _LEAST))
        for values in (about.frequency[nodes], probability[rows, nodes])
    )
    return _best(len(probability), rows, nodes, usual - found)


def uncertainty(probability: FloatArray, hierarchy: Hierarchy) -> FloatArray:
    """Return how many bits the labels of each row would tell, its parents' given.

    A term is uncertain only as far as its parents are there: of several, the one that
    is least probable counts.
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
    """Return the node of the largest value of each row, and the value if above 0."""
    best_node = np.zeros(n_rows, dtype=np.int64)
    best = np.zeros(n_rows)
    ascending = np.argsort(values, kind="stable")
    ascending = ascending[values[ascending] > 0]
    # Of several, the last that is written stays.
    best_node[rows[ascending]] = nodes[ascending]
    best[rows[ascending]] = values[ascending]
    return best_node, best
