"""Compiled loops: arrays in, arrays out.

The sub-modules need numba, whose import takes longer than the rest of hilabel
together, so each is loaded on first use::

    from hilabel import _kernels
    _kernels.closure.close_rows(...)      # numba is imported here, not above

Kernels trust their input. Shapes and dtypes are stated in their docstrings and
checked by the callers; each kernel has a plain NumPy twin in ``tests/oracles``.
"""

import importlib
from types import ModuleType

__all__ = [
    "binning",
    "candidates",
    "capping",
    "closure",
    "multi_label_blocks",
    "multi_label_nodes",
    "multi_label_scratch",
    "multi_label_splits",
    "multi_label_trees",
    "multi_label_walk",
    "nearest",
    "packed_labels",
    "pair_distances",
    "tree_walk",
    "trees",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"hilabel._kernels.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
