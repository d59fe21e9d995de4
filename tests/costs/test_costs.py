"""Predicted costs: they grow with the data, and are about right."""

import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.preprocessing import StandardScaler

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import (
    HierarchicalNetwork,
    LinearClassifier,
    LinkVotes,
    LocalClassifierPerNode,
    NeighborsClassifier,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    PriorClassifier,
    TrainingData,
)
from hilabel.costs import (
    Cost,
    DataShape,
    judging_seconds,
    machine_factor,
    scoring_cost,
    training_cost,
)
from hilabel.forests import ForestClassifier
from hilabel.links import Links
from hilabel.semi_supervised import (
    SSHMCBLI,
    Blend,
    LabelSpreading,
    LinkCombiner,
    LinkSpreading,
    ResidualSpreading,
    ViewsClassifier,
)
from hilabel.views import LinkIds, LinkLabels, LinkMeans, NeighborColumns

FOREST = PredictiveClusteringForest(n_estimators=5)
KNOWN = {
    "prior": PriorClassifier(),
    "tree": PredictiveClusteringTree(),
    "forest": FOREST,
    "extra-trees": PredictiveClusteringForest(
        n_estimators=5, splitter="random", min_samples_leaf=1, bootstrap=False
    ),
    "all columns": PredictiveClusteringForest(max_features=None, max_depth=4),
    "conditional": LinearClassifier(C=1.0, scale=False),
    "mined": LinearClassifier(loss="squared_hinge", negatives="mined"),
    "all negatives": LinearClassifier(negatives="all", C=0.1),
    "neighbours": NeighborsClassifier(),
    "spreading": LabelSpreading(local_scaling=True),
    "views": ViewsClassifier(estimator=FOREST),
    "columns of neighbours": ViewsClassifier(
        views=[NeighborColumns()], estimator=LinearClassifier(C=10.0, scale=False)
    ),
    "means of links": ViewsClassifier(views=[LinkMeans(2)], estimator=FOREST),
    "ids and labels of links": ViewsClassifier(
        views=[LinkIds(), LinkLabels()], estimator=LinearClassifier(C=10.0, scale=False)
    ),
    "votes": SSHMCBLI(estimator=FOREST),
    "local": LocalClassifierPerNode(),
    "local, few": LocalClassifierPerNode(
        estimator=ForestClassifier(n_estimators=3), policy="inclusive"
    ),
    "link votes": LinkVotes(),
    "link spreading": LinkSpreading(),
    "link spreading, fixed": LinkSpreading(alpha=0.5, weighting="raw"),
    "link combiner": LinkCombiner(estimator=FOREST),
    "residuals": ResidualSpreading(estimator=FOREST),
    "network": HierarchicalNetwork(shape="deep", max_steps=160),
    "networks": HierarchicalNetwork(consistency=[0.0, 1.0]),
}
# With more nodes of the same labels, each node has fewer rows, or fewer are judged.
SHARED = {
    ("neighbours", "n_nodes"),
    ("local", "n_nodes"),
    ("link votes", "n_nodes"),
    ("link spreading", "n_nodes"),
    ("link spreading, fixed", "n_nodes"),
    ("residuals", "n_nodes"),
}
SHAPE = DataShape(2_000, 1_000, 80, 80.0, 160, 12.5, False)
WORDS = DataShape(60_000, 5_000, 50_000, 12.0, 5_000, 8.5, True)

shapes = st.builds(
    DataShape,
    n_rows=st.integers(2, 100_000),
    n_unlabeled=st.integers(0, 100_000),
    n_columns=st.integers(100, 100_000),
    n_values=st.floats(1, 100),
    n_nodes=st.integers(20, 20_000),
    n_labels=st.floats(0, 20),
    is_sparse=st.booleans(),
    n_links=st.floats(0, 100),
)


def both(estimator, shape):
    return training_cost(estimator, shape), scoring_cost(estimator, shape, 1_000)


# Costs --------------------------------------------------------------------------------


def test_seconds_add_up_and_memory_is_used_again():
    assert Cost(1.0, 5.0) + Cost(2.0, 3.0) == Cost(3.0, 5.0)
    assert Cost(1.0, 5.0) * 3 == 3 * Cost(1.0, 5.0) == Cost(3.0, 5.0)


@pytest.mark.parametrize("name", KNOWN)
@settings(max_examples=20)
@given(shape=shapes, times=st.floats(1, 50))
def test_more_rows_cost_more(name, shape, times):
    more = shape.with_rows(int(shape.n_rows * times), int(shape.n_unlabeled * times))
    for few, many in zip(both(KNOWN[name], shape), both(KNOWN[name], more)):
        assert 0 < few.seconds <= many.seconds * (1 + 1e-9)
        assert 0 <= few.memory <= many.memory * (1 + 1e-9)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("field", ["n_columns", "n_nodes", "n_labels"])
