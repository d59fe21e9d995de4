"""Trees grown and walked the slow, obvious way.

A matrix of codes has shape (n_rows, n_features) here: bins 0 to 254, 255 for missing.
Impurities are fractions, so that equal ones are equal.
"""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

MISSING = 255
WORD = 2**64


def bin_of(value, edges):
    """Count the edges below the value; NaN has a bin of its own."""
    return MISSING if np.isnan(value) else sum(edge < value for edge in edges)


def bin_matrix(X, edges):
    """Code a matrix, ``edges`` being a list for each column."""
    rows = [[bin_of(x, e) for x, e in zip(row, edges)] for row in X]
    return np.array(rows, dtype=np.uint8).reshape(X.shape)


# Splits -----------------------------------------------------------------------------


def count_bins(codes, weights, positives):
    """Return {code: (rows, weight, weight of class 1)}."""
    counted = {}
    for code in sorted(set(codes.tolist())):
        here = codes == code
        positive = weights[here & positives].sum()
        counted[code] = (here.sum(), weights[here].sum(), positive)
    return counted


def gini(weights, positives):
    """Half the Gini impurity of rows times their weight."""
    weight, positive = int(weights.sum()), int(weights[positives].sum())
    return Fraction(positive * (weight - positive), weight)


def entropy(weights, positives):
    """Half the entropy of rows, in bits, times their weight."""
    weight, positive = int(weights.sum()), int(weights[positives].sum())
    parts = [part for part in (positive, weight - positive) if part > 0]
    return 0.5 * sum(part * math.log2(weight / part) for part in parts)


def goes_left(codes, cut, missing_left):
    """Return which rows go left."""
    return np.where(codes == MISSING, missing_left == 1, codes <= cut)


def split_impurity(codes, weights, positives, cut, missing_left, impurity=gini):
    """Sum the impurities of the two sides."""
    left = goes_left(codes, cut, missing_left)
    return impurity(weights[left], positives[left]) + impurity(
        weights[~left], positives[~left]
    )


