"""Fitted predictive clustering trees as flat arrays, with many labels per leaf."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.utils import gen_batches

from hilabel import _engine
from hilabel._matrices import join_arrays
from hilabel._saved_types import Array, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.forests._binning import FeatureBins, has_rising_parts
from hilabel.forests._tree_proof import is_walkable

# Rows that one task predicts. Blocks are split into tasks to keep all threads busy.
_ROWS_PER_TASK = 512
_LEAVES_AT_ONCE = 10_000


class ClusteringTree(NamedTuple):
    """A tree grown by the engine; the two children of a tree node are adjacent.

    Arrays with one entry per tree node: ``feature`` (int32), -1 in a leaf; ``cut``
    (uint8), the largest code that goes left; ``missing`` (uint8), 1 if missing values
    go left; ``left`` (int32), the number of the left child; ``impurity`` (float64);
    ``gain`` (float64), the reduction in impurity due to the split; ``weight``
    (float64), the weight of the labelled rows; ``leaf`` (int32), the number of the
    leaf, or -1 if the tree node is not a leaf. The arrays ``leaf_ptr`` (int64),
    ``leaf_index`` (int32) and ``leaf_share`` (float32) contain the labels of each leaf
    and, for each label, the share of rows that have it, as in a CSR matrix.
    """

    feature: Any
    cut: Any
    missing: Any
    left: Any
    impurity: FloatArray
    gain: FloatArray
    weight: FloatArray
    leaf: Any
    leaf_ptr: IntArray
    leaf_index: Any
    leaf_share: Any


@saved_type
@dataclass(frozen=True, eq=False)
class ClusteringTrees:
    """One or more trees, each of which predicts all nodes of a hierarchy.

    Attributes
    ----------
    bins : FeatureBins
    target_of : int32 array of shape (n_nodes,)
        The leaf label that represents each node of the hierarchy, or -1.
    has_gaps : bool array of shape (n_features,)
        Whether the feature was missing in some training rows.
    roots : int array of shape (n_trees + 1,)
        Where each tree starts in the arrays per tree node.
    feature, cut, missing, left, impurity, gain, weight, leaf : ndarray
        Per tree node; see ``ClusteringTree``. ``left`` is relative to the root.
    leaf_ptr, leaf_index, leaf_share : ndarray
        Labels of each leaf, and the shares of its rows that have them.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> X, Y = [[0.0], [0.1], [0.9], [1.0]], [[1, 0], [1, 0], [1, 1], [1, 1]]
    >>> tree = PredictiveClusteringTree(random_state=0).fit(X, Y)
    >>> tree.trees_.n_trees, tree.trees_.n_nodes
    (1, 2)
    """

    bins: FeatureBins
    target_of: Annotated[Any, Array("i4", ("n_nodes",), -1)]
    has_gaps: Annotated[Any, Array("b1", ("n_features",))]
    roots: Annotated[IntArray, Array("i8", ("n_roots",), 0)]
    feature: Annotated[Any, Array("i4", ("n_tree_nodes",), -1)]
    cut: Annotated[Any, Array("u1", ("n_tree_nodes",))]
    missing: Annotated[Any, Array("u1", ("n_tree_nodes",), 0, 1)]
    left: Annotated[Any, Array("i4", ("n_tree_nodes",))]
    impurity: Annotated[FloatArray, Array("f8", ("n_tree_nodes",))]
    gain: Annotated[FloatArray, Array("f8", ("n_tree_nodes",))]
    weight: Annotated[FloatArray, Array("f8", ("n_tree_nodes",), 0)]
    leaf: Annotated[Any, Array("i4", ("n_tree_nodes",), -1)]
    leaf_ptr: Annotated[IntArray, Array("i8", ("n_leaf_pointers",), 0)]
    leaf_index: Annotated[Any, Array("i4", ("n_shares",), 0)]
    leaf_share: Annotated[Any, Array("f4", ("n_shares",), 0, 1)]

    def is_sound(self) -> bool:
        """Return whether the trees are valid; used to check model files."""
        ptr, numbers = self.leaf_ptr, self.leaf[self.feature < 0]
        n_labels = int(self.target_of.max(initial=-1)) + 1
        return bool(
            self.has_gaps.size == self.bins.n_features
            and is_walkable(self.roots, self.feature, self.cut, self.left, self.bins)
            and n_labels <= self.n_nodes
            and ptr.size > 1
            and ptr[0] == 0
            and ptr[-1] == self.leaf_index.size
            and (np.diff(ptr) >= 0).all()
            and (self.leaf_index < n_labels).all()
            and (numbers >= 0).all()
            and (self.leaf < ptr.size - 1).all()
            and self._has_each_label_once(n_labels)
        )

    def _has_each_label_once(self, n_labels: int) -> bool:
        """Return whether every leaf contains each label at most once."""
        shape = (self.leaf_ptr.size - 1, n_labels)
        counted = np.ones(self.leaf_index.size, dtype=bool)
        by_label = sp.csr_array(
            (counted, self.leaf_index, self.leaf_ptr), shape
        ).tocsc()
        return has_rising_parts(by_label.indices, by_label.indptr)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.roots.size - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes in the hierarchy."""
        return int(self.target_of.size)

    @property
    def n_bytes(self) -> int:
        """Memory used by the trees, in bytes."""
        arrays = (getattr(self, field.name) for field in fields(self)[1:])
        return sum(array.nbytes for array in arrays)

    def predict(self, X: Any, n_jobs: int | None = None) -> FloatArray:
        """Return the label shares in the leaf of each row, averaged over trees.

        Parameters
        ----------
        X : array or csr matrix of shape (n_samples, n_features)
        n_jobs : int, optional
            Number of threads; the result does not depend on it.

        Returns
        -------
        float32 ndarray of shape (n_samples, n_nodes)
            No node scores higher than its parents, because the labels of the rows are
            closed.
        """
        scores = np.empty((X.shape[0], self.n_nodes), dtype=np.float32)
        trees, leaves = self._walked(), self._leaf_shares()
        for rows, codes in self.bins.row_blocks(X):
            block = scores[rows]
            Parallel(n_jobs=n_jobs, require="sharedmem")(
                delayed(_engine.mean_label_shares)(
                    trees,
                    leaves,
                    codes[start : start + _ROWS_PER_TASK],
                    self.target_of,
                    block[start : start + _ROWS_PER_TASK],
                )
                for start in range(0, codes.shape[0], _ROWS_PER_TASK)
            )
        return scores

    def predict_with(self, X: Any, trees: BoolArray) -> FloatArray:
        """Return label shares for each row, averaged over the trees selected for it.

        Parameters
        ----------
        X : array or csr matrix of shape (n_samples, n_features)
        trees : bool array of shape (n_samples, n_trees)
            The trees to use for each row, such as those grown without it.

        Returns
        -------
        float32 ndarray of shape (n_samples, n_nodes)
            NaN for rows without trees.
        """
        leaves = self.leaf[self.apply(X)]
        n_leaves, n_targets = self.leaf_ptr.size - 1, self.target_of.max(initial=-1) + 1
        shares = sp.csr_array(
            (self.leaf_share, self.leaf_index, _small_pointers(self.leaf_ptr)),
            (n_leaves, n_targets),
        )
        scores = np.full((len(leaves), self.n_nodes), np.nan, dtype=np.float32)
        has_target = self.target_of >= 0
        for rows in gen_batches(len(leaves), _ROWS_PER_TASK):
            asked = trees[rows]
            n_asked = asked.sum(axis=1)
            # Uses the precision of the shares, to avoid copying them.
            asks = sp.csr_array(
                (
                    np.ones(n_asked.sum(), dtype=shares.dtype),
                    leaves[rows][asked],
                    _small_pointers(np.append(0, n_asked.cumsum())),
                ),
                (len(asked), n_leaves),
            )
            total = (asks @ shares).toarray() / np.maximum(n_asked, 1)[:, None]
            found = scores[rows]
            found[n_asked > 0] = 0
            found[:, has_target] += total[:, self.target_of[has_target]]
        return scores

    def _walked(self) -> _engine.Trees:
        """Return the trees in the engine's format for traversal."""
        return _engine.Trees(
            self.roots,
            self.feature,
            self.cut,
            self.missing,
            self.left,
            self.bins.n_features,
        )

    def _leaf_shares(self) -> _engine.LeafShares:
        return _engine.LeafShares(
            self.leaf,
            self.leaf_ptr,
            self.leaf_index,
            self.leaf_share,
            int(self.target_of.max(initial=-1)) + 1,
        )

    def apply(self, X: Any) -> IntArray:
        """Return the position of each row's leaf in every tree.

        Returns
        -------
        int array of shape (n_samples, n_trees)
            Positions in the arrays per tree node.
        """
        trees = self._walked()
        found = [
            _engine.find_leaves(trees, codes) for _, codes in self.bins.row_blocks(X)
        ]
        none = np.empty((0, self.n_trees), dtype=np.int64)
        return np.concatenate([none, *found])

    def known_shares(self, prior: FloatArray, group_of: Any) -> "ClusteringTrees":
        """Return trees whose label shares count only rows in which the label is known.

        The trees must be grown on targets from
        :meth:`ClusteringTargets.from_partial_labels`, where label ``n_nodes + g`` means
        that the nodes of group g are unknown. If a node is unknown in all rows of a
        leaf, its share in the leaf is the prior.

        Parameters
        ----------
        prior : ndarray of shape (n_nodes,)
        group_of : int array of shape (n_nodes,)
            The group of each node, -1 for nodes known in all rows.
        """
        n_leaves, n_groups = self.leaf_ptr.size - 1, int(group_of.max(initial=-1)) + 1
        nodes_of = sp.csr_array(
            (prior, (group_of % (n_groups + 1), np.arange(self.n_nodes))),
            shape=(n_groups + 1, self.n_nodes),
        )
        # In parts, because intermediate results are several times as large as the
        # trees.
        n_entries, index, share = join_arrays(
            self._known_shares(leaves, group_of, nodes_of)
            for leaves in gen_batches(n_leaves, _LEAVES_AT_ONCE)
        )
        return replace(
            self,
            leaf_ptr=np.append(0, np.cumsum(n_entries, dtype=np.int64)),
            leaf_index=index,
            leaf_share=share,
        )

    def _known_shares(
        self, leaves: slice, group_of: Any, nodes_of: Any
    ) -> tuple[Any, Any, Any]:
        """Return the number of labels in each leaf, the labels and their shares."""
        n_groups, n_nodes = nodes_of.shape[0] - 1, self.n_nodes
        ptr = self.leaf_ptr[leaves.start : leaves.stop + 1]
        entries = slice(ptr[0], ptr[-1])
        n_leaves = ptr.size - 1
        shares = sp.csr_array(
            (
                self.leaf_share[entries].astype(np.float64),
                self.leaf_index[entries],
                _small_pointers(ptr - ptr[0]),
            ),
            shape=(n_leaves, n_nodes + n_groups),
        )
        # One more group at position -1, for nodes that are known.
        unknown = np.zeros((n_leaves, n_groups + 1))
        unknown[:, :n_groups] = shares[:, n_nodes:].toarray()
        is_guessed = unknown >= 1
        factor = 1 / np.where(is_guessed, 1.0, 1 - unknown)
        present = sp.csr_array(shares[:, :n_nodes])
        leaf_of = np.repeat(np.arange(n_leaves), np.diff(present.indptr))
        present.data *= factor[leaf_of, group_of[present.indices]]
        guessed = sp.csr_array(is_guessed.astype(np.float64)) @ nodes_of
        found = sp.csr_array(present + guessed)
        found.eliminate_zeros()
        found.sort_indices()
        return (
            np.diff(found.indptr),
            found.indices.astype(np.int32),
            np.minimum(found.data, 1).astype(np.float32),
        )

    def splits_passed(self, X: Any) -> IntArray:
        """Return the splits that a row passes on its way to a leaf in each tree.

        Parameters
        ----------
        X : array or csr matrix of shape (1, n_features)

        Returns
        -------
        int array
            Positions in the arrays per tree node, for all trees; those of one tree are
            ordered from its root down.
        """
        splits = np.flatnonzero(self.feature >= 0)
        root = self.roots[self.tree_of(splits)]
        parent = np.full(self.feature.size, -1, dtype=np.int64)
        for side in (0, 1):
            parent[root + self.left[splits] + side] = splits
        place = parent[self.apply(X)[0]]
        levels = [np.empty(0, dtype=np.int64)]
        while (place := place[place >= 0]).size:
            levels.append(place)
            place = parent[place]
        return np.concatenate(levels[::-1])

    def tree_of(self, places: IntArray) -> IntArray:
        """Return the number of the tree that each tree node belongs to."""
        return np.searchsorted(self.roots, places, side="right") - 1

    def threshold_of(self, places: IntArray) -> FloatArray:
        """Return the largest value that goes left, or NaN for splits on missing values.

        Parameters
        ----------
        places : int array
            Positions of splits.
        """
        feature = self.feature[places]
        first, last = self.bins.edges_ptr[feature], self.bins.edges_ptr[feature + 1]
        edge = first + self.cut[places]
        thresholds = np.full(len(places), np.nan)
        has_edge = edge < last
        thresholds[has_edge] = self.bins.edges[edge[has_edge]]
        return thresholds

    def leaf_shares(self, place: int) -> FloatArray:
        """Return, for each node, the share of a leaf's rows that have the node."""
        number = self.leaf[place]
        entries = slice(self.leaf_ptr[number], self.leaf_ptr[number + 1])
        # One more entry, for nodes that no row has.
        shares = np.zeros(self.target_of.max(initial=-1) + 2, dtype=np.float32)
        shares[self.leaf_index[entries]] = self.leaf_share[entries]
        return shares[self.target_of]

    def importances(self) -> FloatArray:
        """Return the importance of each feature for all nodes together, summing to 1.

        Returns
        -------
        ndarray of shape (n_features,)
            Mean decrease in impurity over trees; 0 if no tree splits.
        """
        total = np.zeros(self.bins.n_features)
        for tree in range(self.n_trees):
            part = slice(self.roots[tree], self.roots[tree + 1])
            splits = self.feature[part] >= 0
            share = self.gain[part][splits] / max(self.weight[part][0], 1.0)
            np.add.at(total, self.feature[part][splits], share)
        return _summing_to_one(total)

    def node_importances(self) -> FloatArray:
        """Return the importance of each feature for each node; every row sums to 1.

        The importances are computed from the leaves: the label counts of a tree node
        are the sums over the leaves below it.

        Returns
        -------
        ndarray of shape (n_nodes, n_features)
            0 for nodes that no split separates.
        """
        n_targets = self.target_of.max(initial=-1) + 1
        # One more target, for nodes that no row has.
        total = np.zeros((n_targets + 1, self.bins.n_features))
        for tree in range(self.n_trees):
            self._add_target_gains(tree, total[:n_targets])
        return _summing_to_one(total)[self.target_of]

    def _add_target_gains(self, tree: int, total: FloatArray) -> None:
        part = slice(self.roots[tree], self.roots[tree + 1])
        feature, left = self.feature[part], self.left[part]
        weight = self.weight[part]
        sums = np.zeros((feature.size, total.shape[0]))
        for place in range(feature.size - 1, -1, -1):  # children come after parents
            if feature[place] < 0:
                number = self.leaf[part][place]
                entries = slice(self.leaf_ptr[number], self.leaf_ptr[number + 1])
                sums[place, self.leaf_index[entries]] = (
                    self.leaf_share[entries] * weight[place]
                )
                continue
            child = left[place]
            sums[place] = sums[child] + sums[child + 1]
            if min(weight[child], weight[child + 1]) > 0:
                gain = -(sums[place] ** 2) / weight[place]
                for side in (child, child + 1):
                    gain += sums[side] ** 2 / weight[side]
                total[:, feature[place]] += np.maximum(gain, 0.0) / weight[0]


