"""The default method where rows are linked to each other."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hilabel import Hierarchy
from hilabel.classifiers import (
    LinearClassifier,
    LinkVotes,
    PredictiveClusteringForest,
    PriorClassifier,
)
from hilabel.metrics import average_precision
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import Blend, LinkSpreading, ViewsClassifier
from hilabel.semi_supervised._blend_candidates import most_promising_first
from hilabel.semi_supervised._blend_limits import Proposal
from hilabel.semi_supervised._blend_linked import (
    links_tell_much,
    without_links_alone,
)
from hilabel.semi_supervised._shared_views import sharing_of, without_shared
from hilabel.views import LinkIds, LinkLabels, LinkMeans, NeighborColumns

TOPICS = Hierarchy.from_dict({"a": ["a1", "a2"], "b": ["b1", "b2"]})
N_ROWS, N_LABELED = 400, 60


def linked_rows(share_within, seed=0):
    """Rows with weak columns, and links of which a share stay within a topic."""
    random = np.random.default_rng(seed)
    topic = random.integers(4, size=N_ROWS)
    leaves = [TOPICS.names.index(name) for name in ("a1", "a2", "b1", "b2")]
    own = np.zeros((N_ROWS, TOPICS.n_nodes), dtype=np.int8)
    own[np.arange(N_ROWS), np.array(leaves)[topic]] = 1
    X = random.normal(size=(N_ROWS, 6))
    X[:, 0] += topic
    source = np.repeat(np.arange(N_ROWS), 4)
    target = random.integers(N_ROWS, size=source.size)
    stays = random.random(source.size) < share_within
    for place in np.flatnonzero(stays):
        target[place] = random.choice(np.flatnonzero(topic == topic[source[place]]))
    one_way = sp.coo_array((np.ones(source.size), (source, target)), (N_ROWS,) * 2)
    links = (one_way + one_way.T).toarray()
    np.fill_diagonal(links, 0)
    Y = TOPICS.close(own).astype(np.int8)
    y = Y.copy()
    y[random.permutation(N_ROWS)[N_LABELED:]] = -1
    return X, Y, y, links


def blend(**parameters):
    return Blend(TOPICS, n_jobs=1, random_state=0, **parameters)


@pytest.fixture(scope="module")
def linked():
    return linked_rows(0.9)


@pytest.fixture(scope="module")
def model(linked):
    X, _, y, links = linked
    candidates = {
        "forest": PredictiveClusteringForest(n_estimators=20, oob_score=False),
        "votes": LinkVotes(),
        "spreading": LinkSpreading(),
        "means": ViewsClassifier(views=[LinkMeans()]),
        "means and votes": ViewsClassifier(views=[LinkMeans(), LinkLabels()]),
    }
    return blend(candidates=candidates).fit(X, y, links=links)


def test_links_help_and_so_do_unlabelled_rows_that_they_connect(model, linked):
    X, Y, y, links = linked
    assert model.link_gain_.gain > 2 * model.link_gain_.error
    assert "links help" in str(model.link_gain_)
    assert model.unlabeled_gain_.gain > model.unlabeled_gain_.gain_of_columns == 0
    uses = {one.name: one.uses_links for one in model.candidates_}
    assert uses.pop("forest") == uses.pop("constant predictor") is False
    assert all(uses.values())
    hidden = np.flatnonzero((y < 0).all(axis=1))
    with_links = model.predict_proba(X[hidden], links=links[hidden])
    without = model.predict_proba(X[hidden])  # each row alone
    scores = [average_precision(Y[hidden], one) for one in (with_links, without)]
    assert scores[0] > scores[1] + 0.05
    np.testing.assert_allclose(
        model.predict_proba(X[hidden[:7]], links=links[hidden[:7]]),
        with_links[:7],
        atol=1e-6,
    )


def test_a_saved_model_gives_the_same_bits(model, linked, tmp_path):
    X, _, _, links = linked
    save_model(model, tmp_path / "m.hilabel")
    again = load_model(tmp_path / "m.hilabel")
    found = again.predict_proba(X[:9], links=links[:9])
    np.testing.assert_array_equal(found, model.predict_proba(X[:9], links=links[:9]))
    assert again.link_gain_ == model.link_gain_


def test_links_of_no_use_are_not_used(linked):
    X, Y, y, _ = linked
    *_, links = linked_rows(0.0, seed=1)
    candidates = {
        "forest": PredictiveClusteringForest(n_estimators=20, oob_score=False),
        "votes": LinkVotes(),
        "spreading": LinkSpreading(),
    }
    model = blend(candidates=candidates).fit(X, y, links=links)
    alone = blend(candidates={"forest": candidates["forest"]}).fit(X, y)
    hidden = np.flatnonzero((y < 0).all(axis=1))
    score = average_precision(
        Y[hidden], model.predict_proba(X[hidden], links=links[hidden])
    )
    assert score > average_precision(Y[hidden], alone.predict_proba(X[hidden])) - 0.01


def test_by_default_there_are_candidates_for_links_alone(linked):
    _, Y, y, links = linked
    model = blend().fit(None, y, links=links)
    status = {one.name: one.status for one in model.candidates_}
    assert status["link spreading"] in ("kept", "tried")
    assert status["forest"] == "skipped"
    hidden = np.flatnonzero((y < 0).all(axis=1))
    found = model.predict_proba(links=links[hidden])
    assert average_precision(Y[hidden], found) > 0.8


# Shared views -----------------------------------------------------------------------


def test_views_that_need_no_labels_are_shared():
    means, ids, votes = LinkMeans(), LinkIds(), LinkLabels()
    shared = ViewsClassifier(views=[means, ids, votes])
    assert sharing_of(shared, is_sparse=True) == ([means, ids], [votes])
    near = ViewsClassifier(views=[NeighborColumns(), means])
    assert sharing_of(near, is_sparse=True).others == []
    assert sharing_of(clone(shared).set_params(labeled_only=True), False) is None
    assert sharing_of(ViewsClassifier(views=[votes]), is_sparse=True) is None
    assert sharing_of(PredictiveClusteringForest(), is_sparse=True) is None


def test_what_is_left_is_trained_on_rows_with_shared_views():
    forest, votes = PredictiveClusteringForest(n_estimators=3), LinkLabels()
    model = ViewsClassifier(views=[LinkIds(), votes], estimator=forest)
    left = without_shared(model, sharing_of(model, is_sparse=True))
    assert (left.views, left.estimator) == ([votes], forest)
    model = ViewsClassifier(views=[LinkIds()], estimator=forest)
    assert without_shared(model, sharing_of(model, is_sparse=True)) is forest


# What comes first -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of_links", "tell_much"), [(0.15, False), (0.35, True), (np.nan, True)]
)
def test_links_come_first_if_they_tell_much_by_themselves(of_links, tell_much):
    scores = {"link votes": 0.1, "link spreading": of_links, "linear": 0.9}
    if np.isnan(of_links):  # nothing was measured
        scores = {}
    assert links_tell_much(scores, 0.1) == tell_much


def test_columns_come_first_if_links_tell_little():
    names = ("linear, mined", "links as far as trusted", "link votes", "linear, links")
    proposals = {name: Proposal(LinkVotes()) for name in names}
    much = [*most_promising_first(proposals, True, links_tell_much=True)]
    assert much == [
        "link votes",
        "links as far as trusted",
        "linear, links",
        "linear, mined",
    ]
    little = [*most_promising_first(proposals, True, links_tell_much=False)]
    assert little == [
        "link votes",
        "linear, mined",
        "links as far as trusted",
        "linear, links",
    ]


def test_links_that_tell_little_are_not_combined_alone():
    names = ("links as far as trusted", "links as far as trusted, linear")
    found = without_links_alone({name: Proposal(LinkVotes()) for name in names})
    assert [one.why_not for one in found.values()] == [
        "links tell little by themselves",
        "",
    ]


class Interrupted(PriorClassifier):
    """A candidate during which Ctrl-C is pressed."""

    def scores_itself(self, data):
        return False

    def _fit(self, data):
        raise KeyboardInterrupt


def test_what_is_kept_after_an_interruption_may_use_links_alone(linked):
    X, _, y, links = linked
    candidates = {"votes": LinkVotes(), "spreading": LinkSpreading()}
    candidates["interrupted"] = Interrupted()
    model = blend(candidates=candidates, keep_best=True).fit(X, y, links=links)
    assert model.unlabeled_gain_.gain_of_columns is None
    assert model.link_gain_ is None
    assert set(model.members_) <= {"votes", "spreading"}


def test_default_views_of_a_candidate_follow_links(linked):
    _, Y, y, links = linked
    candidates = {"views": ViewsClassifier(estimator=LinearClassifier(C=10.0))}
    model = blend(candidates=candidates).fit(None, y, links=links)
    assert model.candidates_[0].uses_links
    hidden = np.flatnonzero((y < 0).all(axis=1))
    found = average_precision(Y[hidden], model.predict_proba(links=links[hidden]))
    constant = np.broadcast_to(Y[y[:, 0] >= 0].mean(axis=0), Y[hidden].shape)
    assert found > average_precision(Y[hidden], constant) + 0.2
