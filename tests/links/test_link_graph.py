"""What reaches rows along links."""

import numpy as np
import pytest
import scipy.sparse as sp
from engine_levels import LEVELS
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import links as oracle

from hilabel.links import LinkGraph, _link_graph

values = st.sampled_from([0.0, 0.0, 0.0, 0.5, 1.0, 3.0])


@st.composite
def graphs(draw):
    """Draw weights in both directions, and links of new rows."""
    n_rows = draw(st.integers(1, 9))
    A = draw(hnp.arrays(float, (n_rows, n_rows), elements=values))
    np.fill_diagonal(A, 0)
    new = draw(hnp.arrays(float, (draw(st.integers(0, 4)), n_rows), elements=values))
    return np.maximum(A, A.T), new


def reached(A, new, alpha=0.9, **options):
    options.setdefault("n_kept", len(A))
    graph = LinkGraph.of(sp.csr_array(A))
    return graph.reached_from(sp.csr_array(new), alpha=alpha, **options).toarray()


@given(graph=graphs(), alpha=st.sampled_from([0.1, 0.5, 0.9]))
def test_shares_are_those_of_a_dense_inverse(graph, alpha):
    A, new = graph
    expected = oracle.reached(A, new, alpha)
    np.testing.assert_allclose(reached(A, new, alpha), expected, atol=1e-3)


def test_with_a_smaller_limit_the_result_is_nearer_to_the_inverse(monkeypatch):
    random = np.random.default_rng(0)
    A = random.random((60, 60)) * (random.random((60, 60)) < 0.2)
    A = np.maximum(A, A.T)
    expected = oracle.reached(A, A[:5], 0.9)
    errors = []
    monkeypatch.setattr(_link_graph, "MOST_FOLLOWED", 10**9)
    for least in (1e-2, 1e-4, 1e-6, 1e-9):
        monkeypatch.setattr(_link_graph, "_LEAST", least)
        errors.append(np.abs(reached(A, A[:5]) - expected).max())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-6


@given(graph=graphs())
def test_only_the_first_rows_are_kept(graph):
    A, new = graph
    kept = len(A) // 2
    np.testing.assert_array_equal(
        reached(A, new, n_kept=kept), reached(A, new)[:, :kept]
    )


@given(graph=graphs(), data=st.data())
def test_rows_of_the_same_part_are_out_of_the_way(graph, data):
    A, new = graph
    part = data.draw(hnp.arrays(np.int64, len(A), elements=st.integers(-1, 2)))
    start_part = data.draw(hnp.arrays(np.int64, len(new), elements=st.integers(-1, 2)))
    found = reached(A, new, part=part, start_part=start_part)
    for row, own in enumerate(start_part):
        kept = (part != own) | (own < 0)
        expected = oracle.reached(A, new[[row]], 0.9, among=kept)
        np.testing.assert_allclose(found[[row]], expected, atol=1e-3)


def test_a_row_without_links_in_training_may_be_linked_to_new_rows():
    A = np.zeros((3, 3))
    found = reached(A, [[0.0, 2, 0], [0, 0, 0], [1, 0, 3]], 0.5)
    expected = [[0, 0.5, 0], [0, 0, 0], [0.25, 0, 0.5 * np.sqrt(0.75)]]
    np.testing.assert_allclose(found, expected)


def test_links_in_one_direction_count_in_both():
    one_way = np.triu(np.ones((4, 4)), 1)
    np.testing.assert_array_equal(
        reached(one_way, one_way[:1]), reached(one_way + one_way.T, one_way[:1])
    )


