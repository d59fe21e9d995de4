import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel.datasets import HMCDataset, HMCSplits, impute
from hilabel.exceptions import DatasetFormatError

CHAIN = Hierarchy.from_edges([("a", "b")])


def dataset(X, **changes):
    X = X if sp.issparse(X) else np.asarray(X, dtype=float)
    fields = {
        "X": X,
        "Y": np.zeros((X.shape[0], 2), dtype=np.int8),
        "hierarchy": CHAIN,
        "feature_names": tuple(f"f{i}" for i in range(X.shape[1])),
        **changes,
    }
    return HMCDataset(**fields)


def test_sizes_must_agree():
    with pytest.raises(
        DatasetFormatError, match=r"Expected Y of size \(1, 2\).*\(2, 2"
    ):
        dataset([[1.0]], Y=np.zeros((2, 2), dtype=np.int8))
    with pytest.raises(DatasetFormatError, match="feature_names of size 1"):
        dataset([[1.0]], feature_names=("a", "b"))
    with pytest.raises(DatasetFormatError, match="sample_ids of size 1"):
        dataset([[1.0]], sample_ids=("a", "b"))


def test_a_data_set_tells_about_itself():
    Y = np.array([[1, 1], [-1, -1]], dtype=np.int8)
    data = dataset([[1.0], [np.nan]], Y=Y, name="toy")
    assert data.labeled.tolist() == [True, False]
    assert data.n_missing == 1
    assert data.problem_type == ("T", "SPL", "FD")
    assert repr(data).startswith("HMCDataset(toy: 2 rows, 1 labelled, 1 features")


@pytest.mark.parametrize(
    ("strategy", "expected"), [("mean", 4.0), ("median", 3.0), ("zero", 0.0)]
)
def test_imputation_learns_on_the_training_rows_alone(strategy, expected):
    train = dataset([[1.0], [3.0], [8.0], [np.nan]])
    other = dataset([[100.0], [np.nan]])
    filled = impute(HMCSplits(train, other, other), strategy)
    assert filled.train.X[3, 0] == filled.test.X[1, 0] == expected
    assert filled.test.X[0, 0] == 100.0
    assert np.isnan(train.X[3, 0])


def test_columns_without_any_value_become_zero():
    filled = impute(dataset([[np.nan, 1.0], [np.nan, 3.0]]))
    np.testing.assert_array_equal(filled.X, [[0, 1], [0, 3]])


def test_sparse_data_stay_sparse():
    X = sp.csr_array(np.array([[0.0, np.nan], [4.0, 2.0], [0.0, 0.0]]))
    filled = impute(dataset(X))
    assert isinstance(filled.X, sp.csr_array)
    np.testing.assert_array_equal(filled.X.toarray(), [[0, 1], [4, 2], [0, 0]])


def test_unknown_strategies_are_refused():
    with pytest.raises(ValueError, match="'mean', 'median' or 'zero', got 'knn'"):
        impute(dataset([[1.0]]), "knn")
