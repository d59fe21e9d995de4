"""Train the members of an ensemble together, each without one fold."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from operator import itemgetter
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.utils import gen_batches

from hilabel._typing import FloatArray, IntArray
from hilabel.networks._fitted import MAX_OUTPUT, largest_output
from hilabel.networks._layers import Network
from hilabel.networks._losses import DescendantEdges
from hilabel.networks._rows import Rows
from hilabel.networks._training import (
    Recipe,
    TrainingState,
    UnlabeledRows,
    last_hidden,
    run_steps,
    score_rows,
    start,
)

# Number of steps whose batches are drawn together.
_STEPS_DRAWN = 100
# Steps per call of a compiled loop. The distance between any two checkpoints is a
# multiple of five, and that between later checkpoints a multiple of ten, so no other
# loop is compiled unless the user ends training elsewhere. Calls cost more on an
# accelerator.
_STEPS_PER_CALL = {"cpu": (5,), "accelerator": (10, 5)}
# Rows are scored in padded blocks of one size, so that a program is compiled once and
# no score depends on the number of rows.
_BLOCK_ROWS = 256
# On an accelerator, this many draws are started while a checkpoint is evaluated. They
# are wasted if training then ends, so there are none on a CPU.
_DRAWS_AHEAD = 3
# Blocks that are computed while the previous one is fetched.
_BLOCKS_AHEAD = 2


@dataclass(frozen=True)
class Folds:
    """The fold of each labelled row, and the fold that each member leaves out.

    Attributes
    ----------
    of_row : int array of shape (n_rows,)
    of_member : int array of shape (n_members,)
        -1 for members that are trained on all rows.
    """

    of_row: IntArray
    of_member: IntArray

    @classmethod
    def of(cls, fold: IntArray, n_members: int) -> "Folds":
        """Let each member leave out a fold; several each, if members are fewer.

        With a single fold or member, no row is left out.
        """
        n_folds = min(int(fold.max(initial=0)) + 1, n_members)
        if n_folds < 2:
            return cls(np.zeros_like(fold), np.full(n_members, -1))
        return cls(fold % n_folds, np.arange(n_members) % n_folds)

    @property
    def leave_out(self) -> bool:
        """Whether any member leaves out rows in training."""
        return bool((self.of_member >= 0).any())

    def __iter__(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the rows of each fold and the members trained without it."""
        for fold in np.unique(self.of_row):
            yield (
                np.flatnonzero(self.of_row == fold),
                np.flatnonzero(self.of_member == fold),
            )


class Batches(Protocol):
    """A source of batches of training rows for the members."""

    def draw(self, n_steps: int) -> IntArray:
        """Return row numbers of shape (n_steps, n_members, batch_size)."""


class DrawnBatches:
    """Batches drawn with replacement from the training rows of each member.

    Parameters
    ----------
    folds : Folds
    size : int
        Number of rows per batch.
    weights : ndarray of shape (n_rows,) or None
        Relative sampling weights of the rows.
    generator : numpy.random.Generator
    """

    def __init__(
        self,
        folds: Folds,
        size: int,
        weights: FloatArray | None,
        generator: np.random.Generator,
    ) -> None:
        self._size = size
        self._generator = generator
        # No row is in fold -1.
        self._rows = [np.flatnonzero(folds.of_row != fold) for fold in folds.of_member]
        self._shares = [
            None if weights is None else weights[rows] / weights[rows].sum()
            for rows in self._rows
        ]

    def draw(self, n_steps: int) -> IntArray:
        """Return row numbers of shape (n_steps, n_members, batch_size)."""
        drawn = [
            self._generator.choice(rows, (n_steps, self._size), p=shares)
            for rows, shares in zip(self._rows, self._shares)
        ]
        return np.stack(drawn, axis=1).astype(np.int32)


class EpochBatches:
    """Batches for one member, in which all rows occur before any row is repeated.

    Parameters
    ----------
    n_rows, size : int
    generator : numpy.random.Generator
    """

    def __init__(self, n_rows: int, size: int, generator: np.random.Generator) -> None:
        self._n_rows = n_rows
        self._size = size
        self._generator = generator
        self._left = np.empty(0, np.int64)

    def draw(self, n_steps: int) -> IntArray:
        """Return row numbers of shape (n_steps, 1, size)."""
        n_wanted = n_steps * self._size
        while self._left.size < n_wanted:
            epoch = self._generator.permutation(self._n_rows)
            self._left = np.concatenate([self._left, epoch])
        rows, self._left = self._left[:n_wanted], self._left[n_wanted:]
        return rows.reshape(n_steps, 1, self._size).astype(np.int32)


@dataclass(frozen=True)
class TrainedMembers:
    """The members of an ensemble at a training checkpoint.

    Attributes
    ----------
    weights : tree of arrays whose first axis is the members
    n_steps : int
        Number of steps after which these weights were stored.
    oof_scores : ndarray of shape (n_rows, n_nodes) or None
        Scores of each labelled row by the members trained without it.
    """

    weights: Any
    n_steps: int
    oof_scores: FloatArray | None


