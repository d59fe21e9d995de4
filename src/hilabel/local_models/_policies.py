"""Policies: which rows are positives and which are negatives of a node.

A policy is a pure function ``policy(Y, hierarchy, node)`` of closed labels, a bool
array of shape (n_samples, n_nodes). It returns two ascending arrays of row numbers.
Estimators accept any function of this form.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np
from sklearn.utils import check_random_state

from hilabel._typing import BoolArray, IntArray
from hilabel.hierarchy import Hierarchy

# Levels above a node that are checked one by one.
_NEAR_LEVELS: Final = 20

Examples = tuple[IntArray, IntArray]
Policy = Callable[[BoolArray, Hierarchy, int], Examples]


def less_inclusive(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Examples:
    """Use all rows without the label as negatives.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import less_inclusive
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    >>> less_inclusive(Y, h, h.node("b"))
    (array([0]), array([1, 2, 3]))
    """
    has = Y[:, node]
    return np.flatnonzero(has), np.flatnonzero(~has)


def inclusive(
    Y: BoolArray,
    hierarchy: Hierarchy,
    node: int,
    ancestors: Literal["any", "most_specific"] = "any",
) -> Examples:
    """Use the rows with neither the label nor one of its ancestors as negatives.

    With ``ancestors="most_specific"``, another interpretation of the rule, only rows
    that *end* at an ancestor are excluded.
    """
    has = Y[:, node]
    above = hierarchy.ancestors(node)
    if ancestors == "any":
        barred = Y[:, above].any(axis=1)
    else:
        barred = hierarchy.most_specific(Y)[:, above].any(axis=1)
    return np.flatnonzero(has), np.flatnonzero(~has & ~barred)


def siblings(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Examples:
    """Use the rows with a sibling of the label, but without it, as negatives."""
    has = Y[:, node]
    beside = Y[:, hierarchy.siblings(node)].any(axis=1)
    return np.flatnonzero(has), np.flatnonzero(~has & beside)


def within_parents(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Examples:
    """Use the rows with a parent of the label, but without it, as negatives.

    These include all negatives of :func:`siblings`, and also the rows that end at a
    parent. For a root, all rows are used. So the classifiers of a tree estimate the
    probability of a node given its parent.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import within_parents
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    >>> within_parents(Y, h, h.node("b"))
    (array([0]), array([1, 2]))
    """
    has = Y[:, node]
    parents = hierarchy.parents(node)
    within = Y[:, parents].any(axis=1) if parents.size else np.ones_like(has)
    return np.flatnonzero(has), np.flatnonzero(~has & within)


def exclusive(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Examples:
    """Use rows that end at the node as positives, at a sibling as negatives.

    Silla and Freitas call this "exclusive siblings". A row that ends at both is
    positive.
    """
    ends = _ends_at(Y, hierarchy, node)
    beside = np.zeros_like(ends)
    for sibling in hierarchy.siblings(node):
        beside |= _ends_at(Y, hierarchy, sibling)
    return np.flatnonzero(ends), np.flatnonzero(beside & ~ends)


def balanced_bottom_up(
    Y: BoolArray,
    hierarchy: Hierarchy,
    node: int,
    order: str = "index",
    random_state: Any = None,
) -> Examples:
    """Use at most as many negatives as positives, nearest relatives first.

    Negatives under the deepest ancestors come first (including rows that end at the
    parent), then those under higher ancestors, then any others.

    Parameters
    ----------
    Y, hierarchy, node
        As for every policy.
    order : {"index", "authors", "random"}, default="index"
        The order of equally related rows: by row number; in the order in which CPython
        iterates over a set of the row numbers, which the published scores depend on; or
        random.
    random_state : int, RandomState or None
        For ``order="random"``.
    """
    has = Y[:, node]
    positive = np.flatnonzero(has)
    # Once all other rows are used, more pools add nothing.
    wanted = min(max(1, positive.size), has.size - positive.size)
    taken = np.zeros(has.size, dtype=bool)
    generator = check_random_state(random_state) if order == "random" else None
    # A root has a single pool, which the published scores use in index order.
    if order == "authors" and hierarchy.parents(node).size == 0:
        order = "index"
    for pool in _pools(Y, hierarchy, node):
        missing = wanted - int(taken.sum())
        if missing <= 0:
            break
        candidates = np.flatnonzero(pool & ~has)
        ranked = _ranked(candidates, taken, order, generator)
        taken[ranked[:missing]] = True
    return positive, np.flatnonzero(taken)


def _pools(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Any:
    """Yield masks of related rows, closest relatives first; the last is all rows."""
    above = hierarchy.ancestors(node)
    depths = hierarchy.depth[above]
    parents_depth = int(hierarchy.depth[node]) - 1
    for depth in range(parents_depth, max(0, parents_depth - _NEAR_LEVELS), -1):
        yield Y[:, above[depths == depth]].any(axis=1)
    # In a deep hierarchy, few of the other levels add a row.
    far = depths <= parents_depth - _NEAR_LEVELS
    for depth in _levels_met(Y[~Y[:, node]], above[far], depths[far]):
        yield Y[:, above[depths == depth]].any(axis=1)
    yield np.ones(Y.shape[0], dtype=bool)


def _levels_met(Y: BoolArray, nodes: IntArray, depths: IntArray) -> IntArray:
    """Return the depths of the deepest node of each row, in descending order."""
    if not nodes.size or not Y.shape[0]:
        return np.empty(0, dtype=np.int64)
    order = np.argsort(-depths)
    has = Y[:, nodes[order]]
    met = depths[order][has.argmax(axis=1)]  # the first that is True
    return np.unique(met[has.any(axis=1)])[::-1]


def _ranked(
    candidates: IntArray,
    taken: BoolArray,
    order: str,
    generator: np.random.RandomState | None,
) -> IntArray:
    if order == "authors":
        # The published scores depend on set subtraction and iteration order. It is the
        # order of the hash table, the same in all CPython versions so far.
        left = set(candidates.tolist()) - set(np.flatnonzero(taken).tolist())
        return np.array(list(left), dtype=np.int64)
    left_over = candidates[~taken[candidates]]
    return left_over if generator is None else generator.permutation(left_over)


def _ends_at(Y: BoolArray, hierarchy: Hierarchy, node: int) -> BoolArray:
    return np.asarray(Y[:, node] & ~Y[:, hierarchy.children(node)].any(axis=1))


POLICIES: dict[str, Policy] = {
    "less_inclusive": less_inclusive,
    "inclusive": inclusive,
    "siblings": siblings,
    "within_parents": within_parents,
    "exclusive": exclusive,
    "balanced_bottom_up": balanced_bottom_up,
}
"""The policies by name, as used by the estimators."""
