"""The critical-difference diagram: mean ranks and groups of similar methods."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import pandas as pd

from hilabel._typing import MatrixLike
from hilabel.exceptions import ScoreError
from hilabel.report._style import BLACK, GREY, new_figure
from hilabel.studies import (
    FriedmanResult,
    critical_difference,
    friedman_test,
    mean_ranks,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# All lengths are in inches, so that text of any length has its place.
_FONT_SIZE: Final = 9.5
_LETTER: Final = 0.082  # of a caption, generously
_DOTS_PER_INCH: Final = 100
_ROUNDING: Final = 1.06  # letters are wider at fewer dots
_LINE: Final = 0.165
_GAP: Final = 0.07  # between names
_MARGIN: Final = 0.15
# Between the axis and a name, and between a line and its text.
_ELBOW: Final = 0.2
_PAD: Final = 0.06
_BAR_STEP: Final = 0.09
_SCALE: Final = 0.62  # above the axis: the ranks, and the critical difference
_AXIS_WIDTH: Final = 3.2
_WIDTH_PER_RANK: Final = 0.16
# Longer names are wrapped.
_LETTERS: Final = 32
# Ranks are numbered if they are this far apart, and otherwise only some of them.
_TICK_DISTANCE: Final = 0.28
_TICK_STEPS: Final = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True, eq=False)
class CriticalDifferenceDisplay:
    """Mean ranks on an axis, with bars over methods that do not differ significantly.

    Two methods differ if their mean ranks are at least as far apart as the critical
    difference of Nemenyi's test. If Friedman's test finds no difference between any of
    the methods, none are told apart: all are one group, and the figure says so.

    Attributes
    ----------
    ranks : Series
        The mean rank of each method, best first; 1 is the best rank.
    friedman : FriedmanResult
    difference : float
        The critical difference.
    alpha : float

    See Also
    --------
    hilabel.studies.compare_ranks : All tests, with p-values of pairs.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets",
    Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from hilabel.report import CriticalDifferenceDisplay
    >>> scores = {"forest": [0.7, 0.6, 0.9], "tree": [0.6, 0.5, 0.8]}
    >>> display = CriticalDifferenceDisplay.from_scores(scores)
    >>> display.frame()
       method  mean_rank groups
    0  forest        1.0   (1,)
    1    tree        2.0   (1,)
    """

    ranks: pd.Series
    friedman: FriedmanResult
    difference: float
    alpha: float

    @classmethod
    def from_scores(
        cls, scores: MatrixLike, *, higher_is_better: bool = True, alpha: float = 0.05
    ) -> Self:
        """Rank methods in each block, and compute the critical difference.

        Parameters
        ----------
        scores : DataFrame, dict of columns, or array of shape (n_blocks, n_methods)
            A row for each block, such as a data set, and a column for each method. All
            blocks need a score for all methods.
        higher_is_better : bool, default=True
        alpha : float, default=0.05
            Significance level.

        Raises
        ------
        ScoreError
            If a score is missing or not a number.
        ValueError
            If there are fewer than two methods or two blocks.
        """
        table = _table_of(scores)
        ranks = mean_ranks(table, higher_is_better=higher_is_better)
        return cls.from_ranks(ranks, len(table), alpha=alpha)

    @classmethod
    def from_ranks(
        cls, ranks: Mapping[str, float] | pd.Series, n_blocks: int, alpha: float = 0.05
    ) -> Self:
        """Create the display from mean ranks, such as published ones.

        Parameters
        ----------
        ranks : mapping of str to float, or Series
            The mean rank of each method.
        n_blocks : int
            The number of blocks over which ranks were averaged.
        alpha : float, default=0.05

        Examples
        --------
        The ranks of the SSHMC-BLI paper:

        >>> from hilabel.report import CriticalDifferenceDisplay
        >>> ranks = {
        ...     **{"LCN": 4.133, "V1": 2.0, "V2": 1.492},
        ...     **{"V3": 2.708, "STML": 5.958, "STHC": 4.708},
        ... }
        >>> display = CriticalDifferenceDisplay.from_ranks(ranks, n_blocks=60)
        >>> display.groups
        [('V2', 'V1'), ('V1', 'V3'), ('LCN', 'STHC')]
        """
        if not 0 < alpha < 1:
            raise ValueError(f"Expected alpha between 0 and 1, got {alpha!r}.")
        listed = pd.Series(ranks, dtype=np.float64).sort_values(kind="stable")
        friedman = friedman_test(listed, n_blocks)
        difference = critical_difference(len(listed), n_blocks, alpha)
        listed.index = listed.index.map(str)
        return cls(listed, friedman, difference, alpha)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The maximal groups of methods that do not differ significantly.

        Every group contains at least two methods.
        """
        if not self.friedman.rejects(self.alpha):
            return [tuple(self.ranks.index)]
        return similar_groups(self.ranks, self.difference)

    def describe(self) -> str:
        """Return the ranks, the critical difference and the groups as a sentence each.

        If Friedman's test finds no difference, another sentence says so.

        Examples
        --------
        >>> from hilabel.report import CriticalDifferenceDisplay
        >>> display = CriticalDifferenceDisplay.from_ranks({"a": 1.4, "b": 1.6}, 5)
        >>> display.describe().split(". ")[-1]
        'Groups without significant differences: a, b.'
        """
        listed = ", ".join(f"{name} {rank:.3f}" for name, rank in self.ranks.items())
        groups = "; ".join(", ".join(group) for group in self.groups) or "none"
        sentences = [
            f"Mean ranks: {listed}.",
            f"Critical difference {self.difference:.3f}.",
            f"Groups without significant differences: {groups}.",
        ]
        if not self.friedman.rejects(self.alpha):
            sentences.insert(2, _no_difference(self.friedman))
        return " ".join(sentences)

    def frame(self) -> pd.DataFrame:
        """Return a table with one row per method, best first.

        Returns
        -------
        pandas DataFrame
            With the columns ``method``, ``mean_rank`` and ``groups``, the numbers of
            the groups to which the method belongs.
        """
        groups = [
            tuple(
                number
                for number, group in enumerate(self.groups, start=1)
                if method in group
            )
            for method in self.ranks.index
        ]
        return pd.DataFrame(
            {
                "method": self.ranks.index,
                "mean_rank": self.ranks.to_numpy(),
                "groups": groups,
            }
        )

    def plot(self) -> "Figure":
        """Draw the diagram, in a size that fits the number and length of names.

        Returns
        -------
        matplotlib figure
        """
        layout = Layout(self)
        figure = layout.new_figure()
        draw_diagram(figure.axes[0], self, layout)
        return figure


