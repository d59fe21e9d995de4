"""Number ids in order of first appearance, so that each is stored only once."""

from collections.abc import Iterable

import numpy as np

from hilabel._typing import Int32Array
from hilabel.exceptions import LinkError


class IdNumbers:
    """A growing list of distinct ids.

    Examples
    --------
    >>> from hilabel.links import IdNumbers
    >>> numbers = IdNumbers()
    >>> numbers.of(["b", "a", "b"])
    array([0, 1, 0], dtype=int32)
    >>> numbers.ids
    ('b', 'a')
    """

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._number_of)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids; that at position ``k`` has the number ``k``."""
        return tuple(self._number_of)

    def of(self, ids: Iterable[str]) -> Int32Array:
        """Return the number of each id; new ids get the next numbers."""
        known = self._number_of
        found = [known.setdefault(each, len(known)) for each in ids]
        if len(known) > np.iinfo(np.int32).max:
            raise LinkError(f"Expected at most 2**31 ids, got {len(known)}.")
        return np.array(found, dtype=np.int32)
