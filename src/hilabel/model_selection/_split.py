"""Split partially labelled data; test rows are always labelled."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import IntArray, MatrixLike
from hilabel._validation import check_integer, check_labels, hierarchy_of_names
from hilabel.exceptions import LabelError
from hilabel.model_selection._folds import draw_folds
from hilabel.model_selection._masking import check_fraction
from hilabel.model_selection._stratification import assign_parts


class LabeledKFold(BaseCrossValidator):
    """K-fold splits of the labelled rows; unlabelled rows are always training rows.

    Every labelled row is a test row in exactly one fold; unlabelled rows never are. The
    number of test rows differs by at most one between folds. The splitter can be passed
    as ``cv`` to scikit-learn, for estimators that accept rows of -1 in ``y``. Scores on
    training rows (``return_train_score``) are not meaningful in this case.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2 and at most the number of labelled rows.
    stratified : bool, default=True
        Choose the folds by iterative stratification, so that every node is about
        equally frequent in each of them. If False, choose at random.
    shuffle : bool, default=True
        Whether folds depend on the seed. If False, the same ``y`` always results in the
        same folds, which are blocks of consecutive rows if not ``stratified``.
    random_state : int, RandomState or None, default=0
        Random seed, only used if ``shuffle=True``. By default, the same ``y`` results
        in the same folds, so that searches are comparable; with None, the folds differ
        each time.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.model_selection import LabeledKFold
    >>> Y = np.array([[1], [0], [-1], [1], [0]])
    >>> for train, test in LabeledKFold(2, random_state=0).split(Y, Y):
    ...     print(train, test)
    [2 3 4] [0 1]
    [0 1 2] [3 4]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        stratified: bool = True,
        shuffle: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.n_splits = n_splits
        self.stratified = stratified
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; all arguments are ignored."""
        return self.n_splits

    def split(
        self, X: Any, y: MatrixLike, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the training and test rows of each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            Only its number of rows is used.
        y : array, sparse matrix, DataFrame or list of sets, of n_samples rows
            1, 0, and -1 or NaN in unlabelled rows; or sets of names, and None.
        groups : object
            Ignored.

        Yields
        ------
        train, test : int arrays
            Row numbers in ascending order.
        """
        self._check_parameters()
        names = hierarchy_of_names(y)
        labels = check_labels(y, names, close=False, n_samples=_n_rows(X))
        # Without shuffling, ties are still broken at random, always in the same way.
        folds = draw_folds(
            labels.table,
            self.n_splits,
            self.random_state if self.shuffle else 0,
            stratified=self.stratified,
            shuffle=self.shuffle,
        )
        for fold in range(self.n_splits):
            yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)

    def _check_parameters(self) -> None:
        check_integer("n_splits", self.n_splits, 2)
        # 0 is the default, so it may not have been set on purpose.
        if not self.shuffle and self.random_state not in (0, None):
            raise ValueError(
                f"Expected no random_state with shuffle=False, got "
                f"{self.random_state!r}, which would have no effect; set shuffle=True."
            )


def split_labeled(
    Y: MatrixLike | LabelMatrix,
    test_fraction: float,
    *,
    stratified: bool = True,
    random_state: Any = None,
) -> tuple[IntArray, IntArray]:
    """Split rows into training and test rows; unlabelled rows are training rows.

    Parameters
    ----------
    Y : array, sparse matrix, DataFrame or list of sets, of n_samples rows
        1, 0, and -1 or NaN in unlabelled rows; or sets of names, and None.
    test_fraction : float in (0, 1)
        Share of the labelled rows to test on: exactly ``round(test_fraction *
        n_labeled)`` rows, but at least one and at most all but one.
    stratified : bool, default=True
        As in :class:`LabeledKFold`.
    random_state : int, RandomState or None
        Random seed.

    Returns
    -------
    train, test : int arrays
        Row numbers in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.model_selection import split_labeled
    >>> Y = np.array([[1], [0], [-1], [1], [0]])
    >>> train, test = split_labeled(Y, 0.5, random_state=0)
    >>> train, test
    (array([0, 1, 2]), array([3, 4]))
    """
    check_fraction("test_fraction", test_fraction, below_one=True)
    if not isinstance(Y, LabelMatrix):
        Y = check_labels(Y, hierarchy_of_names(Y), close=False).table
    n_labeled = int(Y.labeled.sum())
    if n_labeled < 2:
        raise LabelError(
            "Expected at least two labelled rows, one to train and one to test on, "
            f"got {n_labeled} labelled of {len(Y)} rows."
        )
    n_test = min(max(1, round(test_fraction * n_labeled)), n_labeled - 1)
    tested = np.zeros(len(Y), dtype=bool)
    tested[Y.labeled] = assign_parts(
        Y.positive[Y.labeled],
        [n_labeled - n_test, n_test],
        check_random_state(random_state),
        stratified=stratified,
    )
    return np.flatnonzero(~tested), np.flatnonzero(tested)


def _n_rows(X: Any) -> int | None:
    if X is None:
        return None
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