def join_trees(
    bins: FeatureBins, target_of: Any, has_gaps: Any, trees: Iterable[ClusteringTree]
) -> ClusteringTrees:
    """Join the arrays of trees as they are grown; number all leaves consecutively."""
    roots, n_leaves, n_entries = [0], 0, 0

    def numbered() -> Iterator[ClusteringTree]:
        nonlocal n_leaves, n_entries
        for tree in trees:
            leaf = np.where(tree.leaf >= 0, tree.leaf + n_leaves, -1).astype(np.int32)
            yield tree._replace(leaf=leaf, leaf_ptr=tree.leaf_ptr[:-1] + n_entries)
            roots.append(roots[-1] + tree.feature.size)
            n_leaves += tree.leaf_ptr.size - 1
            n_entries += tree.leaf_index.size

    joined = dict(zip(ClusteringTree._fields, join_arrays(numbered()), strict=True))
    joined["leaf_ptr"] = np.append(joined["leaf_ptr"], n_entries)
    return ClusteringTrees(
        bins, target_of, has_gaps, roots=np.array(roots, dtype=np.int64), **joined
    )


def _small_pointers(ptr: IntArray) -> Any:
    """Return 32-bit pointers if the values fit.

    With 64-bit pointers, SciPy would also convert all indices to 64 bits.
    """
    return ptr.astype(np.int32) if ptr[-1] <= np.iinfo(np.int32).max else ptr


def _summing_to_one(values: FloatArray) -> FloatArray:
    """Divide each row by its sum; rows of zeros stay unchanged."""
    sums = values.sum(axis=-1, keepdims=True)
    return np.divide(values, sums, out=np.zeros_like(values), where=sums > 0)
