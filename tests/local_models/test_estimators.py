"""Training of local classifiers: one-sided nodes, seeds, parallel work."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilabel import Hierarchy
from hilabel.classifiers import POLICIES, LocalClassifierPerNode
from hilabel.datasets import make_artificial
from hilabel.exceptions import HilabelWarning

# "only" has a single child; no row has "never"; every row has "always".
H = Hierarchy.from_edges(
    [("always", "only"), ("always", "never"), ("only", "leaf")],
    nodes=["always", "only", "never", "leaf", "plain"],
)
X = np.arange(6.0)[:, None]
Y = [
    {"always", "leaf"},
    {"always", "leaf", "plain"},
    {"always", "only"},
    {"always"},
    {"always"},
    {"always", "plain"},
]


def fit(policy, **parameters):
    return LocalClassifierPerNode(
        H, estimator=LogisticRegression(), policy=policy, **parameters
    ).fit(X, Y)


@pytest.mark.parametrize(
    ("policy", "nodes"),
    [
        ("less_inclusive", ["always", "never"]),
        ("balanced_bottom_up", ["always", "never"]),
        # Every row has an ancestor of "only", "never" and "leaf".
        ("inclusive", ["always", "only", "never", "leaf"]),
        # "only" is the sole child of its parent but "never", which has no row.
        ("siblings", ["always", "only", "never", "leaf"]),
        ("exclusive", ["always", "only", "never", "leaf"]),
    ],
)
def test_one_sided_nodes_are_constant_with_one_warning_that_names_them(policy, nodes):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit(policy)
    assert [warning.category for warning in caught] == [HilabelWarning]
    message = str(caught[0].message)
    assert message.startswith(f"{len(nodes)} of 5 nodes have no positive or no neg")
    for name in H.names:
        assert (repr(name) in message) == (name in nodes)
    local = LocalClassifierPerNode._local_scores(model, X)
    for name in nodes:
        positive, _ = POLICIES[policy](H.close(_matrix()), H, H.node(name))
        assert (local[:, H.node(name)] == (1 if positive.size else 0)).all()
        assert np.isnan(model.positive_share_[H.node(name)])


def _matrix():
    matrix = np.zeros((len(Y), H.n_nodes), dtype=bool)
    for row, names in enumerate(Y):
        matrix[row, [H.node(name) for name in names]] = True
    return matrix


@pytest.mark.parametrize("policy", POLICIES)
def test_one_sided_nodes_are_an_error_on_request(policy):
    with pytest.raises(ValueError, match=r"nodes have no positive .* hierarchy\.rest"):
        fit(policy, on_empty="raise")


def test_a_long_list_of_one_sided_nodes_is_cut():
    hierarchy = Hierarchy([f"n{i}" for i in range(9)])
    model = LocalClassifierPerNode(hierarchy, estimator=LogisticRegression())
    with pytest.warns(HilabelWarning, match=r"9 of 9 nodes .*'n4' and 4 more"):
        model.fit([[0.0], [1.0]], np.ones((2, 9), dtype=int))


def test_rows_are_given_to_the_local_classifier_in_ascending_order():
    # Trees of one forest with a seed draw rows by position, so the order shows.
    data = make_artificial()
    node = 4
    model = LocalClassifierPerNode(
        data.hierarchy,
        estimator=RandomForestClassifier(5, random_state=0),
        policy="less_inclusive",
        constraint=None,
    ).fit(data.X_unlabeled, data.Y_unlabeled)
    alone = RandomForestClassifier(5, random_state=0)
    alone.fit(data.X_unlabeled, data.Y_unlabeled[:, node])
    np.testing.assert_array_equal(
        model.predict_proba(data.X_test)[:, node],
        alone.predict_proba(data.X_test)[:, 1],
    )


FORESTS = {
    "forest": RandomForestClassifier(5),
    "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier(5)),
}


@pytest.mark.parametrize("estimator", FORESTS.values(), ids=FORESTS)
def test_random_state_seeds_the_local_classifiers(estimator):
    data = make_artificial()

    def scores(random_state):
        model = LocalClassifierPerNode(
            data.hierarchy, estimator=estimator, random_state=random_state
        )
        model.fit(data.X_unlabeled, data.Y_unlabeled)
        return model.predict_proba(data.X_test)

    np.testing.assert_array_equal(scores(0), scores(0))
    assert (scores(0) != scores(1)).any()


def test_nodes_have_different_seeds_unless_the_estimator_has_its_own():
    data = make_artificial()

    def seeds(estimator):
        model = LocalClassifierPerNode(
            data.hierarchy, estimator=estimator, random_state=0
        ).fit(data.X_labeled, data.Y_labeled)
        return [local.random_state for local in model.estimators_]

    assert len(set(seeds(RandomForestClassifier(2)))) == 6
    assert seeds(RandomForestClassifier(2, random_state=5)) == [5] * 6


def test_result_does_not_depend_on_the_number_of_jobs():
    data = make_artificial()
    one, two = (
        LocalClassifierPerNode(
            data.hierarchy,
            estimator=RandomForestClassifier(5),
            random_state=0,
            n_jobs=n_jobs,
        )
        .fit(data.X_labeled, data.Y_labeled)
        .predict_proba(data.X_test)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)
