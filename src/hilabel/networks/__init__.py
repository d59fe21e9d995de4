"""Neural networks that predict all nodes: shapes, training and fitted weights.

This package can be imported without JAX; training and prediction require it.
"""

from importlib import import_module
from typing import Any

from hilabel.networks._extra import require_jax as require_jax
from hilabel.networks._fitted import FittedNetworks as FittedNetworks
from hilabel.networks._inputs import InputScaling as InputScaling
from hilabel.networks._settings import TrainingSettings as TrainingSettings
from hilabel.networks._shapes import HEAD as HEAD, SHAPES, NetworkShape

# For users; names imported as themselves are for other packages of hilabel.
__all__ = ["SHAPES", "NetworkShape"]

_NEED_JAX = {
    "EpochSettings": "hilabel.networks._published",
    "NetworkFit": "hilabel.networks._fitting",
    "fit_epochs": "hilabel.networks._published",
    "fit_networks": "hilabel.networks._fitting",
}


def __getattr__(name: str) -> Any:
    """Defer importing modules that require JAX until they are first used."""
    if name in _NEED_JAX:
        require_jax()
        return getattr(import_module(_NEED_JAX[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
