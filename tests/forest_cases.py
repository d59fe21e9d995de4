"""Problems for forests, and the forest of a single node."""

import numpy as np
from oracles import trees as oracle
from sklearn.datasets import make_classification

from hilabel.forests import ForestSettings, grow_node_forests
from hilabel.forests._grow import NodeExamples

# One tree that sees all rows and all features: nothing is left to chance but ties.
WHOLE = ForestSettings(1, max_features=None, bootstrap=False)
TREES = ("roots", "feature", "cut", "missing", "left", "value")


def grow(X, positive, how=WHOLE, *, weight=None, seed=0, **options):
    """Grow the forest of a single node that is trained on all rows."""
    positive = np.asarray(positive, dtype=bool)
    example = NodeExamples(np.arange(positive.size), positive, weight)
    return grow_node_forests(X, [example], how, seed=seed, **options)


def trees_of(forests):
    return oracle.split_trees(*(getattr(forests, name) for name in TREES))


def codes_of(forests, X):
    ((_, codes),) = forests.bins.row_blocks(X)
    return codes


def assert_equal_forests(first, second):
    for name in (*TREES, "constant"):
        found, expected = getattr(first, name), getattr(second, name)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes(), name


def overlapping_classes(seed, n_rows=200, n_features=5):
    """Return values that all differ, with classes that no shallow tree separates."""
    rng = np.random.default_rng(seed)
    # Scikit-learn works in single precision.
    X = rng.normal(size=(n_rows, n_features)).astype(np.float32).astype(np.float64)
    noise = rng.normal(scale=1.5, size=n_rows)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + noise > 0


def tie_breaking_weights(seed, n_rows=200):
    """Return uneven weights, so that no two splits are equally good by chance."""
    rng = np.random.default_rng(seed + 50)
    return rng.integers(50, 100, n_rows).astype(np.float64)


def classification(seed=0, n_rows=400, n_missing=0.0, **options):
    """Return X, y; the first half is for training."""
    options = {"n_features": 20, "n_informative": 4, "flip_y": 0.1, **options}
    X, y = make_classification(n_rows, random_state=seed, **options)
    hidden = np.random.default_rng(seed).random(X.shape) < n_missing
    return np.where(hidden, np.nan, X), y


def halves(X, y):
    half = y.size // 2
    return X[:half], y[:half], X[half:], y[half:]
