"""Fitted forests, stored as flat arrays for all trees of all nodes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from joblib import Parallel, delayed

from hilabel._saved_types import Array, Count, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.forests._binning import CodedMatrix, FeatureBins
from hilabel.forests._node_trees import NodeTrees, join_trees
from hilabel.forests._tree_proof import is_walkable

# Rows that one task predicts for one node. Larger blocks are split, so that even a
# single forest keeps all threads busy.
_ROWS_PER_TASK = 8192
ROW_NUMBERS = Array("i8", ("*",), 0)
LEFT_OUT_SCORES = Array("f8", ("*",), 0, 1, gaps=True)


@saved_type
@dataclass(frozen=True, eq=False)
class NodeForests:
    """One fitted binary forest for every node.

    Attributes
    ----------
    bins : FeatureBins
    n_trees : int
        Trees per forest.
    roots : int array of shape (n_forests * n_trees + 1,)
        Where each tree starts in the arrays below.
    feature, cut, missing, left, value : ndarray
        Per tree node, as in ``NodeTrees``.
    constant : ndarray of shape (n_nodes,)
        The probability of nodes without a forest, NaN for the others.
    importances : ndarray of shape (n_nodes, n_features) or None
        Mean decrease in impurity, summing to 1 for every forest that splits.
    oob_scores : tuple of (rows, scores) per node, or None
        Out-of-bag probabilities of the rows that each node was trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ForestSettings, NodeExamples, grow_node_forests
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]])
    >>> node = NodeExamples(np.arange(4), np.array([False, False, True, True]))
    >>> forests = grow_node_forests(X, [node], ForestSettings(n_estimators=5), seed=0)
    >>> forests.n_nodes, forests.n_trees, forests.n_features
    (1, 5, 1)
    """

    bins: FeatureBins
    n_trees: Annotated[int, Count(1)]
    roots: Annotated[IntArray, Array("i8", ("n_roots",), 0)]
    feature: Annotated[Any, Array("i4", ("n_tree_nodes",), -1)]
    cut: Annotated[Any, Array("u1", ("n_tree_nodes",))]
    missing: Annotated[Any, Array("u1", ("n_tree_nodes",), 0, 1)]
    left: Annotated[Any, Array("i4", ("n_tree_nodes",), 0)]
    value: Annotated[Any, Array("f4", ("n_tree_nodes",), 0, 1)]
    constant: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1, gaps=True)]
    importances: (
        Annotated[FloatArray, Array("f8", ("n_nodes", "n_features"))] | None
    ) = None
    oob_scores: (
        tuple[
            tuple[
                Annotated[IntArray, ROW_NUMBERS], Annotated[FloatArray, LEFT_OUT_SCORES]
            ],
            ...,
        ]
        | None
    ) = None

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.constant.size

    def is_sound(self) -> bool:
        """Return whether the trees are valid; used to check model files."""
        n_forests = int(np.isnan(self.constant).sum())
        scores, shape = self.oob_scores or (), (self.n_nodes, self.n_features)
        return (
            self.roots.size == n_forests * self.n_trees + 1
            and is_walkable(self.roots, self.feature, self.cut, self.left, self.bins)
            and getattr(self.importances, "shape", shape) == shape
            and len(scores) in (0, self.n_nodes)
            and all(rows.size == found.size for rows, found in scores)
        )

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.bins.n_features

    @property
    def n_bytes(self) -> int:
        """Memory used by the trees, in bytes."""
        arrays = (self.roots, self.feature, self.cut, self.missing, self.left)
        return sum(array.nbytes for array in (*arrays, self.value))

    def predict(
        self, X: Any, nodes: Sequence[int] | None = None, n_jobs: int | None = None
    ) -> FloatArray:
        """Return the probability of class 1 for every row and node.

        Parameters
        ----------
        X : array or csr matrix of shape (n_samples, n_features)
        nodes : sequence of int, optional
            Predict these nodes only.
        n_jobs : int, optional
            Number of threads; the result does not depend on it.

        Returns
        -------
        float32 ndarray of shape (n_samples, n_nodes)
        """
        chosen = (
            np.arange(self.n_nodes) if nodes is None else np.array(nodes, dtype=np.intp)
        )
        scores = np.empty((X.shape[0], chosen.size), dtype=np.float32)
        scores[:] = self.constant[chosen]
        forest_of = self._forest_numbers()
        columns = np.flatnonzero(forest_of[chosen] >= 0)
        for rows, codes in self.bins.row_blocks(X):
            tasks = [
                (column, slice(start, start + _ROWS_PER_TASK))
                for column in columns
                for start in range(0, codes.shape[0], _ROWS_PER_TASK)
            ]
            values = Parallel(n_jobs=n_jobs, prefer="threads")(
                delayed(self._forest(forest_of[chosen[column]]).predict)(codes[part])
                for column, part in tasks
            )
            block = scores[rows]
            for (column, part), value in zip(tasks, values):
                block[part, column] = value
        return scores

    def predict_rows(
        self,
        coded: CodedMatrix,
        nodes: Sequence[int],
        rows: Sequence[IntArray],
        n_jobs: int | None = None,
    ) -> list[FloatArray]:
        """Return the probability of class 1 for each node on its own set of rows.

        Parameters
        ----------
        coded : CodedMatrix
            Encoded with the bins that the forests were grown with.
        nodes : sequence of int
        rows : sequence of int arrays
            For each of ``nodes``, the rows of ``coded`` to predict.
        n_jobs : int, optional
            Number of threads; the result does not depend on it.

        Returns
        -------
        list of float32 ndarray, one value for each of the node's rows
        """
        numbers = self._forest_numbers()
        scores = [
            np.full(own.size, self.constant[node], dtype=np.float32)
            for node, own in zip(nodes, rows)
        ]
        grown = [place for place, node in enumerate(nodes) if numbers[node] >= 0]
        predicted = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_predict_rows)(
                coded, rows[place], self._forest(numbers[nodes[place]])
            )
            for place in grown
        )
        for place, values in zip(grown, predicted):
            scores[place] = values
        return scores

    def updated(self, nodes: Sequence[int], grown: "NodeForests") -> "NodeForests":
        """Return a copy in which ``nodes`` have the forests from ``grown``.

        Both sets of forests must have the same bins, the same number of trees and the
        same optional attributes.
        """
        own, other = self._forest_numbers(), grown._forest_numbers()
        new = dict(zip(nodes, other))
        sources = [
            (grown, new[node]) if node in new else (self, own[node])
            for node in range(self.n_nodes)
        ]
        trees = [forests._forest(number) for forests, number in sources if number >= 0]
        oob_scores = self.oob_scores
        if oob_scores is not None and grown.oob_scores is not None:
            newer = dict(zip(nodes, grown.oob_scores))
            oob_scores = tuple(newer.get(n, old) for n, old in enumerate(oob_scores))
        return replace(
            self,
            **join_trees(trees)._asdict(),
            constant=_with_rows(self.constant, nodes, grown.constant),
            importances=_with_rows(self.importances, nodes, grown.importances),
            oob_scores=oob_scores,
        )

    def _forest_numbers(self) -> IntArray:
        """Return the number of each node's forest, or -1 if the node is constant."""
        has_forest = np.isnan(self.constant)
        return np.where(has_forest, np.cumsum(has_forest) - 1, -1)

    def _forest(self, number: int) -> NodeTrees:
        """Return the trees of one forest."""
        first = number * self.n_trees
        roots = self.roots[first : first + self.n_trees + 1]
        part = slice(roots[0], roots[-1])
        return NodeTrees(
            roots - roots[0],
            self.feature[part],
            self.cut[part],
            self.missing[part],
            self.left[part],
            self.value[part],
        )


def _predict_rows(coded: CodedMatrix, rows: IntArray, trees: NodeTrees) -> FloatArray:
    blocks = [trees.predict(codes) for codes in coded.row_blocks(rows, _ROWS_PER_TASK)]
    return np.concatenate([*blocks, np.empty(0, dtype=np.float32)])


def _with_rows(values: Any, rows: Sequence[int], new: Any) -> Any:
    """Return a copy of ``values`` with some rows replaced, or None if it is None."""
    if values is None:
        return None
    changed = values.copy()
    changed[np.array(rows, dtype=np.intp)] = new
    return changed