@settings(max_examples=10)
@given(shape=shapes, times=st.floats(1, 50))
def test_more_of_anything_costs_more(name, field, shape, times):
    if (name, field) in SHARED:
        return
    grown = getattr(shape, field) * times
    whole = isinstance(getattr(shape, field), int)
    more = DataShape(**vars(shape) | {field: int(grown) if whole else grown})
    few, many = (training_cost(KNOWN[name], one) for one in (shape, more))
    assert few.seconds <= many.seconds * (1 + 1e-9)
    assert few.memory <= many.memory * (1 + 1e-9)


@pytest.mark.parametrize("name", KNOWN)
def test_more_rows_to_score_cost_more(name):
    few, many = (scoring_cost(KNOWN[name], WORDS, n_rows) for n_rows in (10, 10_000))
    assert few.seconds < many.seconds
    assert few.memory <= many.memory


def test_trees_steps_and_members_cost_in_proportion():
    one, ten = (
        training_cost(PredictiveClusteringForest(n_estimators=number), SHAPE).seconds
        for number in (100, 1_000)
    )
    assert 8 < ten / one < 10.1
    short, long = (
        training_cost(HierarchicalNetwork(max_steps=steps), WORDS).seconds
        for steps in (500, 5_000)
    )
    assert 8 < long / short < 10.1


def test_views_and_votes_contain_their_classifier():
    alone = training_cost(FOREST, SHAPE)
    viewing = training_cost(ViewsClassifier(estimator=FOREST), SHAPE)
    assert viewing.seconds > alone.seconds
    voting = training_cost(SSHMCBLI(estimator=FOREST), SHAPE)
    accepted = training_cost(FOREST, SHAPE.with_rows(3_000, 0))
    assert voting.seconds > accepted.seconds
    per_node = training_cost(SSHMCBLI(), SHAPE)  # a forest for each node
    assert per_node.seconds > voting.seconds


def test_links_are_cheaper_than_a_search_and_cost_in_proportion():
    few, many = (replace(WORDS, n_links=links) for links in (2.0, 20.0))
    base = LinearClassifier(C=10.0, scale=False)
    linked = ViewsClassifier(views=[LinkMeans(max_columns=None)], estimator=base)
    near = ViewsClassifier(views=[NeighborColumns()], estimator=base)
    costs = [training_cost(linked, shape).seconds for shape in (few, many)]
    assert costs[0] < costs[1] < 10 * costs[0]
    assert costs[0] < training_cost(near, few).seconds
    assert training_cost(ViewsClassifier(estimator=base), few).seconds > costs[0]


def test_a_chosen_strength_costs_about_one_more_training():
    fixed = training_cost(LinearClassifier(C=10.0, scale=False), WORDS).seconds
    assert 1.5 < training_cost(LinearClassifier(), WORDS).seconds / fixed < 3


def test_more_links_cost_more():
    few, many = replace(SHAPE, n_links=2.0), replace(SHAPE, n_links=20.0)
    methods = LinkVotes(), LinkSpreading(), ResidualSpreading(), LinkCombiner()
    for estimator in methods:
        for less, more in zip(both(estimator, few), both(estimator, many)):
            assert less.seconds < more.seconds
            assert less.memory <= more.memory


def test_the_shape_has_the_links_of_a_row():
    data = training_data(50, 4, 12, n_unlabeled=10)
    assert DataShape.of(data).n_links == 0
    links = Links.of(1 - np.eye(60), 60)
    assert DataShape.of(replace(data, links=links)).n_links == 59


def test_more_threads_take_less_time():
    one, four = (
        training_cost(PredictiveClusteringForest(n_jobs=n), WORDS).seconds
        for n in (1, 4)
    )
    assert one / 4 < four < one / 2


# Unknown kinds ------------------------------------------------------------------------


class Own(PredictiveClusteringForest):
    """A user's own method, which may do anything."""


def test_nothing_is_known_about_own_methods():
    unknown = [
        Own(),
        Blend(),
        object(),
        ViewsClassifier(estimator=Own()),
        ViewsClassifier(views=[StandardScaler()]),
        SSHMCBLI(estimator=Own()),
        SSHMCBLI(metric=lambda one, other: 0.0),
        LocalClassifierPerNode(estimator=object()),
        HierarchicalNetwork(backbone=(len, len)),
    ]
    for estimator in unknown:
        assert training_cost(estimator, SHAPE) is None
    for estimator in unknown[:5]:
        assert scoring_cost(estimator, SHAPE, 10) is None


