"""The losses: figures worked out by hand, slow twins, ties, large hierarchies."""

from functools import partial

import jax
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracles.hierarchy import raise_to_children
from strategies import hierarchies

from hilabel import Hierarchy
from hilabel.networks._losses import (
    DescendantEdges,
    binary_loss,
    max_constraint_loss,
    max_of_descendants,
)

# One size for all that Hypothesis draws, so that one program is compiled.
N_ROWS, N_NODES = 3, 8
PAIR = Hierarchy.from_dict({"A": ["B"], "B": []})
CHAIN = Hierarchy([str(i) for i in range(300)], [(i, i + 1) for i in range(299)])
STAR = Hierarchy([str(i) for i in range(2000)], [(0, i) for i in range(1, 2000)])


@st.composite
def cases(draw):
    """Draw a hierarchy of eight nodes, closed labels, and outputs without ties."""
    drawn = draw(hierarchies(max_nodes=N_NODES))
    names = [f"n{i}" for i in range(N_NODES)]
    hierarchy = Hierarchy(names, drawn.edges)
    cells = N_ROWS * N_NODES
    order = np.array(draw(st.permutations(range(cells)))).reshape(N_ROWS, N_NODES)
    seed = draw(st.integers(0, 2**16))
    labels = np.random.default_rng(seed).random((N_ROWS, N_NODES)) < 0.3
    return hierarchy, hierarchy.close(labels), (order - cells / 2) / 4


def filled_edges(hierarchy):
    """Return the edges, filled up to one size; what is added must change nothing."""
    edges = DescendantEdges.of(hierarchy)
    filled = np.zeros((2, N_NODES, 3 * N_NODES), np.int32)
    for whole, part in zip(filled, edges):
        whole[: part.shape[0], : part.shape[1]] = part
    return DescendantEdges(*filled)


def slow_losses(outputs, labels, hierarchy):
    scores = 1 / (1 + np.exp(-outputs))
    with np.errstate(divide="ignore"):  # where the other one is taken
        present = -np.log(raise_to_children(scores * labels, hierarchy))
        absent = -np.log(1 - raise_to_children(scores, hierarchy))
    return np.where(labels, present, absent)


def slow_loss(outputs, labels, hierarchy, counted):
    return slow_losses(outputs, labels, hierarchy)[:, counted > 0].mean()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((1, 0), (1.203973, 1.609438)),
        ((1, 1), (0.223144, 0.223144)),
        ((0, 0), (1.609438, 1.609438)),
    ],
)
def test_figures_worked_out_by_hand(labels, expected):
    outputs = np.log(np.array([[0.3, 0.8]]) / np.array([[0.7, 0.2]]))
    edges, labels = DescendantEdges.of(PAIR), np.array([labels], float)
    for counted, wanted in [
        ((1, 0), expected[0]),
        ((0, 1), expected[1]),
        ((1, 1), np.mean(expected)),
    ]:
        loss = max_constraint_loss(outputs, labels, np.array(counted), edges)
        assert float(loss) == pytest.approx(wanted, abs=1e-6)
    scores = max_of_descendants(np.array([[0.3, 0.8]]), edges)
    np.testing.assert_allclose(scores, [[0.8, 0.8]], rtol=1e-6)


@settings(max_examples=40)
@given(cases(), st.integers(1, 2**N_NODES - 1))
def test_loss_and_slopes_are_those_of_the_slow_twin(case, which):
    hierarchy, labels, outputs = case
    counted = np.array([which >> node & 1 for node in range(N_NODES)])
    edges = filled_edges(hierarchy)
    loss, slopes = LOSS_AND_SLOPES(outputs, labels.astype(np.float32), counted, edges)
    own_loss = partial(slow_loss, labels=labels, hierarchy=hierarchy, counted=counted)
    assert float(loss) == pytest.approx(own_loss(outputs), rel=1e-4, abs=1e-6)
    expected, step = np.zeros_like(outputs), 1e-5
    for cell in np.ndindex(outputs.shape):
        apart = np.zeros_like(outputs)
        apart[cell] = step
        rise = own_loss(outputs + apart) - own_loss(outputs - apart)
        expected[cell] = rise / (2 * step)
    np.testing.assert_allclose(slopes, expected, atol=2e-5)