@dataclass(frozen=True)
class Ensemble:
    """Several networks of the same kind, trained on the same rows.

    Parameters
    ----------
    network : Network
    recipe : Recipe
    rows : Rows
        Scaled rows, on the device.
    labels : int8 array of shape (n_rows, n_nodes)
        Also on the device, with the same rows; below 0 where unknown.
    folds : Folds
    counted : float array of shape (n_nodes,)
        1 or 0: whether the loss includes the node.
    edges : DescendantEdges or None
        Only for losses that use descendants.
    unlabeled : UnlabeledRows or None
        Only for recipes with consistency; by default, labelled rows.
    """

    network: Network
    recipe: Recipe
    rows: Rows
    labels: Any
    folds: Folds
    counted: Any
    edges: DescendantEdges | None = None
    unlabeled: UnlabeledRows | None = None

    def train(
        self, weights: Any, batches: Batches, checkpoints: Sequence[int], seed: int
    ) -> Iterator[TrainedMembers]:
        """Train the members and yield the result at each checkpoint."""
        n_ahead = 0 if jax.default_backend() == "cpu" else _DRAWS_AHEAD
        run = _Run(self, start(weights, self.recipe), batches, jax.random.key(seed))
        for checkpoint, following in zip_longest(checkpoints, checkpoints[1:]):
            while run.n_steps < checkpoint:
                run.go_on(checkpoint)
            weights = self._checked(run.state, checkpoint)
            scores = self._out_of_fold(weights)
            for _ in range(n_ahead):
                run.go_on(following or checkpoint)
            yield TrainedMembers(weights, checkpoint, scores)

    def _checked(self, state: TrainingState, n_steps: int) -> Any:
        """Return a copy of the mean weights; raise an error if training diverged."""
        weights, bound, is_finite = _summary(state)
        if not (is_finite and bound < MAX_OUTPUT):
            raise ValueError(
                f"Training diverged: after {n_steps} steps the loss is {state.loss}, "
                f"and outputs may reach {bound:.3g}. Lower learning_rate, now "
                f"{self.recipe.learning_rate:g}."
            )
        return weights

    def _out_of_fold(self, weights: Any) -> FloatArray | None:
        if not self.folds.leave_out:
            return None
        shape = (self.folds.of_row.size, self.network.n_nodes)
        scores = np.empty(shape, np.float32)
        for rows, members in self.folds:
            own = _members_of(weights, members)
            scores[rows] = score_blocks(
                self.network, own, self.rows.take, rows, self.recipe.loss, self.edges
            )
        return scores


class _Run:
    """The state of a training run, advanced by up to a hundred steps at a time."""

    def __init__(
        self, ensemble: Ensemble, state: TrainingState, batches: Batches, key: Any
    ) -> None:
        self.state = state
        self.n_steps = 0
        self._ensemble = ensemble
        self._batches = batches
        self._key = key

    def go_on(self, until: int) -> None:
        """Start the next steps, up to step ``until``, without waiting for them."""
        n_steps = min(_STEPS_DRAWN, until - self.n_steps)
        if n_steps == 0:
            return
        ensemble = self._ensemble
        drawn = self._batches.draw(_STEPS_DRAWN)[:n_steps]
        for part in self._calls(n_steps):
            self.state = run_steps(
                self.state,
                self._key,
                drawn[part],
                self.n_steps + part.start,
                (ensemble.rows, ensemble.labels, ensemble.counted),
                ensemble.edges,
                ensemble.unlabeled,
                network=ensemble.network,
                recipe=ensemble.recipe,
            )
        self.n_steps += n_steps

    def _calls(self, n_steps: int) -> Iterator[slice]:
        kind = "cpu" if jax.default_backend() == "cpu" else "accelerator"
        done = 0
        for size in _STEPS_PER_CALL[kind]:
            for _ in range((n_steps - done) // size):
                yield slice(done, done + size)
                done += size
        if done < n_steps:
            yield slice(done, n_steps)


@jax.jit
def _summary(state: TrainingState) -> tuple[Any, Any, Any]:
    """Return mean weights, a bound on the outputs, and whether values are finite."""
    weights = state.mean_weights
    own = [state.loss, *jax.tree.leaves(weights.get("backbone"))]
    is_finite = jnp.all(jnp.stack([jnp.isfinite(array).all() for array in own]))
    return jax.tree.map(jnp.copy, weights), largest_output(weights), is_finite


@jax.jit
def _members_of(weights: Any, members: IntArray) -> Any:
    return jax.tree.map(itemgetter(members), weights)


def score_blocks(
    network: Network,
    weights: Any,
    take: Callable[[Any], Any],
    rows: IntArray,
    loss: str,
    edges: DescendantEdges | None,
) -> FloatArray:
    """Return the mean scores of the members for the given rows."""
    compute = partial(score_rows, weights, edges=edges, network=network, loss=loss)
    return _in_blocks(compute, take, rows, network.n_nodes)


def feature_blocks(
    network: Network, weights: Any, take: Callable[[Any], Any], rows: IntArray
) -> FloatArray:
    """Return the last hidden units of all members, concatenated, for the given rows."""
    n_members, n_units, _ = weights["weights"][-1].shape
    compute = partial(last_hidden, weights, network=network)
    return _in_blocks(compute, take, rows, n_members * n_units)


def _in_blocks(
    compute: Callable[[Any], Any],
    take: Callable[[Any], Any],
    rows: IntArray,
    width: int,
) -> FloatArray:
    found = np.empty((rows.size, width), np.float32)
    under_way: deque[tuple[slice, Any]] = deque()
    for block in gen_batches(rows.size, _BLOCK_ROWS):
        filled = np.resize(rows[block], _BLOCK_ROWS)
        under_way.append((block, compute(take(filled))))
        if len(under_way) > _BLOCKS_AHEAD:
            _fetch(found, *under_way.popleft())
    while under_way:
        _fetch(found, *under_way.popleft())
    return found


def _fetch(found: FloatArray, block: slice, computed: Any) -> None:
    """Wait until a block has been computed, and copy its rows without the padding."""
    found[block] = np.asarray(computed)[: block.stop - block.start]
