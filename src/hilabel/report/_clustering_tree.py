"""A predictive clustering tree as a figure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from sklearn.utils.validation import check_is_fitted

from hilabel.classifiers import BaseClusteringClassifier
from hilabel.forests import check_tree, leaf_text, split_texts
from hilabel.report._style import BLUE, GREY, ORANGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ClusteringTreeDisplay"]

# In inches.
_LEAF_WIDTH: Final = 2.1
_LEVEL_HEIGHT: Final = 1.0


@dataclass(frozen=True)
class _Box:
    """A node of the tree: where it stands and what is written there."""

    number: int
    parent: int
    depth: int
    condition: str
    text: str
    weight: float
    impurity: float
    is_leaf: bool


@dataclass(frozen=True)
class ClusteringTreeDisplay:
    """One tree of a model, to be drawn or read as a table.

    Make it with :meth:`from_estimator`.

    Attributes
    ----------
    boxes : tuple
        The nodes shown, parents first.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> from hilabel.report import ClusteringTreeDisplay
    >>> h = Hierarchy.from_edges([("A", "B")])
    >>> X, Y = [[0], [1], [8], [9]], [[1, 1], [1, 1], [1, 0], [1, 0]]
    >>> tree = PredictiveClusteringTree(h).fit(X, Y)
    >>> display = ClusteringTreeDisplay.from_estimator(tree)
    >>> display.frame()[["condition", "labels", "weight"]]
      condition labels  weight
    0                      4.0
    1 x0 <= 4.5    B 1     2.0
    2  x0 > 4.5    A 1     2.0
    """

    boxes: tuple[_Box, ...]

    @classmethod
    def from_estimator(
        cls,
        model: BaseClusteringClassifier,
        tree: int = 0,
        *,
        max_depth: int = 4,
        max_labels: int = 3,
    ) -> Self:
        """Take one tree out of a fitted model.

        Parameters
        ----------
        model : PredictiveClusteringTree, PredictiveClusteringForest, SSLPCT or \
SSLPCTForest
        tree : int, default=0
            The number of the tree in a forest.
        max_depth : int, default=4
            Splits shown on a path; what lies below is left out.
        max_labels : int, default=3
            Labels shown for each leaf.
        """
        check_is_fitted(model)
        trees, names = model.trees_, model._feature_names()
        check_tree(trees, tree)
        root = int(trees.roots[tree])
        boxes: list[_Box] = []
        waiting: list[tuple[int, int, int, str]] = [(root, -1, 0, "")]
        while waiting:
            place, parent, depth, condition = waiting.pop()
            is_leaf = trees.feature[place] < 0
            text = ""
            if is_leaf:
                text = leaf_text(trees, place, model.hierarchy_, max_labels)
            elif depth == max_depth:
                text = "..."
            else:
                left = root + int(trees.left[place])
                texts = split_texts(trees, place, names)
                waiting += [
                    (left + side, place - root, depth + 1, texts[side])
                    for side in (1, 0)
                ]
            boxes.append(
                _Box(
                    place - root,
                    parent,
                    depth,
                    condition,
                    text,
                    float(trees.weight[place]),
                    float(trees.impurity[place]),
                    bool(is_leaf),
                )
            )
        return cls(tuple(boxes))

    def frame(self) -> Any:
        """Return a row per node: number, parent, condition, labels, rows, impurity."""
        import pandas as pd

        return pd.DataFrame(
            {
                "node": [box.number for box in self.boxes],
                "parent": [box.parent for box in self.boxes],
                "depth": [box.depth for box in self.boxes],
                "condition": [box.condition for box in self.boxes],
                "labels": [box.text for box in self.boxes],
                "weight": [box.weight for box in self.boxes],
                "impurity": [box.impurity for box in self.boxes],
            }
        )

    def plot(self) -> "Figure":
        """Draw the tree: conditions on the branches, labels and shares in the leaves.

        Returns
        -------
        matplotlib figure

        Raises
        ------
        ImportError
            If matplotlib is not installed; the message says how to get it.
        """
        across = _positions(self.boxes)
        n_ends = 1 + max(across.values())
        depth = max(box.depth for box in self.boxes)
        figure = new_figure(_LEAF_WIDTH * n_ends, _LEVEL_HEIGHT * (depth + 1))
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_xlim(-0.6, n_ends - 0.4)
        axes.set_ylim(-depth - 0.5, 0.5)
        for box in self.boxes:
            _draw_box(axes, box, across)
        return figure


def _positions(boxes: tuple[_Box, ...]) -> dict[int, float]:
    """Return where nodes stand: ends side by side, others amid their children."""
    children: dict[int, list[int]] = {}
    for box in boxes:
        children.setdefault(box.parent, []).append(box.number)
    ends = [box.number for box in boxes if box.number not in children]
    across: dict[int, float] = {number: float(i) for i, number in enumerate(ends)}
    for box in reversed(boxes):  # children come after parents
        if box.number in children:
            places = [across[child] for child in children[box.number]]
            across[box.number] = sum(places) / len(places)
    return across


def _draw_box(axes: Any, box: _Box, across: dict[int, float]) -> None:
    x, y = across[box.number], -float(box.depth)
    if box.parent >= 0:
        above = across[box.parent]
        axes.plot([above, x], [y + 1, y], color=GREY, linewidth=1, zorder=1)
        axes.text(
            (above + x) / 2,
            y + 0.5,
            box.condition,
            ha="center",
            va="center",
            fontsize=7,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            parse_math=False,
            zorder=2,
        )
    rows = f"{box.weight:g} rows"
    axes.text(
        x,
        y,
        f"{box.text.replace(', ', chr(10))}\n{rows}" if box.text else rows,
        ha="center",
        va="center",
        fontsize=8,
        bbox={
            "boxstyle": "round",
            "facecolor": "white",
            "edgecolor": BLUE if box.is_leaf else ORANGE,
        },
        parse_math=False,
        zorder=3,
    )
