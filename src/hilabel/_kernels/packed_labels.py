"""Label sets packed 64 to a word, and neighbours that vote on them.

``words`` is (n, w) uint64: bit ``j % 64`` of word ``j // 64`` says whether a row has
label j. Bits beyond the last label are 0.
"""

import numba
import numpy as np

__all__ = ["share_a_label", "vote"]


@numba.njit(cache=True, nogil=True)
def vote(words, neighbors, needed):
    """Return, packed, the labels that at least ``needed`` neighbours of each row have.

    Parameters
    ----------
    words : (n, w) uint64
    neighbors : (m, k) integers, rows of ``words``
    needed : int, from 1 to k

    Returns
    -------
    (m, w) uint64

    Sixty-four labels are counted at a time: plane b holds bit b of all their counts,
    and a neighbour is added as in a binary counter. O(m w k log k) word operations.
    """
    n_rows, k = neighbors.shape
    n_words = words.shape[1]
    n_planes = 1
    while (1 << n_planes) <= k:
        n_planes += 1
    planes = np.zeros(n_planes, dtype=np.uint64)
    result = np.empty((n_rows, n_words), dtype=np.uint64)
    for row in range(n_rows):
        for word in range(n_words):
            planes[:] = 0
            for i in range(k):
                carry = words[neighbors[row, i], word]
                plane = 0
                while carry != 0:
                    before = planes[plane]
                    planes[plane] = before ^ carry
                    carry &= before
                    plane += 1
            # Compare all counts with ``needed``, from the highest bit down.
            more = np.uint64(0)
            equal = ~np.uint64(0)
            for plane in range(n_planes - 1, -1, -1):
                if (needed >> plane) & 1:
                    equal &= planes[plane]
                else:
                    more |= equal & planes[plane]
                    equal &= ~planes[plane]
            result[row, word] = more | equal
    return result


@numba.njit(cache=True, nogil=True)
def share_a_label(words, neighbors, proposed):
    """Return (m, k) bool: whether a neighbour has one of the proposed labels.

    ``words`` and ``neighbors`` as in ``vote``; ``proposed`` (m, w) uint64.
    """
    n_rows, k = neighbors.shape
    result = np.zeros((n_rows, k), dtype=np.bool_)
    for row in range(n_rows):
        for i in range(k):
            for word in range(words.shape[1]):
                if words[neighbors[row, i], word] & proposed[row, word]:
                    result[row, i] = True
                    break
    return result
