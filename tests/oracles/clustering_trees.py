"""Predictive clustering trees the slow way: every sum taken anew for every split.

Rows of a node are given by number; labelled rows come first. ``Y`` (n_labeled, L) is
boolean, ``X`` (n, D) has NaN for missing values, ``codes`` (n, D) the bins.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from oracles.trees import Stream

MISSING = 255


class Problem(NamedTuple):
    """What a tree is grown on; ``times`` says how often each row counts."""

    Y: np.ndarray
    X: np.ndarray
    codes: np.ndarray
    node_weights: np.ndarray
    times: np.ndarray
    w: float = 1.0


def label_impurity(problem, rows):
    """Sum over labels of weight (s - s^2 / n); None without labelled rows."""
    rows = rows[rows < len(problem.Y)]
    if rows.size == 0:
        return None
    times = problem.times[rows]
    s = times @ problem.Y[rows]
    return (problem.node_weights * (s - s**2 / times.sum())).sum()


def feature_impurity(problem, rows):
    """Mean over features of the sum of squares in variances of the whole."""
    total = 0.0
    for column in problem.X.T:
        known = ~np.isnan(column)
        # A mean of equal values may differ from them by a rounding error.
        varies = known.any() and np.ptp(column[known]) > 0
        variance = np.var(column[known]) if varies else 0.0
        here = rows[known[rows]]
        if here.size:
            times = problem.times[here]
            mean = np.average(column[here], weights=times)
            squares = (times * (column[here] - mean) ** 2).sum()
            total += squares / (variance if variance > 0 else 1.0)
    return total / problem.X.shape[1]


def impurity(problem, rows, parent=None):
    """Impurity of a set of rows; without labels its label part is the parent's."""
    labels = label_impurity(problem, rows)
    if labels is None:
        labels = 0.0 if parent is None else label_impurity(problem, parent) or 0.0
    total = problem.w * labels
    if problem.w < 1:
        total += (1 - problem.w) * feature_impurity(problem, rows)
    return total


def goes_left(codes, cut, missing_left):
    """Return which rows go left."""
    return np.where(codes == MISSING, missing_left == 1, codes <= cut)


def gain(problem, rows, feature, cut, missing_left):
    """Return by how much a split lowers the impurity."""
    left = goes_left(problem.codes[rows, feature], cut, missing_left)
    return (
        impurity(problem, rows)
        - impurity(problem, rows[left], rows)
        - impurity(problem, rows[~left], rows)
    )


def all_gains(problem, rows, least):
    """List the gains of all splits that leave enough rows on both sides."""
    found = []
    for feature, codes in enumerate(problem.codes[rows].T):
        bins = sorted(set(codes.tolist()) - {MISSING})
        cuts = [(a + b) // 2 for a, b in pairwise(bins)] + [MISSING - 1]
        for cut in cuts:
            for missing_left in (0, 1):
                n_left = goes_left(codes, cut, missing_left).sum()
                if least <= n_left <= rows.size - least:
                    found.append(gain(problem, rows, feature, cut, missing_left))
    return found


def drawn_times(n_labeled, n_rows, n_draws, stream):
    """Count how often each row is drawn, labelled and unlabelled rows apart."""
    times = np.zeros(n_rows)
    for _ in range(n_draws):
        times[stream.below(n_labeled)] += 1
    for _ in range(n_rows - n_labeled):
        times[n_labeled + stream.below(n_rows - n_labeled)] += 1
    return times


class DrawnSplits:
    """The splits that a tree of drawn cuts tries in its nodes, one after the other."""

    def __init__(self, problem, n_candidates, least, seed):
        self.problem, self.n_candidates, self.least = problem, n_candidates, least
        self.features = list(range(problem.X.shape[1]))
        self.stream, self.cut_stream = Stream(seed, 0, 0), Stream(seed, 1, 0)

    def of(self, rows):
        """List (gain, feature, cut, missing goes left, or -1 without any)."""
        remaining, n_tried, found = len(self.features), 0, []
        while n_tried < self.n_candidates and remaining > 0:
            remaining -= 1
            at = self.stream.below(remaining + 1)
            features = self.features
            features[at], features[remaining] = features[remaining], features[at]
            codes = self.problem.codes[rows, features[remaining]]
            if (codes == codes[0]).all():
                continue
            n_tried += 1
            split = features[remaining], *self._cut(codes)
            n_left = goes_left(codes, *split[1:]).sum()
            if self.least <= n_left <= rows.size - self.least:
                found.append((gain(self.problem, rows, *split), *split))
        return found

    def _cut(self, codes):
        known = codes[codes != MISSING].tolist()
        cut, missing_left = min(known), -1 if len(known) == codes.size else 0
        if max(known) > cut:
            cut += self.cut_stream.below(max(known) - cut)
            if missing_left == 0:
                missing_left = self.cut_stream.below(2)
        return cut, missing_left


def predict(trees, codes):
    """Walk every tree for every row of codes; return the mean of the leaf shares."""
    scores = np.zeros((len(codes), trees.n_nodes))
    for row, row_codes in enumerate(codes):
        for root in trees.roots[:-1]:
            here = root
            while trees.feature[here] >= 0:
                left = goes_left(
                    row_codes[trees.feature[here]],
                    trees.cut[here],
                    trees.missing[here],
                )
                here = root + trees.left[here] + (0 if left else 1)
            scores[row] += trees.leaf_shares(here)
    return scores / trees.n_trees
