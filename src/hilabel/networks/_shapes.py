"""The sizes of the layers of a network, and the noise used in training."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real
from types import MappingProxyType
from typing import Annotated, Any, Final

from hilabel._saved_types import Count, Number, saved_type


@saved_type
@dataclass(frozen=True)
class NetworkShape:
    """The hidden layers of a network, and the noise that prevents overfitting.

    Parameters
    ----------
    layers : tuple of int, default=(512, 512)
        Number of units in each hidden layer. With a backbone, these are the layers on
        top of it; ``()`` connects its features directly to the nodes.
    dropout : float, default=0.5
        Share of the units of each hidden layer that a training step drops.
    swap : float, default=0.2
        Share of the input values that a training step replaces with values of other
        rows in the same column.

    Examples
    --------
    >>> from hilabel.networks import NetworkShape
    >>> NetworkShape(layers=(256,), dropout=0.3)
    NetworkShape(layers=(256,), dropout=0.3, swap=0.2)
    """

    layers: tuple[Annotated[int, Count(1)], ...] = (512, 512)
    dropout: Annotated[float, Number(0, 1)] = 0.5
    swap: Annotated[float, Number(0, 1)] = 0.2

    def __post_init__(self) -> None:
        layers = tuple(self.layers) if isinstance(self.layers, Iterable) else (None,)
        if not all(isinstance(size, Integral) and size > 0 for size in layers):
            raise ValueError(
                f"Expected layer sizes, such as (512, 512), got {self.layers!r}."
            )
        object.__setattr__(self, "layers", tuple(int(size) for size in layers))
        for name in ("dropout", "swap"):
            share = getattr(self, name)
            if not (isinstance(share, Real) and 0 <= float(share) < 1):
                raise ValueError(
                    f"Expected a {name} of at least 0 and below 1, got {share!r}."
                )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "NetworkShape":
        """Create a shape from the given fields, with default values for the others.

        Raises
        ------
        ValueError
            If there is no such field, or its value is invalid.
        """
        known = [field.name for field in fields(cls)]
        unknown = [name for name in values if name not in known]
        if unknown:
            raise ValueError(
                f"Expected a shape of {', '.join(known)}, got {unknown[0]!r}."
            )
        return cls(**values)


SHAPES: Final[Mapping[str, NetworkShape]] = MappingProxyType(
    {
        "mid": NetworkShape(),
        "deep": NetworkShape(layers=(512, 512, 512), dropout=0.6),
        "light": NetworkShape(dropout=0.2, swap=0.05),
        "wide": NetworkShape(layers=(1500, 1500)),
    }
)
"""The named shapes.

Examples
--------
>>> from hilabel.networks import SHAPES
>>> sorted(SHAPES)
['deep', 'light', 'mid', 'wide']
"""

HEAD: Final = NetworkShape(layers=(), dropout=0.2, swap=0.0)
"""The default layers on top of a backbone.

Examples
--------
>>> from hilabel.networks import HEAD
>>> HEAD.layers
()
"""
