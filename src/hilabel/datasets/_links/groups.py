"""Groups of rows that strong links connect, such as nearly identical sequences."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from scipy.sparse.csgraph import connected_components

from hilabel._typing import IntArray
from hilabel.exceptions import LinkError
from hilabel.links import LinkList, LinkTable, LinkWeights

_WHOLE: Final = 100.0
"""The percentage of identical letters of a sequence and itself."""


def group_rows(table: LinkTable, ids: Sequence[str], least: float) -> IntArray:
    """Return the group of each row: rows that strong links connect are in one group.

    A link is strong if the share of identical letters is at least ``least`` or, for
    links of a kind without identities, its weight relative to the strongest.

    Parameters
    ----------
    table : LinkTable
    ids : sequence of str
        The ids of the rows.
    least : float
        Above 0, at most 1.

    Returns
    -------
    int array of shape (n_rows,)
        Numbered from 0.

    Raises
    ------
    LinkError
        If ``least`` is not a share.

    Examples
    --------
    >>> from hilabel.datasets import group_rows
    >>> from hilabel.links import LinkTable
    >>> table = LinkTable.of([("a", "b", 8.0), ("b", "c", 9.0), ("c", "d", 2.0)])
    >>> group_rows(table, ["a", "b", "c", "d"], 0.5)
    array([0, 0, 0, 1])
    """
    if not 0 < least <= 1:
        raise LinkError(
            f"Expected a share above 0 and up to 1, got {least:g}; 0.95 groups "
            "sequences with 95 % identical letters.",
            parameter="groups",
        )
    kinds = {name: _strong(one, least) for name, one in table.kinds.items()}
    links, _ = replace(table, kinds=kinds).over(ids)
    weights = LinkWeights.of(links).of_links(links)
    _, group = connected_components(weights, directed=False)
    return np.asarray(group, dtype=np.int64)


def _strong(links: LinkList, least: float) -> LinkList:
    """Return the links that are at least as strong."""
    measured: Any = links.identities
    most = np.float32(_WHOLE)
    if measured is None:
        measured = links.weights
        most = measured.max(initial=np.float32(1e-30))
    # In single precision, as the values are, so that 95 % are not less than 0.95.
    is_strong = measured / most >= np.float32(least)
    return replace(
        links,
        sources=links.sources[is_strong],
        targets=links.targets[is_strong],
        weights=links.weights[is_strong],
        identities=None,
    )
