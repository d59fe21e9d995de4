"""What is kept of trained networks, and the scores that they give."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hilabel._saved_types import saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.constraints import cap_by_parents
from hilabel.hierarchy import Hierarchy
from hilabel.networks._extra import require_jax
from hilabel.networks._inputs import InputScaling
from hilabel.networks._shapes import NetworkShape


@saved_type
@dataclass(frozen=True)
class ShapeWeights:
    """The trained members of one shape.

    Attributes
    ----------
    name : str
    shape : NetworkShape
    weights : dict
        Lists ``weights`` and ``biases`` with an array for each layer, the first axis
        of which are the members; and what the backbone learned, if there is one.
    n_steps : int
    """

    name: str
    shape: NetworkShape
    weights: dict[str, Any]
    n_steps: int


@saved_type
@dataclass(frozen=True)
class FittedNetworks:
    """Networks of one shape or several, whose scores are averaged.

    Attributes
    ----------
    scaling : InputScaling
    parts : tuple of ShapeWeights
    loss : str
    input_shape : tuple of int
        Of a row.
    """

    scaling: InputScaling
    parts: tuple[ShapeWeights, ...]
    loss: str
    input_shape: tuple[int, ...]

    def predict(self, X: Any, hierarchy: Hierarchy, backbone: Any) -> FloatArray:
        """Return scores of rows, never above a parent's."""
        require_jax()
        from hilabel.networks._ensemble import score_blocks
        from hilabel.networks._losses import DescendantEdges

        looks_below = self.loss == "max_constraint"
        edges = DescendantEdges.of(hierarchy) if looks_below else None
        total = np.zeros((X.shape[0], hierarchy.n_nodes), np.float32)
        for part in self.parts:
            network = self._network(part, backbone)
            total += score_blocks(
                network, part.weights, *self._rows(X), self.loss, edges
            )
        return cap_by_parents(total / len(self.parts), hierarchy)

    def features(self, X: Any, backbone: Any) -> FloatArray:
        """Return the last hidden units of rows, of all members side by side."""
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

        below = None if backbone is None else Backbone.of(backbone)
        n_nodes = part.weights["biases"][-1].shape[-1]
        return Network(part.shape, self.input_shape, n_nodes, below)

    def _rows(self, X: Any) -> tuple[Callable[[Any], Any], IntArray]:
        """Return what takes rows and scales them, and the numbers of all rows."""
        return lambda rows: self.scaling.apply(X[rows]), np.arange(X.shape[0])

    def is_sound(self) -> bool:
        """Say whether the arrays fit together, as of a file they might not."""
        return all(_is_chain(part) for part in self.parts)


def _is_chain(part: ShapeWeights) -> bool:
    """Say whether every layer takes what the one below it gives."""
    weights, biases = part.weights["weights"], part.weights["biases"]
    sizes = [*part.shape.layers, weights[-1].shape[-1]]
    return len(weights) == len(biases) == len(sizes) and all(
        weight.dtype == bias.dtype == np.float32
        and weight.shape[0] == bias.shape[0] == weights[0].shape[0]
        and weight.shape[2:] == bias.shape[1:] == (size,)
        and weight.shape[1] == below
        for weight, bias, size, below in zip(
            weights, biases, sizes, _sizes_below(part, sizes)
        )
    )


def _sizes_below(part: ShapeWeights, sizes: list[int]) -> Iterator[int]:
    yield part.weights["weights"][0].shape[1]
    yield from sizes[:-1]
