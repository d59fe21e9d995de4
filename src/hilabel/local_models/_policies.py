"""Policies that decide which rows are positive and which are negative for a node.

A policy is a pure function ``policy(Y, hierarchy, node)`` of closed labels, a bool
array of shape (n_samples, n_nodes). It returns two ascending arrays of row numbers.
Estimators accept any function of this form.

The policies in this module also accept :class:`Relatives`, which many nodes can share.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from hilabel._typing import BoolArray, IntArray
from hilabel.hierarchy import Hierarchy
from hilabel.local_models._relatives import Relatives

Examples = tuple[IntArray, IntArray]
"""The rows that are positive and those that are negative examples of a node.

Examples
--------
>>> from hilabel import Hierarchy
>>> from hilabel.local_models import Examples, siblings
>>> import numpy as np
>>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
>>> Y = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)
>>> examples: Examples = siblings(Y, h, 1)
>>> examples
(array([0]), array([1]))
"""
Policy = Callable[[BoolArray, Hierarchy, int], Examples]
NEGATIVES_ORDERS = ("index", "siblings_first", "authors", "random")
"""The orders in which :func:`balanced_bottom_up` uses negatives.

Examples
--------
>>> from hilabel.local_models import NEGATIVES_ORDERS
>>> NEGATIVES_ORDERS[0]
'index'
"""


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
    return _less_inclusive(Relatives(Y, hierarchy), node)


def inclusive(
    Y: BoolArray,
    hierarchy: Hierarchy,
    node: int,
    ancestors: Literal["any", "most_specific"] = "any",
) -> Examples:
    """Use the rows with neither the label nor one of its ancestors as negatives.

    With ``ancestors="most_specific"``, another interpretation of the rule, only rows
    that *end* at an ancestor are excluded.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import inclusive
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    >>> inclusive(Y, h, 1)  # rows with the parent a are left out
    (array([0]), array([3]))
    """
    if ancestors == "any":
        return _inclusive(Relatives(Y, hierarchy), node)
    has = Y[:, node]
    barred = hierarchy.most_specific(Y)[:, hierarchy.ancestors(node)].any(axis=1)
    return np.flatnonzero(has), np.flatnonzero(~has & ~barred)


def siblings(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Examples:
    """Use the rows with a sibling of the label, but not the label itself, as negatives.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import siblings
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    >>> siblings(Y, h, 1)  # a row that ends at a is not used
    (array([0]), array([1]))
    """
    return _siblings(Relatives(Y, hierarchy), node)


def within_parents(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Examples:
    """Use the rows with a parent of the label, but not the label itself, as negatives.

    These include all negatives of :func:`siblings`, and also the rows that end at a
    parent. For a root, all rows without it are negatives. In a tree, the classifiers
    therefore estimate the probability of a node given its parent.

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
    return _within_parents(Relatives(Y, hierarchy), node)


def exclusive(Y: BoolArray, hierarchy: Hierarchy, node: int) -> Examples:
    """Use rows that end at the node as positives and those at a sibling as negatives.

    Silla and Freitas call this "exclusive siblings". As in every policy, a row that has
    the node is never a negative: a row that ends at both is positive, and one that ends
    at a sibling and, along another path, below the node is not used.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import exclusive
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    >>> exclusive(Y, h, 1)
    (array([0]), array([1]))
    """
    return _exclusive(Relatives(Y, hierarchy), node)


def balanced_bottom_up(
    Y: BoolArray,
    hierarchy: Hierarchy,
    node: int,
    order: str = "index",
    random_state: Any = None,
) -> Examples:
    """Use at most as many negatives as positives, nearest relatives first.

    The paper takes them "first from its siblings, then from uncles and so on", which
    can be read in two ways; see ``order``. Rows without any relative come last.

    Parameters
    ----------
    Y, hierarchy, node
        As for every policy.
    order : {"index", "siblings_first", "authors", "random"}, default="index"
        Which negatives come first. ``"siblings_first"`` follows the paper's text: rows
        with a sibling of the node, under any parent, then rows with a sibling of a
        parent, of a grandparent and so on, then all others, each by row number. The
        other three follow the program of the paper's authors: rows under the deepest
        ancestor of the node come first, including rows that end at a parent. Rows under
        the same ancestor are used by row number (``"index"``), in the order in which
        CPython iterates over a set of the row numbers, which the published scores
        depend on (``"authors"``), or at random (``"random"``).
    random_state : int, RandomState or None
        Seed for ``order="random"``.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import balanced_bottom_up
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    >>> balanced_bottom_up(Y, h, 1)  # one positive, so one negative
    (array([0]), array([1]))
    """
    if order not in NEGATIVES_ORDERS:
        offered = ", ".join(map(repr, NEGATIVES_ORDERS))
        raise ValueError(f"Expected order to be one of {offered}, got {order!r}.")
    return _balanced_bottom_up(Relatives(Y, hierarchy), node, order, random_state)


