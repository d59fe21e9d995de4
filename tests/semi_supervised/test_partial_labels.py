"""Semi-supervised methods on labels that are known in part."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from hilabel import Hierarchy
from hilabel.classifiers import HMCLP
from hilabel.exceptions import LabelError
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import HMCSSBR, SSHCBLI, SSHMCBLI, STHC, BatchSelfTraining

# So few rows do not have and lack every label.
pytestmark = pytest.mark.filterwarnings("ignore:.*no positive or no negative")

TWO_TREES = Hierarchy.from_edges([("a", "b"), ("c", "d")])
# Three rows on the left have label b, where they know; three on the right have d.
X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
Y = np.array(
    [
        [1, 1, -1, -1],
        [1, 1, -1, -1],
        [1, 0, -1, -1],
        [-1, -1, 1, 1],
        [0, 0, 1, -1],
        [-1, -1, 1, 1],
    ]
)
LEFT, RIGHT = [0.9], [10.9]
LOCAL = LogisticRegression()


@pytest.fixture(scope="module")
def model():
    return SSHMCBLI(TWO_TREES, estimator=LOCAL, n_neighbors=3).fit(
        X, Y, X_unlabeled=[LEFT, RIGHT]
    )


def test_a_row_stays_unknown_where_none_of_its_neighbours_knows(model):
    assert model.transduction_[6:].tolist() == [[1, 1, -1, -1], [0, 0, 1, 1]]
    np.testing.assert_array_equal(model.transduction_[:6], Y)


def test_the_classifier_is_trained_on_what_is_known_alone(model):
    known = np.where(model.transduction_ < 0, np.nan, model.transduction_)
    base = model.base_classifier().fit(np.vstack([X, LEFT, RIGHT]), known)
    np.testing.assert_array_equal(model.predict_proba(X), base.predict_proba(X))


def test_shares_of_votes_are_of_the_neighbours_that_know(model):
    votes = model.explain(7).frame("votes").query("iteration == 1")
    assert votes.node.tolist() == ["c", "d"]
    assert votes.votes.tolist() == [3, 2]
    np.testing.assert_array_equal(votes.share, [1, 1])
    assert model.explain(7).deciding.knowers.tolist() == [1, 1, 3, 2]
    new = model.explain(np.array(RIGHT), 4)
    assert set(new.neighbors) == {3, 4, 5, 7}
    assert new.votes.tolist() == [0, 0, 4, 3]
    assert new.knowers.tolist() == [2, 2, 4, 3]


def test_such_a_model_is_saved_with_its_passes(model, tmp_path):
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.explain(6).frame("votes").equals(model.explain(6).frame("votes"))


def test_self_training_leaves_rows_out_where_they_are_unknown():
    method = STHC(TWO_TREES, estimator=LOCAL, threshold=0.6)
    model = method.fit(X, Y, X_unlabeled=[LEFT, RIGHT])
    np.testing.assert_array_equal(model.transduction_[:6], Y)
    np.testing.assert_array_equal(model.labeled_iter_[:6], np.where(Y < 0, -1, 0))
    alone = method.fit(X, Y).predict_proba(X)
    base = method.base_classifier().fit(X, Y)
    np.testing.assert_array_equal(alone, base.predict_proba(X))


def test_batches_are_added_to_rows_known_in_part():
    model = HMCSSBR(TWO_TREES, estimator=LOCAL, batch_size=1, random_state=0)
    learned = model.fit(X, Y, X_unlabeled=[LEFT, RIGHT]).transduction_
    np.testing.assert_array_equal(learned[:6], Y)
    assert (learned[6:] >= 0).all()


@pytest.mark.parametrize(
    "method",
    [
        SSHCBLI(TWO_TREES, n_neighbors=2),
        BatchSelfTraining(TWO_TREES, estimator=HMCLP()),
        SSHMCBLI(TWO_TREES, estimator=HMCLP()),
    ],
    ids=lambda method: type(method).__name__,
)
def test_what_cannot_leave_cells_out_says_so(method):
    with pytest.raises(LabelError, match="6 of 6 labelled rows are unknown"):
        method.fit(X, Y)


def test_half_of_a_fit_refuses_what_the_whole_does():
    with pytest.raises(LabelError, match="SSHCBLI needs fully known rows"):
        SSHCBLI(TWO_TREES, n_neighbors=2).pseudo_label(X, Y, [LEFT])