# Shapes -------------------------------------------------------------------------------


@cache
def training_data(n_rows, n_columns, n_nodes, n_values=0, n_unlabeled=0):
    """Make rows whose columns tell which leaf of a tree they have."""
    random = np.random.default_rng(0)
    edges = [((node - 3) // 3, node) for node in range(3, n_nodes)]
    hierarchy = Hierarchy([f"n{node}" for node in range(n_nodes)], edges)
    n_all = n_rows + n_unlabeled
    leaf = random.choice(hierarchy.leaves, n_all)
    own = sp.csr_array(
        (np.ones(n_all, dtype=bool), (np.arange(n_all), leaf)), shape=(n_all, n_nodes)
    )
    if n_values:
        words = random.integers(0, n_columns, (n_all, n_values))
        typical = words[:, : n_values // 3]
        typical[:] = (leaf[:, None] * 7 + typical % 5) % n_columns
        entries = np.repeat(np.arange(n_all), n_values), words.ravel()
        stored = sp.coo_array((np.ones(words.size), entries), (n_all, n_columns))
        X = sp.csr_array(stored)
    else:
        centers = random.normal(size=(n_nodes, n_columns))
        X = centers[leaf] + random.normal(size=(n_all, n_columns))
    return TrainingData(
        X_labeled=X[:n_rows],
        Y=LabelMatrix.of_rows(hierarchy.close(own)[:n_rows], np.ones(n_rows, bool)),
        X_unlabeled=X[n_rows:],
        labeled_rows=np.arange(n_rows),
        unlabeled_rows=np.arange(n_rows, n_all),
        hierarchy=hierarchy,
    )


def test_the_shape_of_dense_data():
    data = training_data(50, 4, 12, n_unlabeled=10)
    found = DataShape.of(data)
    assert (found.n_rows, found.n_unlabeled, found.n_all_rows) == (50, 10, 60)
    assert (found.n_columns, found.n_values, found.n_nodes) == (4, 4.0, 12)
    assert found.n_labels == data.Y_labeled.sum() / 50
    assert not found.is_sparse


def test_the_shape_of_sparse_data_has_the_stored_values():
    data = training_data(50, 40, 12, n_values=6, n_unlabeled=10)
    found = DataShape.of(data)
    assert found.is_sparse
    X = np.vstack([data.X_labeled.toarray(), data.X_unlabeled.toarray()]) != 0
    assert found.n_values == pytest.approx(X.sum() / 60)
    shared = (X[:, None] & X).sum(axis=2).mean()
    assert found.n_shared == found.n_common == pytest.approx(shared)


def test_examples_are_counted_by_hand():
    data = training_data(50, 4, 12)
    hierarchy, labels = data.hierarchy, data.Y_labeled
    by_hand = sum(
        labels[:, list(hierarchy.parents(node))].all(axis=1).sum()
        for node in range(hierarchy.n_nodes)
    )
    assert DataShape.of(data).n_examples == pytest.approx(by_hand)


def test_other_numbers_of_rows():
    assert SHAPE.with_rows(10) == DataShape(10, 1_000, 80, 80.0, 160, 12.5, False)
    assert SHAPE.with_rows(10, 0).n_all_rows == 10
    assert DataShape.of(training_data(50, 4, 12)).with_rows(0).n_examples == 0


# Times --------------------------------------------------------------------------------


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "name",
    ["forest", "extra-trees", "conditional", "neighbours", "spreading", "local, few"],
)
def test_predictions_are_about_right(name, is_sparse):
    size = (1_500, 1_000, 60, 30, 500) if is_sparse else (1_500, 60, 60, 0, 500)
    data = training_data(*size)
    model = KNOWN[name].set_params(hierarchy=data.hierarchy, n_jobs=1)
    seconds = []
    for _ in range(2):
        start = time.process_time()
        model.fit_checked(data)
        seconds.append(time.process_time() - start)
    model.set_params(hierarchy=None, n_jobs=None)
    predicted = training_cost(model, DataShape.of(data)).seconds
    # Linear algebra may use several threads, and times below are overhead.
    assert predicted / 4 - 0.05 < min(seconds) < 4 * predicted + 0.05


def test_the_machine_is_measured_once():
    machine_factor()
    start = time.perf_counter()
    assert 0.02 < machine_factor() < 50
    assert time.perf_counter() - start < 0.01


def test_judging_grows_with_the_scores():
    few, many = judging_seconds(10_000_000), judging_seconds(100_000_000)
    assert 5 < many / few < 10.1
