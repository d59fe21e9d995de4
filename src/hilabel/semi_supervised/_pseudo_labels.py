"""The labels that unlabelled rows received in training, as a table."""

from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hilabel._typing import BoolArray, FloatArray, IntArray, LabelArray
from hilabel.classifiers import TrainingData
from hilabel.hierarchy import Hierarchy
from hilabel.pseudo_labeling import PassRecord

# What a method repeats, and what the numbers in labeled_iter_ count.
Step: TypeAlias = Literal["pass", "round", "batch"]


class GivesPseudoLabels:
    """Base class for methods with ``transduction_`` and ``labeled_iter_``.

    A subclass names its steps and fills further columns in ``_evidence_of``.
    """

    step_name: ClassVar[Step]

    hierarchy_: Hierarchy
    transduction_: LabelArray
    labeled_iter_: IntArray
    history_: list[Any]
    termination_condition_: Any

    def pseudo_labels(self) -> Any:
        """Return the labels that unlabelled rows received, as a pandas DataFrame.

        Ancestors are included, as in ``transduction_``.

        Returns
        -------
        DataFrame
            One line per unlabelled row and node that it received, in the order of the
            rows: ``row``, its number as in ``fit``; ``node``, the name of the node; if
            the method computes it, the ``probability`` with which the label was
            accepted; and the ``round`` or ``batch`` in which it was accepted.

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from hilabel.semi_supervised import STHC
        >>> X, Y = [[0.0], [1.0], [8.0], [9.0]], [[1, 0], [1, 0], [0, 1], [0, 1]]
        >>> model = STHC(estimator=LogisticRegression())
        >>> _ = model.fit(X, Y, X_unlabeled=[[0.5], [4.5]])
        >>> model.pseudo_labels()["row"].tolist()  # row 5 is between the classes
        [4]
        """
        rows, nodes = self._received()
        return self._frame_of(rows, nodes)

    def _received(self) -> tuple[IntArray, IntArray]:
        """Return the row and the node of every pseudo-label."""
        check_is_fitted(self, "transduction_")
        is_accepted = self.labeled_iter_ > 0
        if is_accepted.ndim == 1:
            is_accepted = is_accepted[:, None]
        rows, nodes = np.nonzero((self.transduction_ == 1) & is_accepted)
        return rows, nodes

    def _frame_of(self, rows: IntArray, nodes: IntArray) -> Any:
        import pandas as pd

        since = self.labeled_iter_
        names = np.array(self.hierarchy_.names, dtype=object)
        return pd.DataFrame(
            {
                "row": rows,
                "node": names[nodes],
                **self._evidence_of(rows, nodes),
                self.step_name: since[rows] if since.ndim == 1 else since[rows, nodes],
            }
        )

    def _evidence_of(self, rows: IntArray, nodes: IntArray) -> dict[str, Any]:
        """Return further columns for pairs of rows and nodes."""
        return {}


def shares_of_votes(
    at: IntArray,
    nodes: IntArray,
    passes: tuple[PassRecord, ...],
    deciding: int,
    data: TrainingData,
) -> FloatArray:
    """Return the share of the neighbours with a node, for pairs of rows and nodes.

    Parameters
    ----------
    at : int array of shape (n_pairs,)
        Positions among the unlabelled rows.
    nodes : int array of shape (n_pairs,)
    passes : tuple of PassRecord
    deciding : int
        Index of the pass in which the neighbours voted.
    data : TrainingData
        If some labels are unknown, only neighbours that know a node have a vote on it.
    """
    n_labeled = data.labeled_rows.size
    has = np.zeros((data.n_rows, data.hierarchy.n_nodes), dtype=bool)
    has[:n_labeled] = data.Y_labeled
    if deciding > 0:  # in the first pass, only labelled rows vote
        before = passes[deciding - 1]
        has[n_labeled:] = before.proposed & before.accepted[:, None]
    knows = _known(passes, deciding, data)
    votes = np.zeros(at.size)
    knowers = np.zeros(at.size)
    for nearest in passes[deciding].neighbors.T:
        voters = nearest[at]
        votes += has[voters, nodes]
        knowers += 1 if knows is None else knows[voters, nodes]
    return votes / np.maximum(knowers, 1)


def _known(
    passes: tuple[PassRecord, ...], deciding: int, data: TrainingData
) -> BoolArray | None:
    if data.known is None:
        return None
    knows = np.zeros((data.n_rows, data.hierarchy.n_nodes), dtype=bool)
    knows[: data.labeled_rows.size] = data.known
    if deciding > 0:
        knows[data.labeled_rows.size :] = passes[deciding - 1].known
    return knows