LOSS_AND_SLOPES = jax.jit(jax.value_and_grad(max_constraint_loss))
SLOPE_OF_SUM = jax.jit(jax.grad(lambda x, edges: max_of_descendants(x, edges).sum()))


@settings(max_examples=30)
@given(cases(), st.integers(1, 4))
def test_tied_scores_share_a_slope_among_those_that_are_the_maximum(case, n_values):
    hierarchy, _, outputs = case
    scores = np.round(outputs * 4) % n_values / 8
    slopes = np.asarray(
        SLOPE_OF_SUM(scores.astype(np.float32), filled_edges(hierarchy))
    )
    # Every maximum hands down a slope of one.
    np.testing.assert_allclose(slopes.sum(axis=1), N_NODES, rtol=1e-5)
    assert (slopes > -1e-6).all()
    best = raise_to_children(scores, hierarchy)
    assert (slopes[scores < best] == 0).all()


@pytest.mark.parametrize("hierarchy", [CHAIN, STAR], ids=["deep chain", "wide star"])
def test_deep_and_wide_hierarchies(hierarchy):
    generator = np.random.default_rng(0)
    scores = generator.random((2, hierarchy.n_nodes)).astype(np.float32)
    edges = DescendantEdges.of(hierarchy)
    best = jax.jit(max_of_descendants)(scores, edges)
    if hierarchy is CHAIN:
        expected = np.maximum.accumulate(scores[:, ::-1], axis=1)[:, ::-1]
    else:
        expected = scores.copy()
        expected[:, 0] = scores.max(axis=1)
    np.testing.assert_array_equal(best, expected)
    slopes = np.asarray(SLOPE_OF_SUM(scores, edges))
    is_best = expected[:, :, None] == scores[:, None, :]
    np.testing.assert_array_equal(slopes, is_best.sum(axis=1))


def test_a_hierarchy_without_edges_has_its_own_scores():
    edges = DescendantEdges.of(Hierarchy(["a", "b"]))
    scores = np.array([[0.2, 0.9]], np.float32)
    np.testing.assert_array_equal(max_of_descendants(scores, edges), scores)


def test_binary_loss_is_the_cross_entropy_also_of_large_outputs():
    outputs = np.array([[0.5, -2.0, 100.0, -100.0, 1e4, -1e4]])
    labels = np.array([[1.0, 1.0, 0.0, 1.0, 1.0, 0.0]])
    expected = np.logaddexp(0, np.where(labels, -outputs, outputs)).mean()
    loss = float(binary_loss(outputs, labels, np.ones(6)))
    assert loss == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["binary", "max_constraint"])
def test_cells_that_do_not_count_change_neither_loss_nor_slopes(name):
    loss = binary_loss
    if name == "max_constraint":
        loss = partial(max_constraint_loss, edges=DescendantEdges.of(PAIR))
    outputs = np.array([[0.5, -2.0], [1.0, 3.0]])
    labels = np.array([[1.0, 0.0], [0.0, 0.0]])
    counted = np.array([[1, 1], [0, 0]])
    found, slopes = jax.value_and_grad(loss)(outputs, labels, counted)
    alone = loss(outputs[:1], labels[:1], counted[:1])
    assert float(found) == pytest.approx(float(alone), rel=1e-6)
    np.testing.assert_array_equal(slopes[1], 0)
    assert float(loss(outputs, labels, np.zeros((2, 2)))) == 0


def test_the_loss_of_saturated_outputs_is_finite_and_so_is_its_slope():
    outputs = np.array([[200.0, -200.0]], np.float32)
    for labels in ([0.0, 0.0], [1.0, 1.0]):
        loss, slopes = LOSS_AND_SLOPES(
            outputs, np.array([labels]), np.ones(2), DescendantEdges.of(PAIR)
        )
        assert np.isfinite(loss)
        assert np.isfinite(slopes).all()
