"""Synthetic data for which the best possible scores are known."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.utils import check_random_state, gen_batches

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray
from hilabel._validation import check_hierarchy, check_integer
from hilabel.datasets._dataset import HMCDataset
from hilabel.datasets._generators.random_hierarchy import make_hierarchy
from hilabel.hierarchy import Hierarchy

# A label that nearly all rows with its parents have would not be informative.
LARGEST_RATE: Final = 0.9

# Rows drawn only to choose the intercepts. They do not depend on n_samples, so the same
# seed generates the same problem at every size.
N_REFERENCE_ROWS: Final = 2048

# Standard deviation of the points in a cluster; that of the centres is 1.
CLUSTER_SPREAD: Final = 0.5

# Bisection steps in the search for rates and intercepts.
N_HALVINGS: Final = 60

# Cells of (rows, nodes) computed at once: 64 MiB per float64 array.
CELLS_PER_BLOCK: Final = 2**23


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SyntheticData(HMCDataset):
    """A data set whose true model is known.

    It has the attributes of :class:`HMCDataset` and the following ones.

    Attributes
    ----------
    probabilities : float32 array of shape (n_samples, n_nodes)
        The probability of each label given the row of ``X``: the best possible scores
        of any classifier. The probability of a child never exceeds that of a parent.
    coefficients : float array of shape (n_nodes, n_features)
    intercepts : float array of shape (n_nodes,)
        The coin of a node shows heads with probability ``expit(coefficients @ x +
        intercepts)``.

    Examples
    --------
    >>> from hilabel.datasets import make_hierarchical_classification
    >>> from hilabel.metrics import average_precision
    >>> data = make_hierarchical_classification(500, 5, n_nodes=6, random_state=0)
    >>> round(average_precision(data.Y, data.probabilities), 2)  # the ceiling
    0.95
    """

    probabilities: FloatArray
    coefficients: FloatArray
    intercepts: FloatArray


def make_hierarchical_classification(
    n_samples: int = 1000,
    n_features: int = 20,
    *,
    n_nodes: int = 30,
    structure: Literal["tree", "dag"] = "tree",
    max_parents: int = 3,
    max_depth: int | None = None,
    n_roots: int = 3,
    labels_per_row: float | None = None,
    noise: float = 0.2,
    n_clusters: int = 20,
    hierarchy: Hierarchy | None = None,
    random_state: Any = None,
) -> SyntheticData:
    """Generate hierarchical multi-label data with a known noise ceiling.

    The rows of ``X`` are drawn from a mixture of Gaussian clusters, so nearby rows have
    similar labels. For every row and node, a coin is then tossed; it shows heads with
    probability ``expit(w @ x / noise + b)``, where ``w`` is random and ``b`` is known.
    A row has the label of a node if the coins of the node **and of all its ancestors**
    show heads. Labels are therefore always closed, and the probability of a label given
    ``x`` is exactly the product of the coins' probabilities over the node and its
    ancestors, in any DAG. No classifier can be expected to score better than these
    ``probabilities``.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=20
    n_nodes, structure, max_parents, max_depth, n_roots
        The random hierarchy: see :func:`make_hierarchy`. Ignored if ``hierarchy`` is
        given.
    labels_per_row : float, optional
        Mean number of labels per row, including ancestors: matched closely in a tree,
        and roughly if nodes have several parents. The default is the square root of the
        number of nodes, but at most half of the largest possible number, at which each
        node would occur in 90 % of the rows that have its parents.
    noise : float, default=0.2
        Width of the uncertain zone around the boundary of each node, relative to the
        standard deviation of ``w @ x``, which is 1. Near 0, labels are a function of
        ``X``.
    n_clusters : int, default=20
        Number of Gaussian clusters.
    hierarchy : Hierarchy, optional
        The hierarchy to use instead of a random one.
    random_state : int, RandomState or None
        Random seed. The same seed with a different ``n_samples`` generates other rows
        of the same problem.

    Notes
    -----
    Time and memory grow with ``n_samples * n_nodes``. The result uses 5 bytes per pair,
    and rows are processed in blocks.

    Examples
    --------
    >>> from hilabel.datasets import make_hierarchical_classification
    >>> data = make_hierarchical_classification(500, n_nodes=12, random_state=0)
    >>> data
    HMCDataset(synthetic: 500 rows, 500 labelled, 20 features, Hierarchy(12 nodes, ...))
    >>> data.probabilities.shape
    (500, 12)
    >>> data.hierarchy.is_consistent(data.Y)
    True
    """
    check_integer("n_samples", n_samples, 1)
    check_integer("n_features", n_features, 1)
    check_integer("n_clusters", n_clusters, 1)
    _check_positive("noise", noise)
    seed = check_random_state(random_state).randint(2**31 - 1)
    # The problem and its rows have separate random streams, so that neither the number
    # of rows nor their blocks change the problem.
    of_problem, of_rows = np.random.default_rng(seed).spawn(2)
    if hierarchy is None:
        hierarchy = make_hierarchy(
            n_nodes,
            structure,
            max_parents=max_parents,
            max_depth=max_depth,
            n_roots=n_roots,
            random_state=int(seed),
        )
    hierarchy = check_hierarchy(hierarchy, n_nodes)
    rates = _rates(hierarchy, labels_per_row)
    centers = of_problem.standard_normal((n_clusters, n_features))
    model = _draw_model(hierarchy, rates, centers, noise, of_problem)
    cluster = of_rows.integers(n_clusters, size=n_samples)
    X = _draw_rows(centers, cluster, of_rows)
    probabilities, Y = _draw_labels(hierarchy, model, X, of_rows)
    return SyntheticData(
        X=X,
        Y=Y,
        hierarchy=hierarchy,
        feature_names=tuple(f"x{feature}" for feature in range(n_features)),
        name="synthetic",
        probabilities=probabilities,
        coefficients=model.coefficients,
        intercepts=model.intercepts,
    )


# Label frequencies --------------------------------------------------------------------


def _rates(hierarchy: Hierarchy, labels_per_row: float | None) -> FloatArray:
    """Return each node's rate: its frequency among rows that have all its ancestors.

    The rate of a node depends on the number of children of its parents: it is ``spread
    / n_siblings``, but at most LARGEST_RATE, where ``spread`` is chosen to match
    ``labels_per_row``.
    """
    share = _share_of_parent(hierarchy)
    lineage = _lineage(hierarchy)

    def rates(spread: float) -> FloatArray:
        return np.minimum(spread * share, LARGEST_RATE)

    def expected(spread: float) -> float:
        return float(np.exp(lineage @ np.log(rates(spread))).sum())

    largest = expected(hierarchy.n_nodes)
    if labels_per_row is None:
        labels_per_row = min(np.sqrt(hierarchy.n_nodes), largest / 2)
    _check_positive("labels_per_row", labels_per_row)
    if labels_per_row > largest:
        raise ValueError(
            f"Expected labels_per_row of at most {largest:.3g} for {hierarchy!r}, got "
            f"{labels_per_row}; lower it, or use more nodes or a flatter hierarchy."
        )
    low, high = 0.0, float(hierarchy.n_nodes)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        if expected(middle) < labels_per_row:
            low = middle
        else:
            high = middle
    return rates(high)


def _share_of_parent(hierarchy: Hierarchy) -> FloatArray:
    """Return 1 / n_children for each node, using its parent with the fewest children.

    Roots are treated as children of a common parent.
    """
    n_children = np.diff(hierarchy.children_ptr)
    fewest = np.full(hierarchy.n_nodes, hierarchy.roots.size, dtype=np.float64)
    for node in range(hierarchy.n_nodes):
        parents = hierarchy.parents(node)
        if parents.size:
            fewest[node] = n_children[parents].min()
    return 1 / fewest


def _lineage(hierarchy: Hierarchy) -> sp.csr_array:
    """Return a matrix with 1 where column j is node i or one of its ancestors."""
    identity = sp.eye_array(hierarchy.n_nodes, format="csr")
    return sp.csr_array(identity + hierarchy.ancestor_matrix.astype(np.float64))


# The true model ----------------------------------------------------------------------


class _Model(NamedTuple):
    coefficients: FloatArray
    intercepts: FloatArray


def _draw_model(
    hierarchy: Hierarchy,
    rates: FloatArray,
    centers: FloatArray,
    noise: float,
    generator: np.random.Generator,
) -> _Model:
    """Draw a direction for each node; choose its threshold to match the node's rate."""
    # Rows are assigned to clusters in turn here, so that rates do not depend on a
    # random draw.
    cluster = np.arange(N_REFERENCE_ROWS) % len(centers)
    reference = _draw_rows(centers, cluster, generator)
    directions = generator.standard_normal((hierarchy.n_nodes, centers.shape[1]))
    directions /= (reference @ directions.T).std(axis=0)[:, None]
    heights = directions @ reference.T
    thresholds = np.empty(hierarchy.n_nodes)
    log_coins = np.empty_like(heights)
    for node in hierarchy.order:
        ancestors = log_coins[hierarchy.ancestors(node)].sum(axis=0)
        # Shifted so that the most likely row has weight 1.
        weights = np.exp(ancestors - ancestors.max())
        thresholds[node] = _threshold(heights[node], weights, rates[node], noise)
        log_coins[node] = _log_expit((heights[node] - thresholds[node]) / noise)
    return _Model(directions / noise, -thresholds / noise)


