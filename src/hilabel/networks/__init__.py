"""Networks for all nodes at once: how they look, how they are trained, what is kept.

What is imported from here can be without JAX, until something is trained.
"""

from typing import Any

from hilabel.networks._extra import require_jax
from hilabel.networks._fitted import FittedNetworks
from hilabel.networks._inputs import InputScaling
from hilabel.networks._settings import TrainingSettings
from hilabel.networks._shapes import HEAD, SHAPES, NetworkShape

__all__ = [
    "HEAD",
    "SHAPES",
    "FittedNetworks",
    "InputScaling",
    "NetworkShape",
    "TrainingSettings",
    "fit_networks",
    "require_jax",
]


def __getattr__(name: str) -> Any:
    """Load what needs JAX when it is asked for."""
    if name == "fit_networks":
        require_jax()
        from hilabel.networks._fitting import fit_networks

        return fit_networks
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
