"""Scores of many rows and nodes, exact while they fit and compact beyond.

Scores of left-out rows are needed again and again: for choosing, calibrating, deciding
and measuring. Up to 256 MB, they are kept as they are. Beyond, a score takes 16 bits:
its code. Codes keep the order of scores that differ by more than a two-thousandth of
themselves, from 1e-7 up, so that measures of ranking change by less than 1e-4. If codes
would use much of the free memory, they are kept in a temporary file. All readers work
in blocks of rows or columns.
"""

import tempfile
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from hilabel._free_memory import available_memory
from hilabel._matrices import CELLS_AT_ONCE, row_blocks
from hilabel._typing import FloatArray, IntArray

MOST_EXACT: Final = 64_000_000
"""Number of scores that are kept exactly."""

# The largest share of the free memory for codes; beyond, they are kept in a file.
_SHARE_OF_MEMORY: Final = 0.25

# Codes are the first bits of single precision: 2,048 codes per factor of two from 2^-23
# to 1/2, and steps of 2^-15 from there to 1. Code 0 stands for 0.
_HALF: Final = int(np.float32(0.5).view(np.uint32))
_ONE: Final = int(np.float32(1).view(np.uint32))
_LEAST: Final = int(np.float32(2.0**-23).view(np.uint32))
_DROPPED_BELOW, _DROPPED_ABOVE = 12, 9
_CODE_OF_HALF: Final = 1 + ((_HALF - _LEAST) >> _DROPPED_BELOW)
_CODE_OF_ONE: Final = _CODE_OF_HALF + ((_ONE - _HALF) >> _DROPPED_ABOVE)


class ScoreMatrix:
    """Scores from 0 to 1, of shape (n_rows, n_nodes), written and read in blocks.

    Parameters
    ----------
    shape : tuple of int
    exact : bool, optional
        Whether to keep scores as they are, in single precision. By default, this
        depends on their number.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel._score_matrix import ScoreMatrix
    >>> scores = ScoreMatrix((2, 3), exact=False)
    >>> scores.write(slice(0, 2), np.array([[0, 0.25, 1], [0.1, 0.1, 0.5]]))
    >>> scores.read().round(3)
    array([[0.  , 0.25, 1.  ],
           [0.1 , 0.1 , 0.5 ]], dtype=float32)
    """

    def __init__(self, shape: tuple[int, int], exact: bool | None = None) -> None:
        n_cells = shape[0] * shape[1]
        self.exact = n_cells <= MOST_EXACT if exact is None else exact
        if self.exact:
            self._values: Any = np.zeros(shape, dtype=np.float32)
        else:
            self._values = _codes_at_rest(shape)

    @classmethod
    def of(cls, scores: "ScoreMatrix | FloatArray") -> "ScoreMatrix":
        """Wrap an array of scores, which is neither copied nor changed."""
        if isinstance(scores, ScoreMatrix):
            return scores
        found = cls.__new__(cls)
        found.exact = True
        found._values = np.asarray(scores)
        return found

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of nodes."""
        n_rows, n_nodes = self._values.shape
        return int(n_rows), int(n_nodes)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def size(self) -> int:
        """Number of scores."""
        return int(self._values.size)

    def write(self, rows: Any, scores: FloatArray) -> None:
        """Write the scores of some rows, given by a slice, numbers or a mask."""
        self._values[rows] = scores if self.exact else codes_of(scores)

    def read(self, rows: Any = slice(None), nodes: Any = None) -> FloatArray:
        """Return the scores of some rows, given by a slice, numbers or a mask.

        ``nodes`` selects some of their nodes.
        """
        found = self._part(rows, nodes)
        return found if self.exact else _SCORE_OF[found]

    def codes(self, rows: Any = slice(None), nodes: Any = None) -> IntArray:
        """Return the codes of the scores of some rows."""
        found: IntArray = self._part(rows, nodes)
        return codes_of(found) if self.exact else found

    def _part(self, rows: Any, nodes: Any) -> Any:
        found = self._values[rows]
        return found if nodes is None else found[:, nodes]

    def columns(self, nodes: IntArray) -> FloatArray:
        """Return the scores of some nodes: one contiguous row per node."""
        found = np.empty((len(nodes), len(self)), dtype=self.read(slice(0, 0)).dtype)
        for rows in row_blocks((len(self), len(nodes))):
            found[:, rows] = self.read(rows, nodes).T
        return found

    def row_blocks(self, n_cells: int = CELLS_AT_ONCE) -> Iterator[slice]:
        """Yield consecutive slices of rows with about the given number of scores."""
        return row_blocks(self.shape, n_cells)

    def copy(self) -> "ScoreMatrix":
        """Return scores that can be overwritten without changing these."""
        other = ScoreMatrix(self.shape, self.exact)
        if self.exact:
            other._values = self._values.copy()
            return other
        for rows in self.row_blocks():
            other._values[rows] = self._values[rows]
        return other

    def __getitem__(self, rows: Any) -> "ScoreMatrix":
        """Return the scores of some rows, as a matrix."""
        found = ScoreMatrix.of(self._values[rows])
        found.exact = self.exact
        return found

    def blank(self) -> "ScoreMatrix":
        """Return a matrix of this shape and precision, to be written."""
        if self.exact:
            dtype = self.read(slice(0, 0)).dtype
            return ScoreMatrix.of(np.zeros(self.shape, dtype=dtype))
        return ScoreMatrix(self.shape, exact=False)


class RepeatedScores(ScoreMatrix):
    """Scores that are the same for all rows of a group, and are stored once.

    Parameters
    ----------
    of_group : ndarray of shape (n_groups, n_nodes)
    group : int array of shape (n_rows,)

    Attributes
    ----------
    of_group, group

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel._score_matrix import RepeatedScores
    >>> RepeatedScores(np.array([[0.1, 0.2]]), np.zeros(2, dtype=int)).read()
    array([[0.1, 0.2],
           [0.1, 0.2]])
    """

    def __init__(self, of_group: FloatArray, group: IntArray) -> None:
        self.exact = True
        self.of_group, self.group = of_group, group

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of nodes."""
        return self.group.size, int(self.of_group.shape[1])

    @property
    def size(self) -> int:
        """Number of scores."""
        return self.shape[0] * self.shape[1]

    def write(self, rows: Any, scores: FloatArray) -> None:
        """Raise an error, since rows have no scores of their own."""
        raise TypeError("Repeated scores cannot be overwritten.")

    def columns(self, nodes: IntArray) -> FloatArray:
        """Return the scores of some nodes: one contiguous row per node."""
        return self.of_group[:, nodes].T[:, self.group]

    def _part(self, rows: Any, nodes: Any) -> Any:
        of_group = self.of_group if nodes is None else self.of_group[:, nodes]
        return of_group[self.group[rows]]

    def copy(self) -> ScoreMatrix:
        """Return scores that can be overwritten."""
        other = ScoreMatrix(self.shape)
        for rows in self.row_blocks():
            other.write(rows, self.read(rows))
        return other

    def __getitem__(self, rows: Any) -> ScoreMatrix:
        """Return the scores of some rows, as a matrix."""
        return RepeatedScores(self.of_group, self.group[rows])

    def blank(self) -> ScoreMatrix:
        """Return a matrix of this shape, to be written."""
        return ScoreMatrix(self.shape)


