"""Displays of pseudo-labels: the rows in the plane, before and after."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import pandas as pd
from scipy.stats import chi2
from sklearn.utils.validation import check_is_fitted

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray, MatrixLike
from hilabel._validation import check_labels, is_frame
from hilabel.datasets import ArtificialData
from hilabel.exceptions import ParameterError
from hilabel.hierarchy import Hierarchy
from hilabel.report._plane import plane_of
from hilabel.report._pseudo_label_panel import (
    LEFT_OUT,
    OUTLINE_SHARE,
    UNKNOWN,
    Outline,
    Panel,
    kinds_of,
    legend_handles,
)
from hilabel.report._style import new_figure
from hilabel.semi_supervised import SSHMCBLI

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INITIAL: Final = "initial data"
MOST_POINTS: Final = 3000
"""Number of rows in a figure; more would hide each other."""

# Nodes shown unless others are named.
_MOST_NODES = 3
# Nodes that agree in more than this share of the rows give the same picture.
_NEARLY_SAME = 0.9
# In inches.
_PANEL_WIDTH = 3.6
_PANEL_HEIGHT = 2.3
_FREE_PANEL = (4.2, 3.3)
_LEGEND_ENTRY_WIDTH = 2.6
_LEGEND_ENTRY_HEIGHT = 0.25
# Characters in a line of a title.
_TITLE_WIDTH = 46
# Margin of both axes, in units of the artificial data.
_TICK = 4


@dataclass(frozen=True, eq=False)
class PseudoLabelDisplay:
    """Points before and after pseudo-labelling, with one row of panels per node.

    In each panel, every row of the data is one of the following kinds: ``"labelled with
    the node"``, ``"labelled without"``, ``"unlabelled"`` (in the initial data only, or
    if a labelled row is unknown for the node), ``"pseudo-labelled with the node"``,
    ``"pseudo-labelled without"`` or ``"left out"`` (considered, but not accepted).

    Attributes
    ----------
    X : ndarray of shape (n_rows, 2)
        The position of each row.
    panels : tuple of tuples of Panel
        One tuple per node, the initial data first.
    axis_names : tuple of str, or None
        What the axes are; None for the artificial data, where both have one scale.
    drawn : bool array of shape (n_rows,) or None
        The rows that ``plot`` draws; None means all. ``frame`` has all rows.

    Examples
    --------
    Which rows get the most frequent node, and how many of them wrongly:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.report import PseudoLabelDisplay
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> model = SSHMCBLI(data.hierarchy, estimator=tree, variant="v1")
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> display = PseudoLabelDisplay.from_estimator(model, nodes=["4"], columns=(0, 1))
    >>> display.frame().groupby(["panel", "kind"]).size()
    panel         kind
    SSHMCBLI      labelled with the node             2
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
    axis_names: tuple[str, str] | None = None
    drawn: BoolArray | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: MatrixLike | None = None,
        y: MatrixLike | None = None,
        *,
        nodes: Iterable[int | str] | None = None,
        columns: Iterable[int | str] | None = None,
        feature_names: Sequence[str] | None = None,
        max_points: int = MOST_POINTS,
    ) -> Self:
        """Collect the pseudo-labels of a fitted model, for data with any columns.

        Parameters
        ----------
        model : fitted classifier
            Any method with the attributes ``transduction_`` and ``labeled_iter_``, such
            as SSHMCBLI, SSHCBLI and the self-training methods.
        X : array-like or sparse matrix of shape (n_rows, n_columns), optional
            The rows passed to ``fit``, in the same order, those of ``X_unlabeled``
            last. The columns may be others, such as unscaled ones. By default, the
            training rows that SSHMCBLI and SSHCBLI store; other methods store none.
        y : array-like of shape (n_rows, n_nodes), optional
            The true labels of all rows, for those who know them: 1, 0, and -1 or NaN if
            unknown. Wrong pseudo-labels get a red ring.
        nodes : iterable of int or str, optional
            The nodes to show. By default, the three nodes that divide the
            pseudo-labelled rows most evenly, since nearly all rows have the nodes at
            the top of a large hierarchy. Of nodes with nearly the same rows, one is
            shown.
        columns : two of int or str, optional
            The numbers or names of two columns, for the axes. By default, the first two
            principal components of ``X``.
        feature_names : sequence of str, optional
            By default, the columns of ``X`` or ``model.feature_names_in_``, if any.
        max_points : int, default=3000
            The figure shows at most this many rows, chosen at random after the labelled
            ones; titles count all rows.

        Raises
        ------
        ParameterError
            If the model has no pseudo-labels, or ``X`` is missing or has other rows.
        HierarchyError
            If a node is not in the hierarchy.
        sklearn.exceptions.NotFittedError
            If the model was not fitted.

        Examples
        --------
        >>> import numpy as np
        >>> from hilabel.report import PseudoLabelDisplay
        >>> from hilabel.semi_supervised import SelfTraining
        >>> X = np.array([[0.0, 1.0], [5.0, np.nan], [0.1, 0.8], [5.2, 0.1]])
        >>> y = np.array([[1], [0], [-1], [-1]])
        >>> model = SelfTraining(criterion="k_best", random_state=0).fit(X, y)
        >>> display = PseudoLabelDisplay.from_estimator(model, X)
        >>> display.axis_names[0]
        'principal component 1 (99%)'
        """
        check_is_fitted(model)
        labels, is_given = _pseudo_labels_of(model)
        if X is None:
            X = _training_rows(model)
        names = _names_of(model, X, feature_names)
        points, axis_names = plane_of(X, columns, names)
        if len(points) != len(labels):
            raise ParameterError(
                f"Expected X with the {len(labels)} rows that the model was fitted on, "
                f"those of X_unlabeled last, got {len(points)} rows.",
                parameter="X",
            )
        hierarchy = model.hierarchy_
        truth = np.full(labels.shape, UNLABELED, dtype=np.int8)
        if y is not None:
            truth = check_labels(y, hierarchy, n_samples=len(labels)).to_array()
        chosen = _most_divided(labels, is_given) if nodes is None else nodes
        numbers = _numbers_of(hierarchy, chosen)
        panels = tuple(
            _panels_of_node(type(model).__name__, hierarchy, node, *columns_of_node)
            for node in numbers
            for columns_of_node in [(labels[:, node], truth[:, node], is_given)]
        )
        return cls(points, panels, axis_names, _drawn(is_given, max_points))

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

        Examples
        --------
        >>> from hilabel.datasets import make_artificial
        >>> from hilabel.report import PseudoLabelDisplay
        >>> display = PseudoLabelDisplay.from_models(make_artificial(), {}, nodes=[4])
        >>> [panel.name for panel in display.panels[0]]  # no model
        ['initial data']
        """
        numbers = _numbers_of(data.hierarchy, nodes)
        X = np.concatenate([data.X_labeled, data.X_unlabeled])
        for name, model in models.items():
            _check_rows(name, model, X)
        return cls(X, tuple(_panels(data, models, node) for node in numbers))

    def frame(self) -> pd.DataFrame:
        """Return a table with one row per point and panel.

        Returns
        -------
        pandas DataFrame
            With the columns ``node``, ``panel``, ``row`` (its number), ``x``, ``y``,
            ``kind`` and ``has_node``, the truth, which is missing where it is not
            known.
        """
        parts = [
            pd.DataFrame(
                {
                    "node": panel.node,
                    "panel": panel.name,
                    "row": np.arange(len(self.X)),
                    "x": self.X[:, 0],
                    "y": self.X[:, 1],
                    "kind": panel.kinds,
                    "has_node": panel.truth,
                }
            )
            for row in self.panels
            for panel in row
        ]
        table = pd.concat(parts, ignore_index=True)
        is_known = table["has_node"] != UNLABELED
        has_node = (table["has_node"] == 1).astype("boolean")
        table["has_node"] = has_node.where(is_known, pd.NA)
        return table.astype({"has_node": bool}) if is_known.all() else table

    def plot(self) -> "Figure":
        """Draw all panels; red marks the truth, where it is known.

        Red ellipses contain 95 % of the points of the node, for the artificial data;
        red rings are wrong pseudo-labels.

        Returns
        -------
        matplotlib figure
        """
        panels = [panel for row in self.panels for panel in row]
        n_rows, n_columns = len(self.panels), len(self.panels[0])
        width, height = (
            (_PANEL_WIDTH, _PANEL_HEIGHT) if self.axis_names is None else _FREE_PANEL
        )
        handles = legend_handles(panels)
        # Two entries per column: with and without, then the next pair.
        n_entries = min(
            max(1, int(width * n_columns / _LEGEND_ENTRY_WIDTH)), ceil(len(handles) / 2)
        )
        legend_height = _LEGEND_ENTRY_HEIGHT * (1 + ceil(len(handles) / n_entries))
        figure = new_figure(width * n_columns, height * n_rows + legend_height)
        grid = figure.subplots(
            n_rows, n_columns, sharex=True, sharey=True, squeeze=False
        )
        drawn = np.ones(len(self.X), dtype=bool) if self.drawn is None else self.drawn
        for axes, panel in zip(grid.flat, panels, strict=True):
            panel.draw(axes, self.X, drawn)
        if self.axis_names is None:
            _to_scale(grid)
        else:
            for axes in grid[-1]:
                axes.set_xlabel(self.axis_names[0], parse_math=False)
            for axes in grid[:, 0]:
                axes.set_ylabel(self.axis_names[1], parse_math=False)
        is_some = not drawn.all()
        told = f"{drawn.sum():,} of {drawn.size:,} rows are drawn" if is_some else None
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=n_entries,
            frameon=False,
            title=told,
        )
        return figure


# Any data -------------------------------------------------------------------------


def has_pseudo_labels(model: Any) -> bool:
    """Return whether a fitted model has learned from pseudo-labels that can be shown.

    SSLPCT has not: it predicts labels of unlabelled rows, ``transduction_``, but it is
    not trained on them.
    """
    return hasattr(model, "transduction_") and hasattr(model, "labeled_iter_")


def _pseudo_labels_of(model: Any) -> tuple[LabelArray, BoolArray]:
    """Return the labels of all training rows, and which rows had given ones."""
    if not has_pseudo_labels(model):
        raise ParameterError(
            f"{type(model).__name__} has no pseudo-labels to show; expected a method "
            "with the fitted attributes transduction_ and labeled_iter_, such as "
            "SSHMCBLI, STHC or BatchSelfTraining.",
            parameter="model",
        )
    is_given = np.asarray(model.labeled_iter_) == 0
    # Some methods accept labels one by one; a given row may be known in part.
    if is_given.ndim > 1:
        is_given = is_given.any(axis=1)
    return np.asarray(model.transduction_), is_given


def _training_rows(model: Any) -> Any:
    data = getattr(model, "training_data_", None)
    if data is None:
        raise ParameterError(
            f"{type(model).__name__} does not store its training rows; pass those of "
            "fit, with the rows of X_unlabeled last.",
            parameter="X",
        )
    return data.X


def _names_of(model: Any, X: Any, given: Sequence[str] | None) -> list[str] | None:
    """Return the names of the columns of ``X``, if they are known."""
    if given is None:
        given = X.columns if is_frame(X) else getattr(model, "feature_names_in_", None)
        n_columns = X.shape[1] if hasattr(X, "shape") else None
        # The columns of X may be others than those of the model.
        if given is not None and n_columns is not None and len(given) != n_columns:
            given = None
    return None if given is None else [str(name) for name in given]


def _most_divided(labels: LabelArray, is_given: BoolArray) -> list[int]:
    """Return the nodes with the most pseudo-labels both with and without the node."""
    shown = labels[~is_given] if (labels[~is_given] == 1).any() else labels
    fewer = np.minimum((shown == 1).sum(axis=0), (shown == 0).sum(axis=0))
    chosen: list[int] = []
    for node in np.argsort(-fewer, kind="stable").tolist():
        if len(chosen) == _MOST_NODES:
            break
        same = [(shown[:, node] == shown[:, one]).mean() for one in chosen]
        if max(same, default=0) <= _NEARLY_SAME:
            chosen.append(node)
    return chosen


def _numbers_of(hierarchy: Hierarchy, nodes: Iterable[int | str]) -> list[int]:
    numbers = [hierarchy.node(node) for node in nodes]
    if not numbers:
        raise ValueError("Expected at least one node to show, got none.")
    return numbers


def _panels_of_node(
    method: str,
    hierarchy: Hierarchy,
    node: int,
    labels: LabelArray,
    truth: LabelArray,
    is_given: BoolArray,
) -> tuple[Panel, ...]:
    """Return the panels of a node: the given labels, then all labels of the method."""
    name, title = hierarchy.names[node], hierarchy.titles[node]
    label = fill(f"node {name if name == title else f'{name} {title}'}", _TITLE_WIDTH)
    given = np.where(is_given, labels, UNLABELED).astype(np.int8)
    n_with = int((given == 1).sum())
    told = f"{n_with:,} of {is_given.sum():,} labelled rows have it"
    unlabeled = truth[~is_given]
    if (unlabeled != UNLABELED).any():
        told += f",\n{(unlabeled == 1).sum():,} of {unlabeled.size:,} unlabelled rows"
    kinds = kinds_of(given, is_given, UNKNOWN)
    before = Panel(node, INITIAL, f"{label}\n{told}", kinds, truth)
    after = Panel(node, method, "", kinds_of(labels, is_given, LEFT_OUT), truth)
    return before, _titled(after, labels[~is_given], after.is_wrong[~is_given])


def _titled(panel: Panel, labels: LabelArray, is_wrong: BoolArray) -> Panel:
    """Return the panel of a method with a title that counts its pseudo-labels."""
    is_known = (panel.truth != UNLABELED).any()
    parts = []
    for value, name in ((1, "with the node"), (0, "without")):
        counted = f"{(labels == value).sum():,} {name}"
        if is_known:
            counted += f", {(is_wrong & (labels == value)).sum():,} wrongly"
        parts.append(counted)
    n_accepted = int((labels != UNLABELED).sum())
    head = f"{panel.name}: {n_accepted:,} of {labels.size:,} accepted"
    title = f"{head}\n{('; ' if not is_known else ';' + chr(10)).join(parts)}"
    return Panel(panel.node, panel.name, title, panel.kinds, panel.truth)


def _drawn(is_given: BoolArray, max_points: int) -> BoolArray:
    """Choose the rows to draw: labelled rows first, then others at random."""
    drawn = np.ones(is_given.size, dtype=bool)
    if is_given.size > max_points:
        order = np.random.default_rng(0).permutation(is_given.size)
        order = order[np.argsort(~is_given[order], kind="stable")]
        drawn[order[max_points:]] = False
    return drawn


# The artificial data --------------------------------------------------------------


def _check_rows(name: str, model: SSHMCBLI, X: FloatArray) -> None:
    """Raise an error unless a model was fitted on the rows of ``X``, in this order."""
    check_is_fitted(model, "transduction_")
    fitted = _training_rows(model)
    if not np.array_equal(fitted, X):
        raise ValueError(
            f"Model {name!r} was fitted on {fitted.shape[0]} rows that differ from the "
            f"{X.shape[0]} of the data; fit it with fit(data.X_labeled, "
            "data.Y_labeled, X_unlabeled=data.X_unlabeled)."
        )


def _panels(
    data: ArtificialData, models: Mapping[str, SSHMCBLI], node: int
) -> tuple[Panel, ...]:
    truth = np.concatenate([data.Y_labeled, data.Y_unlabeled])[:, node]
    n_labeled = data.Y_labeled.shape[0]
    is_given = np.arange(truth.size) < n_labeled
    outlines = tuple(
        _outline(data, member) for member in (node, *data.hierarchy.descendants(node))
    )
    label = f"node {data.hierarchy.titles[node]}"
    before = np.where(is_given, truth, UNLABELED).astype(np.int8)
    found = {INITIAL: kinds_of(before, is_given, UNKNOWN)}
    n_true, n_unlabeled = int((truth[~is_given] == 1).sum()), int((~is_given).sum())
    belong = f"{n_true} of {n_unlabeled} unlabelled belong to it"
    titles = {INITIAL: f"{label}: {n_labeled} labelled\n{belong}"}
    for name, model in models.items():
        labels = model.transduction_[:, node]
        found[name] = kinds_of(labels, is_given, LEFT_OUT)
        verdict = _verdict(label, labels[~is_given], truth[~is_given] == 1)
        titles[name] = f"{name}: {verdict}"
    return tuple(
        Panel(node, name, titles[name], kinds, truth, outlines)
        for name, kinds in found.items()
    )


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


def _to_scale(grid: Any) -> None:
    from matplotlib.ticker import MultipleLocator

    for axes in grid.flat:
        axes.set_aspect("equal")
        axes.xaxis.set_major_locator(MultipleLocator(_TICK))
        axes.yaxis.set_major_locator(MultipleLocator(_TICK))
