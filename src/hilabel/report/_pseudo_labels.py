"""Displays of pseudo-labels for points in the plane."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.utils.validation import check_is_fitted

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.datasets import ArtificialData
from hilabel.report._style import BLACK, BLUE, GREY, ORANGE, RED, Mark, new_figure
from hilabel.semi_supervised import SSHMCBLI

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS: Final = {
    "labelled with the node": Mark("*", BLUE, BLACK, 11, 0.8, layer=6),
    "labelled without": Mark("s", ORANGE, BLACK, 6, 0.8, layer=5),
    "pseudo-labelled with the node": Mark("o", BLUE, BLUE, 3.4, 0, layer=4),
    "pseudo-labelled without": Mark("D", ORANGE, ORANGE, 2.8, 0, layer=3),
    "unlabelled": Mark("o", "none", GREY, 3.2, 0.7, layer=2),
    "left out": Mark("x", BLACK, BLACK, 4, 1.0, layer=4),
}
"""The kinds of points in a panel, and how each is drawn."""

INITIAL: Final = "initial data"
OUTLINE_SHARE: Final = 0.95

# In inches.
_PANEL_WIDTH = 3.6
_PANEL_HEIGHT = 2.3
_LEGEND_ENTRY_WIDTH = 2.6
_LEGEND_ENTRY_HEIGHT = 0.25
# Margin of both axes, in units of the data.
_TICK = 4


class Outline(NamedTuple):
    """The ellipse that contains a given fraction of a Gaussian's points.

    Examples
    --------
    >>> from hilabel.report import Outline
    >>> Outline(center=(0.0, 1.0), half_axes=(2.0, 1.0)).center
    (0.0, 1.0)
    """

    center: tuple[float, float]
    half_axes: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Panel:
    """The panel for one node, showing the initial data or one fitted model.

    Attributes
    ----------
    node : int
    name : str
        ``"initial data"`` or the name of the model.
    title : str
    kinds : str array of shape (n_rows,)
        The kind of each row, as listed in the docstring of
        :class:`PseudoLabelDisplay`.
    has_node : bool array of shape (n_rows,)
        The ground truth: whether the row belongs to the node.
    outlines : tuple of Outline
        Ellipses of the node and its descendants, whose rows belong to it too.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.report import Panel
    >>> kinds = np.array(["labelled without", "unlabelled"])
    >>> panel = Panel(4, "initial data", "node 4", kinds, np.array([False, True]), ())
    >>> panel.kinds[panel.has_node]
    array(['unlabelled'], dtype='<U16')
    """

    node: int
    name: str
    title: str
    kinds: NDArray[np.str_]
    has_node: BoolArray
    outlines: tuple[Outline, ...]


@dataclass(frozen=True, eq=False)
class PseudoLabelDisplay:
    """Points before and after pseudo-labelling, with one row of panels per node.

    In each panel, every row of the data is one of the following kinds: ``"labelled with
    the node"``, ``"labelled without"``, ``"unlabelled"`` (in the initial data only),
    ``"pseudo-labelled with the node"``, ``"pseudo-labelled without"`` or ``"left out"``
    (considered, but not accepted).

    Attributes
    ----------
    X : ndarray of shape (n_rows, 2)
        Labelled rows first, then unlabelled ones.
    panels : tuple of tuples of Panel
        One tuple per node, the initial data first.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.report import PseudoLabelDisplay
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> model = SSHMCBLI(data.hierarchy, estimator=tree, variant="v1")
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> display = PseudoLabelDisplay.from_models(data, {"V1": model}, nodes=[4])
    >>> display.frame().groupby(["panel", "kind"]).size()
    panel         kind
    V1            labelled with the node             2
                  labelled without                  10
                  left out                           2
                  pseudo-labelled with the node     48
                  pseudo-labelled without          280
    initial data  labelled with the node             2
                  labelled without                  10
                  unlabelled                       330
    dtype: int64
    """

    X: FloatArray
    panels: tuple[tuple[Panel, ...], ...]

    @classmethod
    def from_models(
        cls,
        data: ArtificialData,
        models: Mapping[str, SSHMCBLI],
        nodes: Iterable[int | str] = (1, 4),
    ) -> Self:
        """Collect the pseudo-labels from models fitted on the artificial data.

        Parameters
        ----------
        data : ArtificialData
        models : mapping of str to SSHMCBLI
            Fitted on ``data.X_labeled``, ``data.Y_labeled`` and
            ``X_unlabeled=data.X_unlabeled``; the keys become titles.
        nodes : iterable of int or str, default=(1, 4)
            The nodes to show; by default, those of the paper's figures.

        Raises
        ------
        ValueError
            If there is no node, or a model was fitted on other rows.
        HierarchyError
            If a node is not in the hierarchy.
        sklearn.exceptions.NotFittedError
            If a model was not fitted.
        """
        numbers = [data.hierarchy.node(node) for node in nodes]
        if not numbers:
            raise ValueError("Expected at least one node to show, got none.")
        X = np.concatenate([data.X_labeled, data.X_unlabeled])
        for name, model in models.items():
            _check_rows(name, model, X)
        return cls(X, tuple(_panels(data, models, node) for node in numbers))

    def frame(self) -> pd.DataFrame:
        """Return a table with one row per point and panel.

        Returns
        -------
        pandas DataFrame
            With the columns ``node``, ``panel``, ``x``, ``y``, ``kind`` and
            ``has_node``, the truth.
        """
        parts = [
            pd.DataFrame(
                {
                    "node": panel.node,
                    "panel": panel.name,
                    "x": self.X[:, 0],
                    "y": self.X[:, 1],
                    "kind": panel.kinds,
                    "has_node": panel.has_node,
                }
            )
            for row in self.panels
            for panel in row
        ]
        return pd.concat(parts, ignore_index=True)

    def plot(self) -> "Figure":
        """Draw all panels; red ellipses contain 95 % of the points of the node.

        Returns
        -------
        matplotlib figure
        """
        n_rows, n_columns = len(self.panels), len(self.panels[0])
        width = _PANEL_WIDTH * n_columns
        handles = _legend_handles(self.panels)
        # Two entries per column: with and without, then the next pair.
        n_entries = min(
            max(1, int(width / _LEGEND_ENTRY_WIDTH)), ceil(len(handles) / 2)
        )
        legend_height = _LEGEND_ENTRY_HEIGHT * (1 + ceil(len(handles) / n_entries))
        figure = new_figure(width, _PANEL_HEIGHT * n_rows + legend_height)
        grid = figure.subplots(
            n_rows, n_columns, sharex=True, sharey=True, squeeze=False
        )
        for axes, panel in zip(grid.flat, (p for row in self.panels for p in row)):
            _draw_panel(axes, self.X, panel)
        figure.legend(
            handles=handles, loc="outside lower center", ncols=n_entries, frameon=False
        )
        return figure


# Data -----------------------------------------------------------------------------


def _check_rows(name: str, model: SSHMCBLI, X: FloatArray) -> None:
    """Raise an error unless a model was fitted on the rows of ``X``, in this order."""
    check_is_fitted(model, "transduction_")
    seen = model.training_data_
    rows = np.concatenate([seen.labeled_rows, seen.unlabeled_rows])
    fitted = np.concatenate([seen.X_labeled, seen.X_unlabeled])[np.argsort(rows)]
    if not np.array_equal(fitted, X):
        raise ValueError(
            f"Model {name!r} was fitted on {fitted.shape[0]} rows that differ from the "
            f"{X.shape[0]} of the data; fit it with fit(data.X_labeled, "
            "data.Y_labeled, X_unlabeled=data.X_unlabeled)."
        )


def _panels(
    data: ArtificialData, models: Mapping[str, SSHMCBLI], node: int
) -> tuple[Panel, ...]:
    truth = np.concatenate([data.Y_labeled, data.Y_unlabeled])[:, node] == 1
    n_labeled = data.Y_labeled.shape[0]
    unlabeled = np.full(data.Y_unlabeled.shape[0], UNLABELED, dtype=np.int8)
    outlines = tuple(
        _outline(data, member) for member in (node, *data.hierarchy.descendants(node))
    )
    label = f"node {data.hierarchy.titles[node]}"
    before = np.concatenate([data.Y_labeled[:, node], unlabeled])
    found = {INITIAL: _kinds(before, n_labeled, "unlabelled")}
    n_true = int(truth[n_labeled:].sum())
    belong = f"{n_true} of {unlabeled.size} unlabelled belong to it"
    titles = {INITIAL: f"{label}: {n_labeled} labelled\n{belong}"}
    for name, model in models.items():
        labels = model.transduction_[:, node]
        found[name] = _kinds(labels, n_labeled, "left out")
        verdict = _verdict(label, labels[n_labeled:], truth[n_labeled:])
        titles[name] = f"{name}: {verdict}"
    return tuple(
        Panel(node, name, titles[name], kinds, truth, outlines)
        for name, kinds in found.items()
    )


def _kinds(labels: LabelArray, n_labeled: int, unknown: str) -> NDArray[np.str_]:
    """Return the kind of each row, given the node's column of the label matrix."""
    is_given = np.arange(labels.size) < n_labeled
    cases = {
        "labelled with the node": is_given & (labels == 1),
        "labelled without": is_given & (labels == 0),
        "pseudo-labelled with the node": ~is_given & (labels == 1),
        "pseudo-labelled without": ~is_given & (labels == 0),
    }
    return np.select(list(cases.values()), list(cases), default=unknown)