def codes_of(scores: Any) -> Any:
    """Convert scores from 0 to 1 to 16-bit codes in the same order.

    Examples
    --------
    >>> from hilabel._score_matrix import codes_of
    >>> codes_of([0, 0.5, 1])
    array([    0, 45057, 61441], dtype=uint16)
    """
    # Rounding may put a mean of probabilities slightly outside; -0.0 has a sign bit.
    single = np.clip(np.abs(np.asarray(scores, dtype=np.float32)), 0, 1)
    bits = single.view(np.uint32).astype(np.int32)
    below = 1 + ((bits - _LEAST) >> _DROPPED_BELOW)
    above = _CODE_OF_HALF + ((bits - _HALF) >> _DROPPED_ABOVE)
    codes = np.where(bits >= _HALF, above, np.maximum(below, 0))
    return codes.astype(np.uint16)


def _scores_by_code() -> FloatArray:
    """Return the score that stands for each code: the middle of its range."""
    codes = np.arange(2**16)
    below = ((codes - 1) << _DROPPED_BELOW) + _LEAST + (1 << (_DROPPED_BELOW - 1))
    above = ((codes - _CODE_OF_HALF) << _DROPPED_ABOVE) + _HALF
    above = np.where(codes < _CODE_OF_ONE, above, _ONE)
    bits = np.where(codes >= _CODE_OF_HALF, above, below)
    scores = bits.astype(np.uint32).view(np.float32)
    scores[0] = 0
    return scores


_SCORE_OF: Final = _scores_by_code()
N_CODES: Final = _CODE_OF_ONE + 1


def scores_of_codes() -> FloatArray:
    """Return the score that stands for each code, in ascending order."""
    return _SCORE_OF[:N_CODES]


def first_of_code(scores: FloatArray) -> FloatArray:
    """Return, for each score, the lowest score with the same code.

    Examples
    --------
    >>> from hilabel._score_matrix import first_of_code
    >>> first_of_code([0.5, 0.50001])
    array([0.5, 0.5])
    """
    codes = codes_of(scores).astype(np.int32)
    below = ((codes - 1) << _DROPPED_BELOW) + _LEAST
    above = ((codes - _CODE_OF_HALF) << _DROPPED_ABOVE) + _HALF
    bits = np.where(codes >= _CODE_OF_HALF, above, below)
    bits[codes == 0] = 0
    return bits.view(np.float32).astype(np.float64)


def _codes_at_rest(shape: tuple[int, int]) -> Any:
    """Return an array for codes: in memory, or in a file if memory is scarce."""
    n_bytes = 2 * shape[0] * shape[1]
    if n_bytes <= _SHARE_OF_MEMORY * available_memory():
        return np.zeros(shape, dtype=np.uint16)
    # The file has no name, so that it goes with the process, however this ends; the
    # mapping keeps it open.
    with tempfile.TemporaryFile(prefix="hilabel-scores-") as file:
        return np.memmap(file, dtype=np.uint16, shape=shape, mode="w+")
