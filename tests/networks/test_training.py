"""Training steps: noise, the running mean of weights, and the two kinds of decay."""

import jax
import numpy as np
import optax
import pytest

from hilabel.networks import NetworkShape
from hilabel.networks._layers import Network
from hilabel.networks._rows import Rows
from hilabel.networks._training import (
    Recipe,
    UnlabeledRows,
    _newest_share,
    _swapped,
    run_steps,
    score_rows,
    start,
)

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(16, 3)).astype(np.float32)
Y = X[:, :2] > 0
N_MEMBERS = 2


def trained(recipe, shape, n_steps, unlabeled=None):
    """Take steps one by one; return the states after each."""
    network = Network(shape, (3,), 2)
    keys = jax.random.split(jax.random.key(0), N_MEMBERS)
    weights = jax.vmap(lambda key: network.init(key, np.zeros(2)))(keys)
    state = start(weights, recipe)
    batches = np.random.default_rng(1).integers(16, size=(1, N_MEMBERS, 8))
    states = [jax.tree.map(np.array, state)]
    for done in range(n_steps):
        state = run_steps(
            state,
            jax.random.key(0),
            batches,
            done,
            (Rows(X), Y, np.ones(2, np.float32)),
            None,
            unlabeled,
            network=network,
            recipe=recipe,
        )
        states.append(jax.tree.map(np.array, state))
    return states


def test_the_mean_of_weights_is_a_running_one():
    shape = NetworkShape(layers=(), dropout=0, swap=0)
    states = trained(Recipe(), shape, 12)
    mean = states[0].weights["weights"][0].astype(np.float64)
    for n_before, state in enumerate(states[1:]):
        mean += 8 / (n_before + 16) * (state.weights["weights"][0] - mean)
    np.testing.assert_allclose(states[-1].mean_weights["weights"][0], mean, rtol=1e-5)
    for state in trained(Recipe(averages=False), shape, 3):
        np.testing.assert_allclose(
            state.mean_weights["weights"][0], state.weights["weights"][0], rtol=1e-6
        )


@pytest.mark.parametrize("n_steps", [100, 1000])
def test_the_running_mean_reaches_back_over_about_an_eighth_of_the_steps(n_steps):
    shares = np.array([float(_newest_share(n)) for n in range(n_steps)])
    left = np.cumprod((1 - shares)[::-1])[::-1]
    part = shares * np.append(left[1:], 1.0)
    assert part[: n_steps // 2].sum() < 0.02
    age = (part * (n_steps - 1 - np.arange(n_steps))).sum()
    assert n_steps / 12 < age < n_steps / 6


def test_a_step_is_that_of_adam_for_each_member_alone():
    shape = NetworkShape(layers=(), dropout=0, swap=0)
    batches = np.random.default_rng(1).integers(16, size=(N_MEMBERS, 8))
    for recipe, decay_in_gradient in [
        (Recipe(weight_decay=0.3), False),
        (Recipe(weight_decay=0.3, decay_in_gradient=True), True),
    ]:
        before, after = trained(recipe, shape, 1)
        for member in range(N_MEMBERS):
            weight = before.weights["weights"][0][member].astype(np.float64)
            x, y = X[batches[member]], Y[batches[member]]
            scores = 1 / (1 + np.exp(-x @ weight))
            slope = x.T @ (scores - y) / y.size
            if decay_in_gradient:
                expected = weight - 1e-3 * np.sign(slope + 0.3 * weight)
            else:
                expected = weight - 1e-3 * (np.sign(slope) + 0.3 * weight)
            np.testing.assert_allclose(
                after.weights["weights"][0][member], expected, atol=1e-6
            )


@pytest.mark.parametrize("share", [0.05, 0.2, 0.999])
def test_swap_noise_takes_values_of_the_same_column_and_member(share):
    x = np.arange(2 * 500 * 4, dtype=np.float32).reshape(2, 500, 4)
    swapped = np.asarray(_swapped(x, share, jax.random.key(0)))
    for member in range(2):
        for column in range(4):
            own = x[member, :, column]
            assert np.isin(swapped[member, :, column], own).all()
            # Marginals stay, but for chance.
            assert swapped[member, :, column].mean() == pytest.approx(
                own.mean(), rel=0.15
            )
    assert (swapped != x).mean() == pytest.approx(share, abs=0.02)


def test_as_much_noise_as_can_be_still_trains():
    shape = NetworkShape(layers=(8,), dropout=0.999, swap=0.999)
    assert np.isfinite(trained(Recipe(), shape, 2)[-1].loss)


def test_scores_are_the_mean_over_members():
    network = Network(NetworkShape(layers=()), (3,), 2)
    weights = {
        "weights": [GENERATOR.normal(size=(4, 3, 2)).astype(np.float32)],
        "biases": [np.zeros((4, 2), np.float32)],
    }
    outputs = np.einsum("rf,mfn->mrn", X, weights["weights"][0])
    expected = (1 / (1 + np.exp(-outputs))).mean(axis=0)
    scores = score_rows(weights, X, None, network=network, loss="binary")
    np.testing.assert_allclose(scores, expected, rtol=1e-5)


def test_recipes_with_equal_settings_share_compiled_programs():
    assert hash(Recipe()) == hash(Recipe())
    assert isinstance(Recipe().optimizer, optax.GradientTransformation)


def test_consistency_brings_scores_under_other_noise_closer_to_each_other():
    shape = NetworkShape(layers=(8,), dropout=0, swap=0.3)
    unlabeled = UnlabeledRows(Rows(GENERATOR.normal(size=(40, 3)) + 1.0), 40)
    rows = np.broadcast_to(unlabeled.rows.values, (N_MEMBERS, 40, 3))
    network = Network(shape, (3,), 2)

    def spread(recipe, others):
        weights = trained(recipe, shape, 60, others)[-1].weights
        scores = [
            jax.nn.sigmoid(
                jax.vmap(network.apply)(
                    weights, _swapped(rows, shape.swap, jax.random.key(number))
                )
            )
            for number in range(10)
        ]
        return np.std(scores, axis=0).mean()

    alone = spread(Recipe(learning_rate=0.05), None)
    pulled = spread(Recipe(learning_rate=0.05, consistency=2.0), unlabeled)
    assert pulled < 0.8 * alone
