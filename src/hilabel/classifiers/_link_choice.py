"""The choice of settings for links, on labelled rows without their own labels."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.classifiers._linked_labels import LabelParts
from hilabel.classifiers._training_data import TrainingData
from hilabel.links import TRANSFORMS, Links, LinkWeights
from hilabel.metrics import average_precision

# Settings are judged on at most so many scores, of at most so many rows.
_SCORES_TO_JUDGE: Final = 2**23
_ROWS_TO_JUDGE: Final = 2048
# How the importance of a kind is changed, to see whether this is better.
_FACTORS: Final = (0.0, 1 / 3, 3.0)


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The labelled rows on which settings are judged: evenly spaced, if not all.

    Attributes
    ----------
    data : TrainingData
    parts : LabelParts
    rows : int array of shape (n_judged,)
    """

    data: TrainingData
    parts: LabelParts
    rows: IntArray

    @classmethod
    def of(cls, data: TrainingData) -> "JudgedRows":
        """Choose labelled rows, those in a fold if some are in none."""
        parts = LabelParts.of(data)
        rows = np.flatnonzero(parts.part >= 0)
        n_judged = _SCORES_TO_JUDGE // max(data.Y.shape[1], 1)
        n_judged = min(max(n_judged, 1), _ROWS_TO_JUDGE)
        if n_judged < rows.size:
            rows = rows[np.arange(n_judged) * rows.size // n_judged]
        return cls(data, parts, rows)

    @cached_property
    def nodes(self) -> BoolArray:
        """Mask of the nodes that count: the informative ones, if there are any."""
        found = self.data.informative
        return found if found.any() else np.ones_like(found)

    @cached_property
    def labels(self) -> LabelMatrix:
        """The labels of the rows, at the nodes that count."""
        return self.data.Y[self.rows].of_nodes(np.flatnonzero(self.nodes))

    @cached_property
    def prior(self) -> FloatArray:
        """The label frequencies of the other parts, likewise."""
        return np.ascontiguousarray(self.parts.prior_of(self.rows)[:, self.nodes])

    @property
    def can_judge(self) -> bool:
        """Whether a row has a label."""
        return self.labels.positive.nnz > 0

    def quality(self, scores: FloatArray) -> float:
        """Return the micro average precision of scores at the nodes that count."""
        return float(average_precision(self.labels, scores))


Judge = Callable[[LinkWeights], tuple[float, Any]]
"""Returns the quality with these weights, and the best other settings with them."""


def choose_weights(
    links: Links, transform: str, importance: Mapping[str, float] | str, judge: Judge
) -> tuple[LinkWeights, Any, float]:
    """Return the best weights of links, other settings, and their quality.

    Parameters
    ----------
    links : Links
        Of all training rows.
    transform : str
        One of ``TRANSFORMS``, or ``"auto"``.
    importance : mapping of str to float, or "auto"
        Of each kind. By default, all kinds are equally important at first; then the
        importance of each in turn is changed, if this is better.
    judge : callable
    """
    given = None if isinstance(importance, str) else importance
    kinds = transforms_to_try(links) if transform == "auto" else (transform,)
    tried = [LinkWeights.of(links, one, given) for one in kinds]
    (quality, settings), best = judge(tried[0]), tried[0]
    for weights in tried[1:]:
        found, others = judge(weights)
        if found > quality:
            quality, settings, best = found, others, weights
    if given is None and len(links.names) > 1:
        for name in links.names:
            for weights in _changed(best, name):
                found, others = judge(weights)
                if found > quality:
                    quality, settings, best = found, others, weights
    return best, settings, quality


def transforms_to_try(links: Links) -> tuple[str, ...]:
    """Return the transforms of weights that make a difference."""
    if all(np.ptp(one.data) == 0 for one in links.kinds.values() if one.nnz):
        return ("raw",)
    return tuple(TRANSFORMS)


def _changed(weights: LinkWeights, name: str) -> Iterator[LinkWeights]:
    """Yield weights with another importance of a kind."""
    for factor in _FACTORS:
        importance = dict(weights.importance)
        importance[name] *= factor
        if any(importance.values()):
            yield replace(weights, importance=importance)
