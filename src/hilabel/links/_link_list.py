"""The links of one kind, as arrays of numbers."""

from dataclasses import dataclass, replace

import numpy as np

from hilabel._typing import FloatArray, Int32Array
from hilabel.exceptions import LinkError
from hilabel.links._canonical import check_weights


@dataclass(frozen=True, eq=False)
class LinkList:
    """The links of one kind in a :class:`LinkTable`.

    Attributes
    ----------
    sources, targets : int32 array of shape (n_links,)
        Positions in the ids of the table.
    weights : float32 array of shape (n_links,)
        Finite, 0 or more.
    identities : float32 array of shape (n_links,) or None
        For hits of sequences, the percentage of identical letters.
    is_undirected : bool
        Whether a link leads both ways, as interactions do.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.links import LinkList
    >>> ends = np.array([[0, 1], [1, 2]], dtype=np.int32)
    >>> LinkList.of(*ends, weights=np.array([43.1, 449])).n_links
    2
    """

    sources: Int32Array
    targets: Int32Array
    weights: FloatArray
    identities: FloatArray | None = None
    is_undirected: bool = False

    @classmethod
    def of(
        cls,
        sources: Int32Array,
        targets: Int32Array,
        weights: FloatArray | None = None,
        identities: FloatArray | None = None,
        *,
        is_undirected: bool = False,
        what: str = "links",
    ) -> "LinkList":
        """Check arrays and convert them; without weights, all weights are 1.

        Raises
        ------
        LinkError
            If a weight is negative, NaN or infinite.
        """
        if weights is None:
            weights = np.ones(len(sources), dtype=np.float32)
        weights = np.asarray(weights, dtype=np.float32)
        check_weights(weights, what)
        lengths = {len(sources), len(targets), len(weights)}
        if len(lengths) > 1:
            raise LinkError(
                f"Expected a source, a target and a weight for each of the {what}, got "
                f"{len(sources)}, {len(targets)} and {len(weights)}."
            )
        return cls(
            np.asarray(sources, dtype=np.int32),
            np.asarray(targets, dtype=np.int32),
            weights,
            None if identities is None else np.asarray(identities, dtype=np.float32),
            is_undirected,
        )

    @property
    def n_links(self) -> int:
        """Number of links, including self-links and duplicates."""
        return len(self.sources)

    def renumbered(self, numbers: Int32Array) -> "LinkList":
        """Return the links with other numbers for their ids, given for each id."""
        sources, targets = numbers[self.sources], numbers[self.targets]
        return replace(self, sources=sources, targets=targets)
