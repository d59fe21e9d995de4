"""Training steps for all members of an ensemble together, in one compiled loop."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from hilabel.networks._layers import Network
from hilabel.networks._losses import (
    DescendantEdges,
    binary_loss,
    max_constraint_loss,
    max_of_descendants,
)
from hilabel.networks._rows import Rows

# The running mean of the weights covers about the last 1/N of the steps.
_AVERAGED = 8.0
# Use the kernels that the vendor's library suggests for matrix products: Triton's, and
# those found by tuning, are no faster here and take seconds to find. These options have
# no effect on a CPU.
COMPILER_OPTIONS = {
    "xla_gpu_enable_triton_gemm": False,
    "xla_gpu_autotune_level": 0,
}
# The weight of consistency grows over this many steps, since the first teachers are
# uninformative.
_STEPS_TO_FULL_PULL = 100
# Consistency compares fewer rows than there are in a batch, since each is scored twice.
_BATCH_TO_COMPARED = 2
# Shares are compared with random bytes, in units of 1/256.
_BYTE = 256


@dataclass(frozen=True)
class Recipe:
    """The rules for updating weights; hashable, so compiled programs can be reused.

    Parameters
    ----------
    loss : {"binary", "max_constraint"}
    learning_rate, weight_decay : float
    decay_in_gradient : bool
        Add the weight decay to the gradient (Adam with an L2 term), or subtract it from
        the weights (AdamW).
    averages : bool
        Predict with a running mean of the weights over about the last eighth of the
        steps, or with the current weights.
    consistency : float
        Weight of the requirement that rows score the same under different noise: the
        unlabelled rows or, without any, those of the batch.
    """

    loss: str = "binary"
    learning_rate: float = 1e-3
    weight_decay: float = 0.02
    decay_in_gradient: bool = False
    averages: bool = True
    consistency: float = 0.0

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """The optimiser that updates the weights."""
        if self.decay_in_gradient:
            return optax.chain(
                optax.add_decayed_weights(self.weight_decay),
                optax.adam(self.learning_rate),
            )
        return optax.adamw(self.learning_rate, weight_decay=self.weight_decay)


class UnlabeledRows(NamedTuple):
    """Scaled unlabelled rows on the device, and their number."""

    rows: Rows
    n_rows: Any

    def draw(self, key: Any, shape: tuple[int, ...]) -> Any:
        """Draw random rows and return them as a dense array."""
        return self.rows.take(jax.random.randint(key, shape, 0, self.n_rows))


class TrainingState(NamedTuple):
    """The state updated by each step; the first axis of the weights indexes members."""

    weights: Any
    optimizer: Any
    mean_weights: Any
    loss: Any


@partial(jax.jit, static_argnames=("recipe",))
def start(weights: Any, recipe: Recipe) -> TrainingState:
    """Return the initial state for the weights of all members."""
    return TrainingState(
        weights,
        recipe.optimizer.init(weights),
        jax.tree.map(jnp.copy, weights),
        jnp.zeros((), jnp.float32),
    )


@partial(
    jax.jit,
    static_argnames=("network", "recipe"),
    donate_argnames=("state",),
    compiler_options=COMPILER_OPTIONS,
)
def run_steps(
    state: TrainingState,
    key: Any,
    batches: Any,
    n_before: Any,
    data: tuple[Rows, Any, Any],
    edges: DescendantEdges | None,
    unlabeled: UnlabeledRows | None = None,
    *,
    network: Network,
    recipe: Recipe,
) -> TrainingState:
    """Take one training step for each batch in ``batches``.

    ``batches`` has axes for steps, members and rows; ``n_before`` is the number of
    previous steps; ``data`` contains the rows, their labels (1, 0, or negative where
    unknown), and an array that is 1 for nodes that count and 0 for others.
    ``unlabeled`` contains the rows for the consistency loss of a recipe; by default,
    the rows of the batch are used.
    """
    optimizer = recipe.optimizer

    loss_of_member: Any = binary_loss
    if edges is not None:
        loss_of_member = partial(max_constraint_loss, edges=edges)

    def loss_of(weights: Any, x: Any, y: Any, kept: Any) -> Any:
        outputs = jax.vmap(network.apply)(weights, x, kept)
        counted = data[2] * (y >= 0)
        return jax.vmap(loss_of_member)(outputs, jnp.maximum(y, 0), counted).sum()

    def step(state: TrainingState, batch: Any) -> tuple[TrainingState, None]:
        number, rows = batch
        n_before_this = n_before + number
        swap_key, drop_key = jax.random.split(jax.random.fold_in(key, n_before_this))
        x = _swapped(data[0].take(rows), network.shape.swap, swap_key)
        y = data[1][rows].astype(jnp.float32)
        kept = _kept(network, state.weights, rows.shape, drop_key)
        loss, slope = jax.value_and_grad(loss_of)(state.weights, x, y, kept)
        if recipe.consistency:
            pull = recipe.consistency * _share_of_pull(n_before_this)
            draw_key, *keys = jax.random.split(jax.random.fold_in(swap_key, 1), 4)
            n_compared = max(1, rows.shape[1] // _BATCH_TO_COMPARED)
            if unlabeled is None:  # rows of the left-out fold are never in the batch
                x = data[0].take(rows[:, :n_compared])
            else:
                x = unlabeled.draw(draw_key, (rows.shape[0], n_compared))
            more, own = _consistency(network, state, x, keys)
            loss += pull * more
            slope = jax.tree.map(lambda old, new: old + pull * new, slope, own)
        change, rule = optimizer.update(slope, state.optimizer, state.weights)
        weights = optax.apply_updates(state.weights, change)
        share = _newest_share(n_before_this) if recipe.averages else 1.0
        mean = jax.tree.map(
            lambda old, new: old + share * (new - old), state.mean_weights, weights
        )
        return TrainingState(weights, rule, mean, loss), None

    # With a fixed number of steps, an accelerator need not synchronise after each.
    numbers = jnp.arange(batches.shape[0])
    return jax.lax.scan(step, state, (numbers, batches))[0]


@partial(
    jax.jit, static_argnames=("network", "loss"), compiler_options=COMPILER_OPTIONS
)
def score_rows(
    weights: Any, x: Any, edges: DescendantEdges | None, *, network: Network, loss: str
) -> Any:
    """Return the mean of the members' scores for scaled rows."""

    def add(total: Any, own: Any) -> tuple[Any, None]:
        scores = jax.nn.sigmoid(network.apply(own, x))
        if loss == "max_constraint":
            scores = max_of_descendants(scores, edges)
        return total + scores, None

    n_members = jax.tree.leaves(weights)[0].shape[0]
    total = jnp.zeros((x.shape[0], network.n_nodes), jnp.float32)
    return jax.lax.scan(add, total, weights)[0] / n_members


