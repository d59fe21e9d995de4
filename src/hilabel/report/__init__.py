"""Show: displays hold data; ``frame()`` gives a table of them, ``plot()`` a figure."""

from hilabel.report._clustering_tree import ClusteringTreeDisplay
from hilabel.report._display import Display
from hilabel.report._pseudo_labels import Outline, Panel, PseudoLabelDisplay
from hilabel.report._save import save_figure
from hilabel.report._style import has_matplotlib

__all__ = [
    "ClusteringTreeDisplay",
    "Display",
    "Outline",
    "Panel",
    "PseudoLabelDisplay",
    "has_matplotlib",
    "save_figure",
]
