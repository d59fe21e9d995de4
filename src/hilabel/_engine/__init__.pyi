"""The compiled part of hilabel: NumPy arrays in, NumPy arrays out.

Arrays must be C-contiguous and of the dtype named here, else ``TypeError``; shapes and
indices that do not fit raise ``ValueError``. Read-only arrays and memory maps will do
for whatever is not changed in place.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Ints: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Singles: TypeAlias = NDArray[np.float32]
# The types of the package do not tell apart what the names here do: int32, float64, and
# float32 or float64, the same for all of a call.
Shorts: TypeAlias = NDArray[np.integer]
Doubles: TypeAlias = NDArray[np.floating]
Floats: TypeAlias = NDArray[np.floating]

# --- hierarchy ---
# A row per sample, a column per node; edges (n_edges, 2) are (parent, child) pairs,
# each after all edges above it.

def close_rows(labels: Bools, edges: Ints) -> None:
    """Set, in place, every ancestor of every label."""

def keep_supported(labels: Bools, edges: Ints) -> None:
    """Unset, in place, every label with an unset ancestor."""

def drop_implied(labels: Bools, edges: Ints) -> None:
    """Unset, in place, every label with a labelled child."""

def cap_rows(scores: Floats, edges: Ints) -> None:
    """Lower, in place, every score to the least of its ancestors'."""

def raise_rows(scores: Floats, edges: Ints) -> None:
    """Raise, in place, every score to the largest of its descendants'."""

def ancestors_csr(parents_ptr: Ints, parents_idx: Ints) -> tuple[Ints, Ints]:
    """Return all ancestors of every node, ascending, as CSR arrays (ptr, idx).

    The parents of node i are parents_idx[parents_ptr[i] : parents_ptr[i + 1]].
    """

# --- neighbours ---
# Lists (n, k) of points by distance, then index; -1 and infinity where there is none.

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
    """Return (indices, distances, is_short): each row's k nearest active points.

    Points of the pool are numbered -1 - index. A row is short when its list of the
    pool ends before the answer is certain; its entries are then void.
    """

def keep_nearest(
    table: Floats,
    lengths: Floats,
    numbers: Ints,
    rows: Ints,
    indices: Ints,
    values: Floats,
) -> None:
    """Put what is nearer into the sorted lists ``indices`` and ``values``, in place.

    Column j stands for point ``numbers[j]`` with ``table[i, j] + lengths[j]``, row i
    for the list ``rows[i]``.
    """

def recheck(
    queries: Doubles,
    points: Floats,
    candidates: Ints,
    is_squared: bool,
    indices: Ints,
    distances: Doubles,
) -> None:
    """Put candidates that are nearer into the list of each query, in place.

    Candidates are a row for each query, or one for all; -1 is none, and one that is
    listed stays so once. Euclidean if ``is_squared``, else Manhattan.
    """

def vote(words: Words, neighbors: Ints, needed: int) -> Words:
    """Return, packed, the labels that ``needed`` neighbours or more of a row have."""

def share_a_label(words: Words, neighbors: Ints, proposed: Words) -> Bools:
    """Return whether each neighbour has one of the proposed labels."""

def euclidean_within(points: Doubles, neighbors: Ints) -> Doubles:
    """Return the (n, k, k) distances between the k neighbours of each row."""

# --- bins ---
# Feature f has the ascending edges edges[edges_ptr[f] : edges_ptr[f + 1]], at most 254;
# a value equal to an edge is in the lower bin, and 255 stands for NaN.

def bin_columns(X: Doubles, edges_ptr: Ints, edges: Doubles, by_feature: bool) -> Bytes:
    """Return the bins of a matrix, (n, d) or by feature (d, n)."""

def bin_codes(
    values: Doubles, features: Ints, edges_ptr: Ints, edges: Doubles
) -> Bytes:
    """Return the bins of single values of the features given."""

# --- node trees ---

class DenseColumns:
    """Codes (n_features, n_rows) of all rows."""

    def __init__(self, codes: Bytes) -> None: ...

class SparseColumns:
    """Codes of all rows in CSC arrays; values that are not stored have codes too."""

    def __init__(
        self,
        indptr: Ints,
        indices: Shorts,
        stored: Bytes,
        zero_codes: Bytes,
        n_rows: int,
    ) -> None: ...

class TreeSettings:
    """How trees are grown; set by keyword.

    ``seed``; ``n_draws`` labelled rows drawn if ``bootstrap``; ``n_candidates``
    features tried per split; ``max_depth``, -1 for none; ``min_samples_leaf``
    differing rows; ``is_random`` draws one cut per feature. For node trees:
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
    """Grow trees of 0 and 1; each depends on (seed, node, number) alone.

    Returns the arrays of ``NodeTrees``, and ``importances``, ``votes``, ``n_votes``.
    """

class Trees:
    """Trees of either kind, checked when made: every way down ends in a leaf."""

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
    """Return, per row of codes, the mean over trees of the value of its leaf."""

# --- clustering trees ---
# Codes are bins from 0 to 254, and 255 for a missing value. The classes keep the arrays
# that they are made of, which are checked once, and copy nothing.

class SparseRows:
    """Codes of all rows in CSR arrays; values that are not stored have codes too."""

    def __init__(
        self, indptr: Ints, indices: Shorts, stored: Bytes, zero_codes: Bytes
    ) -> None: ...

class RowLists:
    """For each row some numbers, as in a CSR matrix; index is uint32."""

    def __init__(self, ptr: Ints, index: NDArray[np.uint32]) -> None: ...

class LabelTargets:
    """Labels that rows aim at; rows from n_labeled on have none.

    ``searched`` are the labels for the search of splits, where some may be turned into
    their absence; weight is by label.
    """

    def __init__(
        self, labels: RowLists, searched: RowLists, weight: Doubles, n_labeled: int
    ) -> None: ...

class ValueTargets:
    """Values of features that no row lacks; zeros may be left out."""

    def __init__(self, features: RowLists, value: Doubles, n_features: int) -> None: ...

class GappyTargets:
    """Values (n_rows, n_gappy) of features that some rows lack: 0, and known is 0."""

    def __init__(self, value: Doubles, known: Doubles) -> None: ...

class ClusteringTargets:
    """All that rows aim at."""

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
    """Grow a tree for all labels; it depends on (seed, tree) alone.

    ``least_f`` is, by the weight of a node, the F that its split must exceed; or (0,).
    Returns the arrays that ``hilabel.forests.ClusteringTree`` names.
    """

def draw_labeled_rows(settings: TreeSettings, tree: int, n_labeled: int) -> Doubles:
    """Return how often such a tree draws each labelled row."""

class LeafShares:
    """Labels found in each leaf, and their shares; leaf is by tree node, -1 if none."""

    def __init__(
        self, leaf: Shorts, ptr: Ints, label: Shorts, share: Singles, n_labels: int
    ) -> None: ...

def find_leaves(trees: Trees, codes: Bytes) -> NDArray[np.uint32]:
    """Return (n_rows, n_trees), the place of each row's leaf in every tree."""

def mean_label_shares(
    trees: Trees,
    leaves: LeafShares,
    codes: Bytes,
    target_of: Shorts,
    scores: Singles,
) -> None:
    """Write into scores the mean over trees of the shares of leaves, by node.

    ``target_of`` (n_nodes,) is the label of each node of the hierarchy, or -1.
    """
