"""Weighted links from rows to other rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Count, Sparse, saved_type
from hilabel._typing import MatrixLike
from hilabel.exceptions import LinkError
from hilabel.links._canonical import canonical_links, without_diagonal

ONE_KIND: Final = "links"
"""The name of the kind if a matrix is given rather than a dict of kinds."""

_Matrix = Annotated[sp.csr_array, Sparse("f8", ("n_rows", "n_targets"), 0)]


@saved_type
@dataclass(frozen=True, eq=False)
class Links:
    """Weighted links from rows to other rows, of one or several kinds.

    A kind is a matrix with a row for each row of a table and a column for each row
    that links may lead to, its *targets*. A cell is the weight of a link; 0 is none.
    In training, the targets are the same rows, so the matrices are square. In
    prediction, the targets are the training rows.

    :meth:`of` checks what users pass; the constructor trusts its input.

    Attributes
    ----------
    kinds : dict of str to csr_array of shape (n_rows, n_targets)
        float64, in canonical format; all weights are finite and above 0.
    n_self : int
        Links from a row to itself that were dropped by :meth:`of`.

    See Also
    --------
    LinkTable : Links between ids, as files have them.

    Examples
    --------
    >>> from hilabel.links import Links
    >>> links = Links.of([[9, 2, 0], [1, 9, 0], [0, 4, 9]], n_rows=3)
    >>> links.names, links.n_links, links.n_self
    (('links',), 3, 3)
    >>> links[[2, 0]].kinds["links"].toarray()
    array([[0., 4., 0.],
           [0., 2., 0.]])
    >>> links.both_ways().kinds["links"].toarray()
    array([[0., 2., 0.],
           [2., 0., 4.],
           [0., 4., 0.]])

    A row without links is a row of zeros:

    >>> Links.of({"hits": [[0, 0]]}, n_rows=1, n_targets=2).n_links
    0
    """

    kinds: dict[str, _Matrix]
    n_self: Annotated[int, Count()] = 0

    def is_sound(self) -> bool:
        """Return whether the matrices are as documented; used to check model files."""
        return bool(self.kinds) and all(
            isinstance(matrix, sp.csr_array)
            and matrix.has_canonical_format
            and (matrix.data > 0).all()
            for matrix in self.kinds.values()
        )

    @classmethod
    def of(
        cls,
        value: "Links | MatrixLike | Mapping[str, MatrixLike]",
        n_rows: int,
        n_targets: int | None = None,
    ) -> "Links":
        """Check links in any form that users may pass, and convert them.

        Parameters
        ----------
        value : Links, sparse matrix, array-like or mapping of names to matrices
            Matrices of shape (n_rows, n_targets), of any format. A single matrix is a
            kind named ``links``. If a sparse matrix has a cell more than once, the
            largest weight counts. The input is never modified.
        n_rows : int
        n_targets : int, optional
            By default, rows link to rows of the same table: there are ``n_rows``
            targets, and links from a row to itself are dropped and counted.

        Returns
        -------
        Links

        Raises
        ------
        LinkError
            If a matrix has another shape, or a weight is negative, NaN or infinite.

        Examples
        --------
        >>> import scipy.sparse as sp
        >>> from hilabel.links import Links
        >>> twice = sp.coo_array(([1.0, 3.0], ([0, 0], [1, 1])), shape=(2, 2))
        >>> Links.of(twice, 2).kinds["links"].toarray()
        array([[0., 3.],
               [0., 0.]])
        """
        is_square = n_targets is None
        shape = n_rows, n_rows if n_targets is None else n_targets
        kinds, n_self = {}, 0
        for name, given in _named(value).items():
            matrix = canonical_links(given, shape, f"the {name!r} links")
            n_links = matrix.nnz
            kinds[name] = without_diagonal(matrix) if is_square else matrix
            n_self += n_links - kinds[name].nnz
        if isinstance(value, Links):
            n_self += value.n_self
        return cls(kinds, n_self)

    # Size and counts ----------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the kinds."""
        return tuple(self.kinds)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of targets."""
        n_rows, n_targets = next(iter(self.kinds.values())).shape
        return int(n_rows), int(n_targets)

    @property
    def n_rows(self) -> int:
        """Number of rows that links come from."""
        return self.shape[0]

    @property
    def n_targets(self) -> int:
        """Number of rows that links may lead to."""
        return self.shape[1]

    @property
    def n_links(self) -> int:
        """Number of links of all kinds."""
        return sum(int(matrix.nnz) for matrix in self.kinds.values())

    def __len__(self) -> int:
        return self.n_rows

    # Parts --------------------------------------------------------------------------

    def __getitem__(self, rows: Any) -> "Links":
        """Return the links of the rows selected by a slice, row numbers or a mask."""
        rows = rows if isinstance(rows, slice) else np.atleast_1d(rows)
        return self._changed(lambda matrix: matrix[rows])

    def to(self, targets: Any) -> "Links":
        """Return the links to some targets, which are numbered in the given order.

        Parameters
        ----------
        targets : int array, mask or slice
        """
        if not isinstance(targets, slice):
            targets = np.asarray(targets)
        return self._changed(lambda matrix: matrix[:, targets])

    def of_kinds(self, names: Sequence[str]) -> "Links":
        """Return links of the given kinds, none of a kind that these do not have.

        Raises
        ------
        LinkError
            If there are links of another kind.

        Examples
        --------
        >>> from hilabel.links import Links
        >>> hits = Links.of({"hits": [[0, 5]]}, 1, 2)
        >>> hits.of_kinds(["hits", "partners"]).names
        ('hits', 'partners')
        """
        others = [name for name in self.names if name not in names]
        if others:
            raise LinkError(
                f"Expected links of the kinds {', '.join(names)}, as in training, got "
                f"{', '.join(others)}; name kinds as in training."
            )
        return Links({name: self._kind(name) for name in names}, self.n_self)

    @classmethod
    def none(cls, names: Sequence[str], n_rows: int, n_targets: int) -> "Links":
        """Return links of rows that have none.

        Examples
        --------
        >>> from hilabel.links import Links
        >>> Links.none(["hits"], 3, 7).n_links
        0
        """
        return cls({name: sp.csr_array((n_rows, n_targets)) for name in names})

    def both_ways(self) -> "Links":
        """Return links in both directions, each with the larger of the two weights.

        Raises
        ------
        LinkError
            If there are not as many targets as rows.
        """
        if self.n_rows != self.n_targets:
            raise LinkError(
                "Expected links between the rows of one table, got links from "
                f"{self.n_rows} rows to {self.n_targets} targets."
            )
        both = self._changed(lambda matrix: matrix.maximum(matrix.T.tocsr()))
        return Links(both.kinds, self.n_self)

    @staticmethod
    def stack(first: "Links", second: "Links") -> "Links":
        """Return the rows of ``first``, followed by those of ``second``.

        Rows have no links of a kind that only the other has.

        Examples
        --------
        >>> from hilabel.links import Links
        >>> hits = Links.of({"hits": [[0, 5]]}, 1, 2)
        >>> both = Links.stack(hits, Links.of({"partners": [[1, 0]]}, 1, 2))
        >>> both.kinds["partners"].toarray()
        array([[0., 0.],
               [1., 0.]])
        """
        if first.n_targets != second.n_targets:
            raise LinkError(
                "Expected links to the same targets, got "
                f"{first.n_targets} and {second.n_targets}."
            )
        names = dict.fromkeys([*first.names, *second.names])
        return Links(
            {
                name: sp.vstack([first._kind(name), second._kind(name)], format="csr")
                for name in names
            }
        )

    def _kind(self, name: str) -> sp.csr_array:
        return self.kinds.get(name, sp.csr_array(self.shape))

    def _changed(self, change: Callable[[sp.csr_array], Any]) -> "Links":
        """Return the result of changing each matrix, in canonical format."""
        kinds = {name: sp.csr_array(change(one)) for name, one in self.kinds.items()}
        for matrix in kinds.values():
            matrix.sort_indices()
        return Links(kinds)


def _named(value: Any) -> dict[str, Any]:
    """Return the given kinds by name."""
    if isinstance(value, Links):
        return value.kinds
    if sp.issparse(value) or not isinstance(value, Mapping):  # DOK is a mapping
        return {ONE_KIND: value}
    if not value or not all(isinstance(name, str) and name for name in value):
        raise LinkError(
            "Expected at least one kind of links and a name for each, got "
            f"{list(value)!r}."
        )
    return dict(value)
