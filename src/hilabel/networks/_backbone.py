"""Custom first layers of a network, given in any of the usual forms."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Backbone:
    """A pair of functions, one to create weights and one to convert rows to features.

    Parameters
    ----------
    make : callable
        Called with a random key and a batch of one row of zeros; returns weights.
    features : callable
        Called with weights and a batch of rows; returns an array with one row for each.
    """

    make: Callable[[Any, Any], Any]
    features: Callable[[Any, Any], Any]

    @classmethod
    def of(cls, backbone: Any) -> "Backbone":
        """Create a backbone from a pair of functions, an object or a module factory.

        Raises
        ------
        TypeError
            If ``backbone`` is none of these.
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
            "has both, or a function that creates an equinox module from a key; got "
            f"{backbone!r}."
        )

    def init(self, key: Any, input_shape: tuple[int, ...]) -> tuple[Any, int]:
        """Return the initial weights, and the number of features per row."""
        row = jnp.zeros((1, *input_shape), jnp.float32)
        weights = self.make(key, row)
        features = jax.eval_shape(self.apply, weights, row)
        return weights, int(features.shape[1])

    def apply(self, weights: Any, x: Any) -> Any:
        """Return the features of a batch of rows as a two-dimensional array."""
        return self.features(weights, x).reshape(x.shape[0], -1)


@lru_cache(maxsize=16)  # the same functions reuse their compiled programs
def _from_maker(maker: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return the two functions for a module that contains its weights, as in equinox.

    Such a module is a pytree with numeric arrays among its leaves, and can be called
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
