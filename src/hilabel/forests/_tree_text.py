"""A predictive clustering tree as text."""

from typing import Any

import numpy as np

from hilabel.forests._clustering_trees import ClusteringTrees
from hilabel.hierarchy import Hierarchy


def split_texts(
    trees: ClusteringTrees, place: int, names: list[str]
) -> tuple[str, str]:
    """Return the conditions for the left and right sides of a split as text.

    ``place`` is the position of the split in the arrays of all trees.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> from hilabel.forests import split_texts
    >>> X, Y = [[0.0], [0.1], [0.9], [1.0]], [[1, 0], [1, 0], [1, 1], [1, 1]]
    >>> trees = PredictiveClusteringTree(random_state=0).fit(X, Y).trees_
    >>> split_texts(trees, 0, ["price"])
    ('price <= 0.5', 'price > 0.5')
    """
    feature, cut = int(trees.feature[place]), int(trees.cut[place])
    name = names[feature]
    first, last = trees.bins.edges_ptr[feature : feature + 2]
    missing = " or missing" if trees.has_gaps[feature] else ""
    left, right = (missing, "") if trees.missing[place] else ("", missing)
    if cut >= last - first:  # beyond all edges: known values versus missing ones
        return f"{name} known", f"{name} missing"
    edge = f"{trees.bins.edges[first + cut]:.6g}"
    return f"{name} <= {edge}{left}", f"{name} > {edge}{right}"


def leaf_text(
    trees: ClusteringTrees, place: int, hierarchy: Hierarchy, max_labels: int
) -> str:
    """Return the labels of a leaf and their shares as text.

    A label is omitted if one of its descendants has the same share.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> from hilabel.forests import leaf_text
    >>> h = Hierarchy.from_edges([("food", "tea")])
    >>> X, Y = [[0.0], [0.1], [0.9], [1.0]], [[1, 0], [1, 0], [1, 1], [1, 1]]
    >>> trees = PredictiveClusteringTree(h, random_state=0).fit(X, Y).trees_
    >>> leaf_text(trees, 2, h, max_labels=3)  # right of the only split
    'tea 1'
    """
    shares = trees.leaf_shares(place)
    implied = np.zeros(shares.size, dtype=bool)
    parents, children = hierarchy.edges.T
    np.logical_or.at(implied, parents, shares[children] == shares[parents])
    shown = np.flatnonzero((shares > 0) & ~implied)
    shown = shown[np.argsort(-shares[shown], kind="stable")]
    texts = [f"{hierarchy.names[node]} {shares[node]:.3g}" for node in shown]
    if len(texts) > max_labels:
        texts[max_labels:] = [f"{len(texts) - max_labels} more"]
    return ", ".join(texts) or "no label"


def check_tree(trees: ClusteringTrees, tree: int) -> None:
    """Raise ``ValueError`` if there is no tree with this number.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> from hilabel.forests import check_tree
    >>> X, Y = [[0.0], [0.1], [0.9], [1.0]], [[1, 0], [1, 0], [1, 1], [1, 1]]
    >>> trees = PredictiveClusteringTree(random_state=0).fit(X, Y).trees_
    >>> check_tree(trees, 0)
    >>> check_tree(trees, 1)
    Traceback (most recent call last):
        ...
    ValueError: ...
    """
    if not 0 <= tree < trees.n_trees:
        raise ValueError(f"Expected a tree from 0 to {trees.n_trees - 1}, got {tree}.")


def tree_text(
    trees: ClusteringTrees,
    tree: int,
    hierarchy: Hierarchy,
    feature_names: list[str],
    max_labels: int,
) -> str:
    """Return one of the trees as indented lines of text, with one leaf per line.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> from hilabel.forests import tree_text
    >>> h = Hierarchy.from_edges([("food", "tea")])
    >>> X, Y = [[0.0], [0.1], [0.9], [1.0]], [[1, 0], [1, 0], [1, 1], [1, 1]]
    >>> trees = PredictiveClusteringTree(h, random_state=0).fit(X, Y).trees_
    >>> print(tree_text(trees, 0, h, ["price"], max_labels=3))
    all (4 rows)
    |-- price <= 0.5: food 1 (2 rows)
    |-- price > 0.5: tea 1 (2 rows)
    """
    check_tree(trees, tree)
    root = int(trees.roots[tree])
    lines: list[str] = []
    waiting: list[tuple[Any, int, str]] = [(root, 0, "")]
    while waiting:
        place, depth, condition = waiting.pop()
        rows = f"({trees.weight[place]:g} rows)"
        indent = "|   " * max(depth - 1, 0) + ("|-- " if depth else "")
        if trees.feature[place] < 0:
            labels = leaf_text(trees, place, hierarchy, max_labels)
            start = f"{condition}: " if condition else ""
            lines.append(f"{indent}{start}{labels} {rows}")
            continue
        lines.append(f"{indent}{condition or 'all'} {rows}")
        left = root + int(trees.left[place])
        texts = split_texts(trees, place, feature_names)
        waiting += [(left + 1, depth + 1, texts[1]), (left, depth + 1, texts[0])]
    return "\n".join(lines)
