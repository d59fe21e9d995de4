"""Rows and links on which views over links are compared with plain NumPy."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

seeds = st.integers(0, 9_999)


def make_links(seed, n_rows=12, n_targets=None, density=0.3):
    """Weights of links, without any in half of the rows."""
    random = np.random.default_rng(seed)
    shape = n_rows, n_rows if n_targets is None else n_targets
    weights = random.integers(1, 50, shape) * (random.random(shape) < density)
    weights[random.random(n_rows) < 0.5] = 0
    if n_targets is None:
        np.fill_diagonal(weights, 0)
    return weights.astype(float)


def make_rows(seed, n_rows=12, n_features=6):
    """Rows of a few words, some without any."""
    random = np.random.default_rng(seed + 1)
    return random.poisson(0.6, (n_rows, n_features)).astype(float)


def scaled(weights, training, log):
    """Weights relative to the median of the training links."""
    some = training[training > 0]
    relative = weights / (np.median(some) if some.size else 1)
    return np.log1p(relative) if log else relative


def shares(weights):
    totals = weights.sum(axis=1, keepdims=True)
    return weights / np.where(totals > 0, totals, 1)


def capped(rows, n):
    """The largest values of each row; ties go to the left."""
    result = np.zeros_like(rows)
    for row, kept in zip(rows, result, strict=True):
        order = np.argsort(-np.abs(row), kind="stable")[:n]
        kept[order] = row[order]
    return result


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def row_lengths(rows, training):
    """Lengths of rows, and the mean length of training rows for empty ones."""
    known = np.linalg.norm(training, axis=1)
    usual = known[known > 0].mean() if known.any() else 1.0
    lengths = np.linalg.norm(rows, axis=1)
    return np.where(lengths > 0, lengths, usual)


def as_sparse(rows):
    return sp.csr_array(rows)
