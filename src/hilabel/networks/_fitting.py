"""Fit networks on validated rows: scale rows, train several shapes, keep the best."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import jax
import numpy as np

from hilabel._typing import FloatArray, IntArray, LabelArray
from hilabel.constraints import cap_by_parents
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision
from hilabel.networks._backbone import Backbone
from hilabel.networks._ensemble import DrawnBatches, Ensemble, Folds, TrainedMembers
from hilabel.networks._fitted import FittedNetworks, ShapeWeights
from hilabel.networks._inputs import InputScaling
from hilabel.networks._layers import Network
from hilabel.networks._losses import DescendantEdges
from hilabel.networks._rows import labels_on_device, rows_on_device
from hilabel.networks._settings import TrainingSettings
from hilabel.networks._shapes import NetworkShape
from hilabel.networks._training import Recipe, UnlabeledRows

# Label shares are clipped this far from 0 and 1 before they become outputs.
_LEAST_SHARE = 1e-3
# After this many training steps, all programs have been compiled.
_STEPS_TO_COMPILE = 10


@dataclass(frozen=True)
class NetworkFit:
    """The result of fitting networks.

    Attributes
    ----------
    networks : FittedNetworks
    oof_scores : ndarray of shape (n_labeled, n_nodes) or None
        Scores of each labelled row by the members trained without it.
    oof_quality : float
        Average precision of these scores; NaN if there are none.
    curve : list of (str, int, float)
        Shape, number of steps, and quality of the shape after these steps.

    Examples
    --------
    >>> from hilabel.networks import NetworkFit
    >>> found = NetworkFit(networks, None, 0.41, [("mid", 250, 0.41)])  # doctest: +SKIP
    >>> found.curve  # doctest: +SKIP
    [('mid', 250, 0.41)]
    """

    networks: FittedNetworks
    oof_scores: FloatArray | None
    oof_quality: float
    curve: list[tuple[str, int, float]]


@dataclass(frozen=True)
class _Result:
    """The best result of training a shape."""

    members: TrainedMembers
    quality: float


def fit_networks(
    X: Any,
    Y: LabelArray,
    hierarchy: Hierarchy,
    settings: TrainingSettings,
    *,
    scaling: InputScaling,
    weights: FloatArray | None,
    fold: IntArray,
    seed: int,
    report: Callable[[str], None],
    X_unlabeled: Any = None,
) -> NetworkFit:
    """Train members of several shapes and keep the best combination of shapes.

    Shapes are tried in the given order, for example from strong to weak noise. When a
    shape is worse than the previous one, the remaining shapes are not tried.

    Parameters
    ----------
    X, Y : labelled rows, and their labels: 1, 0, and -1 where unknown
    hierarchy : Hierarchy
    settings : TrainingSettings
    scaling : InputScaling
    weights : ndarray of shape (n_rows,) or None
        Relative sampling weights of the rows.
    fold : int array of shape (n_rows,)
        The fold of each row; each member leaves out one or several.
    seed : int
    report : callable
        Called with a short message at every checkpoint.
    X_unlabeled : rows, optional
        For settings with consistency; by default, labelled rows.

    Raises
    ------
    ValueError
        If the loss becomes infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.networks import (
    ...     InputScaling,
    ...     NetworkShape,
    ...     TrainingSettings,
    ...     fit_networks,
    ... )
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 1], [1, 1]], dtype=np.int8)
    >>> settings = TrainingSettings(
    ...     shapes={"small": NetworkShape(layers=(4,))},
    ...     n_members=2,
    ...     max_steps=15,
    ...     backbone=None,
    ...     loss="binary",
    ...     batch_size=4,
    ...     learning_rate=1e-3,
    ...     weight_decay=0.0,
    ... )
    >>> found = fit_networks(  # doctest: +SKIP
    ...     X,
    ...     Y,
    ...     h,
    ...     settings,
    ...     scaling=InputScaling.of_columns(X),
    ...     weights=None,
    ...     fold=np.array([0, 1, 0, 1]),
    ...     seed=0,
    ...     report=lambda text: None,
    ... )
    >>> found.oof_scores.shape  # doctest: +SKIP
    (4, 2)
    """
    folds = Folds.of(fold, settings.n_members)
    trainer = _Trainer(
        X, Y, hierarchy, settings, scaling, weights, seed, X_unlabeled, folds
    )
    curve: list[tuple[str, int, float]] = []

    def note(name: str, n_steps: int, quality: float) -> None:
        curve.append((name, n_steps, quality))
        report(f"{name}, {n_steps} steps: out-of-fold average precision {quality:.4f}")

    results: dict[str, _Result] = {}
    before = -np.inf
    later = iter(settings.shapes.values())
    next(later)
    for name, shape in settings.shapes.items():
        with trainer.compiling(next(later, None)):
            results[name] = trainer.best_of(shape, partial(note, name))
        if results[name].quality < before:
            break
        before = results[name].quality
    names, quality = trainer.best_mix(results)
    parts = tuple(
        ShapeWeights(
            name,
            settings.shapes[name],
            jax.tree.map(np.asarray, results[name].members.weights),
            results[name].members.n_steps,
        )
        for name in names
    )
    networks = FittedNetworks(scaling, parts, settings.loss, X.shape[1:])
    scores = trainer.mixed(results, names)
    if scores is not None:
        scores = cap_by_parents(scores, hierarchy)
    return NetworkFit(networks, scores, quality, curve)


class _Trainer:
    """Trains networks of any shape with the same rows, folds and seeds."""

    def __init__(
        self,
        X: Any,
        Y: LabelArray,
        hierarchy: Hierarchy,
        settings: TrainingSettings,
        scaling: InputScaling,
        weights: FloatArray | None,
        seed: int,
        X_unlabeled: Any,
        folds: Folds,
    ) -> None:
        self._unlabeled = None
        if settings.consistency and X_unlabeled is not None and X_unlabeled.shape[0]:
            rows = rows_on_device(X_unlabeled, scaling)
            self._unlabeled = UnlabeledRows(rows, X_unlabeled.shape[0])
        self._rows = rows_on_device(X, scaling)
        self._input_shape = X.shape[1:]
        self._labels = Y
        self._labels_on_device = labels_on_device(Y)
        self._hierarchy = hierarchy
        self._settings = settings
        self._weights = weights
        self._seed = seed
        self._folds = folds
        backbone = settings.backbone
        self._backbone = None if backbone is None else Backbone.of(backbone)
        looks_below = settings.loss == "max_constraint"
        self._edges = DescendantEdges.of(hierarchy) if looks_below else None

    def best_of(
        self, shape: NetworkShape, note: Callable[[int, float], None]
    ) -> _Result:
        """Train a shape while out-of-fold scores improve; return the best result."""
        best = None
        for members in self._train(shape):
            quality = self.quality(members.oof_scores)
            note(members.n_steps, quality)
            # Of 264 curves at 10 % labelled, two improved again, by .001.
            if best is not None and quality <= best.quality:
                break
            best = _Result(members, quality)
        assert best is not None  # there is at least one checkpoint
        return best

    def best_mix(self, results: Mapping[str, _Result]) -> tuple[tuple[str, ...], float]:
        """Return the combination of shapes with the best quality, and that quality."""
        if not self._folds.leave_out:
            return tuple(results), np.nan
        qualities: dict[tuple[str, ...], float] = {
            (name,): result.quality for name, result in results.items()
        }
        for size in range(2, len(results) + 1):
            for names in combinations(results, size):
                qualities[names] = self.quality(self.mixed(results, names))
        best = max(qualities, key=lambda names: qualities[names])
        return best, qualities[best]

    def mixed(
        self, results: Mapping[str, _Result], names: tuple[str, ...]
    ) -> FloatArray | None:
        """Return the mean out-of-fold scores of the given shapes, before capping."""
        if not self._folds.leave_out:
            return None
        scores: list[Any] = [results[name].members.oof_scores for name in names]
        return np.mean(scores, axis=0)

    def quality(self, scores: FloatArray | None) -> float:
        """Return the average precision of out-of-fold scores, or NaN if undefined."""
        if scores is None or not (self._labels == 1).any():
            return np.nan
        capped = cap_by_parents(scores, self._hierarchy)
        return float(average_precision(self._labels, capped))

    @contextmanager
    def compiling(self, shape: NetworkShape | None) -> Iterator[None]:
        """Compile the programs of a shape while an accelerator trains another shape.

        On a CPU, compiling would slow down the training.
        """
        if shape is None or jax.default_backend() == "cpu":
            yield
            return
        with ThreadPoolExecutor(1) as executor:
            executor.submit(next, self._train(shape, checkpoints=[_STEPS_TO_COMPILE]))
            yield

    def _train(
        self, shape: NetworkShape, checkpoints: Sequence[int] | None = None
    ) -> Iterator[TrainedMembers]:
        settings = self._settings
        recipe = Recipe(
            loss=settings.loss,
            learning_rate=settings.learning_rate,
            weight_decay=settings.weight_decay,
            consistency=settings.consistency,
        )
        network = Network(
            shape, self._input_shape, self._labels.shape[1], self._backbone
        )
        ensemble = Ensemble(
            network,
            recipe,
            self._rows,
            self._labels_on_device,
            self._folds,
            np.ones(self._labels.shape[1], np.float32),
            self._edges,
            self._unlabeled,
        )
        generator = np.random.default_rng([self._seed, 1])
        batches = DrawnBatches(
            self._folds, settings.batch_size, self._weights, generator
        )
        keys = jax.random.split(jax.random.key(self._seed), settings.n_members)
        weights = _start_weights(network, keys, self._bias())
        checkpoints = checkpoints or self._checkpoints()
        return ensemble.train(weights, batches, checkpoints, self._seed)

    def _checkpoints(self) -> Sequence[int]:
        checkpoints = self._settings.checkpoints(self._labels.shape[0])
        # If no row is left out, or there are no labels, there is no stopping criterion.
        if not (self._folds.leave_out and (self._labels == 1).any()):
            return [self._settings.max_steps or checkpoints[0]]
        return checkpoints

    def _bias(self) -> Any:
        """Return the outputs of the constant predictor, used as initial biases."""
        weights = np.ones(len(self._labels)) if self._weights is None else self._weights
        n_known = weights @ (self._labels >= 0)
        share = weights @ (self._labels == 1) / np.where(n_known > 0, n_known, 1)
        share = np.clip(share, _LEAST_SHARE, 1 - _LEAST_SHARE)
        return np.log(share / (1 - share)).astype(np.float32)


@partial(jax.jit, static_argnames=("network",))
def _start_weights(network: Network, keys: Any, bias: Any) -> Any:
    return jax.vmap(lambda key: network.init(key, bias))(keys)