def _threshold(
    heights: FloatArray, weights: FloatArray, rate: float, noise: float
) -> float:
    """Find t such that the weighted mean of expit((heights - t) / noise) is rate."""
    weights = weights / weights.sum()
    margin = 40 * noise  # beyond this, expit is exactly 0 or 1
    low, high = heights.min() - margin, heights.max() + margin
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        if weights @ expit((heights - middle) / noise) > rate:
            low = middle
        else:
            high = middle
    return float((low + high) / 2)


def _log_expit(values: FloatArray) -> FloatArray:
    return -np.logaddexp(0, -values)


# Rows and their labels ---------------------------------------------------------------


def _draw_rows(
    centers: FloatArray, cluster: IntArray, generator: np.random.Generator
) -> FloatArray:
    spread = generator.standard_normal((cluster.size, centers.shape[1]))
    return centers[cluster] + CLUSTER_SPREAD * spread


def _draw_labels(
    hierarchy: Hierarchy, model: _Model, X: FloatArray, generator: np.random.Generator
) -> tuple[FloatArray, Any]:
    """Return the probabilities and random labels, both of shape (n_rows, n_nodes)."""
    shape = (X.shape[0], hierarchy.n_nodes)
    probabilities = np.empty(shape, dtype=np.float32)
    Y = np.empty(shape, dtype=np.int8)
    lineage = _lineage(hierarchy)
    for block in gen_batches(shape[0], max(1, CELLS_PER_BLOCK // shape[1])):
        logits = X[block] @ model.coefficients.T + model.intercepts
        coins = generator.random(logits.shape) < expit(logits)
        _engine.keep_supported(coins, hierarchy.edges_in_order)
        Y[block] = coins
        probabilities[block] = np.exp((lineage @ _log_expit(logits).T).T)
    # Equal up to rounding, which may make a child slightly higher than a parent.
    _engine.cap_rows(probabilities, hierarchy.edges_in_order)
    return probabilities, Y


def _check_positive(name: str, value: object) -> None:
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not 0 < float(value) < np.inf
    ):
        raise ValueError(
            f"Expected {name} to be a finite number above 0, got {value!r}."
        )
