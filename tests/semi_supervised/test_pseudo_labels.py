"""Tables of pseudo-labels: what was accepted, by which votes, since when."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import HMCSSBR, SSHMCBLI, STHC, MetzFreitas

LOGISTIC = LogisticRegression()
METHODS = {
    "paper": SSHMCBLI(estimator=PriorClassifier(), max_iter=6),
    "authors": SSHMCBLI(estimator=PriorClassifier(), variant="v1", profile="authors"),
    "one pass": SSHMCBLI(estimator=PriorClassifier(), profile="authors", max_iter=1),
    "nodes": STHC(estimator=DecisionTreeClassifier(min_samples_leaf=2)),
    "batches": HMCSSBR(estimator=LOGISTIC, random_state=0),
}
TWO_TREES = Hierarchy.from_edges([("a", "b"), ("c", "d")])


@pytest.fixture(scope="module")
def data():
    return make_artificial()


def fit(method, data):
    method.set_params(hierarchy=data.hierarchy)
    return method.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)


@pytest.mark.filterwarnings("ignore:max_iter=1", "ignore:None of the")
@pytest.mark.parametrize("name", METHODS)
def test_there_is_a_line_for_each_label_that_an_unlabelled_row_received(
    name, data, tmp_path
):
    model = fit(METHODS[name], data)
    table = model.pseudo_labels()
    labels = np.zeros((342, 6), dtype=np.int8)
    labels[table["row"], [data.hierarchy.node(one) for one in table["node"]]] = 1
    np.testing.assert_array_equal(labels[12:], model.transduction_[12:] == 1)
    assert not labels[:12].any()  # their labels were given
    assert len(table) == labels.sum()
    assert table["row"].is_monotonic_increasing
    assert (table[model.step_name] > 0).all()
    again = load_model(save_model(model, tmp_path / "m.hilabel")).pseudo_labels()
    assert again.equals(table)


@pytest.mark.parametrize("name", ["paper", "authors"])
def test_votes_and_similarities_are_those_of_the_evidence(name, data):
    model = fit(METHODS[name], data)
    table = model.pseudo_labels(rejected=True)
    for row in table["row"].unique()[::13]:
        evidence = model.explain(int(row)).deciding
        own = table[table["row"] == row]
        nodes = [data.hierarchy.node(one) for one in own["node"]]
        assert nodes == np.flatnonzero(evidence.proposed).tolist()
        np.testing.assert_array_equal(
            own["vote"], evidence.votes[nodes] / evidence.knowers[nodes]
        )
        assert (own["similarity"] == evidence.similarity).all()
        assert (own["pass"] == model.labeled_iter_[row]).all()
        assert (own["accepted"] == evidence.accepted).all()


def test_rejected_labels_are_those_that_were_proposed_but_not_accepted(data):
    model = fit(METHODS["authors"], data)
    table = model.pseudo_labels(rejected=True)
    accepted = table[table["accepted"]].drop(columns="accepted")
    assert accepted.reset_index(drop=True).equals(model.pseudo_labels())
    rejected = table[~table["accepted"]]
    assert rejected["row"].nunique() == 3  # 327 of 330 rows were accepted
    assert (rejected["pass"] == -1).all()
    assert (rejected["similarity"] <= 0.5).all()


def test_only_neighbours_that_know_a_node_vote_on_it():
    X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    Y = [[1, 1, -1, -1]] * 2 + [[1, 0, -1, -1]]
    Y += [[-1, -1, 1, 1], [0, 0, 1, -1], [-1, -1, 1, 1]]
    model = SSHMCBLI(TWO_TREES, estimator=PriorClassifier())
    table = model.fit(X, Y, X_unlabeled=[[0.9], [10.9]]).pseudo_labels()
    assert table["row"].tolist() == [6, 6, 7, 7]
    assert table["node"].tolist() == ["a", "b", "c", "d"]
    # Of the three neighbours of row 7, two know d, and both have it.
    np.testing.assert_allclose(table["vote"], [1, 2 / 3, 1, 1])


def test_rows_are_numbered_as_in_fit(data):
    X = np.vstack([data.X_unlabeled, data.X_labeled])
    Y = np.vstack([np.full((330, 6), -1), data.Y_labeled])
    last = fit(METHODS["authors"], data).pseudo_labels()
    first = METHODS["authors"].fit(X, Y).pseudo_labels()
    assert first.assign(row=first["row"] + 12).equals(last)


def test_self_training_tells_the_probability_at_acceptance(data):
    model = fit(STHC(estimator=LOGISTIC, threshold=0.8, max_iter=3), data)
    table = model.pseudo_labels()
    assert table["probability"].between(0.8, 1, inclusive="right").all()
    first = table[table["round"] == 1]
    nodes = [data.hierarchy.node(one) for one in first["node"]]
    alone = STHC(data.hierarchy, estimator=LOGISTIC).fit(data.X_labeled, data.Y_labeled)
    scores = alone.estimator_._local_scores(data.X_unlabeled)
    np.testing.assert_allclose(
        first["probability"], scores[first["row"] - 12, nodes], rtol=1e-6
    )


def test_the_probability_of_a_path_is_the_lowest_on_it():
    hierarchy = Hierarchy.from_edges([("a", "c"), ("a", "d")], nodes=list("abcd"))
    X = [[i / 10] for i in range(10)] + [[5 + i / 10] for i in range(10)]
    X += [[9 + i / 10] for i in range(10)]
    Y = [{"c"}] * 10 + [{"d"}] * 10 + [{"b"}] * 10
    model = MetzFreitas(hierarchy, strategy="C", estimator=LOGISTIC, threshold=0.5)
    table = model.fit(X, Y, X_unlabeled=[[0.55], [5.55]]).pseudo_labels()
    per_row = table.groupby("row")["probability"]
    assert per_row.nunique().tolist() == [1, 1]
    assert per_row.size().tolist() == [2, 2]


def test_without_unlabelled_rows_the_table_is_empty(data):
    for name in ("authors", "nodes", "batches"):
        METHODS[name].set_params(hierarchy=data.hierarchy)
        model = METHODS[name].fit(data.X_labeled, data.Y_labeled)
        assert len(model.pseudo_labels()) == 0
    model = METHODS["authors"].fit(data.X_labeled, data.Y_labeled)
    columns = ["row", "node", "vote", "similarity", "pass", "accepted"]
    assert model.pseudo_labels(rejected=True).columns.tolist() == columns


def test_an_unfitted_method_has_no_pseudo_labels():
    with pytest.raises(NotFittedError, match="not fitted"):
        SSHMCBLI().pseudo_labels()