@partial(jax.jit, static_argnames=("network",))
def last_hidden(weights: Any, x: Any, *, network: Network) -> Any:
    """Return the last hidden units of all members, concatenated, for scaled rows."""
    units = jax.vmap(network.hidden, in_axes=(0, None), out_axes=1)(weights, x)
    return units.reshape(x.shape[0], -1)


def _consistency(
    network: Network, state: TrainingState, x: Any, keys: Sequence[Any]
) -> tuple[Any, Any]:
    """Return the distance of a member's scores from its teacher's, and the gradient.

    The teacher is the running mean of the same member's weights, so it was not trained
    on the fold that the member leaves out. The teacher and the learner get the rows
    with independent noise; dropout applies to the learner only.
    """
    key, teacher_key, drop_key = keys
    swap = network.shape.swap
    taught = jax.vmap(network.apply)(state.mean_weights, _swapped(x, swap, teacher_key))
    targets = jax.nn.sigmoid(taught)
    kept = _kept(network, state.weights, x.shape[:2], drop_key)
    seen = _swapped(x, swap, key)

    def distance(weights: Any) -> Any:
        outputs = jax.vmap(network.apply)(weights, seen, kept)
        every = jnp.ones(outputs.shape[1:], outputs.dtype)
        return jax.vmap(binary_loss, (0, 0, None))(outputs, targets, every).sum()

    return jax.value_and_grad(distance)(state.weights)


def _share_of_pull(n_steps: Any) -> Any:
    return jnp.minimum(jnp.float32(n_steps) / _STEPS_TO_FULL_PULL, 1)


def _newest_share(n_steps: Any) -> Any:
    """Return the coefficient of the newest weights in the running mean of weights."""
    return _AVERAGED / (jnp.float32(n_steps) + 2 * _AVERAGED)


def _swapped(x: Any, share: float, key: Any) -> Any:
    """Replace some values with those of the previous row in the batch."""
    if share == 0:
        return x
    is_swapped = _bytes(key, x.shape) < _in_bytes(share)
    return jnp.where(is_swapped, jnp.roll(x, 1, axis=1), x)


def _kept(network: Network, weights: Any, batch: tuple[int, ...], key: Any) -> Any:
    """Draw the units that dropout keeps, for every layer, member and row."""
    if network.shape.dropout == 0:
        return None
    sizes = network.mask_sizes(weights)
    keys = jax.random.split(key, max(len(sizes), 1))
    least = _in_bytes(network.shape.dropout)
    return [_bytes(key, (*batch, size)) >= least for key, size in zip(keys, sizes)]


def _in_bytes(share: float) -> int:
    return min(round(share * _BYTE), _BYTE - 1)


def _bytes(key: Any, shape: tuple[int, ...]) -> Any:
    return jax.random.bits(key, shape, jnp.uint8)
