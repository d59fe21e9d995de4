"""The compiled part of hilabel, which takes and returns NumPy arrays.

Arrays must be C-contiguous and have the dtype given here, or ``TypeError`` is raised;
invalid shapes and indices raise ``ValueError``. Arrays that are not modified in place
may be read-only or memory maps.
"""

from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Ints: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Singles: TypeAlias = NDArray[np.float32]
# These names are more specific than their types: int32, float64, and float32 or
# float64, the same for all arguments of a call.
Shorts: TypeAlias = NDArray[np.integer]
Doubles: TypeAlias = NDArray[np.floating]
Floats: TypeAlias = NDArray[np.floating]

# --- hierarchy ---
# One row per sample, one column per node; edges (n_edges, 2) are (parent, child) pairs,
# each after all edges above it.

def close_rows(labels: Bools, edges: Ints) -> None:
    """Set every ancestor of every label, in place."""

def keep_supported(labels: Bools, edges: Ints) -> None:
    """Unset every label with an unset ancestor, in place."""

def drop_implied(labels: Bools, edges: Ints) -> None:
    """Unset every label with a labelled child, in place."""

def cap_rows(scores: Floats, edges: Ints) -> None:
    """Lower every score to the minimum of its ancestors, in place."""

def raise_rows(scores: Floats, edges: Ints) -> None:
    """Raise every score to the maximum of its descendants, in place."""

def ancestors_csr(parents_ptr: Ints, parents_idx: Ints) -> tuple[Ints, Ints]:
    """Return the ancestors of every node as ascending CSR arrays (ptr, idx).

    The parents of node i are parents_idx[parents_ptr[i] : parents_ptr[i + 1]].
    """

# --- neighbours ---
# Lists (n, k) of points, sorted by distance, then index; padded with -1 and infinity.

def merge_lists(
    fixed_idx: Ints,
    fixed_dist: Doubles,
    pool_idx: Shorts,
    pool_dist: Doubles,
    active: Bools,
    own: Ints,
    k: int,
    pool_is_complete: bool,
) -> tuple[Ints, Doubles, Bools]:
    """Return (indices, distances, is_short): the k nearest active points.

    Points of the pool are numbered -1 - index. A row is short if its list of the pool
    ends before the result is certain; its entries are then invalid.
    """

def keep_nearest(
    table: Floats,
    lengths: Floats,
    numbers: Ints,
    rows: Ints,
    indices: Ints,
    values: Floats,
) -> None:
    """Insert nearer points into the sorted lists ``indices`` and ``values``, in place.

    Column j is point ``numbers[j]`` with value ``table[i, j] + lengths[j]``; row i is
    the list ``rows[i]``.
    """

def recheck(
    queries: Doubles,
    points: Floats,
    candidates: Ints,
    is_squared: bool,
    indices: Ints,
    distances: Doubles,
) -> None:
    """Insert nearer candidates into the list of each query, in place.

    Candidates have one row per query, or one for all queries; -1 means none, and
    duplicates are listed once. Euclidean if ``is_squared``, else Manhattan.
    """

def vote(words: Words, neighbors: Ints, needed: int) -> Words:
    """Return the packed labels that at least ``needed`` neighbours of a row have."""

def share_a_label(words: Words, neighbors: Ints, proposed: Words) -> Bools:
    """Return whether each neighbour has one of the proposed labels."""

def euclidean_within(points: Doubles, neighbors: Ints) -> Doubles:
    """Return the (n, k, k) distances between the k neighbours of each row."""

def nearest_by_columns(
    query_ptr: Ints,
    query_columns: Shorts,
    query_values: Doubles,
    query_slack: Doubles,
    list_ptr: Ints,
    list_rows: Shorts,
    list_values: Doubles,
    point_ptr: Ints,
    point_columns: Shorts,
    point_values: Doubles,
    offset: Doubles,
    slack: Doubles,
    k: int,
    by_angle: bool,
) -> tuple[Ints, Doubles]:
    """Return (indices, distances): the k nearest of sparse points, measured in order.

    Queries and points are CSR arrays with ascending columns; ``list_*`` are the same
    points as CSC arrays. Euclidean, or ``by_angle``, for rows of length 1 or 0.
    A point's closeness is its product with a query plus ``offset``; if another's,
    less its ``slack`` and ``query_slack``, is higher, that one must be nearer.
    """

