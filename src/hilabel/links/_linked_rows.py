"""Rows together with their links, as methods get them for prediction."""

from dataclasses import dataclass
from typing import Any

from hilabel.links._links import Links


@dataclass(frozen=True, eq=False)
class LinkedRows:
    """Rows and their links to training rows; behaves like a matrix of the rows.

    Attributes
    ----------
    columns : array or csr matrix of shape (n_rows, n_features)
    links : Links of shape (n_rows, n_training_rows)
        The targets are in the order of the training data: labelled rows first.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.links import LinkedRows, Links
    >>> rows = LinkedRows(np.array([[7.0], [8.0]]), Links.of([[0, 1], [2, 0]], 2, 2))
    >>> rows.shape, rows[1:].columns, rows[1:].links.n_links
    ((2, 1), array([[8.]]), 1)
    """

    columns: Any
    links: Links

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of rows and of columns."""
        shape: tuple[int, ...] = self.columns.shape
        return shape

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> "LinkedRows":
        """Return the rows selected by a slice, row numbers or a mask."""
        return LinkedRows(self.columns[rows], self.links[rows])

    def to_first(self, n_targets: int) -> "LinkedRows":
        """Return the rows with their links to the first training rows alone.

        Labelled rows come first, so these are the targets of a model that was trained
        without the unlabelled ones.
        """
        if n_targets == self.links.n_targets:
            return self
        return LinkedRows(self.columns, self.links.to(slice(n_targets)))


def columns_of(rows: Any) -> Any:
    """Return rows without their links.

    Examples
    --------
    >>> from hilabel.links import columns_of
    >>> columns_of([[1.0]])
    [[1.0]]
    """
    return rows.columns if isinstance(rows, LinkedRows) else rows