def similar_groups(ranks: pd.Series, difference: float) -> list[tuple[str, ...]]:
    """Return the maximal groups of methods whose ranks differ by less than a limit.

    Every group contains at least two methods.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.report._critical_difference import similar_groups
    >>> similar_groups(pd.Series({"a": 1.0, "b": 1.5, "c": 2.2, "d": 4.0}), 1.0)
    [('a', 'b'), ('b', 'c')]
    """
    ordered = ranks.sort_values(kind="stable")
    values = ordered.to_numpy(dtype=np.float64)
    groups: list[tuple[str, ...]] = []
    last_end = 0
    for start in range(len(values)):
        end = int(np.searchsorted(values, values[start] + difference, side="left"))
        if end - start > 1 and end > last_end:
            groups.append(tuple(map(str, ordered.index[start:end])))
        last_end = max(last_end, end)
    return groups


def _table_of(scores: MatrixLike) -> pd.DataFrame:
    """Return scores as a table of numbers with one named column per method."""
    if hasattr(scores, "to_pandas"):
        scores = scores.to_pandas()
    table = scores if isinstance(scores, pd.DataFrame) else pd.DataFrame(scores)
    if not isinstance(scores, pd.DataFrame | dict):
        table.columns = [f"method {number}" for number in range(table.shape[1])]
    names = table.columns.map(str)
    if not names.is_unique:
        raise ScoreError(
            "Expected methods with different names, got two columns called "
            f"{names[names.duplicated()][0]!r}."
        )
    for name in table.columns:
        numbers = pd.to_numeric(table[name], errors="coerce")
        if numbers.isna().any():
            place = int(np.flatnonzero(numbers.isna())[0])
            raise ScoreError(
                f"Expected a score of every method in every block, but {name!r} has "
                f"{str(table[name].iloc[place])!r} in block {table.index[place]!r}; "
                "remove the method or the block."
            )
    return table.astype(np.float64)


