"""Call a user's own parts, and check what they return.

They get read-only arrays, since the method uses the same arrays afterwards.
"""

from typing import Any

import numpy as np

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.pseudo_labeling._packing import pack_labels, unpack_labels
from hilabel.pseudo_labeling._parts import Vote

_CELLS_PER_BLOCK = 4_000_000


def checked_neighbors(
    neighbors: Any, distances: Any, eligible: BoolArray, n: int
) -> tuple[IntArray, FloatArray]:
    """Return the neighbours that a user's function chose for ``n`` rows, or raise."""
    neighbors, distances = np.asarray(neighbors), np.asarray(distances)
    if not (
        neighbors.ndim == 2
        and neighbors.shape == distances.shape
        and len(neighbors) == n
        and neighbors.shape[1] > 0
        and np.issubdtype(neighbors.dtype, np.integer)
    ):
        raise ValueError(
            f"Expected choose_neighbors to return row numbers and distances of shape "
            f"({n}, k), got {neighbors.dtype} of shape {neighbors.shape} and "
            f"{distances.dtype} of shape {distances.shape}."
        )
    outside = (neighbors < 0) | (neighbors >= eligible.size)
    if outside.any() or not eligible[neighbors].all():
        raise ValueError(
            "Expected choose_neighbors to return labelled or accepted rows only; use "
            "the numbers that nearest(k) returns."
        )
    return neighbors.astype(np.int64), distances.astype(np.float64)


def voted_labels(
    vote: Vote,
    labels: Any,
    neighbors: IntArray,
    distances: FloatArray,
    n_nodes: int,
    threshold: float,
) -> Any:
    """Return the packed labels whose share of a user's vote reaches the threshold."""
    blocks = []
    cells = max(1, n_nodes * neighbors.shape[1])
    n_rows = max(1, _CELLS_PER_BLOCK // cells)
    for start in range(0, len(neighbors), n_rows):
        block = neighbors[start : start + n_rows]
        voting = unpack_labels(labels[block.ravel()], n_nodes)
        near = read_only(distances[start : start + n_rows])
        shares = np.asarray(vote(voting.reshape(*block.shape, n_nodes), near))
        if shares.shape != (len(block), n_nodes) or np.isnan(shares).any():
            raise ValueError(
                f"Expected vote to return shares of shape ({len(block)}, {n_nodes}) "
                f"without NaN, got shape {shares.shape}."
            )
        blocks.append(pack_labels(shares >= threshold))
    return np.concatenate(blocks)


def own_similarity(
    similarity: Any, distances: FloatArray, pair_distances: FloatArray
) -> FloatArray:
    """Return a user's similarity of each row to its neighbours."""
    compared = read_only(distances), read_only(pair_distances)
    found = np.asarray(similarity(*compared), dtype=np.float64)
    if found.shape != (len(distances),) or np.isnan(found).any():
        raise ValueError(
            f"Expected similarity to return {len(distances)} numbers without NaN, one "
            f"for each row, got shape {found.shape}."
        )
    return found


def read_only(values: FloatArray) -> FloatArray:
    """Return a view of the same values that cannot be changed."""
    view = values.view()
    view.flags.writeable = False
    return view
