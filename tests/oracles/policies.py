"""Positive and negative examples of a node, looked for row by row."""

import numpy as np

from oracles.hierarchy import ancestors, most_specific


def examples(policy, Y, hierarchy, node, order="index"):
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
        return positive, [row for row in others if ends[row] & beside]
    if policy == "balanced_bottom_up" and order == "siblings_first":
        steps = generations(labels, hierarchy, node)
        nearest = sorted(others, key=lambda row: steps[row])
        return positive, sorted(nearest[: max(1, len(positive))])
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


def generations(labels, hierarchy, node):
    """Return how many steps above the node the nearest sibling in each row is."""
    steps = [hierarchy.n_nodes + 1 for _ in labels]
    step, here = 1, {node}
    while here:
        beside = {s for n in here for s in hierarchy.siblings(n).tolist()}
        steps = [
            min(old, step) if row & beside else old
            for old, row in zip(steps, labels, strict=True)
        ]
        here = {p for n in here for p in hierarchy.parents(n).tolist()}
        step += 1
    return steps
