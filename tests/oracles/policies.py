"""Positive and negative examples of a node, looked for row by row."""

import numpy as np

from oracles.hierarchy import ancestors, most_specific


def examples(policy, Y, hierarchy, node):
    """Return (positive, negative) rows as lists; balanced negatives by row number."""
    rows = range(len(Y))
    parents = set(hierarchy.parents(node).tolist())
    beside = set(hierarchy.siblings(node).tolist())
    above = ancestors(hierarchy, node)
    labels = [set(np.flatnonzero(row).tolist()) for row in Y]
    ends = [set(np.flatnonzero(row).tolist()) for row in most_specific(Y, hierarchy)]
    positive = [row for row in rows if node in labels[row]]
    others = [row for row in rows if node not in labels[row]]
    if policy == "exclusive":
        positive = [row for row in rows if node in ends[row]]
        others = [row for row in rows if node not in ends[row]]
        return positive, [row for row in others if ends[row] & beside]
    if policy == "balanced_bottom_up":
        depth = [
            max([int(hierarchy.depth[a]) for a in labels[row] & above], default=0)
            for row in rows
        ]
        nearest = sorted(others, key=lambda row: -depth[row])
        return positive, sorted(nearest[: max(1, len(positive))])
    allowed = {
        "less_inclusive": lambda row: True,
        "inclusive": lambda row: not labels[row] & above,
        "siblings": lambda row: bool(labels[row] & beside),
        "within_parents": lambda row: not parents or bool(labels[row] & parents),
    }[policy]
    return positive, [row for row in others if allowed(row)]
