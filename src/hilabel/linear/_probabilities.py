"""Probabilities of nodes from the outputs of linear models."""

from typing import Any

import numpy as np
from scipy.special import expit

from hilabel import _engine
from hilabel._typing import FloatArray
from hilabel.constraints import cap_by_parents
from hilabel.hierarchy import Hierarchy
from hilabel.linear._settings import LinearSettings


def node_probabilities(
    outputs: FloatArray, hierarchy: Hierarchy, settings: LinearSettings
) -> Any:
    """Return probabilities that never exceed those of the parents.

    If a model knows only rows with all parents of its node, its probability is
    multiplied by the lowest of the parents'; otherwise, it is capped there.

    Parameters
    ----------
    outputs : float32 array of shape (n_rows, n_nodes)
        Overwritten.
    hierarchy : Hierarchy
    settings : LinearSettings

    Returns
    -------
    float32 ndarray of shape (n_rows, n_nodes)

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.linear import LinearSettings, node_probabilities
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> node_probabilities(np.zeros((1, 2), np.float32), h, LinearSettings())
    array([[0.5 , 0.25]], dtype=float32)
    """
    outputs *= np.float32(settings.slope)
    expit(outputs, out=outputs)
    if not settings.is_conditional:
        return cap_by_parents(outputs, hierarchy)
    lists = hierarchy.order, hierarchy.parents_ptr, hierarchy.parents_idx
    _engine.multiply_by_parents(outputs, *lists)
    return outputs
