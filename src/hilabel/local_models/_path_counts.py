"""Word counts shared along tree paths, and multinomial distributions based on them."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Array, Sparse, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.hierarchy import Hierarchy

LEAST_LOG: Final = -1e4
"""A lower bound on the log probabilities computed from counts."""


@saved_type
@dataclass(frozen=True)
class LeafPaths:
    """The paths from the roots of a tree to its leaves.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.local_models import LeafPaths
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> LeafPaths.of(h, path_weight=1.0).nodes_on_path.toarray()
    array([[1., 1., 0.],
           [1., 0., 1.]])
    """

    leaves: Annotated[IntArray, Array("i8", ("n_leaves",), 0)]
    # 1 where the node is the leaf itself or an ancestor.
    nodes_on_path: Annotated[
        sp.csr_array, Sparse("f8", ("n_leaves", "n_nodes"), least=1, most=1)
    ]
    # The contribution of a node to the score of a row that has it.
    node_scores: Annotated[sp.csr_array, Sparse("f8", ("n_nodes", "n_leaves"), 0)]

    def is_sound(self) -> bool:
        """Return whether all leaves are nodes and no node occurs twice on a path."""
        n_nodes = self.nodes_on_path.shape[1]
        return bool(
            (self.leaves < n_nodes).all() and self.nodes_on_path.has_canonical_format
        )

    @classmethod
    def of(cls, hierarchy: Hierarchy, path_weight: float) -> "LeafPaths":
        """Return the paths to all leaves, with a weight for each level.

        The weight of a level is ``path_weight`` times that of the level above it.
        """
        leaves = hierarchy.leaves
        itself = sp.eye_array(hierarchy.n_nodes, format="csr")
        paths = (itself + hierarchy.ancestor_matrix.astype(np.float64))[leaves]
        level_weights = float(path_weight) ** np.arange(hierarchy.max_depth)
        weights = level_weights[hierarchy.depth - 1]
        # A leaf above the deepest level is repeated down to that level.
        from_level_on = np.cumsum(level_weights[::-1])[::-1]
        weights[leaves] = from_level_on[hierarchy.depth[leaves] - 1]
        scores = (paths @ sp.diags_array(weights)).T
        return cls(leaves, paths.tocsr(), scores.tocsr())

    def scores_of(self, nodes: Any) -> FloatArray:
        """Return how well the nodes of each row match the path to every leaf.

        ``nodes`` are labels or probabilities, of shape (n_rows, n_nodes).
        """
        return nodes.astype(np.float64) @ self.node_scores

    def sum_over_leaves(self, leaf_values: FloatArray) -> FloatArray:
        """Return, for every node, the sum of the leaf values at or below it."""
        # Every node sums its leaves in the same order, so that for non-negative values,
        # a child never exceeds its parent, not even by rounding.
        return leaf_values @ self.nodes_on_path


@dataclass(frozen=True)
class PathCounts:
    """Counts of rows and words for each leaf, without smoothing.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import PathCounts
    >>> once = PathCounts(leaves=np.array([1.0, 0.0]), words=np.array([[3.0, 0.0]]))
    >>> (once + once).words
    array([[6., 0.]])
    """

    leaves: FloatArray
    words: FloatArray  # (n_words, n_leaves)

    def __add__(self, other: "PathCounts") -> "PathCounts":
        return PathCounts(self.leaves + other.leaves, self.words + other.words)


def count_words(X: Any, leaf_weights: FloatArray) -> PathCounts:
    """Return the weighted counts of rows and words for each leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import count_words
    >>> X = np.array([[2, 0], [1, 1]])  # words of two rows
    >>> count_words(X, np.array([[1.0, 0.0], [0.0, 1.0]])).words
    array([[2., 1.],
           [0., 1.]])
    """
    return PathCounts(leaf_weights.sum(axis=0), np.asarray(X.T @ leaf_weights))


@saved_type
@dataclass(frozen=True)
class LeafMultinomials:
    """A multinomial distribution over words for every leaf, and a prior over leaves.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import LeafMultinomials, PathCounts
    >>> words = np.array([[3.0, 0.0], [0.0, 3.0]])
    >>> counts = PathCounts(leaves=np.array([1.0, 1.0]), words=words)
    >>> model = LeafMultinomials.estimate(counts, is_kept=np.array([True, True]))
    >>> model.log_joint(np.array([[1, 0]])).argmax(axis=1)
    array([0])
    """

    log_prior: Annotated[FloatArray, Array("f8", ("n_leaves",), LEAST_LOG, 0)]
    # 0 for dropped words, so that they have no effect.
    log_words: Annotated[FloatArray, Array("f8", ("n_words", "n_leaves"), LEAST_LOG, 0)]

    @classmethod
    def estimate(cls, counts: PathCounts, is_kept: BoolArray) -> "LeafMultinomials":
        """Add one to every count and normalise (Laplace smoothing)."""
        n_leaves = counts.leaves.size
        log_prior = np.log(counts.leaves + 1) - np.log(counts.leaves.sum() + n_leaves)
        kept = counts.words[is_kept]
        log_words = np.zeros(counts.words.shape)
        if kept.size:
            totals = kept.sum(axis=0) + kept.shape[0]
            log_words[is_kept] = np.log(kept + 1) - np.log(totals)
        return cls(log_prior, log_words)

    def log_joint(self, X: Any) -> FloatArray:
        """Return log P(words of the row, leaf) up to an additive constant."""
        return np.asarray(X @ self.log_words) + self.log_prior