def test_a_star_of_ten_thousand_links_is_passed_through(monkeypatch):
    monkeypatch.setattr(_link_graph, "MOST_FOLLOWED", 10**6)
    # Row 0 is linked to all others; what it passes to each of them is tiny.
    n_rows = 10_001
    spokes = np.arange(1, n_rows)
    cells = np.ones(spokes.size), (np.zeros_like(spokes), spokes)
    graph = LinkGraph.of(sp.csr_array(sp.coo_array(cells, shape=(n_rows, n_rows))))
    new = sp.csr_array(([1.0], ([0], [1])), shape=(1, n_rows))
    found = graph.reached_from(new, alpha=0.9, n_kept=n_rows)
    expected = 0.9 * (1 + 0.81 / (1 - 0.81) / (n_rows - 1))
    assert found[0, 1] == pytest.approx(expected, rel=1e-3)
    assert found[0, 0] == pytest.approx(0.81 / 0.19 / 100, rel=0.01)
    assert found[0, 2] == pytest.approx(0.9 * 0.81 / 0.19 / (n_rows - 1), rel=0.1)


def test_few_links_are_followed_where_there_are_very_many(monkeypatch):
    monkeypatch.setattr(_link_graph, "MOST_FOLLOWED", 50)
    A = 1 - np.eye(200)
    found = reached(A, A[:3], 0.9)
    np.testing.assert_allclose(found[:, 10:], found[0, -1])
    assert (found[:, 10:] > 0).all()  # what is not followed counts where it is


# The engine ---------------------------------------------------------------------------


def arguments(**changes):
    """Return the arguments for two linked rows and one start."""
    given = {
        "ptr": np.array([0, 1, 2]),
        "rows": np.array([1, 0], np.int32),
        "shares": np.array([1, 1], np.float32),
        "part": np.array([-1, -1], np.int32),
        "start_ptr": np.array([0, 1]),
        "start_rows": np.array([0], np.int32),
        "start_amounts": np.array([1.0]),
        "start_part": np.array([-1], np.int32),
        "n_kept": 2,
        "alpha": 0.5,
        "least": 1e-9,
        "most_links": 1000,
    }
    return (given | changes).values()


@pytest.mark.parametrize("engine", LEVELS)
def test_two_rows_pass_amounts_back_and_forth(engine):
    ptr, rows, amounts = engine.spread_along_links(*arguments())
    assert (ptr.tolist(), rows.tolist()) == ([0, 2], [0, 1])
    np.testing.assert_allclose(amounts, [4 / 3, 2 / 3])


@pytest.mark.parametrize("engine", LEVELS)
def test_without_links_to_follow_amounts_stay(engine):
    _, rows, amounts = engine.spread_along_links(*arguments(most_links=0))
    assert (rows.tolist(), amounts.tolist()) == ([0], [1.0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ptr": np.array([0, 3, 2])}, "pointers"),
        ({"ptr": np.empty(0, np.int64)}, "pointers"),
        ({"rows": np.array([1, 2], np.int32)}, "lead to rows"),
        ({"start_rows": np.array([-1], np.int32)}, "lead to rows"),
        ({"shares": np.ones(1, np.float32)}, "a row and a share"),
        ({"part": np.zeros(1, np.int32)}, "each row"),
        ({"start_part": np.zeros(2, np.int32)}, "each start"),
        ({"least": 0.0}, "least"),
        ({"most_links": -1}, "most_links"),
    ],
)
@pytest.mark.parametrize("engine", LEVELS)
def test_the_engine_refuses_what_would_crash_it(engine, changes, message):
    with pytest.raises(ValueError, match=message):
        engine.spread_along_links(*arguments(**changes))


@given(graph=graphs())
def test_all_builds_give_the_same_bits(graph):
    A, new = graph
    parts = _link_graph.LinkGraph.of(sp.csr_array(A))._shares
    starts = sp.csr_array(new)
    values = (
        *parts,
        np.full(len(A), -1, np.int32),
        starts.indptr.astype(np.int64),
        starts.indices.astype(np.int32),
        starts.data,
        np.full(len(new), -1, np.int32),
    )
    one, other = (
        level.spread_along_links(*values, len(A), 0.9, 1e-5, 1000) for level in LEVELS
    )
    for found, expected in zip(one, other):
        np.testing.assert_array_equal(found, expected)
