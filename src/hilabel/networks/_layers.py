"""The network of one ensemble member: its initial weights and its outputs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp

from hilabel.networks._backbone import Backbone
from hilabel.networks._shapes import NetworkShape

# Weights of the output layer are initially scaled by this factor, so that the untrained
# network is close to the constant predictor.
_OUTPUT_SCALE = 0.1


@dataclass(frozen=True)
class Network:
    """Hidden layers, optionally on top of a backbone, and one output per node.

    Networks are hashable, so that compiled programs can be reused.
    """

    shape: NetworkShape
    input_shape: tuple[int, ...]
    n_nodes: int
    backbone: Backbone | None = None

    def init(self, key: Any, bias: Any) -> Any:
        """Return the initial weights; ``bias`` is the initial bias of the outputs."""
        key, own = jax.random.split(key)
        start: dict[str, Any] = {}
        width = math.prod(self.input_shape)
        if self.backbone is not None:
            start["backbone"], width = self.backbone.init(own, self.input_shape)
        sizes = [width, *self.shape.layers, self.n_nodes]
        keys = jax.random.split(key, len(sizes) - 1)
        weights = [
            jax.random.normal(key, (rows, columns), jnp.float32) * math.sqrt(2 / rows)
            for key, (rows, columns) in zip(keys, pairwise(sizes))
        ]
        weights[-1] *= _OUTPUT_SCALE
        start["weights"] = weights
        start["biases"] = [
            *(jnp.zeros(size, jnp.float32) for size in self.shape.layers),
            jnp.asarray(bias, jnp.float32),
        ]
        return start

    def init_uniform(self, key: Any) -> Any:
        """Return weights and biases drawn uniformly within +-1 / sqrt(n_inputs)."""
        sizes = [math.prod(self.input_shape), *self.shape.layers, self.n_nodes]
        start: dict[str, Any] = {"weights": [], "biases": []}
        for rows, columns in pairwise(sizes):
            key, *own = jax.random.split(key, 3)
            bound = 1 / math.sqrt(rows)
            for name, one, size in zip(start, own, [(rows, columns), (columns,)]):
                start[name].append(
                    jax.random.uniform(one, size, jnp.float32, -bound, bound)
                )
        return start

    def apply(self, weights: Any, x: Any, kept: Sequence[Any] | None = None) -> Any:
        """Return the output for every node, before the logistic function is applied.

        In training, ``kept`` contains the units of each hidden layer that dropout
        keeps; with a backbone, the kept features of the backbone come first.
        """
        x = self.hidden(weights, x, kept)
        return x @ weights["weights"][-1] + weights["biases"][-1]

    def hidden(self, weights: Any, x: Any, kept: Sequence[Any] | None = None) -> Any:
        """Return the inputs of the last layer: the last hidden units."""
        masks = iter(kept or ())
        if self.backbone is not None:
            x = self._drop(self.backbone.apply(weights["backbone"], x), masks)
        else:
            x = x.reshape(x.shape[0], -1)
        for weight, bias in zip(weights["weights"][:-1], weights["biases"][:-1]):
            x = self._drop(jax.nn.relu(x @ weight + bias), masks)
        return x

    def mask_sizes(self, weights: Any) -> list[int]:
        """Return the number of units in each layer to which dropout applies."""
        first = 0 if self.backbone is not None else 1
        return [int(weight.shape[-2]) for weight in weights["weights"][first:]]

    def _drop(self, x: Any, masks: Any) -> Any:
        kept = next(masks, None)
        if kept is None:
            return x
        return jnp.where(kept, x / (1 - self.shape.dropout), 0)
