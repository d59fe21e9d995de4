"""RAkEL: the votes of label powersets, each trained on a random set of k labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Annotated, Any

import numpy as np

from hilabel._saved_types import Array, Count, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel._warning import warn_user
from hilabel.classifiers._label_powerset import label_marginals
from hilabel.local_models import MulticlassModel

# Number of draws before accepting labels that are in no set, with a warning. With the
# usual two sets per label, a few draws are sufficient to cover all labels.
_MOST_DRAWS = 100


def n_labelsets(n_labels: int, size: int) -> int:
    """Return the number of sets to draw: all possible sets, but at most two per label.

    Examples
    --------
    >>> from hilabel.classifiers._rakel import n_labelsets
    >>> n_labelsets(4, 3), n_labelsets(10, 3), n_labelsets(3, 3)
    (4, 20, 1)
    """
    return 1 if size >= n_labels else min(2 * n_labels, comb(n_labels, size))


def draw_labelsets(
    n_labels: int, size: int, count: int, generator: np.random.RandomState
) -> list[IntArray]:
    """Draw distinct sets of labels, and repeat the draw until they cover all labels.

    The sets are sorted. If ``size`` is at least ``n_labels``, there is one set of all
    labels; otherwise, ``count`` is limited to the number of possible sets.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers._rakel import draw_labelsets
    >>> draw_labelsets(4, 3, 4, np.random.RandomState(0))  # all possible sets
    [array([0, 1, 2]), array([0, 1, 3]), array([0, 2, 3]), array([1, 2, 3])]
    """
    if size >= n_labels:
        return [np.arange(n_labels)]
    count = min(count, comb(n_labels, size))
    for _ in range(_MOST_DRAWS):
        drawn = _draw_distinct(n_labels, size, count, generator)
        covered = np.unique(drawn)
        if covered.size == n_labels:
            break
    else:
        warn_user(
            f"{n_labels - covered.size} of {n_labels} labels are in none of {count} "
            f"sets of {size} labels and are never predicted; draw more sets."
        )
    return [np.array(labels) for labels in drawn]


def _draw_distinct(
    n_labels: int, size: int, count: int, generator: np.random.RandomState
) -> list[tuple[int, ...]]:
    there_are = comb(n_labels, size)
    if there_are <= 2 * count:  # few enough to list; random draws would often repeat
        everything = list(combinations(range(n_labels), size))
        chosen = generator.permutation(there_are)[:count]
        return sorted(everything[number] for number in chosen)
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < count:
        labels = generator.choice(n_labels, size, replace=False)
        drawn.add(tuple(sorted(labels.tolist())))
    return sorted(drawn)


@saved_type
@dataclass(frozen=True)
class Rakel:
    """Label powersets for sets of labels, which may overlap."""

    n_labels: Annotated[int, Count()]
    labelsets: Sequence[Annotated[IntArray, Array("i8", ("*",), 0)]]
    # The combinations that are the classes of each set.
    combinations: Sequence[Annotated[BoolArray, Array("b1", ("*", "*"))]]
    models: Sequence[MulticlassModel]  # the models of these combinations

    def is_sound(self) -> bool:
        """Return whether every set has only existing labels and a matching model."""
        n_sets = len(self.labelsets)
        return n_sets == len(self.combinations) == len(self.models) and all(
            labels.max(initial=-1) < self.n_labels
            and np.unique(labels).size == labels.size
            and classes.shape == (model.n_classes, labels.size)
            for labels, classes, model in zip(
                self.labelsets, self.combinations, self.models
            )
        )

    def predict_scores(self, X: Any, voting: str) -> FloatArray:
        """Return the mean vote for each label over the sets that contain it.

        A hard vote is 1 if the label is in the most probable combination and 0
        otherwise; a soft vote is the probability of the label. A label that is in no
        set scores 0.
        """
        votes = np.zeros((X.shape[0], self.n_labels))
        n_votes = np.zeros(self.n_labels)
        for labels, classes, model in zip(
            self.labelsets, self.combinations, self.models
        ):
            scores = model.predict_proba(X)
            if voting == "hard":
                scores = _one_hot(scores)
            votes[:, labels] += label_marginals(scores, classes)
            n_votes[labels] += 1
        return votes / np.maximum(n_votes, 1)


def _one_hot(scores: FloatArray) -> FloatArray:
    """Return 1 for the most probable class of each row (the first if tied), else 0."""
    if scores.shape[1] == 0:  # trained on no row
        return scores
    best = np.zeros_like(scores)
    best[np.arange(scores.shape[0]), scores.argmax(axis=1)] = 1.0
    return best
