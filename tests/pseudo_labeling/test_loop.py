"""The loop: against an oracle, by hand for each choice, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import pseudo_labeling as oracle
from strategies import hierarchies

from hilabel._progress import Progress
from hilabel.neighbors import ActiveNeighbors, ExactSearch, Metric
from hilabel.pseudo_labeling import (
    PseudoLabelSettings,
    resolve_settings,
    run_passes,
)

# As the paper has it, V1, with two neighbours.
PLAIN = PseudoLabelSettings(
    n_neighbors=2,
    similarity_threshold=0.5,
    label_threshold=0.5,
    similarity_span=3.0,
    max_iter=50,
    k_step=None,
    exclude_self=False,
    similarity_average="pairs",
    similarity_set="neighbors",
    acceptance="at_least",
    convergence="accepted",
    stop_on_cycle=False,
    iteration_limit="beyond",
    growth="after",
)


def run(X_labeled, Y_labeled, X_unlabeled, how=PLAIN, metric="euclidean", known=None):
    X_labeled, X_unlabeled = (
        X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        for X in (X_labeled, X_unlabeled)
    )
    distance = Metric(metric)
    search = ActiveNeighbors(X_labeled, X_unlabeled, ExactSearch(distance))
    Y = np.asarray(Y_labeled, dtype=bool)
    return run_passes(
        X_labeled, Y, X_unlabeled, how, distance, search, Progress(0), known
    )


def run_line(labeled, unlabeled, **choices):
    """Run on points of a line, ``labeled`` being {place: has the only label}."""
    return run(
        [[place] for place in labeled],
        [[has] for has in labeled.values()],
        [[place] for place in unlabeled],
        replace(PLAIN, **choices),
    )


# Against the oracle ---------------------------------------------------------------


@st.composite
def problems(draw):
    """Draw whole numbers on a line, so that all arithmetic is exact, with ties."""
    hierarchy = draw(hierarchies(max_nodes=5))
    n_labeled, n_unlabeled = draw(st.integers(5, 9)), draw(st.integers(1, 12))
    places = st.integers(0, 12).map(float)
    X_labeled = draw(hnp.arrays(np.float64, (n_labeled, 1), elements=places))
    X_unlabeled = draw(hnp.arrays(np.float64, (n_unlabeled, 1), elements=places))
    labels = draw(hnp.arrays(bool, (n_labeled, hierarchy.n_nodes)))
    return X_labeled, hierarchy.close(labels), X_unlabeled


@settings(max_examples=150)
@given(
    problems(),
    st.sampled_from(["v1", "v2", "v3"]),
    st.sampled_from(["paper", "authors"]),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
def test_loop_does_what_the_description_says(problem, variant, profile, k, threshold):
    how = resolve_settings(
        variant=variant,
        profile=profile,
        k_step=5,
        n_neighbors=k,
        similarity_threshold=threshold,
        label_threshold=0.5,
        similarity_span=3.0,
        max_iter=9,
    )
    X_labeled, Y_labeled, X_unlabeled = problem
    assert_is_described(X_labeled, Y_labeled, None, X_unlabeled, how)


def assert_is_described(X_labeled, Y_labeled, known_cells, X_unlabeled, how):
    """Compare the loop with the oracle, and return its outcome."""
    outcome = run(X_labeled, Y_labeled, X_unlabeled, how, known=known_cells)
    Y = Y_labeled.astype(int)
    if known_cells is not None:
        Y[~known_cells] = -1
    known, counts, reason = oracle.pseudo_label(X_labeled, Y, X_unlabeled, how)
    assert [int(record.accepted.sum()) for record in outcome.passes] == counts
    assert outcome.termination_condition == reason
    rows = np.flatnonzero(outcome.accepted) + len(X_labeled)
    assert rows.tolist() == sorted(row for row in known if row >= len(X_labeled))
    found = outcome.labels.astype(int)[outcome.accepted]
    if known_cells is not None:
        found[~outcome.accepted_known] = -1
    for labels, row in zip(found, rows, strict=True):
        np.testing.assert_array_equal(labels, known[row], strict=True)
    return outcome


@settings(max_examples=60)
@given(problems(), st.sampled_from(["paper", "authors"]), st.data())
def test_neighbours_vote_among_those_who_know(problem, profile, data):
    X_labeled, Y_labeled, X_unlabeled = problem
    how = resolve_settings(
        variant=data.draw(st.sampled_from(["v1", "v2", "v3"])),
        profile=profile,
        k_step=5,
        n_neighbors=data.draw(st.integers(1, 3)),
        similarity_threshold=0.3,
        label_threshold=data.draw(st.sampled_from([0.5, 1.0])),
        similarity_span=3.0,
        max_iter=9,
    )
    known = Y_labeled | data.draw(hnp.arrays(bool, Y_labeled.shape))
    assert_is_described(X_labeled, Y_labeled, known, X_unlabeled, how)
    # Where all is known, it does not matter that it might not be.
    everywhere = np.ones_like(Y_labeled)
    same = assert_is_described(X_labeled, Y_labeled, everywhere, X_unlabeled, how)
    before = run(X_labeled, Y_labeled, X_unlabeled, how)
    np.testing.assert_array_equal(same.words, before.words)
    assert same.n_iter == before.n_iter


@given(problems())
def test_loop_is_deterministic_and_leaves_its_input_alone(problem):
    copies = [array.copy() for array in problem]
    first, second = run(*problem), run(*problem)
    for array, copy in zip(problem, copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.accepted, second.accepted)


@given(problems())
def test_labels_are_those_proposed_in_the_last_pass_but_one(problem):
    outcome = run(*problem)
    if outcome.n_iter == 1:
        assert not outcome.accepted.any()
        return
    before = outcome.passes[-2]
    np.testing.assert_array_equal(outcome.accepted, before.accepted)
    kept = before.proposed & before.accepted[:, None]
    np.testing.assert_array_equal(outcome.labels, kept)
    for row in range(len(problem[2])):
        np.testing.assert_array_equal(before.proposed_row(row), before.proposed[row])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows_are_labelled_as_dense_ones(metric):
    random = np.random.default_rng(0)
    X = random.random((60, 8)) * (random.random((60, 8)) < 0.7)
    Y = random.random((12, 4)) < 0.5
    dense = run(X[:12], Y, X[12:], metric=metric)
    sparse = run(sp.csr_array(X[:12]), Y, sp.csr_array(X[12:]), metric=metric)
    assert dense.accepted.any()
    np.testing.assert_array_equal(sparse.labels, dense.labels)
    np.testing.assert_array_equal(sparse.accepted, dense.accepted)


# One choice at a time, by hand ------------------------------------------------------


def test_similarity_average_decides_by_pairs_or_by_members():
    # u = 3; l = 2 by pairs, which scores .75, and 1 by members, which scores 0.
    by_pairs = run_line({0: 1, 2: 1}, [4])
    assert by_pairs.passes[0].similarity.tolist() == [0.75]
    assert by_pairs.accepted.all()
    by_members = run_line({0: 1, 2: 1}, [4], similarity_average="members")
    assert by_members.passes[0].similarity.tolist() == [0]
    assert not by_members.accepted.any()


def test_similarity_set_takes_all_neighbours_or_those_that_contribute():
    # The neighbour at 1 has no label, so the one at 0 is the only contributor.
    assert run_line({0: 1, 1: 0}, [0.5]).accepted.all()
    alone = run_line({0: 1, 1: 0}, [0.5], similarity_set="contributors")
    assert not alone.accepted.any()


def test_acceptance_takes_or_refuses_a_similarity_at_the_threshold():
    choices = {"similarity_threshold": 0.75}
    assert run_line({0: 1, 2: 1}, [4], **choices).accepted.all()
    above = run_line({0: 1, 2: 1}, [4], acceptance="above", **choices)
    assert not above.accepted.any()


def test_nothing_is_above_a_threshold_of_1():
    choices = {"similarity_threshold": 1.0}
    assert run_line({0: 1, 2: 1}, [1], **choices).accepted.all()
    assert not run_line({0: 1, 2: 1}, [1], acceptance="above", **choices).accepted.any()


def test_convergence_looks_at_accepted_labels_or_at_all_proposals():
    # All is proposed at once; 4 is accepted in pass 1 and, thanks to it, 6 in pass 2.
    accepted = run_line({0: 1, 2: 1}, [4, 6])
    assert [record.accepted.tolist() for record in accepted.passes] == [
        [True, False],
        [True, True],
        [True, True],
    ]
    assert accepted.accepted.tolist() == [True, True]
    proposed = run_line({0: 1, 2: 1}, [4, 6], convergence="proposed")
    assert proposed.n_iter == 2
    # What the last pass accepted is discarded.
    assert proposed.passes[-1].accepted.tolist() == [True, True]
    assert proposed.accepted.tolist() == [True, False]
    assert proposed.termination_condition == "unchanged"


def test_iteration_limit_stops_at_the_limit_or_one_pass_beyond_it():
    beyond = run_line({0: 1, 2: 1}, [4, 6], max_iter=1)
    assert (beyond.n_iter, beyond.termination_condition) == (2, "max_iter")
    assert beyond.accepted.tolist() == [True, False]
    at = run_line({0: 1, 2: 1}, [4, 6], max_iter=1, iteration_limit="at")
    assert (at.n_iter, at.termination_condition) == (1, "max_iter")
    assert not at.accepted.any()


def test_exclude_self_bars_an_accepted_row_from_its_own_neighbours():
    with_self = run_line({0: 1, 2: 1}, [4])
    assert with_self.passes[1].neighbors.tolist() == [[2, 1]]
    assert with_self.passes[1].distances.tolist() == [[0, 2]]
    without = run_line({0: 1, 2: 1}, [4], exclude_self=True)
    assert without.passes[1].neighbors.tolist() == [[1, 0]]


def test_stop_on_cycle_ends_what_would_go_on_forever():
    # 2 is near enough to 6 and 9, but not to 6 and 8; 1 only with 2 beside it. So
    # they take turns, while 8 stays.
    choices = {"exclude_self": True, "max_iter": 20}
    endless = run_line({6: 1, 9: 1}, [2, 1, 8], **choices)
    assert [record.accepted.tolist() for record in endless.passes[:3]] == [
        [True, False, True],
        [False, True, True],
        [True, False, True],
    ]
    assert (endless.n_iter, endless.termination_condition) == (21, "max_iter")
    cut = run_line({6: 1, 9: 1}, [2, 1, 8], stop_on_cycle=True, **choices)
    assert (cut.n_iter, cut.termination_condition) == (3, "cycle")
    assert cut.accepted.tolist() == [False, True, True]


def test_label_threshold_is_the_share_of_neighbours_needed():
    assert run_line({0: 1, 1: 0}, [0.5], label_threshold=0.5).accepted.all()
    assert not run_line({0: 1, 1: 0}, [0.5], label_threshold=0.51).accepted.any()


def test_similarity_span_is_how_far_is_too_far():
    near = run_line({0: 1, 2: 1}, [4], similarity_span=2)
    assert near.passes[0].similarity.tolist() == [0.5]


def test_k_step_asks_more_neighbours_in_later_passes():
    line = {0: 1, 1: 1, 2: 1, 3: 1, 4: 1}
    outcome = run_line(line, [5, 6, 7, 8, 9, 10], k_step=1, similarity_threshold=0.7)
    asked = [record.n_neighbors for record in outcome.passes]
    assert asked == list(range(2, 2 + len(asked)))
    assert len(asked) >= 3


def test_a_row_without_proposal_has_similarity_0_and_is_not_accepted():
    outcome = run_line({0: 0, 2: 0}, [1], similarity_threshold=0.0)
    assert outcome.passes[0].similarity.tolist() == [0]
    assert not outcome.accepted.any()
    assert (outcome.n_iter, outcome.termination_condition) == (1, "unchanged")


def test_acceptance_can_be_taken_back():
    random = np.random.default_rng(3)
    X, Y = random.random((60, 2)), random.random((10, 3)) < 0.5
    outcome = run(X[:10], Y, X[10:], replace(PLAIN, n_neighbors=3, exclude_self=True))
    lost = [
        (before.accepted & ~after.accepted).any()
        for before, after in zip(outcome.passes, outcome.passes[1:])
    ]
    assert any(lost)


def test_equally_near_rows_are_taken_by_number():
    labels = [[1, 0], [0, 1], [1, 1]]
    outcome = run([[0.0], [2.0], [2.0]], labels, [[1.0]])
    assert outcome.passes[0].neighbors.tolist() == [[0, 1]]


# What is refused --------------------------------------------------------------------


def test_more_neighbours_than_labelled_rows_are_refused():
    with pytest.raises(ValueError, match=r"n_neighbors=3 labelled .* got 2; label"):
        run_line({0: 1, 2: 1}, [4], n_neighbors=3)


def test_neighbours_grown_beyond_the_rows_are_refused():
    # Nothing is accepted, but what is proposed has changed, so there is a pass 2.
    with pytest.raises(ValueError, match=r"n_neighbors=3 \(grown from 2\) .* got 2"):
        run_line({0: 1, 2: 1}, [9], k_step=1, convergence="proposed")


def test_a_grown_number_of_neighbours_does_not_count_the_row_itself():
    # One accepted row and two labelled ones: for that row itself only two are left.
    with pytest.raises(ValueError, match=r"n_neighbors=3 \(grown from 2\) .* got 2"):
        run_line({0: 1, 2: 1}, [1], k_step=1, exclude_self=True)
    assert run_line({0: 1, 2: 1}, [1], k_step=1, max_iter=1).accepted.all()
