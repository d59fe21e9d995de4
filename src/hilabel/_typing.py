"""Type aliases, and the value that marks an unlabelled row."""

from os import PathLike
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "UNLABELED",
    "ArrayLike",
    "BoolArray",
    "FilePath",
    "FloatArray",
    "Int32Array",
    "IntArray",
    "LabelArray",
    "MatrixLike",
]

UNLABELED: Final = -1
"""Marks unlabelled rows of ``Y``; 0 means "known to be absent".

Examples
--------
>>> from hilabel import UNLABELED
>>> UNLABELED
-1
"""

BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.floating]
IntArray: TypeAlias = NDArray[np.int64]
Int32Array: TypeAlias = NDArray[np.int32]
LabelArray: TypeAlias = NDArray[np.int8]

FilePath: TypeAlias = str | PathLike[str]

# Dense array, scipy sparse container, data frame or nested sequence. Types cannot be
# more specific; ``_validation`` checks values at run time.
MatrixLike: TypeAlias = Any