def all_splits(codes, weights, positives, least=1, impurity=gini):
    """List (impurity, cut, missing_left) of each way to leave rows on both sides.

    Missing values right come first, then low cuts; a cut stands half-way to the next
    bin, and beyond all bins where it parts missing values from all others.
    """
    bins = sorted(set(codes.tolist()) - {MISSING})
    cuts = [(a + b) // 2 for a, b in pairwise(bins)]
    found = []
    for missing_left in (0, 1) if MISSING in codes else (0,):
        for cut in cuts if missing_left else [*cuts, MISSING - 1]:
            left = goes_left(codes, cut, missing_left)
            if least <= left.sum() <= codes.size - least:
                side = cut, missing_left
                value = split_impurity(codes, weights, positives, *side, impurity)
                found.append((value, cut, missing_left))
    return found


# Growing ----------------------------------------------------------------------------


class Stream:
    """Splitmix64 with Python's integers, started from three numbers."""

    def __init__(self, seed, node, tree):
        self.state = seed
        for part in (node, tree):
            self.state = self.next() ^ (part * 0xD1342543DE82EF95 % WORD)
        self.next()

    def next(self):
        """Return 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % WORD
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        return z ^ (z >> 31)

    def below(self, bound):
        """Return an integer from 0 to bound - 1."""
        return (self.next() >> 32) * bound >> 32


class Settings(NamedTuple):
    """How to grow a tree."""

    n_candidates: int
    max_depth: int = -1
    least: int = 1
    is_random: bool = False
    bootstrap: bool = False
    n_draws: int = 0
    impurity: Any = gini


class Tree(NamedTuple):
    """The arrays of one tree."""

    feature: np.ndarray
    cut: np.ndarray
    missing: np.ndarray
    left: np.ndarray
    value: np.ndarray


class Grown(NamedTuple):
    """A tree, what it tells of features, and how often each row was drawn."""

    tree: Tree
    importances: np.ndarray
    times: np.ndarray


def random_split(codes, weights, positives, least, impurity, stream):
    """Draw a cut from the lowest bin on, below the highest, and a side for missing."""
    bins = sorted(set(codes.tolist()) - {MISSING})
    cut, missing_left = bins[0], 0
    if len(bins) > 1:
        cut += stream.below(bins[-1] - bins[0])
        if MISSING in codes:
            missing_left = stream.below(2)
    left = goes_left(codes, cut, missing_left)
    if not least <= left.sum() <= codes.size - least:
        return None
    # Rounded as in the engine, since equal sums of fractions may differ as floats.
    sides = (impurity(weights[side], positives[side]) for side in (left, ~left))
    return sum(float(side) for side in sides), cut, missing_left


def choose_split(codes, weights, positives, features, settings, stream):
    """Return (impurity, feature, cut, missing_left) of the best feature drawn."""
    best = None
    remaining, n_drawn, any_varies = len(features), 0, False
    while remaining and (n_drawn < settings.n_candidates or not any_varies):
        drawn = stream.below(remaining)
        remaining -= 1
        features[drawn], features[remaining] = features[remaining], features[drawn]
        feature = features[remaining]
        column = codes[:, feature]
        n_drawn += 1
        if len(set(column.tolist())) == 1:
            continue
        any_varies = True
        case = column, weights, positives, settings.least, settings.impurity
        if settings.is_random:
            split = random_split(*case, stream)
        else:
            split = min(all_splits(*case), default=None, key=lambda s: s[0])
        if split and (best is None or split[0] < best[0]):
            best = (split[0], feature, *split[1:])
            if split[0] == 0:
                break
    return best


def grow_tree(codes, weights, positives, settings, stream):
    """Grow one tree on all rows of the matrix: left subtrees first."""
    n_rows, n_features = codes.shape
    times = np.ones(n_rows, dtype=np.int64)
    if settings.bootstrap:
        draws = [stream.below(n_rows) for _ in range(settings.n_draws)]
        times = np.bincount(draws, minlength=n_rows)
    weights = weights * times
    features = list(range(n_features))
    nodes = [None]
    importances = np.zeros(n_features)

    def grow(rows, depth, here):
        w, y, column = weights[rows], positives[rows], codes[rows]
        share = w[y].sum() / w.sum() if rows.size else 0.0
        nodes[here] = [-1, MISSING, 1, here, share]  # its own left child
        if y.all() or not y.any() or depth == settings.max_depth:
            return
        if rows.size < 2 * settings.least:
            return
        split = choose_split(column, w, y, features, settings, stream)
        if split is None:
            return
        value, feature, cut, missing_left = split
        left = goes_left(column[:, feature], cut, missing_left)
        if MISSING not in column[:, feature]:
            missing_left = int(w[left].sum() >= w[~left].sum())
        decrease = float(settings.impurity(w, y)) - float(value)
        importances[feature] += 2 * decrease / weights.sum()
        child = len(nodes)
        nodes.extend([None, None])
        nodes[here] = [feature, cut, missing_left, child, share]
        grow(rows[left], depth + 1, child)
        grow(rows[~left], depth + 1, child + 1)

    grow(np.flatnonzero(weights), 0, 0)
    dtypes = (np.int32, np.uint8, np.uint8, np.int32, np.float32)
    arrays = [np.array(column, dtype) for column, dtype in zip(zip(*nodes), dtypes)]
    return Grown(Tree(*arrays), importances, times)


# Walking ----------------------------------------------------------------------------


def split_trees(roots, *arrays):
    """Cut the joined arrays of many trees into trees."""
    return [
        Tree(*(array[start:end] for array in arrays)) for start, end in pairwise(roots)
    ]


def path_of(tree, codes):
    """Return the tree nodes that one row of codes passes, the leaf last."""
    path = [0]
    while tree.feature[path[-1]] >= 0:
        here = path[-1]
        code = codes[tree.feature[here]]
        left = goes_left(code, tree.cut[here], tree.missing[here])
        path.append(int(tree.left[here]) + (0 if left else 1))
    return path


def rows_reaching(tree, codes):
    """Return the rows that pass each tree node, as a list of arrays."""
    paths = [path_of(tree, row) for row in codes]
    return [
        np.flatnonzero([node in path for path in paths])
        for node in range(tree.feature.size)
    ]


def leaf_values(tree, codes):
    """Return the value of the leaf that each row falls in."""
    return np.array([tree.value[path_of(tree, row)[-1]] for row in codes])


def mean_leaf_values(trees, codes):
    """Average the leaf values, in double precision and the order of the trees."""
    total = np.zeros(len(codes))
    for tree in trees:
        total += leaf_values(tree, codes).astype(np.float64)
    return (total / len(trees)).astype(np.float32)
