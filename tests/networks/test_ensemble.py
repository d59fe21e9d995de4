"""Folds and batches: who sees which rows; and members trained side by side."""

import jax
import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel.networks import InputScaling, NetworkShape
from hilabel.networks._ensemble import (
    DrawnBatches,
    Ensemble,
    EpochBatches,
    Folds,
    score_blocks,
)
from hilabel.networks._layers import Network
from hilabel.networks._rows import labels_on_device, rows_on_device
from hilabel.networks._training import Recipe

N_ROWS, N_MEMBERS = 20, 3
SMALL = NetworkShape(layers=(), dropout=0.0, swap=0.0)


def generator():
    return np.random.default_rng(0)


def folds_of(n_rows, n_members, n_folds):
    return Folds.of(generator().permutation(n_rows) % n_folds, n_members)


@given(st.integers(1, 30), st.integers(1, 13), st.integers(1, 8))
def test_each_member_leaves_out_whole_folds_and_each_fold_has_a_member(
    n_rows, n_members, n_folds
):
    fold = generator().permutation(n_rows) % n_folds
    folds = Folds.of(fold, n_members)
    n_used = min(n_rows, n_members, n_folds)
    assert folds.leave_out == (n_used > 1)
    if not folds.leave_out:
        assert set(folds.of_member) == {-1}
        return
    for number in range(n_folds):
        assert len(set(folds.of_row[fold == number])) <= 1
    counts = np.bincount(folds.of_member, minlength=n_used)
    assert counts.size == n_used
    assert counts.max() - counts.min() <= 1
    rows, members = zip(*folds)
    assert sorted(np.concatenate(rows)) == list(range(n_rows))
    assert sorted(np.concatenate(members)) == list(range(n_members))


@given(st.integers(2, 30), st.integers(2, 7), st.booleans())
def test_no_member_ever_draws_a_row_of_its_fold(n_rows, n_members, weighted):
    folds = folds_of(n_rows, n_members, 6)
    weights = generator().random(n_rows) + 0.01 if weighted else None
    drawn = DrawnBatches(folds, 7, weights, generator()).draw(30)
    assert drawn.shape == (30, n_members, 7)
    for member, fold in enumerate(folds.of_member):
        assert not (folds.of_row[drawn[:, member]] == fold).any()


def test_rows_are_drawn_as_often_as_their_weights_say():
    folds = folds_of(4, 1, 1)
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    drawn = DrawnBatches(folds, 100, weights, generator()).draw(200)
    shares = np.bincount(drawn.ravel()) / drawn.size
    np.testing.assert_allclose(shares, weights / 10, atol=0.01)
    drawn = DrawnBatches(folds, 100, None, generator()).draw(200)
    np.testing.assert_allclose(np.bincount(drawn.ravel()) / drawn.size, 0.25, atol=0.01)


@pytest.mark.parametrize("size", [1, 4, 7, 25])
def test_epochs_go_through_every_row_once_before_any_again(size):
    batches = EpochBatches(10, size, generator())
    drawn = np.concatenate([batches.draw(n_steps).ravel() for n_steps in (3, 1, 40)])
    n_whole = drawn.size // 10
    epochs = drawn[: n_whole * 10].reshape(n_whole, 10)
    np.testing.assert_array_equal(np.sort(epochs), np.tile(np.arange(10), (n_whole, 1)))
    if n_whole > 1:
        assert (epochs[0] != epochs[1]).any()


def small_ensemble(folds, learning_rate=0.05):
    X = generator().normal(size=(N_ROWS, 2))
    network = Network(SMALL, (2,), 2)
    rows = rows_on_device(X, InputScaling.of_columns(X))
    labels = labels_on_device(np.column_stack([X[:, 0] > 0, X.sum(axis=1) > 0]))
    recipe = Recipe(learning_rate=learning_rate)
    return Ensemble(network, recipe, rows, labels, folds, np.ones(2, np.float32))


def trained(ensemble, checkpoints):
    keys = jax.random.split(jax.random.key(0), N_MEMBERS)
    weights = jax.vmap(lambda key: ensemble.network.init(key, np.zeros(2)))(keys)
    batches = DrawnBatches(ensemble.folds, 8, None, generator())
    return list(ensemble.train(weights, batches, checkpoints, seed=0))


def test_members_are_kept_as_they_were_at_every_checkpoint():
    folds = folds_of(N_ROWS, N_MEMBERS, N_MEMBERS)
    several = trained(small_ensemble(folds), [2, 5, 120])
    assert [found.n_steps for found in several] == [2, 5, 120]
    (alone,) = trained(small_ensemble(folds), [2])
    for kept, again in zip(*map(jax.tree.leaves, (several[0].weights, alone.weights))):
        np.testing.assert_array_equal(kept, again)
    np.testing.assert_array_equal(several[0].oof_scores, alone.oof_scores)


def test_out_of_fold_scores_are_those_of_the_members_without_the_row():
    folds = folds_of(N_ROWS, N_MEMBERS, 2)
    ensemble = small_ensemble(folds)
    (found,) = trained(ensemble, [20])
    for row in range(N_ROWS):
        members = np.flatnonzero(folds.of_member == folds.of_row[row])
        x = np.asarray(ensemble.rows.values)[[row]]
        each = [
            ensemble.network.apply(
                jax.tree.map(lambda array, own=member: array[own], found.weights), x
            )
            for member in members
        ]
        expected = np.mean(1 / (1 + np.exp(-np.asarray(each))), axis=0)
        np.testing.assert_allclose(found.oof_scores[[row]], expected, rtol=1e-5)


def test_without_folds_there_are_no_out_of_fold_scores():
    folds = folds_of(N_ROWS, N_MEMBERS, 1)
    (found,) = trained(small_ensemble(folds), [3])
    assert found.oof_scores is None


def test_training_that_diverges_is_an_error_that_names_the_rate():
    folds = folds_of(N_ROWS, N_MEMBERS, 1)
    ensemble = small_ensemble(folds, learning_rate=1e30)
    # The loss before the last step is finite, the weights after it are not.
    with pytest.raises(
        ValueError, match=r"diverged: after 1 steps .* Lower learning_rate, .* 1e\+30"
    ):
        trained(ensemble, [1])


@pytest.mark.parametrize("n_rows", [1, 256, 300])
def test_blocks_have_the_scores_of_all_rows(n_rows):
    network = Network(SMALL, (2,), 2)
    weights = jax.tree.map(
        lambda array: array[None], network.init(jax.random.key(1), np.zeros(2))
    )
    X = generator().normal(size=(n_rows, 2)).astype(np.float32)
    taken = []

    def take(rows):
        taken.append(len(rows))
        return X[rows]

    scores = score_blocks(network, weights, take, np.arange(n_rows), "binary", None)
    assert set(taken) == {256}
    outputs = X @ np.asarray(weights["weights"][0][0])
    np.testing.assert_allclose(scores, 1 / (1 + np.exp(-outputs)), rtol=1e-5)
