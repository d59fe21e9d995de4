"""An array that grows in place."""

from typing import Any

import numpy as np


class GrowingArray:
    """Blocks of numbers in one array, without a copy of all of them when it grows.

    Joining blocks at the end would need memory for all of them twice.

    Attributes
    ----------
    array : ndarray or None
        None as long as there are no blocks.
    """

    def __init__(self) -> None:
        self.array: Any = None

    def extend(self, block: Any) -> None:
        """Add a block of the same type; None adds nothing."""
        if block is None:
            return
        if self.array is None:
            self.array = np.array(block)
            return
        n_before = len(self.array)
        # The system moves large arrays without copying. No other object uses this one.
        self.array.resize(n_before + len(block), refcheck=False)
        self.array[n_before:] = block
