"""PCNB and PCEM by loops over rows, levels, words and leaves."""

import numpy as np


def class_at_level(hierarchy, leaf, level):
    """Return the node of a leaf's path at a level, the leaf itself below its depth."""
    path = [*sorted(hierarchy.ancestors(leaf), key=lambda n: hierarchy.depth[n]), leaf]
    return int(path[min(level, len(path)) - 1])


def path_score(hierarchy, row_leaf, leaf, path_weight):
    """Return s(x, c) of a row that has ``row_leaf``."""
    return sum(
        path_weight ** (level - 1)
        for level in range(1, hierarchy.max_depth + 1)
        if class_at_level(hierarchy, row_leaf, level)
        == class_at_level(hierarchy, leaf, level)
    )


def pcnb_parameters(X, row_leaves, hierarchy, path_weight=1.0, kept=None):
    """Return (prior, words): probabilities of leaves, and of words in each leaf."""
    scores = np.array(
        [
            [path_score(hierarchy, own, leaf, path_weight) for leaf in hierarchy.leaves]
            for own in row_leaves
        ]
    )
    return normalized(*raw_counts(X, scores), kept)


def raw_counts(X, scores):
    leaf_counts = [sum(column) for column in scores.T]
    word_counts = [
        [sum(X[i][t] * scores[i][c] for i in range(len(X))) for t in range(X.shape[1])]
        for c in range(scores.shape[1])
    ]
    return np.array(leaf_counts), np.array(word_counts)


def normalized(leaf_counts, word_counts, kept=None):
    if kept is not None:
        word_counts = word_counts[:, kept]
    prior = (leaf_counts + 1) / (leaf_counts.sum() + len(leaf_counts))
    words = np.array(
        [(row + 1) / (row.sum() + word_counts.shape[1]) for row in word_counts]
    )
    return prior, words


def posterior(X, prior, words):
    """Return P(leaf | words), by products of probabilities."""
    likelihood = np.array(
        [[p * np.prod(w**row) for p, w in zip(prior, words)] for row in X]
    )
    return likelihood / likelihood.sum(axis=1, keepdims=True), likelihood


def pcem(X, row_leaves, U, hierarchy, weight="posterior", max_iter=50, tol=1e-3):
    """Return (prior, words, log-likelihoods) of expectation maximisation."""
    leaves = [int(leaf) for leaf in hierarchy.leaves]
    own = [leaves.index(leaf) for leaf in row_leaves]
    scores = np.array(
        [[path_score(hierarchy, a, b, 1.0) for b in leaves] for a in leaves]
    )
    labeled = raw_counts(X, scores[own])
    prior, words = normalized(*labeled)
    before, history = -1.7e38, []
    for _ in range(max_iter):
        P, likelihood = posterior(U, prior, words)
        _, labeled_likelihood = posterior(X, prior, words)
        value = np.log(likelihood.sum(axis=1)).sum()
        value += sum(np.log(labeled_likelihood[i, c]) for i, c in enumerate(own))
        history.append(value)
        if (value - before) / (abs(before) + 1e-12) < tol:
            break
        # A row that has each leaf in part has in part the scores of each.
        unlabeled = raw_counts(U, P if weight == "posterior" else P @ scores)
        prior, words = normalized(labeled[0] + unlabeled[0], labeled[1] + unlabeled[1])
        before = value
    return prior, words, history
