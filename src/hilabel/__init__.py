"""Hierarchical multi-label classification from a few labelled rows.

The subpackages follow the flow of the data:

1. ``datasets``          loads files as ``HMCDataset(X, Y, hierarchy)``
2. ``hierarchy``         describes how the labels are related
3. ``model_selection``   chooses labelled, unlabelled and test rows
4. ``pseudo_labeling``   labels unlabelled rows based on their ``neighbors``
5. ``classifiers``       trains models, by default ``forests``
6. ``constraints``       makes scores consistent with the hierarchy
7. ``metrics``           measures the quality of scores
8. ``studies``           compares methods in many runs
9. ``report``            draws figures and writes pages
10. ``persistence``      saves models; ``tasks`` runs whole jobs on a user's files

``semi_supervised`` combines 4 to 6; ``testing`` checks any hierarchical classifier.
``Y`` contains 1 (has the label), 0 (does not have it) and ``UNLABELED`` (unknown).
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
    """Import names on first use, so that the command line shows its help quickly."""
    if name == "UNLABELED":
        from hilabel._typing import UNLABELED

        return UNLABELED
    if name == "Hierarchy":
        from hilabel.hierarchy import Hierarchy

        return Hierarchy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
