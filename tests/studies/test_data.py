"""Data of studies: prepared by what the training rows show, known by their hash."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel.datasets import HMCDataset, HMCSplits
from hilabel.studies import DatasetSpec, Preprocessing
from hilabel.studies._data import dataset_hash, load_dataset, prepare

SPEC = DatasetSpec(
    "made", "synthetic", (("n_nodes", 6), ("n_samples", 41), ("random_state", 0))
)


def splits_of(*matrices):
    hierarchy = Hierarchy.from_edges([("a", "b")])
    return HMCSplits(
        *(
            HMCDataset(
                X,
                np.ones((X.shape[0], 2), dtype=np.int8),
                hierarchy,
                tuple(f"x{i}" for i in range(X.shape[1])),
            )
            for X in matrices
        )
    )


def test_rows_made_in_code_are_divided_without_loss():
    splits = load_dataset(SPEC)
    assert [part.n_samples for part in splits] == [20, 10, 11]
    assert splits.hierarchy.n_nodes == 6


@pytest.mark.parametrize(
    ("share", "sizes"), [(1 / 3, [20, 10, 11]), (0.2, [25, 6, 10]), (0.5, [15, 15, 11])]
)
def test_the_share_of_validation_rows_leaves_the_test_rows(share, sizes):
    options = (*SPEC.options, ("valid_fraction", share))
    splits = load_dataset(replace(SPEC, options=options))
    assert [part.n_samples for part in splits] == sizes
    together = np.concatenate([part.X for part in splits])
    whole = np.concatenate([part.X for part in load_dataset(SPEC)])
    np.testing.assert_array_equal(together, whole)


def test_without_a_file_to_validate_on_training_rows_are_set_aside(tmp_path):
    head = "@RELATION r\n@ATTRIBUTE x numeric\n"
    head += "@ATTRIBUTE class hierarchical root/a,root/b\n@DATA\n"
    rows = [f"{number},{'ab'[number % 2]}" for number in range(30)]
    (tmp_path / "train").write_text(head + "\n".join(rows))
    (tmp_path / "test").write_text(head + "99,a\n")
    options = (("test", "test"), ("train", "train"))
    spec = DatasetSpec("mine", "arff", options, tmp_path)
    splits = load_dataset(spec)
    assert [part.n_samples for part in splits] == [20, 10, 1]
    together = np.concatenate([splits.train.X, splits.valid.X])
    assert sorted(together.ravel()) == list(range(30))
    assert list(splits.valid.Y.sum(axis=0)) == [10, 5, 5][-splits.valid.Y.shape[1] :]
    assert dataset_hash(splits) == dataset_hash(load_dataset(spec))


def test_only_training_rows_decide_how_features_are_filled_and_scaled():
    train, valid, test = (
        np.array([[1.0], [3.0], [np.nan]]),
        np.array([[np.nan]]),
        np.array([[9.0]]),
    )
    splits = prepare(splits_of(train, valid, test), Preprocessing("mean", "standard"))
    # Filled with 2, the training rows have mean 2 and variance 2/3.
    np.testing.assert_allclose(splits.valid.X, [[0.0]])
    np.testing.assert_allclose(splits.test.X, [[7 / np.sqrt(2 / 3)]])
    ranged = prepare(splits_of(train, valid, test), Preprocessing("zero", "minmax"))
    np.testing.assert_allclose(ranged.test.X, [[3.0]])


def test_gaps_can_be_kept():
    splits = splits_of(*(np.array([[np.nan], [1.0]]) for _ in range(3)))
    assert prepare(splits, Preprocessing("none")).train.n_missing == 1


@pytest.mark.parametrize("scaling", ["none", "standard", "minmax"])
def test_sparse_features_stay_sparse(scaling):
    X = sp.csr_array(np.array([[0.0, 2.0], [4.0, 0.0], [0.0, 0.0]]))
    prepared = prepare(splits_of(X, X, X), Preprocessing("mean", scaling))
    assert sp.issparse(prepared.test.X)
    assert prepared.test.X.nnz == 2


def test_the_hash_is_that_of_the_content():
    first = dataset_hash(load_dataset(SPEC))
    assert first == dataset_hash(load_dataset(replace(SPEC, name="other")))
    splits = load_dataset(SPEC)
    X, Y = splits.test.X.copy(), splits.test.Y.copy()
    X[-1, -1] = np.nextafter(X[-1, -1], np.inf)
    assert dataset_hash(replace(splits, test=replace(splits.test, X=X))) != first
    Y[0, 0] = 1 - Y[0, 0]
    assert dataset_hash(replace(splits, test=replace(splits.test, Y=Y))) != first
