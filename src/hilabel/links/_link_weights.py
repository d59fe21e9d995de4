"""How links of several kinds become one weight."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Number, saved_type
from hilabel._typing import FloatArray
from hilabel.links._links import Links

# A weight counts as at most this many median weights, and at least as its inverse, so
# that no square overflows or becomes 0.
_MOST_MEDIANS: Final = 1e6
_LEAST_MEDIAN: Final = 1e-300

# The median weight stays 1.
TRANSFORMS: Final[Mapping[str, Callable[[FloatArray], FloatArray]]] = MappingProxyType(
    {
        "raw": lambda weights: weights,
        "log": lambda weights: np.log1p(weights) / np.log(2),
        "square": np.square,
    }
)
"""What may be done to weights, by name, after they are divided by their median."""


@saved_type
@dataclass(frozen=True, eq=False)
class LinkWeights:
    """A rule that makes one weight of the links between two rows.

    The weights of each kind are divided by their median in training, transformed,
    multiplied by the importance of the kind, and added.

    Attributes
    ----------
    medians : dict of str to float
        For each kind.
    importance : dict of str to float
        The same kinds.
    transform : {"raw", "log", "square"}

    Examples
    --------
    >>> from hilabel.links import Links, LinkWeights
    >>> links = Links.of({"hits": [[0, 10, 40]], "partners": [[0, 2, 0]]}, 1, 3)
    >>> weights = LinkWeights.of(links, "square", {"hits": 1, "partners": 0.5})
    >>> weights.medians
    {'hits': 25.0, 'partners': 2.0}
    >>> weights.of_links(links).toarray().round(2)
    array([[0.  , 0.66, 2.56]])
    """

    medians: dict[str, Annotated[float, Number(_LEAST_MEDIAN)]]
    importance: dict[str, Annotated[float, Number(0)]]
    transform: Literal["raw", "log", "square"] = "raw"

    def is_sound(self) -> bool:
        """Return whether both are about the same kinds; used to check model files."""
        return set(self.medians) == set(self.importance) and bool(self.medians)

    @classmethod
    def of(
        cls,
        links: Links,
        transform: Any = "raw",
        importance: Mapping[str, float] | None = None,
    ) -> "LinkWeights":
        """Return the rule for the links of the training rows.

        Parameters
        ----------
        links : Links
        transform : {"raw", "log", "square"}, default="raw"
        importance : mapping of str to float, optional
            By default, all kinds are equally important.
        """
        medians = {name: _median(one.data) for name, one in links.kinds.items()}
        given = dict.fromkeys(links.names, 1.0) if importance is None else importance
        return cls(medians, {k: float(given[k]) for k in links.names}, transform)

    def of_links(self, links: Links) -> sp.csr_array:
        """Return the weights of links, of kinds as in training, as one matrix."""
        change = TRANSFORMS[self.transform]
        parts = []
        for name, matrix in links.kinds.items():
            if self.importance[name]:
                with np.errstate(over="ignore"):
                    scaled = matrix.data / self.medians[name]
                scaled = np.clip(scaled, 1 / _MOST_MEDIANS, _MOST_MEDIANS)
                weights = self.importance[name] * change(scaled)
                parts.append(_with_weights(matrix, weights))
        if not parts:
            return sp.csr_array(links.shape)
        total = parts[0]
        for part in parts[1:]:
            total = sp.csr_array(total + part)
        total.sort_indices()
        return total


def _with_weights(matrix: sp.csr_array, weights: FloatArray) -> sp.csr_array:
    return sp.csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)


def _median(weights: FloatArray) -> float:
    """Return the median weight; 1 if there are no links."""
    return max(float(np.median(weights)), _LEAST_MEDIAN) if weights.size else 1.0
