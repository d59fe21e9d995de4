"""CHMCNN: bits, consistent scores, excluded nodes, and bad input."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel.classifiers import CHMCNN
from hilabel.constraints import raise_to_children
from hilabel.exceptions import HierarchyError
from hilabel.metrics import average_precision

H = Hierarchy.from_dict({"a": ["b", "c"], "d": []})


def network(**parameters):
    """Return a network of one size for most tests, so that little is compiled."""
    settings = {"n_hidden": 8, "n_layers": 2, "n_epochs": 2, "random_state": 0}
    return CHMCNN(H, **settings | parameters)


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).normal(size=(60, 4))
    return X, H.close(np.column_stack([X[:, 0] > -2, X[:, 0] > 0, X[:, 1:3] > 0]))


def test_the_same_seed_gives_the_same_bits_and_another_does_not(rows):
    first, second = network().fit(*rows), network().fit(*rows)
    scores = first.predict_proba(rows[0])
    np.testing.assert_array_equal(scores, second.predict_proba(rows[0]))
    np.testing.assert_array_equal(scores, first.fit(*rows).predict_proba(rows[0]))
    other = network(random_state=1).fit(*rows)
    assert (other.predict_proba(rows[0]) != scores).any()


def test_a_row_is_scored_the_same_alone_and_among_many(rows):
    model = network().fit(*rows)
    together = model.predict_proba(rows[0])
    alone = np.vstack([model.predict_proba(row[None]) for row in rows[0]])
    np.testing.assert_array_equal(alone, together)


def test_sparse_rows_give_the_bits_of_dense_ones(rows):
    X, Y = rows
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense, sparse = network().fit(X, Y), network().fit(sp.csr_array(X), Y)
    np.testing.assert_array_equal(
        sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X)
    )


def test_labels_are_learned_and_a_node_scores_the_maximum_of_its_descendants(rows):
    X, Y = rows
    model = network(n_epochs=40, learning_rate=0.01).fit(X, Y)
    scores = model.predict_proba(X)
    np.testing.assert_array_equal(scores, raise_to_children(scores, H))
    assert average_precision(Y, scores) > 0.9


def test_excluded_nodes_teach_nothing_but_are_scored(rows):
    X, Y = rows
    otherwise = Y.copy()
    otherwise[:, 3] = ~otherwise[:, 3]
    for excluded, is_same in [(["d"], True), ((), False)]:
        one, other = (
            network(excluded=excluded).fit(X, labels).predict_proba(X)
            for labels in (Y, otherwise)
        )
        assert np.array_equal(one, other) == is_same


def test_excluding_all_nodes_or_unknown_ones_is_an_error(rows):
    with pytest.raises(ValueError, match="all are excluded"):
        network(excluded=["a", "b", "c", "d"]).fit(*rows)
    with pytest.raises(HierarchyError, match="Node 'nowhere' is not in"):
        network(excluded=["nowhere"]).fit(*rows)


def test_unlabelled_rows_are_ignored_and_missing_values_lie_at_the_mean(rows):
    X, Y = rows
    X = X.copy()
    X[::7, 1] = np.nan
    X[:, 3] = np.nan
    model = network().fit(X, Y, X_unlabeled=X[:5] / 2)
    scores = model.predict_proba(X)
    np.testing.assert_array_equal(scores, network().fit(X, Y).predict_proba(X))
    at_mean = np.where(np.isnan(X), np.append(np.nanmean(X[:, :3], axis=0), 0), X)
    np.testing.assert_allclose(model.predict_proba(at_mean), scores, rtol=1e-5)


@pytest.mark.parametrize("n_rows", [1, 2])
def test_a_few_rows_and_no_positive_give_finite_scores(n_rows, rows):
    X, Y = rows
    for labels in (Y[:n_rows], np.zeros((n_rows, 4))):
        scores = network().fit(X[:n_rows], labels).predict_proba(X * 1e29)
        assert np.isfinite(scores).all()


def test_weights_and_bad_rates_are_refused(rows):
    X, Y = rows
    with pytest.raises(TypeError, match="does not support weights"):
        network().fit(X, Y, sample_weight=np.ones(60))
    with pytest.raises(ValueError, match="Training diverged.* now 1e\\+30"):
        network(learning_rate=1e30).fit(X, Y)