# --- bins ---
# Feature f has the ascending edges edges[edges_ptr[f] : edges_ptr[f + 1]], at most 254;
# a value equal to an edge is in the lower bin, and 255 means NaN.

def bin_columns(X: Doubles, edges_ptr: Ints, edges: Doubles, by_feature: bool) -> Bytes:
    """Return the bins of a matrix, (n, d) or by feature (d, n)."""

def bin_codes(
    values: Doubles, features: Ints, edges_ptr: Ints, edges: Doubles
) -> Bytes:
    """Return the bins of individual values of the given features."""

# --- node trees ---

class DenseColumns:
    """Codes (n_features, n_rows) of all rows."""

    def __init__(self, codes: Bytes) -> None: ...

class SparseColumns:
    """Codes of all rows in CSC arrays; values not stored have codes too."""

    def __init__(
        self,
        indptr: Ints,
        indices: Shorts,
        stored: Bytes,
        zero_codes: Bytes,
        n_rows: int,
    ) -> None: ...

class TreeSettings:
    """Settings for growing trees, passed by keyword.

    ``seed``; ``n_draws`` labelled rows drawn if ``bootstrap``; ``n_candidates``
    features tried per split; ``max_depth``, -1 for none; ``min_samples_leaf``
    distinct rows; ``is_random`` draws one cut per feature. For node trees:
    ``with_importances``, ``with_oob``, ``criterion`` ("gini" or "entropy").
    """

    def __init__(self, **settings: Any) -> None: ...

def grow_node_trees(
    columns: DenseColumns | SparseColumns,
    rows: Shorts,
    weights: Ints,
    positives: Bools,
    settings: TreeSettings,
    node: int,
    first_tree: int,
    n_trees: int,
) -> dict[str, Any]:
    """Grow binary trees; each depends only on (seed, node, number).

    Returns the arrays of ``NodeTrees``, and ``importances``, ``votes``, ``n_votes``.
    """

class Trees:
    """Trees of either kind, checked on creation: every path ends in a leaf."""

    def __init__(
        self,
        roots: Ints,
        feature: Shorts,
        cut: Bytes,
        missing: Bytes,
        left: Shorts,
        n_features: int,
    ) -> None: ...

def mean_leaf_values(trees: Trees, value: Singles, codes: Bytes) -> Singles:
    """Return the mean leaf value over trees for each row of codes."""

# --- clustering trees ---
# Codes are bins from 0 to 254, and 255 for a missing value. The classes check
# their arrays once and keep references to them, without a copy.

class SparseRows:
    """Codes of all rows in CSR arrays; values not stored have codes too."""

    def __init__(
        self, indptr: Ints, indices: Shorts, stored: Bytes, zero_codes: Bytes
    ) -> None: ...

class RowLists:
    """Some numbers for each row, as in a CSR matrix; index is uint32."""

    def __init__(self, ptr: Ints, index: NDArray[np.uint32]) -> None: ...

class LabelTargets:
    """Labels as targets; rows from n_labeled on have none.

    ``searched`` are the labels for the split search, some of which may be replaced by
    their complement; weight is per label.
    """

    def __init__(
        self, labels: RowLists, searched: RowLists, weight: Doubles, n_labeled: int
    ) -> None: ...

class ValueTargets:
    """Values of features without missing values; zeros may be omitted."""

    def __init__(self, features: RowLists, value: Doubles, n_features: int) -> None: ...

class GappyTargets:
    """Values (n_rows, n_gappy) of features with missing values, 0 where known is 0."""

    def __init__(self, value: Doubles, known: Doubles) -> None: ...

class ClusteringTargets:
    """All targets of the rows."""

    def __init__(
        self, labels: LabelTargets, values: ValueTargets, gappy: GappyTargets
    ) -> None: ...

def grow_clustering_tree(
    columns: DenseColumns | SparseRows,
    targets: ClusteringTargets,
    settings: TreeSettings,
    tree: int,
    least_f: Doubles,
) -> dict[str, NDArray[Any]]:
    """Grow a tree for all labels, which depends only on (seed, tree).

    ``least_f`` is the F that a split must exceed, by the weight of its node; or (0,).
    Returns the arrays of ``hilabel.forests.ClusteringTree``.
    """

def draw_labeled_rows(settings: TreeSettings, tree: int, n_labeled: int) -> Doubles:
    """Return how often a clustering tree draws each labelled row."""

