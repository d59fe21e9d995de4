"""Backbones: every form gives the same features, and what is none is told."""

import equinox
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hilabel.networks._backbone import Backbone

X = np.random.default_rng(0).normal(size=(5, 3, 2)).astype(np.float32)


def init(key, rows):
    return {"w": jax.random.normal(key, (rows[0].size, 4))}


def apply(weights, rows):
    return jnp.tanh(rows.reshape(len(rows), -1) @ weights["w"])


class Module:
    """Has both, as a module of flax does."""

    def init(self, key, rows):
        return init(key, rows)

    def apply(self, weights, rows):
        return apply(weights, rows)


class Layer(equinox.Module):
    """Takes a single row, as modules of equinox do; not all leaves are weights."""

    w: jax.Array
    order: jax.Array
    activation: object = jnp.tanh

    def __call__(self, row):
        return self.activation(row.ravel()[self.order] @ self.w)


def make_layer(key):
    return Layer(jax.random.normal(key, (6, 4)), jnp.arange(6))


MODULE = Module()


@pytest.mark.parametrize(
    "form",
    [(init, apply), [init, apply], MODULE, make_layer],
    ids=["tuple", "list", "object", "equinox"],
)
def test_every_form_gives_the_same_features(form):
    backbone = Backbone.of(form)
    key = jax.random.key(3)
    weights, width = backbone.init(key, (3, 2))
    assert width == 4
    expected = np.tanh(X.reshape(5, -1) @ np.asarray(jax.random.normal(key, (6, 4))))
    np.testing.assert_allclose(backbone.apply(weights, X), expected, rtol=1e-5)
    assert [leaf.shape for leaf in jax.tree.leaves(weights)] == [(6, 4)]


@pytest.mark.parametrize("form", [(init, apply), MODULE, make_layer])
def test_the_same_form_finds_compiled_programs_again(form):
    first, second = Backbone.of(form), Backbone.of(form)
    assert first == second
    assert hash(first) == hash(second)


def test_features_of_any_shape_become_a_row_of_numbers():
    backbone = Backbone.of((lambda key, rows: jnp.ones(()), lambda w, rows: w * rows))
    weights, width = backbone.init(jax.random.key(0), (3, 2))
    assert width == 6
    np.testing.assert_array_equal(backbone.apply(weights, X), X.reshape(5, 6))


@pytest.mark.parametrize(
    "form",
    ["conv", 3, (init,), (init, apply, apply), (init, "apply"), {"init": init}],
)
def test_what_is_no_backbone_is_refused(form):
    with pytest.raises(TypeError, match=r"pair of functions \(init, apply\).* got "):
        Backbone.of(form)


def test_a_module_in_the_place_of_its_maker_is_refused():
    with pytest.raises(TypeError, match=r"a function that creates an equinox module"):
        Backbone.of(make_layer(jax.random.key(0)))
