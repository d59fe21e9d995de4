"""Hierarchical multi-label classification from a few labelled rows.

The subpackages follow the flow of the data:

1. ``datasets``          files become ``HMCDataset(X, Y, hierarchy)``
2. ``hierarchy``         what the labels mean
3. ``model_selection`` which rows are labelled, which are test rows
4. ``pseudo_labeling``   unlabelled rows get labels from their ``neighbors``
5. ``classifiers`` one model per node, by default ``forests``
6. ``constraints``       scores become consistent with the hierarchy
7. ``metrics``           how good the scores are
8. ``studies``           many runs, tables and tests
9. ``report``            figures
10. ``persistence``      models in files; ``tasks``: whole jobs on a user's files

``semi_supervised`` composes 4 to 6; ``testing`` checks any such estimator.
``Y`` holds 1 (has the label), 0 (does not) and ``UNLABELED`` (unknown).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hilabel._typing import UNLABELED
    from hilabel.hierarchy import Hierarchy

__all__ = ["UNLABELED", "Hierarchy", "__version__"]

__version__ = "0.1.0.dev0"
"""The version of hilabel.

Examples
--------
>>> import hilabel
>>> hilabel.__version__.split(".")[0]
'0'
"""


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line shows its help quickly."""
    if name == "UNLABELED":
        from hilabel._typing import UNLABELED

        return UNLABELED
    if name == "Hierarchy":
        from hilabel.hierarchy import Hierarchy

        return Hierarchy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
