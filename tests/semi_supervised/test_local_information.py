"""What SSHMC-BLI and SSHC-BLI share: given labels, fitted state, limits, errors."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.exceptions import HierarchyError, HilabelWarning, LinkError
from hilabel.links import Links
from hilabel.model_selection import score_out_of_fold
from hilabel.neighbors import NeighborMemory
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import (
    SSHMCBLI,
    Profile,
    ViewsClassifier,
    voting_neighbors,
)
from hilabel.views import LinkLabels


@pytest.fixture(scope="module")
def data():
    return make_artificial()


def make(data, **parameters):
    parameters.setdefault("estimator", PriorClassifier())
    return SSHMCBLI(data.hierarchy, **parameters)


def fit(data, **parameters):
    return make(data, **parameters).fit(
        data.X_labeled, data.Y_labeled, data.X_unlabeled
    )


# Labels and fitted state ------------------------------------------------------------


@settings(max_examples=25)
@given(
    st.integers(0, 999),
    st.sampled_from(["v1", "v2", "v3"]),
    st.sampled_from(["paper", "authors"]),
)
def test_given_labels_never_change_and_all_labels_are_consistent(
    seed, variant, profile
):
    random = np.random.default_rng(seed)
    hierarchy = make_artificial().hierarchy
    X = random.random((60, 2))
    Y = hierarchy.close(random.random((60, 6)) < 0.3).astype(np.int8)
    hidden = random.random(60) < 0.6
    hidden[:10] = False
    Y[hidden] = -1
    model = SSHMCBLI(
        hierarchy, estimator=PriorClassifier(), variant=variant, profile=profile
    )
    with warnings.catch_warnings():
        # Random labels may leave nothing to accept, which is told in another test.
        warnings.simplefilter("ignore", HilabelWarning)
        model.fit(X, Y)
    np.testing.assert_array_equal(model.transduction_[~hidden], Y[~hidden])
    known = (model.transduction_ >= 0).all(axis=1)
    assert hierarchy.is_consistent(model.transduction_[known] == 1)
    np.testing.assert_array_equal(known, model.labeled_iter_ >= 0)
    np.testing.assert_array_equal(~hidden, model.labeled_iter_ == 0)
    np.testing.assert_array_equal(~hidden, np.isnan(model.similarity_))
    assert model.transduction_[known & hidden].any(axis=1).all()


def test_classifier_is_trained_on_given_then_accepted_rows(data):
    model = fit(data, estimator=RandomForestClassifier(5, random_state=0))
    used = model.transduction_[12:].min(axis=1) >= 0
    X = np.concatenate([data.X_labeled, data.X_unlabeled[used]])
    Y = np.concatenate([data.Y_labeled, model.transduction_[12:][used]])
    expected = LocalClassifierPerNode(
        data.hierarchy,
        estimator=RandomForestClassifier(5, random_state=0),
        policy="balanced_bottom_up",
        negatives_order="siblings_first",
    ).fit(X, Y)
    np.testing.assert_array_equal(
        model.predict_proba(data.X_test), expected.predict_proba(data.X_test)
    )


def test_unlabelled_rows_of_x_and_of_x_unlabeled_are_the_same_to_it(data):
    apart = fit(data)
    X = np.concatenate([data.X_labeled, data.X_unlabeled])
    Y = np.concatenate([data.Y_labeled, np.full((330, 6), -1)])
    together = make(data).fit(X, Y)
    np.testing.assert_array_equal(apart.transduction_, together.transduction_)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = make(data).fit(X[order], Y[order])
    np.testing.assert_array_equal(shuffled.transduction_, together.transduction_[order])
    np.testing.assert_array_equal(shuffled.labeled_iter_, together.labeled_iter_[order])


def test_labels_tell_since_which_pass_a_row_stayed_accepted(data):
    model = fit(data, profile="authors")
    for row in range(330):
        decisions = [bool(record.accepted[row]) for record in model.passes_[:-1]]
        since = model.labeled_iter_[12 + row]
        assert (since > 0) == decisions[-1]
        if since > 0:
            assert all(decisions[since - 1 :])
            assert since == 1 or not decisions[since - 2]


def test_history_counts_what_the_passes_decided(data):
    model = fit(data, profile="authors")
    before = np.zeros(330, dtype=bool)
    for number, (summary, record) in enumerate(
        zip(model.history_, model.passes_, strict=True), start=1
    ):
        proposed = record.proposed.any(axis=1)
        assert summary.iteration == number
        assert summary.n_neighbors == 3
        assert summary.n_proposed == proposed.sum()
        assert summary.n_accepted == record.accepted.sum()
        assert summary.n_newly_accepted == (record.accepted & ~before).sum()
        assert summary.n_dropped == (before & ~record.accepted).sum()
        assert summary.n_labels == record.proposed[record.accepted].sum()
        assert summary.mean_similarity == pytest.approx(
            record.similarity[proposed].mean()
        )
        before = record.accepted
    assert len(pd.DataFrame(model.history_)) == model.n_iter_


@pytest.mark.parametrize("variant", ["v1", "v2", "v3"])
def test_fit_twice_gives_the_same_and_changes_no_parameter(data, variant):
    local = RandomForestClassifier(5, random_state=0)
    model = fit(data, estimator=local, variant=variant, k_step=2, max_iter=9)
    first = model.predict_proba(data.X_test)
    asked = [summary.n_neighbors for summary in model.history_]
    assert variant != "v3" or max(asked) > 3
    model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    # The number of neighbours starts from the beginning again.
    assert [summary.n_neighbors for summary in model.history_] == asked
    assert model.n_neighbors == 3
    np.testing.assert_array_equal(model.predict_proba(data.X_test), first)
    copy = clone(model).fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    np.testing.assert_array_equal(copy.predict_proba(data.X_test), first)


def test_input_is_not_modified(data):
    arrays = data.X_labeled.copy(), data.Y_labeled.copy(), data.X_unlabeled.copy()
    make(data).fit(*arrays)
    np.testing.assert_array_equal(arrays[0], data.X_labeled)
    np.testing.assert_array_equal(arrays[1], data.Y_labeled)
    np.testing.assert_array_equal(arrays[2], data.X_unlabeled)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
def test_sparse_rows_are_labelled_as_dense_ones(data, container):
    sparse = make(data).fit(
        container(data.X_labeled), data.Y_labeled, container(data.X_unlabeled)
    )
    np.testing.assert_array_equal(sparse.transduction_, fit(data).transduction_)


# The choices reach the loop ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_neighbors", 2),
        ("similarity_threshold", 0.25),
        ("label_threshold", 0.9),
        ("similarity_span", 2.5),
        ("max_iter", 7),
    ],
)
def test_parameters_reach_the_settings(data, name, value):
    plain, changed = fit(data).settings_, fit(data, **{name: value}).settings_
    assert getattr(plain, name) != value
    assert getattr(changed, name) == value


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("paper", "siblings_first"),
        ("authors", "authors"),
        ({"base": "authors", "negatives_order": "index"}, "index"),
        (Profile.paper(negatives_order="authors"), "authors"),
    ],
)
def test_order_of_negatives_follows_the_profile(data, profile, expected):
    model = fit(data, estimator=LogisticRegression(), profile=profile)
    assert model.estimator_.negatives_order == expected


def test_a_changed_profile_is_cloned_shown_and_reaches_the_settings(data):
    model = clone(make(data, profile=Profile.paper(exclude_self=False)))
    assert "profile=Profile(" in repr(model)
    assert model.get_params()["profile"] == Profile(exclude_self=False)
    model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    assert model.settings_.exclude_self is False
    with pytest.raises(ValueError, match="A profile has no 'exclude'"):
        fit(data, profile={"exclude": True})


def test_another_metric_gives_other_neighbours(data):
    stretched = data.X_labeled * [1, 50], data.Y_labeled, data.X_unlabeled * [1, 50]
    plain = make(data, max_iter=1).fit(*stretched)
    for metric in ("manhattan", "chebyshev", "cosine", _first_feature_gap):
        model = make(data, metric=metric, max_iter=1).fit(*stretched)
        assert (model.passes_[0].neighbors != plain.passes_[0].neighbors).any()


def _first_feature_gap(a, b):
    return abs(a[0] - b[0])


# Little or nothing to learn from unlabelled rows --------------------------------------


def supervised_scores(data, local):
    model = LocalClassifierPerNode(
        data.hierarchy,
        estimator=local,
        policy="balanced_bottom_up",
        negatives_order="siblings_first",
    )
    return model.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test)


def test_without_unlabelled_rows_it_is_the_supervised_classifier(data):
    local = RandomForestClassifier(5, random_state=0)
    model = make(data, estimator=local).fit(data.X_labeled, data.Y_labeled)
    assert (model.n_iter_, model.passes_, model.history_) == (0, (), [])
    assert model.termination_condition_ == "unchanged"
    np.testing.assert_array_equal(
        model.predict_proba(data.X_test), supervised_scores(data, local)
    )


def test_if_nothing_is_accepted_it_warns_and_is_the_supervised_classifier(data):
    local = RandomForestClassifier(5, random_state=0)
    model = make(data, estimator=local)
    far = data.X_unlabeled + 1000
    with (
        pytest.warns(HilabelWarning, match="are outside the range of X"),
        pytest.warns(HilabelWarning, match="None of the 330 unlabelled rows was acc"),
    ):
        model.fit(data.X_labeled, data.Y_labeled, far)
    assert (model.labeled_iter_[12:] == -1).all()
    assert (model.transduction_[12:] == -1).all()
    np.testing.assert_array_equal(
        model.predict_proba(data.X_test), supervised_scores(data, local)
    )


def test_one_pass_under_the_authors_limit_warns_and_uses_no_unlabelled_row(data):
    local = RandomForestClassifier(5, random_state=0)
    model = make(data, estimator=local, profile="authors", max_iter=1)
    with (
        pytest.warns(HilabelWarning, match="max_iter=1 stops in the first pass"),
        pytest.warns(HilabelWarning, match="None of the 330"),
    ):
        model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    assert (model.n_iter_, model.termination_condition_) == (1, "max_iter")
    assert model.history_[0].n_accepted == 291
    assert (model.labeled_iter_[12:] == -1).all()
    expected = LocalClassifierPerNode(
        data.hierarchy,
        estimator=local,
        policy="balanced_bottom_up",
        negatives_order="authors",
    ).fit(data.X_labeled, data.Y_labeled)
    np.testing.assert_array_equal(
        model.predict_proba(data.X_test), expected.predict_proba(data.X_test)
    )


def test_one_pass_under_the_paper_s_limit_uses_unlabelled_rows(data):
    model = fit(data, max_iter=1)
    assert model.n_iter_ == 2
    assert (model.labeled_iter_ == 1).sum() == model.history_[0].n_accepted


# The classifier trained in the end ----------------------------------------------------


def test_a_hierarchical_classifier_without_hierarchy_gets_this_one(data):
    given_to_it = LocalClassifierPerNode(estimator=LogisticRegression())
    model = fit(data, estimator=given_to_it)
    assert model.estimator_.hierarchy == data.hierarchy
    assert given_to_it.hierarchy is None


def test_an_equal_hierarchy_is_accepted(data):
    same = PriorClassifier(make_artificial().hierarchy)
    assert fit(data, estimator=same).n_iter_ > 0


def test_another_hierarchy_is_refused(data):
    other = PriorClassifier(Hierarchy(list(data.hierarchy.names)))
    match = r"Hierarchy\(6 nodes, 0 edges.* differs from that of SSHMCBLI.* or None"
    with pytest.raises(HierarchyError, match=match):
        fit(data, estimator=other)


# What the paper allows, and labels that alternate -----------------------------------


def test_at_label_threshold_0_accepted_rows_get_all_labels(data):
    model = fit(data, label_threshold=0, estimator=PriorClassifier())
    accepted = model.labeled_iter_ > 0
    assert accepted.any()
    assert (model.transduction_[accepted] == 1).all()


def test_labels_that_alternate_are_found_with_their_length_and_number(data):
    model = fit(data, variant="v2", estimator=PriorClassifier())
    assert model.termination_condition_ == "max_iter"
    first, second = (
        np.where(done.accepted[:, None], done.proposed, False)
        for done in model.passes_[-2:]
    )
    differing = first != second
    assert model.cycle_.length == 2
    assert model.cycle_.n_rows == differing.any(axis=1).sum() > 0
    assert model.cycle_.n_labels == differing.sum()
    assert [done.repeats for done in model.history_[-3:]] == [47, 48, 49]


def test_a_cycle_is_found_if_the_last_pass_has_a_neighbour_more(data):
    model = fit(
        data, variant="v3", n_neighbors=4, max_iter=20, estimator=PriorClassifier()
    )
    assert [done.n_neighbors for done in model.history_[-3:]] == [5, 5, 6]
    assert model.history_[-2].repeats == 18
    assert model.cycle_.length == 2
    assert model.cycle_.n_labels == model.history_[-2].n_changed_labels


@pytest.mark.parametrize("variant", ["v1", "v3"])
def test_labels_that_settle_have_no_cycle(data, variant):
    model = fit(data, variant=variant, estimator=PriorClassifier())
    assert model.termination_condition_ == "unchanged"
    assert model.cycle_ is None
    assert model.history_[-1].n_changed_labels == 0
    assert model.history_[-1].repeats == model.n_iter_ - 1


# What is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        (
            {"label_threshold": 1.1},
            r"'label_threshold' .* range \[0\.0, 1\.0\]\. Got 1",
        ),
        ({"n_neighbors": 0}, "'n_neighbors' parameter of SSHMCBLI must be an int"),
        ({"n_neighbors": 1}, "n_neighbors of at least 2, got 1; the similarity"),
        ({"similarity_span": 1}, "'similarity_span' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"variant": "v4"}, "'variant' parameter of SSHMCBLI must be a str among"),
        ({"n_neighbors": 13}, "n_neighbors=13 labelled rows .* got 12; label more"),
        ({"metric": "no such"}, "'metric' parameter of pairwise_distances"),
    ],
)
def test_unusable_parameters_are_refused(data, parameters, match):
    with pytest.raises(ValueError, match=match):
        fit(data, **parameters)


def test_a_single_labelled_row_is_too_few_for_three_neighbours(data):
    with pytest.raises(ValueError, match="at least n_neighbors=3 labelled .* got 1;"):
        make(data).fit(data.X_labeled[:1], data.Y_labeled[:1], data.X_unlabeled)


def test_grown_neighbours_beyond_the_rows_are_refused():
    model = SSHMCBLI(
        Hierarchy(["a"]), estimator=PriorClassifier(), variant="v3", k_step=1
    )
    with pytest.raises(ValueError, match=r"n_neighbors=4 \(grown from 3\) .* got 3;"):
        model.fit([[0.0], [1.0], [2.0]], [[1], [1], [1]], [[1.1]])


@pytest.mark.parametrize("where", ["X", "X_unlabeled"])
def test_missing_values_are_refused_with_advice(data, where):
    X, X_unlabeled = data.X_labeled.copy(), data.X_unlabeled.copy()
    (X if where == "X" else X_unlabeled)[4, 1] = np.nan
    model = make(data, estimator=RandomForestClassifier())
    match = r"1 missing values .*distances .*make_pipeline\(SimpleImputer\(\), SSHMCBLI"
    with pytest.raises(ValueError, match=match):
        model.fit(X, data.Y_labeled, X_unlabeled)


def test_the_advice_about_missing_values_works(data):
    X = np.concatenate([data.X_labeled, data.X_unlabeled])
    Y = np.concatenate([data.Y_labeled, np.full((330, 6), -1)])
    X[4, 1] = np.nan
    pipeline = make_pipeline(SimpleImputer(), make(data)).fit(X, Y)
    assert pipeline[-1].n_iter_ > 0


def test_a_metric_that_cannot_take_sparse_rows_is_refused(data):
    with pytest.raises(
        ValueError, match=r"'chebyshev' does not support sparse X; use one"
    ):
        make(data, metric="chebyshev").fit(
            sp.csr_array(data.X_labeled),
            data.Y_labeled,
            sp.csr_array(data.X_unlabeled),
        )


# The first half of fit ---------------------------------------------------------------


def test_pseudo_labelling_alone_is_the_first_half_of_fit(data):
    whole = fit(data, variant="v2", estimator=RandomForestClassifier(5, random_state=0))
    half = clone(whole)
    training = half.pseudo_label(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    assert not hasattr(half, "estimator_")
    np.testing.assert_array_equal(half.transduction_, whole.transduction_)
    assert half.history_ == whole.history_
    base = half.base_classifier().fit_checked(training)
    np.testing.assert_array_equal(
        base.predict_proba(data.X_test), whole.predict_proba(data.X_test)
    )


def test_half_a_fit_explains_but_does_not_predict(data):
    model = fit(data)
    model.pseudo_label(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    assert len(model.classes_) == data.hierarchy.n_nodes
    with pytest.raises(NotFittedError):
        model.predict_proba(data.X_test)
    n_rows = len(data.X_labeled) + len(data.X_unlabeled)
    assert len(model.explain(n_rows - 1).frame())


def test_a_memory_of_neighbours_changes_nothing(data):
    memory = NeighborMemory()
    rows = data.X_labeled, data.Y_labeled, data.X_unlabeled
    # The wider lists come first, so that later fits find more than they need.
    for k, variant in ((5, "v3"), (3, "v1"), (4, "v2")):
        model = clone(make(data, n_neighbors=k, variant=variant, memory=memory))
        assert model.memory is memory
        model.pseudo_label(*rows)
        alone = fit(data, n_neighbors=k, variant=variant)
        np.testing.assert_array_equal(model.transduction_, alone.transduction_)
        np.testing.assert_array_equal(model.similarity_, alone.similarity_)


def test_a_model_with_a_memory_can_be_saved(data, tmp_path):
    model = fit(data, memory=NeighborMemory())
    save_model(model, tmp_path / "model")
    read = load_model(tmp_path / "model")
    np.testing.assert_array_equal(
        read.predict_proba(data.X_test), model.predict_proba(data.X_test)
    )
    read.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)


def test_pseudo_labelling_alone_checks_its_input_as_fit_does(data):
    with pytest.raises(ValueError, match="n_neighbors"):
        make(data, n_neighbors=0).pseudo_label(data.X_labeled, data.Y_labeled)


# Output -----------------------------------------------------------------------------


def test_progress_is_written_to_standard_error_on_request(data, capsys):
    fit(data, verbose=2, variant="v1")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 6
    assert lines[-1].endswith("training on 340 rows")
    assert lines[0].endswith("pass 1: 320 of 330 rows accepted")
    fit(data, verbose=0, variant="v1")
    assert capsys.readouterr().err == ""


def test_frames_are_taken_and_returned(data):
    labeled, unlabeled, test = (
        pd.DataFrame(X, columns=["x", "y"])
        for X in (data.X_labeled, data.X_unlabeled, data.X_test)
    )
    model = make(data).fit(labeled, data.Y_labeled, unlabeled)
    model.set_output(transform="pandas")
    scores = model.predict_proba(test)
    assert scores.columns.tolist() == list(data.hierarchy.names)
    assert model.feature_names_in_.tolist() == ["x", "y"]


# Links ------------------------------------------------------------------------------


def linked_problem(seed, n=30, n_labeled=12):
    """Rows numbered by their only column, labels of some, and links between all."""
    random = np.random.default_rng(seed)
    weights = np.triu(random.gamma(1, size=(n, n)), 1)
    y = (random.random((n, 3)) < 0.5).astype(np.int8)
    y[random.permutation(n)[n_labeled:]] = -1
    return np.arange(n, dtype=float)[:, None], y, weights + weights.T


@pytest.mark.parametrize("profile", ["paper", "authors"])
@pytest.mark.parametrize("variant", ["v1", "v2", "v3"])
def test_complete_links_are_the_same_as_distances_from_their_weights(variant, profile):
    X, y, weights = linked_problem(0)
    median = np.median(weights[weights > 0])

    def gap(a, b):
        row, other = int(a[0]), int(b[0])
        return 0.0 if row == other else 1 / (1 + weights[row, other] / median)

    options = {"variant": variant, "profile": profile, "k_step": 2, "max_iter": 12}
    by_links = SSHMCBLI(estimator=PriorClassifier(), **options)
    by_columns = SSHMCBLI(estimator=PriorClassifier(), metric=gap, **options)
    by_links.fit(X, y, links=weights)
    by_columns.fit(X, y)
    assert by_links.n_iter_ == by_columns.n_iter_
    assert (by_links.labeled_iter_ > 0).any()
    for name in ("transduction_", "labeled_iter_"):
        np.testing.assert_array_equal(
            getattr(by_links, name), getattr(by_columns, name)
        )
    np.testing.assert_allclose(by_links.similarity_, by_columns.similarity_)


def test_rows_with_fewer_than_two_links_are_not_accepted():
    y = [[1], [1], [0], [-1], [-1], [-1]]
    links = np.zeros((6, 6))
    links[3, :2] = links[4, 0] = 1  # two links, one, and none
    model = SSHMCBLI(estimator=PriorClassifier())
    with_links = model.fit(np.zeros((6, 1)), y, links=links)
    np.testing.assert_array_equal(with_links.labeled_iter_, [0, 0, 0, 1, -1, -1])
    assert with_links.transduction_[3:].tolist() == [[1], [-1], [-1]]


@given(st.integers(0, 999), st.sampled_from(["v1", "v2"]))
@settings(max_examples=25, deadline=None)
def test_the_order_of_linked_rows_is_irrelevant(seed, variant):
    X, y, weights = linked_problem(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    model = SSHMCBLI(estimator=PriorClassifier(), variant=variant)
    first = model.fit(X, y, links=weights).transduction_[order]
    model.fit(X[order], y[order], links=weights[np.ix_(order, order)])
    np.testing.assert_array_equal(first, model.transduction_)


def test_predictions_use_columns_unless_the_classifier_learns_from_links():
    X, y, weights = linked_problem(1)
    model = SSHMCBLI(estimator=LogisticRegression()).fit(X, y, links=weights)
    np.testing.assert_array_equal(
        model.predict_proba(X[:4]), model.predict_proba(X[:4], links=weights[:4])
    )
    inner = ViewsClassifier(
        estimator=LocalClassifierPerNode(estimator=LogisticRegression()),
        views=[LinkLabels()],
    )
    model = SSHMCBLI(estimator=inner, random_state=0).fit(None, y, links=weights)
    found = model.predict_proba(links=weights[:4])
    assert (found != model.predict_proba(links=np.zeros((4, 30)))).any()
    # The same as the inner classifier on the rows in the order of its own training.
    given = model.transduction_
    rows = model.estimator_._row_order
    y_all = given[rows]
    alone = clone(inner).set_params(random_state=0)
    alone.fit(None, y_all, links=weights[np.ix_(rows, rows)])
    np.testing.assert_allclose(found, alone.predict_proba(links=weights[:4][:, rows]))


def test_links_alone_need_a_classifier_that_learns_from_links():
    _, y, weights = linked_problem(1)
    with pytest.raises(LinkError, match=r"Expected X with columns.*got links alone"):
        SSHMCBLI().fit(None, y, links=weights)
    model = SSHMCBLI(estimator=PriorClassifier()).fit(None, y, links=weights)
    assert (model.labeled_iter_ > 0).any()
    training = SSHMCBLI().pseudo_label(None, y, links=weights)
    assert training.n_labeled > 12


def test_a_linked_model_survives_a_file_and_explains_rows(tmp_path):
    X, y, weights = linked_problem(2)
    model = SSHMCBLI(estimator=LogisticRegression()).fit(X, y, links=weights)
    save_model(model, tmp_path / "model.hilabel")
    again = load_model(tmp_path / "model.hilabel")
    np.testing.assert_array_equal(again.transduction_, model.transduction_)
    unlabeled = int(np.flatnonzero((y < 0).any(axis=1))[0])
    assert again.explain(unlabeled).passes
    why = again.explain(X[0], n_neighbors=2, links=weights[:1])
    known = np.flatnonzero((model.transduction_ >= 0).all(axis=1))
    strongest = known[np.argsort(-weights[0, known])[:2]]
    assert why.neighbors.tolist() == strongest.tolist()
    assert again.explain(X[0]).neighbors.size == 0
    labeled = int(np.flatnonzero((y >= 0).all(axis=1))[0])
    near, none = voting_neighbors(model, X[[labeled, 0]], [labeled, None])
    assert labeled not in near.neighbors
    assert none.neighbors.size == 0


def test_scores_out_of_fold_with_links_do_not_see_the_label_of_a_row():
    X, y, weights = linked_problem(3)
    at = int(np.flatnonzero((y >= 0).all(axis=1))[2])
    planted = y.copy()
    planted[at] = 1 - y[at]
    scores = []
    for labels in (y, planted):
        inner = ViewsClassifier(
            estimator=LocalClassifierPerNode(estimator=LogisticRegression()),
            views=[LinkLabels()],
        )
        model = SSHMCBLI(estimator=inner, random_state=0)
        data = model.check_training_data(X, LabelMatrix.of(labels))
        data = data.with_links(Links.of(weights, len(X)))
        place = np.flatnonzero(data.labeled_rows == at)
        data = replace(data, fold=np.arange(data.n_labeled) % 3)
        scores.append(score_out_of_fold(model, data).scores.read(place))
    np.testing.assert_array_equal(*scores)
