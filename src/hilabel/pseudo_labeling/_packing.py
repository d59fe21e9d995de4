"""Pack label sets into 64-bit words, to save memory and to count votes in parallel."""

from typing import Any

import numpy as np

from hilabel._typing import BoolArray

_ONES_IN_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(1)


def pack_labels(labels: BoolArray) -> Any:
    """Pack a boolean label matrix into 64-bit words, with label 0 in the lowest bit.

    The result has shape (n_rows, n_words).

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import pack_labels
    >>> pack_labels(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    n_rows, n_nodes = labels.shape
    packed = np.zeros((n_rows, -(-n_nodes // 64) * 8), dtype=np.uint8)
    bits = np.packbits(labels, axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack_labels(words: Any, n_nodes: int) -> BoolArray:
    """Unpack 64-bit words into a boolean label matrix of shape (n_rows, n_nodes).

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import unpack_labels
    >>> unpack_labels(np.array([[5]], dtype=np.uint64), 3)
    array([[ True, False,  True]])
    """
    as_bytes = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(as_bytes, axis=1, count=n_nodes, bitorder="little")
    return bits.view(bool)


def count_labels(words: Any) -> int:
    """Count the labels in packed rows without unpacking them.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import count_labels
    >>> count_labels(np.array([[5], [0]], dtype=np.uint64))
    2
    """
    as_bytes = np.ascontiguousarray(words).view(np.uint8)
    return int(np.bincount(as_bytes.ravel(), minlength=256) @ _ONES_IN_BYTE)