class LeafShares:
    """Labels of each leaf, and their shares; leaf is per tree node, -1 if none."""

    def __init__(
        self, leaf: Shorts, ptr: Ints, label: Shorts, share: Singles, n_labels: int
    ) -> None: ...

def find_leaves(trees: Trees, codes: Bytes) -> NDArray[np.uint32]:
    """Return the position of the leaf of each row in every tree, (n_rows, n_trees)."""

def mean_label_shares(
    trees: Trees,
    leaves: LeafShares,
    codes: Bytes,
    target_of: Shorts,
    scores: Singles,
) -> None:
    """Write the mean over trees of the shares in leaves, per node, into scores.

    ``target_of`` (n_nodes,) is the label of each node of the hierarchy, or -1.
    """

# --- linear models ---
# Weights belong to nodes, one after the other: pointers, columns and values, as in a
# CSR matrix, and a bias for each. Numbers must be finite.

class LinearTable:
    """Rows of numbers in single precision: CSR arrays and their width, or an array.

    The penalty on a bias is divided by ``bias_square``.
    """

    @overload
    def __init__(
        self,
        ptr: Ints,
        columns: Shorts,
        values: Singles,
        n_columns: int,
        bias_square: float,
    ) -> None: ...
    @overload
    def __init__(self, table: Singles, bias_square: float) -> None: ...

def train_linear(
    table: LinearTable,
    nodes: Ints,
    ptr: Ints,
    rows: Shorts,
    positive: Bools,
    bias: Doubles,
    weight: Doubles,
    loss: int,
    cost: float,
    tolerance: float,
    max_passes: int,
    pruning: float,
    seed: int,
) -> tuple[Ints, NDArray[np.int32], Singles, Singles]:
    """Train a linear model for each node.

    The examples of node i are rows[ptr[i] : ptr[i + 1]]; ``positive`` tells which of
    them have it. ``weight`` is per row of the table; empty if all are 1. A model
    minimises cost * sum(weight * loss) + (|w|^2 + (b - bias)^2 / bias_square) / 2. The
    loss is 0 for logistic, 1 for the squared hinge; ``nodes`` seed the order of rows.
    """

def train_mined(
    table: LinearTable,
    list_ptr: Ints,
    list_rows: Shorts,
    list_values: Singles,
    nodes: Ints,
    ptr: Ints,
    rows: Shorts,
    positive: Bools,
    bias: Doubles,
    weight: Doubles,
    excluded_ptr: Ints,
    excluded: Shorts,
    loss: int,
    cost: float,
    tolerance: float,
    max_passes: int,
    pruning: float,
    n_rounds: int,
    least: int,
    per_positive: int,
    seed: int,
) -> tuple[Ints, NDArray[np.int32], Singles, Singles]:
    """Train a linear model for each node, likewise, and add negatives that are hard.

    Rows near the mean of the positives are added at first, and in each round those with
    a score above -1: at most ``least`` or ``per_positive`` for each positive, and none
    of ``excluded``. The lists are the columns of a sparse table, as a CSC matrix.
    """

def add_products(
    ptr: Ints,
    columns: Shorts,
    values: Singles,
    weight_ptr: Ints,
    nodes: Shorts,
    weights: Singles,
    scores: Singles,
) -> None:
    """Add the products of CSR rows with weights in CSC arrays to scores, in place."""

def multiply_by_parents(
    scores: Singles, order: Ints, parents_ptr: Ints, parents_idx: Ints
) -> None:
    """Multiply each score by the minimum of its parents' products, in place.

    In ``order``, parents come before their children.
    """

def spread_along_links(
    ptr: Ints,
    rows: Shorts,
    shares: Singles,
    part: Shorts,
    start_ptr: Ints,
    start_rows: Shorts,
    start_amounts: Doubles,
    start_part: Shorts,
    n_kept: int,
    alpha: float,
    least: float,
    most_links: int,
) -> tuple[Ints, NDArray[np.int32], Doubles]:
    """Spread amounts along the links of a graph, one start after the other.

    The graph and the starts are CSR arrays. Of an amount at a row, alpha times its
    share goes on to each linked row, if it is above ``least`` times the square root of
    the number of links. ``least`` grows for a start that would follow more links than
    ``most_links``. Rows of the same ``part`` as the start are not entered, if it is not
    negative. Returns CSR arrays: what has come to each of the first ``n_kept`` rows.
    """
