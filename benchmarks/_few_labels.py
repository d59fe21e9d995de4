"""Several kinds of data with few labelled rows, drawn again for every seed.

Seeds from ``DEVELOPMENT`` are for development; smaller seeds are for reports. Their
data do not overlap: for development, the synthetic sets have other parameters, the
digits are other images, and the test rows are training rows of the Gene Ontology sets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import (
    load_digits,
    make_classification,
    make_multilabel_classification,
)

from benchmarks._data import go_rows
from benchmarks.digits_images import EDGES, columns_of_digits
from hilabel import UNLABELED, Hierarchy

DEVELOPMENT = 100
GO_SETS = (
    "cellcycle",
    "church",
    "derisi",
    "eisen",
    "expr",
    "gasch1",
    "gasch2",
    "pheno",
    "seq",
    "spo",
)


@dataclass(frozen=True)
class Rows:
    """Training rows, most of them unlabelled, and test rows."""

    hierarchy: Hierarchy
    X: Any
    Y: Any
    X_test: Any
    Y_test: Any

    @property
    def labeled(self) -> tuple[Any, Any]:
        """The labelled rows.

        Labels are int64: with int8, scikit-learn's ``LabelBinarizer`` mixes up the
        columns if there are more than 127.
        """
        known = (self.Y != UNLABELED).any(axis=1)
        return self.X[known], self.Y[known].astype(np.int64)


def _split(hierarchy: Hierarchy, X: Any, Y: Any, sizes: Any, rng: Any) -> Rows:
    """Draw labelled rows and test rows; sizes are (labelled, train, test)."""
    n_labeled, n_train, n_test = sizes
    order = rng.permutation(len(Y))
    train, test = order[:n_train], order[n_train : n_train + n_test]
    hidden = Y[train].astype(np.int8)
    hidden[n_labeled:] = UNLABELED
    return Rows(hierarchy, X[train], hidden, X[test], Y[test])


def genes(name: str, seed: int) -> Rows:
    """A Gene Ontology set, 10 % of the training rows labelled."""
    if seed < DEVELOPMENT:
        X, Y, X_test, Y_test, hierarchy = go_rows(
            name, 0.1, keep_unlabeled=True, random_state=seed
        )
        return Rows(hierarchy, X, Y, X_test, Y_test)
    X, Y, _, _, hierarchy = go_rows(name, 1.0)
    n_train = 2 * len(X) // 3
    sizes = len(X) // 10, n_train, len(X) - n_train
    return _split(hierarchy, X, Y, sizes, np.random.default_rng(seed))


def digits(n_labeled: int, seed: int) -> Rows:
    """Images of digits with a hierarchy of their shapes."""
    X, numbers = load_digits(return_X_y=True)
    half = slice(0, None, 2) if seed < DEVELOPMENT else slice(1, None, 2)
    X, numbers = X[half], numbers[half]
    hierarchy = Hierarchy.from_edges(EDGES)
    Y = np.zeros((len(X), hierarchy.n_nodes), np.int8)
    Y[np.arange(len(X)), columns_of_digits(hierarchy)[numbers]] = 1
    sizes = n_labeled, 600, len(X) - 600
    return _split(hierarchy, X, hierarchy.close(Y), sizes, np.random.default_rng(seed))


def _under_paths(classes: Any, levels: tuple[int, ...]) -> tuple[Hierarchy, Any]:
    """Add levels of parents to classes, with a given number of children per level."""
    edges, width, names = [], 1, {}
    n_classes = int(classes.max()) + 1
    below = [f"0:{number}" for number in range(n_classes)]
    for level, size in enumerate(levels, start=1):
        width *= size
        above = [f"{level}:{number // width}" for number in range(n_classes)]
        edges += sorted(set(zip(above, below)))
        below = above
    hierarchy = Hierarchy.from_edges(edges)
    names = [hierarchy.node(f"0:{number}") for number in range(n_classes)]
    Y = np.zeros((len(classes), hierarchy.n_nodes), np.int8)
    Y[np.arange(len(classes)), np.array(names)[classes]] = 1
    return hierarchy, hierarchy.close(Y)


def clusters(seed: int) -> Rows:
    """Twelve classes of two clusters each, with columns of noise."""
    X, classes = make_classification(
        2500,
        n_features=20,
        n_informative=8,
        n_redundant=4,
        n_classes=12,
        n_clusters_per_class=2,
        class_sep=1.5,
        random_state=seed,
    )
    hierarchy, Y = _under_paths(classes, (3,))
    return _split(hierarchy, X, Y, (150, 1500, 1000), np.random.default_rng(seed))


def words(seed: int) -> Rows:
    """60 classes of short texts over 1,000 words, as counts in a sparse matrix."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(60, size=1800)
    shares = 0.7 * rng.dirichlet(np.full(1000, 0.3))
    for size in (12, 3, 1):
        own = rng.dirichlet(np.full(1000, 0.02), size=60 // size)
        shares = shares + 0.1 * own[classes // size]
    counts = [rng.multinomial(60, share / share.sum()) for share in shares]
    hierarchy, Y = _under_paths(classes, (3, 4))
    X = sp.csr_array(np.array(counts, np.float64))
    return _split(hierarchy, X, Y, (150, 1200, 600), rng)


def topics(seed: int) -> Rows:
    """Texts of one to four of 40 topics; 1 where a word occurs, in a dense matrix."""
    rng = np.random.default_rng(seed)
    usual = rng.dirichlet(np.full(500, 0.3))
    own = rng.dirichlet(np.full(500, 0.03), size=40)
    often = rng.dirichlet(np.full(40, 0.7))
    has = np.zeros((1500, 40), np.int8)
    X = np.zeros((1500, 500))
    for row in range(1500):
        picked = rng.choice(40, 1 + rng.binomial(3, 0.4), replace=False, p=often)
        has[row, picked] = 1
        share = 0.6 * usual + 0.4 * own[picked].mean(axis=0)
        X[row] = rng.multinomial(rng.integers(30, 120), share / share.sum()) > 0
    hierarchy, leaves = _under_paths(np.arange(40), (5, 2))
    Y = (has @ leaves > 0).astype(np.int8)
    return _split(hierarchy, X, Y, (100, 1000, 500), rng)


def shapes(seed: int) -> Rows:
    """200 classes in 40 groups, with 60 skewed, dependent features."""
    rng = np.random.default_rng(seed)
    often = rng.dirichlet(np.full(200, 1.5))
    classes = rng.choice(200, 1800, p=often)
    groups, own = rng.normal(size=(40, 12)), rng.normal(size=(200, 12))
    hidden = groups[classes // 5] + 0.5 * own[classes]
    hidden += 0.35 * rng.normal(size=hidden.shape)
    X = hidden @ rng.normal(size=(12, 60)) / 3 + 0.5 * rng.normal(size=(1800, 60))
    scale = np.exp(rng.normal(scale=2, size=60))
    X = np.where(np.arange(60) % 3 == 0, np.exp(X), X) * scale
    hierarchy, Y = _under_paths(classes, (5,))
    return _split(hierarchy, X, Y, (150, 1200, 600), rng)


def images(seed: int) -> Rows:
    """Histograms with 80 bins for 40 classes, each on several curved surfaces."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(40, size=2300)
    piece = 3 * classes + rng.integers(3, size=2300)
    centers, sheets = rng.normal(size=(120, 10)), rng.normal(size=(120, 2, 10))
    groups = rng.normal(size=(10, 10))
    along = rng.uniform(-1, 1, size=(2300, 1, 2))
    hidden = centers[piece] + 0.7 * groups[classes // 4]
    hidden += (along @ sheets[piece])[:, 0]
    X = np.maximum(np.sin(hidden @ rng.normal(size=(10, 80)) / 2), 0)
    X += 0.1 * rng.random(X.shape)
    X /= X.sum(axis=1, keepdims=True)
    hierarchy, Y = _under_paths(classes, (4,))
    return _split(hierarchy, X, Y, (150, 1500, 800), rng)


def sums(seed: int) -> Rows:
    """Counts as sums over the labels of a row: make_multilabel_classification."""
    X, leaves = make_multilabel_classification(
        2000, n_features=30, n_classes=16, n_labels=3, random_state=seed
    )
    hierarchy, under = _under_paths(np.arange(16), (4,))
    Y = (leaves @ under > 0).astype(np.int8)
    return _split(hierarchy, X, Y, (100, 1000, 1000), np.random.default_rng(seed))


SETS: dict[str, Callable[[int], Rows]] = {
    "digits, 30 labelled": partial(digits, 30),
    "digits, 120 labelled": partial(digits, 120),
    "clusters": clusters,
    "words": words,
    "topics": topics,
    "shapes": shapes,
    "images": images,
    "sums": sums,
    **{f"{name}_GO": partial(genes, name) for name in GO_SETS},
}
