"""A user's own first layers, in whichever of the usual forms they come."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Backbone:
    """Two functions: one makes weights, the other turns rows into features.

    Parameters
    ----------
    make : callable
        Of a random key and a row of zeros in a batch of its own; returns weights.
    features : callable
        Of weights and a batch of rows; returns an array with a row for each.
    """

    make: Callable[[Any, Any], Any]
    features: Callable[[Any, Any], Any]

    @classmethod
    def of(cls, backbone: Any) -> "Backbone":
        """Take a pair of functions, an object with both, or a maker of modules.

        Raises
        ------
        TypeError
            If it is none of these.
        """
        if hasattr(backbone, "init") and hasattr(backbone, "apply"):  # flax, haiku
            return cls(backbone.init, backbone.apply)
        if isinstance(backbone, tuple | list):
            if len(backbone) == 2 and all(map(callable, backbone)):
                return cls(*backbone)
        elif callable(backbone) and not any(map(_is_weight, jax.tree.leaves(backbone))):
            return cls(*_from_maker(backbone))
        raise TypeError(
            "Expected backbone to be a pair of functions (init, apply), an object that "
            "has both, or a function that makes an equinox module from a key; got "
            f"{backbone!r}."
        )

    def init(self, key: Any, input_shape: tuple[int, ...]) -> tuple[Any, int]:
        """Return weights, and how many features they make of a row."""
        row = jnp.zeros((1, *input_shape), jnp.float32)
        weights = self.make(key, row)
        features = jax.eval_shape(self.apply, weights, row)
        return weights, int(features.shape[1])

    def apply(self, weights: Any, x: Any) -> Any:
        """Return the features of a batch of rows, one row of numbers for each."""
        return self.features(weights, x).reshape(x.shape[0], -1)


@lru_cache(maxsize=16)  # the same functions find the programs compiled for them again
def _from_maker(maker: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return the two functions for modules that hold their own weights, as equinox's.

    Such a module is a tree with arrays of numbers among its leaves, and can be called
    with a single row.
    """
    leaves, form = jax.tree.flatten(maker(jax.random.key(0)))
    trained = [_is_weight(leaf) for leaf in leaves]

    def make(key: Any, row: Any) -> Any:
        return [leaf for leaf in jax.tree.leaves(maker(key)) if _is_weight(leaf)]

    def features(weights: Any, x: Any) -> Any:
        rest = iter(weights)
        whole = [next(rest) if own else leaf for own, leaf in zip(trained, leaves)]
        return jax.vmap(jax.tree.unflatten(form, whole))(x)

    return make, features


def _is_weight(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jnp.inexact)
