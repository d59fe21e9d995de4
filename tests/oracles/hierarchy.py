"""Slow, obviously right versions of what the engine computes on hierarchies."""

import numpy as np


def ancestors(hierarchy, node):
    """All nodes above, by following every parent."""
    above = set()
    for parent in hierarchy.parents(node).tolist():
        above |= {parent} | ancestors(hierarchy, parent)
    return above


def close(labels, hierarchy):
    """Each label brings its ancestors."""
    closed = labels.copy()
    for row, node in np.argwhere(labels):
        for ancestor in ancestors(hierarchy, node):
            closed[row, ancestor] = True
    return closed


def most_specific(labels, hierarchy):
    """A label stays unless it stands above another label of its row."""
    kept = labels.copy()
    for row, node in np.argwhere(labels):
        for ancestor in ancestors(hierarchy, node):
            kept[row, ancestor] = False
    return kept


def cap_by_parents(scores, hierarchy):
    """The least score among the node and all its ancestors."""
    capped = scores.copy()
    for node in range(hierarchy.n_nodes):
        family = [node, *ancestors(hierarchy, node)]
        capped[:, node] = scores[:, family].min(axis=1)
    return capped


def raise_to_children(scores, hierarchy):
    """The largest score among the node and all its descendants."""
    raised = scores.copy()
    for node in range(hierarchy.n_nodes):
        for ancestor in ancestors(hierarchy, node):
            raised[:, ancestor] = np.maximum(raised[:, ancestor], scores[:, node])
    return raised


def keep_supported(labels, hierarchy):
    """A label stays if all its ancestors are labels."""
    kept = labels.copy()
    for node in range(hierarchy.n_nodes):
        for ancestor in ancestors(hierarchy, node):
            kept[:, node] &= labels[:, ancestor]
    return kept


def paths_to(hierarchy, node):
    """Every path from a root down to the node."""
    parents = hierarchy.parents(node).tolist()
    if not parents:
        return [[node]]
    return [[*path, node] for p in parents for path in paths_to(hierarchy, p)]
