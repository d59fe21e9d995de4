"""SSL-PCT: the worked example, the weight of labels, rows without labels."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel.classifiers import PredictiveClusteringForest, PredictiveClusteringTree
from hilabel.datasets import make_artificial
from hilabel.semi_supervised import SSLPCT, SSLPCTForest
from hilabel.testing import make_problem

ABC = Hierarchy.from_edges([("A", "B")], nodes=["A", "B", "C"])
X = np.array([[0.0], [1], [10], [11]])
Y = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
U = np.array([[2.0], [9]])


@pytest.mark.parametrize(
    ("w", "impurities", "gain"),
    [
        (0.5, (3.465909, 0.115991, 0.047809), 3.302110),
        (0.0, (6, 0.095618, 0.095618), 5.808765),
        (1.0, (0.931818, 0.136364, 0), 0.795455),
    ],
)
def test_the_worked_example_has_its_impurities_gain_and_leaves(w, impurities, gain):
    tree = SSLPCT(ABC, w=w, max_depth=1).fit(X, Y, X_unlabeled=U)
    np.testing.assert_allclose(tree.trees_.impurity, impurities, atol=1e-6)
    np.testing.assert_allclose(tree.trees_.gain[0], gain, atol=1e-6)
    scores = tree.predict_proba([[2], [9]])
    np.testing.assert_allclose(scores, [[1, 0.5, 0], [0, 0, 1]])
    assert tree.w_ == w
    assert tree.w_scores_ is None


def test_the_worse_split_of_the_worked_example_has_its_gain():
    # Random cuts try them all in time; the rows 0 and 1 are parted from the others.
    for seed in range(100):
        tree = SSLPCT(
            ABC, w=0.5, max_depth=1, splitter="random", random_state=seed
        ).fit(X, Y, X_unlabeled=U)
        if "x0 <= 1.5" in tree.describe():
            break
    np.testing.assert_allclose(tree.trees_.gain[0], 2.190556, atol=1e-6)


def test_a_leaf_without_labelled_rows_speaks_as_its_ancestor_does():
    # Far rows without labels; features alone part them from the others.
    far = np.array([[100.0], [101], [102]])
    tree = SSLPCT(ABC, w=0.0, max_depth=1).fit(X, Y, X_unlabeled=far)
    assert tree.trees_.weight.tolist() == [4, 4, 0]
    np.testing.assert_allclose(tree.predict_proba(far), [[0.5, 0.25, 0.5]] * 3)


def test_parting_labelled_from_unlabelled_rows_gains_nothing_in_the_labels():
    far = np.array([[100.0], [101]])
    # With little weight on features, the labels decide, and the cut is among them.
    tree = SSLPCT(ABC, w=0.99, max_depth=1).fit(X, Y, X_unlabeled=far)
    np.testing.assert_array_equal(tree.trees_.weight, [4, 2, 2])


def test_full_weight_on_labels_is_the_supervised_tree():
    data = make_artificial()
    ours = SSLPCT(data.hierarchy, w=1, random_state=0).fit(
        data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled
    )
    supervised = PredictiveClusteringTree(data.hierarchy, random_state=0).fit(
        data.X_labeled, data.Y_labeled
    )
    np.testing.assert_array_equal(
        ours.predict_proba(data.X_test), supervised.predict_proba(data.X_test)
    )


def test_without_unlabelled_rows_there_is_nothing_to_choose():
    tree = SSLPCT(ABC).fit(X, Y)
    assert (tree.w_, tree.w_scores_) == (1.0, None)


def test_the_weight_is_the_best_by_cross_validation_and_the_larger_of_equals():
    tree = SSLPCT(ABC, random_state=0).fit(X, Y, X_unlabeled=U)
    scores = tree.w_scores_
    assert sorted(scores) == pytest.approx(np.linspace(0, 1, 11))
    best = max(scores.values())
    assert tree.w_ == max(w for w in scores if scores[w] == best)
    again = SSLPCT(ABC, w=tree.w_, random_state=0).fit(X, Y, X_unlabeled=U)
    np.testing.assert_array_equal(again.predict_proba(U), tree.predict_proba(U))


def test_a_row_without_labels_is_not_an_unlabelled_row():
    none = np.array([[0, 0, 0]])
    tree = SSLPCT(ABC, w=0.5, max_depth=1).fit(
        np.vstack([X, [[12.0]]]), np.vstack([Y, none]), X_unlabeled=U
    )
    np.testing.assert_allclose(tree.predict_proba([[12]]), [[0, 0, 2 / 3]])


def test_missing_values_of_a_sparse_matrix_are_refused_by_name():
    gappy = sp.csr_array(np.vstack([X, [[np.nan]]]))
    labels = np.vstack([Y, [[0, 0, 1]]])
    with pytest.raises(ValueError, match="got NaN in row 4"):
        SSLPCT(ABC, w=0.5).fit(gappy, labels, X_unlabeled=U)
    assert SSLPCT(ABC, w=1).fit(gappy, labels, X_unlabeled=U).w_ == 1


class TestForest:
    """SSLPCTForest."""

    def test_labelled_and_unlabelled_rows_are_drawn_apart(self):
        data = make_artificial()
        model = SSLPCTForest(data.hierarchy, w=0.5, n_estimators=5, random_state=0)
        model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
        trees = model.trees_
        assert (trees.weight[trees.roots[:-1]] == len(data.X_labeled)).all()

    def test_full_weight_on_labels_is_bagging(self):
        data = make_artificial()
        options = {"n_estimators": 5, "random_state": 0, "max_features": "sqrt"}
        ours = SSLPCTForest(data.hierarchy, w=1, **options).fit(
            data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled
        )
        bagging = PredictiveClusteringForest(
            data.hierarchy,
            splitter="best",
            bootstrap=True,
            min_samples_leaf=2,
            **options,
        ).fit(data.X_labeled, data.Y_labeled)
        np.testing.assert_array_equal(
            ours.predict_proba(data.X_test), bagging.predict_proba(data.X_test)
        )

    def test_unlabelled_rows_help_where_features_form_the_classes(self):
        data = make_artificial()
        supervised, semi = (
            SSLPCTForest(data.hierarchy, w=w, n_estimators=30, random_state=0)
            .fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
            .score(data.X_test, data.Y_test)
            for w in (1.0, 0.5)
        )
        assert semi > supervised

    def test_the_number_of_threads_changes_no_bit(self):
        data = make_artificial()
        one, two = (
            SSLPCTForest(
                data.hierarchy, cv=2, n_estimators=3, random_state=0, n_jobs=n_jobs
            )
            .fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
            .predict_proba(data.X_test)
            for n_jobs in (1, 2)
        )
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("method", [SSLPCT, SSLPCTForest])
def test_transduction_is_the_prediction_for_unlabelled_rows(method):
    data = make_problem("DAG", "MPL", "PD", n_unlabeled=30)
    X, Y = data.mixed()
    model = method(data.hierarchy, w=0.5, random_state=0).fit(X, Y)
    unlabeled = (Y == -1).all(axis=1)
    predicted = model.predict(X[unlabeled])
    predicted[~predicted.any(axis=1)] = -1
    np.testing.assert_array_equal(model.transduction_[unlabeled], predicted)
    np.testing.assert_array_equal(model.transduction_[~unlabeled], Y[~unlabeled])
