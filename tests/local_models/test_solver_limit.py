import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from hilabel import Hierarchy
from hilabel.classifiers import FlatClassifier, LocalClassifierPerNode
from hilabel.exceptions import LabelError

# 1,500 classes of 60,000 columns: SciPy's L-BFGS would end the process.
N_CLASSES, N_COLUMNS = 1_500, 60_000


@pytest.fixture(scope="module")
def words():
    """Return rows with a word each, and their labels, one per row."""
    ones, at = np.ones(N_CLASSES), np.arange(N_CLASSES)
    X = sp.csr_array((ones, (at, at)), shape=(N_CLASSES, N_COLUMNS))
    return X, np.eye(N_CLASSES, dtype=np.int8)


def test_too_many_weights_for_a_solver_are_told(words):
    flat = Hierarchy([f"n{node}" for node in range(N_CLASSES)])
    model = FlatClassifier(flat, estimator=LogisticRegression())
    told = r"LogisticRegression would have 90,001,500 weights, .* such as saga"
    with pytest.raises(LabelError, match=told):
        model.fit(*words)


def test_each_node_alone_has_few_weights(words):
    X, Y = words
    flat = Hierarchy([f"n{node}" for node in range(3)])
    model = LocalClassifierPerNode(flat, estimator=LogisticRegression(max_iter=2))
    with pytest.warns(Warning, match="converge"):
        model.fit(X[:9], Y[:9, :3])
    assert model.predict_proba(X[:9]).shape == (9, 3)