# Drawing --------------------------------------------------------------------------


class Layout:
    """Where the parts of a diagram are, in inches from its upper left corner."""

    def __init__(
        self, display: CriticalDifferenceDisplay, has_caption: bool = True
    ) -> None:
        ranks = display.ranks
        n_methods = len(ranks)
        texts = [_name_of(str(name), rank) for name, rank in ranks.items()]
        n_left = ceil(n_methods / 2)
        # The best method is at the top left, the worst at the top right.
        self.left, self.right = texts[:n_left], texts[: n_left - 1 : -1]
        self.n_methods = n_methods
        axis_width = max(_AXIS_WIDTH, _WIDTH_PER_RANK * (n_methods - 1))
        self.inches_per_rank = axis_width / (n_methods - 1)
        self.start = _MARGIN + _width_of(self.left) + _PAD + _ELBOW
        self.end = self.start + axis_width
        told = f"CD = {display.difference:.3f}"
        self.scale_end = self.x(1 + display.difference)
        right = self.end + _ELBOW + _PAD + _width_of(self.right)
        right = max(right, self.scale_end + _PAD + _text_width(told))
        self.width = right + _MARGIN
        n_letters = int((self.width - 2 * _MARGIN) / _LETTER)
        self.caption = _caption(display, n_letters) if has_caption else []
        self.axis = _MARGIN + _SCALE
        self.first_bar = self.axis + 0.13
        bars = _BAR_STEP * len(display.groups)
        self.names = self.first_bar + bars + 0.12
        self.names_end = self.names + max(map(_height_of, (self.left, self.right)))
        self.height = self.names_end + 0.08 + _LINE * len(self.caption) + _MARGIN

    def new_figure(self) -> "Figure":
        """Return a figure whose axes fill it, so that nothing of them is outside."""
        figure = new_figure(self.width, self.height)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        return figure

    def x(self, rank: float) -> float:
        """Return the place of a rank on the axis."""
        return self.start + (rank - 1) * self.inches_per_rank

    @property
    def tick_step(self) -> int:
        """The distance between ranks with a number."""
        steps = [s for s in _TICK_STEPS if s * self.inches_per_rank >= _TICK_DISTANCE]
        return steps[0] if steps else _TICK_STEPS[-1]


