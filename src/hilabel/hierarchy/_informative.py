"""Which nodes say something about a row: all but roots that nearly all rows have."""

from typing import Final

import numpy as np

from hilabel._typing import BoolArray, IntArray
from hilabel.hierarchy._hierarchy import Hierarchy

# A root that this share of the rows has does not distinguish between rows. The others
# are mostly errors, or rows annotated with nothing else.
_NEARLY_ALL: Final = 0.99


def informative_nodes(
    hierarchy: Hierarchy, n_positive: IntArray, n_known: IntArray
) -> BoolArray:
    """Return a mask of the informative nodes, which measures and decisions are about.

    A root is uninformative if nearly all rows that are known in it have it, such as
    ``biological_process`` in the Gene Ontology. Any score finds its rows, which would
    raise all measures. A hierarchy without edges has no uninformative nodes.

    Parameters
    ----------
    hierarchy : Hierarchy
    n_positive, n_known : int array of shape (n_nodes,)
        How many of the labelled rows have each node, and in how many it is known.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.hierarchy import informative_nodes
    >>> hierarchy = Hierarchy.from_edges([("all", "some"), ("few", "fewer")])
    >>> informative_nodes(hierarchy, np.array([9, 4, 3, 1]), np.array([9, 9, 9, 9]))
    array([False,  True,  True,  True])
    """
    informative = np.ones(hierarchy.n_nodes, dtype=bool)
    if hierarchy.n_edges:
        roots, n_known = hierarchy.roots, np.asarray(n_known)
        seen = n_known[roots] > 0
        nearly_all = np.asarray(n_positive)[roots] >= _NEARLY_ALL * n_known[roots]
        informative[roots[seen & nearly_all]] = False
    return informative