def _less_inclusive(relatives: Relatives, node: int) -> Examples:
    has = relatives.has(node)
    return np.flatnonzero(has), np.flatnonzero(~has)


def _inclusive(relatives: Relatives, node: int) -> Examples:
    has = relatives.has(node)
    barred = relatives.nearest_level(node) > 0
    return np.flatnonzero(has), np.flatnonzero(~has & ~barred)


def _siblings(relatives: Relatives, node: int) -> Examples:
    has = relatives.has(node)
    return np.flatnonzero(has), np.flatnonzero(~has & relatives.has_sibling(node))


def _within_parents(relatives: Relatives, node: int) -> Examples:
    has = relatives.has(node)
    return np.flatnonzero(has), np.flatnonzero(~has & relatives.has_parent(node))


def _exclusive(relatives: Relatives, node: int) -> Examples:
    has, beside = relatives.has(node), relatives.ends_at_sibling(node)
    return np.flatnonzero(relatives.ends(node)), np.flatnonzero(~has & beside)


def _balanced_bottom_up(
    relatives: Relatives, node: int, order: str, random_state: Any
) -> Examples:
    has = relatives.has(node)
    positive, others = np.flatnonzero(has), np.flatnonzero(~has)
    wanted = min(max(1, positive.size), others.size)
    if order == "siblings_first":
        nearest_first = np.argsort(relatives.generation(node)[others], kind="stable")
        return positive, np.sort(others[nearest_first[:wanted]])
    levels = relatives.nearest_level(node)[others]
    nearest_first = np.argsort(~levels, kind="stable")  # ~ reverses the order
    # A root has a single pool, which is used by index for the published scores.
    if order == "index" or (order == "authors" and relatives.is_root(node)):
        return positive, np.sort(others[nearest_first[:wanted]])
    generator = check_random_state(random_state) if order == "random" else None
    ends = np.flatnonzero(np.diff(levels[nearest_first])) + 1
    taken: list[int] = []
    start = 0
    for end in [*ends.tolist(), others.size]:
        if len(taken) >= wanted:
            break
        if generator is None:
            pool = _in_order_of_sets(others[nearest_first[:end]], taken)
        else:
            pool = generator.permutation(others[nearest_first[start:end]]).tolist()
        taken += pool[: wanted - len(taken)]
        start = end
    return positive, np.sort(np.array(taken, dtype=np.int64))


def _in_order_of_sets(candidates: IntArray, taken: list[int]) -> list[int]:
    """Return the remaining rows in the order on which the published scores depend.

    It is the order of the hash table after one set is subtracted from another, which is
    the same in all CPython versions so far.
    """
    return list(set(np.sort(candidates).tolist()) - set(taken))


POLICIES: dict[str, Policy] = {
    "less_inclusive": less_inclusive,
    "inclusive": inclusive,
    "siblings": siblings,
    "within_parents": within_parents,
    "exclusive": exclusive,
    "balanced_bottom_up": balanced_bottom_up,
}
"""The policies by name: which rows are positive and negative examples of a node.

Examples
--------
>>> from hilabel.local_models import POLICIES
>>> sorted(POLICIES)
['balanced_bottom_up', 'exclusive', 'inclusive', 'less_inclusive', 'siblings',
'within_parents']
"""

_OF_RELATIVES: list[tuple[Any, Callable[..., Examples]]] = [
    (less_inclusive, _less_inclusive),
    (inclusive, _inclusive),
    (siblings, _siblings),
    (within_parents, _within_parents),
    (exclusive, _exclusive),
    (balanced_bottom_up, _balanced_bottom_up),
]


def of_relatives(policy: Any) -> Callable[..., Examples] | None:
    """Return the version of a policy that accepts ``Relatives``.

    A user's policy has no such version; None is returned for it.
    """
    return next((form for own, form in _OF_RELATIVES if own is policy), None)