def draw_diagram(
    axes: Any,
    display: CriticalDifferenceDisplay,
    layout: Layout,
    *,
    ink: str = BLACK,
    grid: str = GREY,
    looks: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Draw the diagram on the axes of a figure of the layout.

    ``looks`` contains the arguments of ``Axes.plot`` for single methods.
    """
    text = {"fontsize": _FONT_SIZE, "color": ink, "parse_math": False}
    _draw_axis(axes, layout, ink, grid, text)
    _draw_scale(axes, display, layout, ink, text)
    usual = {"color": ink, "marker": "o", "linestyle": "-"}
    methods = list(display.ranks.index)
    sides = (layout.left, methods, -1), (layout.right, methods[::-1], 1)
    for names, side_methods, side in sides:
        height = layout.names
        for name, method in zip(names, side_methods, strict=False):
            look = usual if looks is None else looks[method]
            middle = height + _LINE * len(name) / 2
            _draw_name(axes, layout, display.ranks[method], middle, side, look)
            end = layout.start - _ELBOW if side < 0 else layout.end + _ELBOW
            axes.text(
                *(end + side * _PAD, middle, "\n".join(name)),
                ha="right" if side < 0 else "left",
                va="center",
                linespacing=1.1,
                **text,
            )
            height += _LINE * len(name) + _GAP
    for number, group in enumerate(display.groups):
        height = layout.first_bar + _BAR_STEP * number
        first, last = (layout.x(display.ranks[group[end]]) for end in (0, -1))
        axes.plot(
            [first - 0.04, last + 0.04],
            [height] * 2,
            color=ink,
            linewidth=4,
            solid_capstyle="butt",
            zorder=4,
        )
    for number, line in enumerate(layout.caption):
        height = layout.names_end + 0.08 + _LINE * (number + 0.5)
        axes.text(_MARGIN, height, line, va="center", **text)


def _draw_axis(axes: Any, layout: Layout, ink: str, grid: str, text: Any) -> None:
    axes.plot([layout.start, layout.end], [layout.axis] * 2, color=ink, linewidth=1)
    for rank in range(1, layout.n_methods + 1):
        # The first and the last rank, and every one of the step that is not near them.
        from_end = min(rank - 1, layout.n_methods - rank)
        is_told = from_end == 0 or (
            rank % layout.tick_step == 0 and from_end >= layout.tick_step
        )
        place, length = layout.x(rank), 0.06 if is_told else 0.03
        axes.plot(
            [place] * 2, [layout.axis - length, layout.axis], color=ink, linewidth=1
        )
        if is_told:
            height = layout.axis - 0.08
            axes.text(place, height, str(rank), ha="center", va="bottom", **text)
    if layout.tick_step == 1:
        for rank in range(1, layout.n_methods):
            heights = [layout.axis - 0.03, layout.axis]
            axes.plot([layout.x(rank + 0.5)] * 2, heights, color=grid, linewidth=1)


def _draw_scale(axes: Any, display: Any, layout: Layout, ink: str, text: Any) -> None:
    height = _MARGIN + _LINE / 2
    ends = [layout.start, layout.scale_end]
    axes.plot(ends, [height] * 2, color=ink, linewidth=1.2, marker="|", markersize=7)
    told = f"CD = {display.difference:.3f}"
    axes.text(layout.scale_end + _PAD, height, told, va="center", **text)


def _draw_name(
    axes: Any, layout: Layout, rank: float, height: float, side: int, look: Any
) -> None:
    place = layout.x(rank)
    end = layout.start - _ELBOW if side < 0 else layout.end + _ELBOW
    line = {"color": look["color"], "linewidth": 1.1}
    if "gid" in look:
        line["gid"] = look["gid"]
    axes.plot([place, place, end], [layout.axis, height, height], **line)
    axes.plot([place], [layout.axis], **{**look, "markersize": 5.5}, zorder=5)


def _name_of(method: str, rank: float) -> list[str]:
    """Return the lines of a name, the last with the mean rank."""
    lines = wrap(method, _LETTERS) or [""]
    return [*lines[:-1], f"{lines[-1]}  {rank:.3f}"]


def _width_of(names: list[list[str]]) -> float:
    return max(_text_width(line) for name in names for line in name)


def _text_width(text: str) -> float:
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    font = FontProperties(size=_FONT_SIZE)
    renderer = RendererAgg(1, 1, _DOTS_PER_INCH)
    width, _, _ = renderer.get_text_width_height_descent(text, font, ismath=False)
    return _ROUNDING * width / _DOTS_PER_INCH


def _height_of(names: list[list[str]]) -> float:
    return sum(_LINE * len(name) + _GAP for name in names)


def _caption(display: CriticalDifferenceDisplay, n_letters: int) -> list[str]:
    friedman = display.friedman
    told = f"Mean ranks over {friedman.n_blocks} blocks; 1 is best."
    nemenyi = f"(Nemenyi, alpha {display.alpha:g})"
    if not friedman.rejects(display.alpha):
        told += f" {_no_difference(friedman)}"
    elif display.groups:
        told += f" Bars join methods that do not differ significantly {nemenyi}."
    else:
        told += f" All pairs differ significantly {nemenyi}."
    return wrap(told, n_letters)


def _no_difference(friedman: FriedmanResult) -> str:
    return (
        "Friedman's test finds no difference between any of the methods "
        f"(p = {friedman.chi_square_p:.2g})."
    )
