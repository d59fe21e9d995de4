"""Training as published for C-HMCNN(h): one network and a fixed number of epochs."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hilabel._typing import FloatArray, LabelArray
from hilabel.hierarchy import Hierarchy
from hilabel.networks._ensemble import Ensemble, EpochBatches, Folds
from hilabel.networks._fitted import FittedNetworks, ShapeWeights
from hilabel.networks._inputs import MAX_INPUT, InputScaling
from hilabel.networks._layers import Network
from hilabel.networks._losses import DescendantEdges
from hilabel.networks._rows import labels_on_device, rows_on_device
from hilabel.networks._shapes import NetworkShape
from hilabel.networks._training import Recipe

_LOSS = "max_constraint"


@dataclass(frozen=True)
class EpochSettings:
    """All settings for training with a fixed number of epochs.

    Examples
    --------
    >>> from hilabel.networks import SHAPES, EpochSettings
    >>> settings = EpochSettings(
    ...     SHAPES["mid"], n_epochs=5, batch_size=4, learning_rate=1e-4, weight_decay=0
    ... )
    >>> settings.n_epochs
    5
    """

    shape: NetworkShape
    n_epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float


def fit_epochs(
    X: Any,
    Y: LabelArray,
    hierarchy: Hierarchy,
    settings: EpochSettings,
    counted: FloatArray,
    seed: int,
) -> FittedNetworks:
    """Train one network; ``counted`` is 1 for nodes included in the loss, else 0.

    The labels in ``Y`` are 1, 0, or -1 where unknown.

    Raises
    ------
    ValueError
        If the loss becomes infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.networks import EpochSettings, NetworkShape, fit_epochs
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> X, Y = np.array([[0.0], [1.0]]), np.array([[1, 0], [1, 1]], dtype=np.int8)
    >>> shape = NetworkShape(layers=(4,))
    >>> settings = EpochSettings(
    ...     shape, n_epochs=1, batch_size=2, learning_rate=1e-3, weight_decay=0.0
    ... )
    >>> networks = fit_epochs(X, Y, h, settings, counted=np.ones(2), seed=0)
    >>> networks.predict(X, h, backbone=None).shape
    (2, 2)
    """
    scaling = InputScaling.of_columns(X, largest=MAX_INPUT)
    network = Network(settings.shape, X.shape[1:], Y.shape[1])
    recipe = Recipe(
        loss=_LOSS,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        decay_in_gradient=True,
        averages=False,
    )
    generator = np.random.default_rng(seed)
    ensemble = Ensemble(
        network,
        recipe,
        rows_on_device(X, scaling),
        labels_on_device(Y),
        Folds.of(np.zeros(X.shape[0], dtype=np.int64), 1),
        jnp.asarray(counted, jnp.float32),
        DescendantEdges.of(hierarchy),
    )
    n_steps = -(-X.shape[0] * settings.n_epochs // settings.batch_size)
    batches = EpochBatches(X.shape[0], settings.batch_size, generator)
    weights = _start_weights(network, jax.random.key(seed))
    (trained,) = ensemble.train(weights, batches, [n_steps], seed)
    kept = jax.tree.map(np.asarray, trained.weights)
    part = ShapeWeights("published", settings.shape, kept, n_steps)
    return FittedNetworks(scaling, (part,), _LOSS, X.shape[1:])


@partial(jax.jit, static_argnames=("network",))
def _start_weights(network: Network, key: Any) -> Any:
    return jax.tree.map(lambda array: array[None], network.init_uniform(key))
