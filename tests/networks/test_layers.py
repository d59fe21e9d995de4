"""The network of one member, beside NumPy."""

import jax
import numpy as np
import pytest

from hilabel.networks import NetworkShape
from hilabel.networks._backbone import Backbone
from hilabel.networks._layers import Network

SHAPE = NetworkShape(layers=(6, 5), dropout=0.25)
X = np.random.default_rng(0).normal(size=(7, 4)).astype(np.float32)


def slow_outputs(weights, x, kept=None):
    *hidden, (last, bias) = zip(
        *(map(np.asarray, weights[name]) for name in ("weights", "biases"))
    )
    for layer, (weight, own_bias) in enumerate(hidden):
        x = np.maximum(x @ weight + own_bias, 0)
        if kept is not None:
            x = x * kept[layer] / (1 - SHAPE.dropout)
    return x @ last + bias


def test_outputs_are_those_of_numpy():
    network = Network(SHAPE, (4,), 3)
    weights = network.init(jax.random.key(0), np.array([-1.0, 0.0, 2.0]))
    np.testing.assert_allclose(
        network.apply(weights, X), slow_outputs(weights, X), rtol=1e-4, atol=1e-6
    )
    generator = np.random.default_rng(1)
    sizes = network.mask_sizes(weights)
    assert sizes == [6, 5]
    kept = [generator.random((7, size)) > 0.5 for size in sizes]
    np.testing.assert_allclose(
        network.apply(weights, X, kept),
        slow_outputs(weights, X, kept),
        rtol=1e-4,
        atol=1e-6,
    )


@pytest.mark.parametrize("layers", [(), (64,), (512, 512)])
def test_the_untrained_network_is_close_to_the_constant_predictor(layers):
    shares = np.array([0.01, 0.3, 0.9])
    network = Network(NetworkShape(layers=layers), (30,), 3)
    x = np.random.default_rng(0).normal(size=(200, 30)).astype(np.float32)
    weights = network.init(jax.random.key(0), np.log(shares / (1 - shares)))
    scores = 1 / (1 + np.exp(-np.asarray(network.apply(weights, x))))
    np.testing.assert_allclose(scores.mean(axis=0), shares, rtol=0.1)
    assert scores.std(axis=0).max() < 0.06


def test_published_weights_start_within_one_over_the_root_of_the_inputs():
    weights = Network(NetworkShape(layers=(50,)), (16,), 40).init_uniform(
        jax.random.key(0)
    )
    for name in ("weights", "biases"):
        for array, bound in zip(weights[name], (1 / 4, 1 / np.sqrt(50))):
            assert np.abs(array).max() <= bound
            assert np.abs(array).max() > 0.9 * bound


def test_a_backbone_stands_below_the_layers_and_has_dropout_of_its_own():
    backbone = Backbone(lambda key, row: np.float32(2.0), lambda w, x: w * x)
    network = Network(SHAPE, (2, 2), 3, backbone)
    images = X.reshape(7, 2, 2)
    weights = network.init(jax.random.key(0), np.zeros(3))
    np.testing.assert_allclose(
        network.apply(weights, images), slow_outputs(weights, 2 * X), rtol=1e-4
    )
    assert network.mask_sizes(weights) == [4, 6, 5]
