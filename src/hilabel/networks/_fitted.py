"""Fitted networks and their predictions."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Final, Literal

import numpy as np

from hilabel._saved_types import Array, Count, fits, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.constraints import cap_by_parents
from hilabel.hierarchy import Hierarchy
from hilabel.networks._extra import require_jax
from hilabel.networks._inputs import MAX_INPUT, InputScaling
from hilabel.networks._shapes import NetworkShape

MAX_OUTPUT: Final = 1e30
"""Networks whose outputs may exceed this are refused, to stay within float32."""

# The first axis is the members of an ensemble.
LAYER: Final = Array("f4", ("*", "*", "*")) | Array("f4", ("*", "*"))


@saved_type
@dataclass(frozen=True)
class ShapeWeights:
    """The weights of the trained members of one shape.

    Attributes
    ----------
    name : str
    shape : NetworkShape
    weights : dict
        Lists ``weights`` and ``biases`` with one array per layer, whose first axis is
        the members; and the weights of the backbone, if there is one.
    n_steps : int
    """

    name: str
    shape: NetworkShape
    # The weights of a backbone may have any form, since its author is trusted.
    weights: dict[str, Any]
    n_steps: Annotated[int, Count()]

    def is_sound(self) -> bool:
        """Return whether every layer has its arrays; used to check model files."""
        return all(
            fits(self.weights.get(kind), list[Annotated[Any, LAYER]], {})
            and len(self.weights[kind]) == len(self.shape.layers) + 1
            for kind in ("weights", "biases")
        )


@saved_type
@dataclass(frozen=True)
class FittedNetworks:
    """Networks of one or several shapes, whose scores are averaged.

    Attributes
    ----------
    scaling : InputScaling
    parts : tuple of ShapeWeights
    loss : str
    input_shape : tuple of int
        Shape of a row.

    Examples
    --------
    >>> from dataclasses import fields
    >>> from hilabel.networks import FittedNetworks
    >>> [field.name for field in fields(FittedNetworks)]  # stored in a model file
    ['scaling', 'parts', 'loss', 'input_shape']
    """

    scaling: InputScaling
    parts: tuple[ShapeWeights, ...]
    loss: Annotated[str, Literal["binary", "max_constraint"]]
    input_shape: tuple[Annotated[int, Count(1)], ...]

    def predict(self, X: Any, hierarchy: Hierarchy, backbone: Any) -> FloatArray:
        """Return the scores of the rows; no node scores higher than its parents."""
        require_jax()
        import jax.numpy as jnp
        from jax import tree

        from hilabel.networks._ensemble import score_blocks
        from hilabel.networks._losses import DescendantEdges

        looks_below = self.loss == "max_constraint"
        edges = DescendantEdges.of(hierarchy) if looks_below else None
        total = np.zeros((X.shape[0], hierarchy.n_nodes), np.float32)
        for part in self.parts:
            network = self._network(part, backbone)
            weights = tree.map(jnp.asarray, part.weights)  # to the device, once
            total += score_blocks(network, weights, *self._rows(X), self.loss, edges)
        if not np.isfinite(total).all():  # without a backbone, outputs are bounded
            raise ValueError(
                "Expected finite features from the backbone, got scores of NaN."
            )
        return cap_by_parents(total / len(self.parts), hierarchy)

    def features(self, X: Any, backbone: Any) -> FloatArray:
        """Return the last hidden units of all members, concatenated."""
        require_jax()
        from hilabel.networks._ensemble import feature_blocks

        found = [
            feature_blocks(self._network(part, backbone), part.weights, *self._rows(X))
            for part in self.parts
        ]
        return np.concatenate(found, axis=1)

    def _network(self, part: ShapeWeights, backbone: Any) -> Any:
        from hilabel.networks._backbone import Backbone
        from hilabel.networks._layers import Network

        if ("backbone" in part.weights) != (backbone is not None):
            # A file does not contain the backbone, and the user may not have set it
            # again.
            raise ValueError(
                "Expected the backbone that the networks were trained with, got "
                f"{backbone!r}; set it with set_params(backbone=...)."
            )
        below = None if backbone is None else Backbone.of(backbone)
        n_nodes = part.weights["biases"][-1].shape[-1]
        return Network(part.shape, self.input_shape, n_nodes, below)

    def _rows(self, X: Any) -> tuple[Callable[[Any], Any], IntArray]:
        """Return a function that scales rows by number, and the numbers of all rows."""
        return lambda rows: self.scaling.apply(X[rows]), np.arange(X.shape[0])

    @property
    def n_outputs(self) -> int:
        """Number of nodes that the networks were trained for."""
        return int(self.parts[0].weights["biases"][-1].shape[-1])

    def is_sound(self) -> bool:
        """Return whether the arrays are consistent; used to check model files."""
        return (
            len(self.input_shape) > 0
            and self.scaling.takes(self.input_shape)
            and self.scaling.largest <= MAX_INPUT
            and len(self.parts) > 0
            and all(_is_chain(part, self) for part in self.parts)
        )


def largest_output(weights: Mapping[str, Any]) -> Any:
    """Return a bound on the outputs for any scaled row; it may be NaN or infinite."""
    bound = MAX_INPUT
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, bias in zip(weights["weights"], weights["biases"]):
            bound = (abs(weight).sum(axis=-2) * bound + abs(bias)).max()
    return bound


def _is_chain(part: ShapeWeights, whole: FittedNetworks) -> bool:
    """Return whether the sizes of consecutive layers match."""
    weights, biases = part.weights["weights"], part.weights["biases"]
    has_backbone = "backbone" in part.weights
    width = weights[0].shape[1] if has_backbone else math.prod(whole.input_shape)
    sizes = [width, *part.shape.layers, whole.n_outputs]
    n_members = len(weights[0])
    return (
        _are_sizes((n_members, *sizes))
        and isinstance(part.shape.layers, tuple)
        and len(weights) == len(biases) == len(sizes) - 1
        and all(array.dtype == np.float32 for array in [*weights, *biases])
        and all(
            weight.shape == (n_members, below, size) and bias.shape == (n_members, size)
            for weight, bias, (below, size) in zip(weights, biases, pairwise(sizes))
        )
        and bool(largest_output(part.weights) < MAX_OUTPUT)
    )


def _are_sizes(values: Iterable[Any]) -> bool:
    return all(type(value) is int and value > 0 for value in values)
