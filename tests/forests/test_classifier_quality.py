"""ForestClassifier beside scikit-learn, and on a wide sparse matrix."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from forest_cases import classification, halves
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score

from hilabel.forests import ForestClassifier


def as_counts(X):
    """Return sparse counts, as of words."""
    return sp.csr_array(np.floor(np.clip(X, 0, 5)))


def moons(seed):
    X, y = make_moons(400, noise=0.4, random_state=seed)
    return X, y


def counts(seed):
    X, y = classification(seed, n_features=60, n_informative=8)
    return as_counts(X), y


PROBLEMS = {
    "missing": lambda seed: classification(seed, n_missing=0.2),
    "rare_class": lambda seed: classification(seed, weights=[0.85]),
    "sparse_counts": counts,
    "moons": moons,
}
PAIRS = {
    "random_forest": (
        ForestClassifier(120, min_samples_leaf=2),
        RandomForestClassifier(120, min_samples_leaf=2),
    ),
    "extra_trees": (
        ForestClassifier(120, splitter="random", bootstrap=False, min_samples_leaf=2),
        ExtraTreesClassifier(120, min_samples_leaf=2),
    ),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_quality_is_that_of_scikit_learn(name, pair):
    differences, correlations = [], []
    for seed in range(5):
        X, y, X_test, y_test = halves(*PROBLEMS[name](seed))
        scores = [
            clone(model).set_params(random_state=seed).fit(X, y).predict_proba(X_test)
            for model in PAIRS[pair]
        ]
        ours, reference = (s[:, 1] for s in scores)
        differences.append(
            roc_auc_score(y_test, ours) - roc_auc_score(y_test, reference)
        )
        correlations.append(np.corrcoef(ours, reference)[0, 1])
    # Two of scikit-learn's forests that differ in their seed alone differ in AUC with
    # a deviation of .01 to .02 here: .007 for the mean of five at most, times three.
    assert abs(np.mean(differences)) < 0.02
    assert np.mean(correlations) > 0.9


def test_importances_agree_with_those_of_scikit_learn():
    X, y = classification(shuffle=False)
    ours = ForestClassifier(100, random_state=0).fit(X, y).feature_importances_
    reference = RandomForestClassifier(100, random_state=0).fit(X, y)
    assert ours.sum() == pytest.approx(1)
    assert np.corrcoef(ours, reference.feature_importances_)[0, 1] > 0.98
    assert set(ours.argsort()[-3:]) <= set(range(6))


def test_it_works_in_cross_validation():
    X, y = classification(n_missing=0.1)
    scores = cross_val_score(
        ForestClassifier(30, random_state=0), X, y, scoring="roc_auc", cv=3
    )
    assert scores.min() > 0.75


# Large and sparse -------------------------------------------------------------------


# The most memory that a process ever took never falls: a process of its own.
WIDE = """
from pathlib import Path
import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score
from hilabel.forests import ForestClassifier

def most_memory():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024

n_rows, n_features, n_stored = 1661, 47034, 470
rng = np.random.default_rng(0)
y = rng.random(n_rows) < 0.3
indices = rng.integers(0, n_features, (n_rows, n_stored))
# A tenth of what is stored for class 1 are features that stand for it.
indices[y, :47] %= 4000
data = rng.integers(1, 4, indices.size).astype(np.float64)
indptr = np.arange(0, indices.size + 1, n_stored)
X = sp.csr_array((data, indices.ravel(), indptr), shape=(n_rows, n_features))
X.sum_duplicates()
model = ForestClassifier(10, max_depth=8, random_state=0)
model.fit(X[:20, :50], y[:20]).predict(X[:20, :50])
before = most_memory()
model.fit(X, y)
scores = model.predict_proba(X)[:, 1]
print(most_memory() - before, roc_auc_score(y, scores))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_wide_sparse_matrix_is_never_laid_out():
    found = subprocess.run(
        [sys.executable, "-c", WIDE], check=True, capture_output=True, text=True
    )
    memory, quality = map(float, found.stdout.split())
    # Laid out, the matrix would take 625 MB as numbers and 78 MB as bytes; the parts
    # that are laid out for prediction are 16 MB at a time.
    assert 5e6 < memory < 120e6
    assert quality > 0.75
