"""Which predictions and rows to look at first, one of each row at most."""

from typing import Any

import numpy as np
from scipy.special import logit, xlogy

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


def new_terms(
    about: AboutModel, probability: FloatArray, known: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Return of each row the new term that tells most, and how much; 0 if it has none.

    It tells p log2(p / frequency) bits: much if it is probable and rare.
    """
    frequency = np.maximum(about.frequency, _LEAST)
    told = probability * np.log2(np.maximum(probability, _LEAST) / frequency)
    is_new = ~known & trusted_terms(about) & (probability >= about.thresholds)
    return _best(np.where(is_new, told, 0))


def surprising_labels(
    about: AboutModel, probability: FloatArray, known: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Return of each row the label that the model doubts most, and how much.

    That is by how much the log odds are below those of the term's frequency; 0 if no
    label is.
    """
    frequency = np.clip(about.frequency, _LEAST, 1 - _LEAST)
    odds = logit(np.clip(probability, _LEAST, 1 - _LEAST))
    doubted = known & trusted_terms(about)
    return _best(np.where(doubted, logit(frequency) - odds, 0))


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
    bits = -(xlogy(share, share) + xlogy(1 - share, 1 - share)) / np.log(2)
    return np.asarray((above * bits).sum(axis=1))


def _best(values: Any) -> tuple[IntArray, FloatArray]:
    best = values.argmax(axis=1)
    return best, np.maximum(np.take_along_axis(values, best[:, None], axis=1)[:, 0], 0)
