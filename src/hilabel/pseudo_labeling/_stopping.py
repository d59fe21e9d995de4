"""Decide when to stop: no change, a cycle of length two, or enough passes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class StopRule:
    """The labels of the last two passes, which determine when to stop.

    Parameters
    ----------
    max_passes : int
    stop_on_cycle : bool
        Whether to stop when the labels equal those of two passes ago.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import StopRule
    >>> rule = StopRule(max_passes=10, stop_on_cycle=True)
    >>> labels = np.array([[1]], dtype=np.uint64)
    >>> rule.check(1, labels), rule.check(2, labels)
    (None, 'unchanged')
    """

    max_passes: int
    stop_on_cycle: bool
    _seen: list[Any] = field(default_factory=list, repr=False)

    def check(self, iteration: int, labels: Any) -> str | None:
        """Return the reason to stop ("unchanged", "cycle" or "max_iter"), or None.

        Before the first pass, there are no labels, so a first pass without labels also
        counts as unchanged.
        """
        before = self._seen[-1] if self._seen else np.zeros_like(labels)
        if np.array_equal(labels, before):
            return "unchanged"
        is_old = len(self._seen) == 2 and np.array_equal(labels, self._seen[0])
        if self.stop_on_cycle and is_old:
            return "cycle"
        if iteration >= self.max_passes:
            return "max_iter"
        self._seen = [before, labels]
        return None
