"""Describe each row by the labels of the labelled rows that it is linked to."""

from numbers import Integral, Real
from typing import Any, ClassVar, Final

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import Interval
from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import row_blocks
from hilabel._saved_types import Array, Number, Sparse, saved_type
from hilabel._typing import FloatArray
from hilabel._validation import check_labels
from hilabel.exceptions import LabelError
from hilabel.metrics import label_frequencies
from hilabel.views._largest_values import capped_product
from hilabel.views._link_view import BaseLinkView
from hilabel.views._row_lengths import row_lengths, to_length, usual_length

# The directions are those of largest variance; which of equal ones does not matter.
_SEED: Final = 0


@saved_type
class LinkLabels(BaseLinkView):
    """Describe each row by the votes of the labelled rows that it is linked to.

    The votes for a node are the share of the linked labelled rows with the node, by the
    weights of the links, and with label frequencies as one further vote. A classifier
    on these columns and those of the row learns how much to trust votes.

    A row's own label never reaches its votes, since a row is not linked to itself, and
    links are followed only once. But its label reaches the votes of other training
    rows: to score rows out of fold, fit the view and the classifier again for each
    fold, as :func:`~hilabel.model_selection.score_out_of_fold` does.

    Sparse rows get sparse columns, one for each node. Dense rows get votes minus label
    frequencies, along the directions in which labels differ most, and as a further
    column the share of the votes that do not come from label frequencies.

    Parameters
    ----------
    n_directions : int, default=200
        The most columns of votes for dense rows.
    weight : float, default=2.0
        The length of sparse votes, relative to the length of their row. Votes of few
        links are shorter.
    max_columns : int or None, default=200
        Only this many of the largest votes of a sparse row are kept. None means all.
    log : bool, default=False
        Whether to vote by the logarithm of weights, as in :class:`LinkMeans`.

    Attributes
    ----------
    n_targets_ : int
        Number of training rows, to which links of new rows lead.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from hilabel.views import LinkLabels
    >>> links = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    >>> view = LinkLabels().fit(None, [[1, 0], [0, 1], [-1, -1]], links=links)
    >>> view.transform(None, links=[[2, 2, 0], [3, 0, 9], [0, 0, 1]])
    array([[ 0.   ,  0.   ,  0.8  ],
           [ 0.375, -0.375,  0.75 ],
           [ 0.   ,  0.   ,  0.   ]])
    """

    uses_labels: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_directions": [Interval(Integral, 1, None, closed="left")],
        "weight": [Interval(Real, 0, None, closed="neither")],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "log": ["boolean"],
    }

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_usual_length": Number(0),
        "_is_labeled": Array("?", ("n_targets",)),
        # What a row votes for: its nodes, or their directions. No votes if unlabelled.
        "_voices": Array("f8", ("n_targets", "n_votes"))
        | Sparse("f4", ("n_targets", "n_votes"), 0, 1),
    }

    def __init__(
        self,
        n_directions: int = 200,
        *,
        weight: float = 2.0,
        max_columns: int | None = 200,
        log: bool = False,
    ) -> None:
        self.n_directions = n_directions
        self.weight = weight
        self.max_columns = max_columns
        self.log = log

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns: ``votes0`` and so on."""
        check_is_fitted(self)
        names = [f"votes{number}" for number in range(self._voices.shape[1])]
        certain = () if sp.issparse(self._voices) else ("votes_share",)
        return np.array([*names, *certain], dtype=object)

    def is_sound(self) -> bool:
        """Return whether all training rows may vote; used to check model files."""
        return (
            super().is_sound()
            and self._is_labeled.shape == (self.n_targets_,)
            and self._voices.shape[0] == self.n_targets_
        )

    def _fit_rows(self, rows: Any, weights: sp.csr_array, y: Any) -> None:
        if y is None:
            raise LabelError(
                "Expected labels for LinkLabels, got y=None; pass y, with -1 in "
                "unlabelled rows."
            )
        given = check_labels(y, n_samples=self.n_targets_)
        labels = given.table
        self._is_labeled = np.asarray(labels.labeled)
        self._usual_length = usual_length(rows)
        if sp.issparse(rows):
            self._voices = sp.csr_array(labels.positive, dtype=np.float32)
        else:
            frequency = label_frequencies(
                labels.n_positive, labels.n_known, given.hierarchy
            )
            self._voices = _directions(labels, frequency, self.n_directions)

    def _n_columns_out(self) -> int:
        n_votes = int(self._voices.shape[1])
        return n_votes if sp.issparse(self._voices) else n_votes + 1

    def _described(self, rows: Any, weights: sp.csr_array, is_training: bool) -> Any:
        counted = sp.csr_array(weights @ sp.diags_array(self._is_labeled.astype(float)))
        counted.eliminate_zeros()
        totals = np.asarray(counted.sum(axis=1)).ravel()
        certain = totals / (totals + 1)
        if not sp.issparse(self._voices):
            votes = counted @ self._voices / (totals + 1)[:, None]
            found = np.hstack([votes, certain[:, None]])
            return sp.csr_array(found) if sp.issparse(rows) else found
        votes = capped_product(counted, self._voices, self.max_columns)
        lengths = row_lengths(rows, self._usual_length, is_sparse=True)
        found = to_length(votes, self.weight * lengths * certain)
        return found if sp.issparse(rows) else found.toarray()


def _directions(labels: LabelMatrix, frequency: FloatArray, n_most: int) -> FloatArray:
    """Return labels minus their frequencies, along the directions of most variance.

    Rows that are unlabelled have zeros, as if they had the frequencies; so have single
    labels that are unknown.
    """
    n_nodes = labels.shape[1]
    positive = sp.csr_array(labels.positive, dtype=np.float64)
    directions: Any = np.eye(n_nodes)
    if n_nodes > n_most:
        labeled = positive[labels.labeled]
        n_found = min(n_most, *labeled.shape)
        _, _, found = randomized_svd(labeled, n_found, random_state=_SEED)
        directions = found.T
    if labels.is_partly_known:
        shifted = np.empty((len(labels), directions.shape[1]))
        for part in row_blocks(labels.shape):
            differences = positive[part].toarray() - labels.known(part) * frequency
            shifted[part] = differences @ directions
        return shifted
    shifted = positive @ directions - frequency @ directions
    shifted[~labels.labeled] = 0
    return np.asarray(shifted)