def _verdict(node: str, labels: LabelArray, truth: BoolArray) -> str:
    with_node = labels == 1
    n_accepted = int((labels != UNLABELED).sum())
    n_wrong = int((with_node & ~truth).sum())
    return (
        f"{n_accepted} accepted\n{int(with_node.sum())} with {node}, {n_wrong} wrongly"
    )


def _outline(data: ArtificialData, node: int) -> Outline:
    # A Gaussian's squared distance from its mean, in units of its scales, follows
    # chi-squared with as many degrees of freedom as there are dimensions.
    half_axes = data.scales[node] * np.sqrt(chi2.ppf(OUTLINE_SHARE, df=2))
    return Outline(tuple(data.centers[node].tolist()), tuple(half_axes.tolist()))


# Drawing --------------------------------------------------------------------------


def _draw_panel(axes: Any, X: FloatArray, panel: Panel) -> None:
    from matplotlib.patches import Ellipse
    from matplotlib.ticker import MultipleLocator

    for kind, mark in KINDS.items():
        mark.draw(axes, X[panel.kinds == kind])
    for outline in panel.outlines:
        width, height = (2 * half for half in outline.half_axes)
        # Above the many points, which would hide it, but below the few labelled ones.
        look: Any = {"fill": False, "edgecolor": RED, "linewidth": 1.2, "zorder": 4.5}
        axes.add_patch(Ellipse(outline.center, width, height, **look))
    axes.set_aspect("equal")
    axes.xaxis.set_major_locator(MultipleLocator(_TICK))
    axes.yaxis.set_major_locator(MultipleLocator(_TICK))
    axes.set_title(panel.title, fontsize="medium")


def _legend_handles(panels: tuple[tuple[Panel, ...], ...]) -> list[Any]:
    """Return legend entries for the ellipses and for every kind that occurs."""
    from matplotlib.lines import Line2D

    seen = np.unique(np.concatenate([panel.kinds for row in panels for panel in row]))
    handles = [mark.legend_handle(kind) for kind, mark in KINDS.items() if kind in seen]
    share = f"{OUTLINE_SHARE:.0%} of the points of the node\nor of a node below it"
    line = Line2D([], [], color=RED, label=share)
    return [*handles, line]
