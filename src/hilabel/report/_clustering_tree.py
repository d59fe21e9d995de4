"""A predictive clustering tree as a figure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import pandas as pd
from sklearn.utils.validation import check_is_fitted

from hilabel.classifiers import BaseClusteringClassifier
from hilabel.forests import check_tree, leaf_text, split_texts
from hilabel.report._style import BLUE, GREY, ORANGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# In inches.
_LEAF_WIDTH: Final = 2.1
_LEVEL_HEIGHT: Final = 1.0


@dataclass(frozen=True, eq=False)
class ClusteringTreeDisplay:
    """One tree of a model, shown as a figure or a table.

    Create it with :meth:`from_estimator`.

    Attributes
    ----------
    nodes : DataFrame
        One row per node shown, parents first: ``node``, ``parent``, ``depth``,
        ``condition``, ``labels``, ``weight``, ``impurity`` and ``is_leaf``.

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

    nodes: pd.DataFrame

    @classmethod
    def from_estimator(
        cls,
        model: BaseClusteringClassifier,
        tree: int = 0,
        *,
        max_depth: int = 4,
        max_labels: int = 3,
    ) -> Self:
        """Create a display of one tree of a fitted model.

        Parameters
        ----------
        model : PredictiveClusteringTree, PredictiveClusteringForest, SSLPCT or \
SSLPCTForest
        tree : int, default=0
            The number of the tree in a forest.
        max_depth : int, default=4
            Maximum number of splits on a path; deeper nodes are not shown.
        max_labels : int, default=3
            Number of labels shown for each leaf.
        """
        check_is_fitted(model)
        trees, names = model.trees_, model._feature_names()
        check_tree(trees, tree)
        root = int(trees.roots[tree])
        rows: list[dict[str, Any]] = []
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
            rows.append(
                {
                    "node": place - root,
                    "parent": parent,
                    "depth": depth,
                    "condition": condition,
                    "labels": text,
                    "weight": float(trees.weight[place]),
                    "impurity": float(trees.impurity[place]),
                    "is_leaf": bool(is_leaf),
                }
            )
        return cls(pd.DataFrame(rows))

    def frame(self) -> pd.DataFrame:
        """Return a table with one row per node."""
        return self.nodes.copy()

    def plot(self) -> "Figure":
        """Draw the tree, with conditions on branches and label frequencies in leaves.

        Returns
        -------
        matplotlib figure

        Raises
        ------
        ImportError
            If matplotlib is not installed; the message explains how to install it.
        """
        across = _positions(self.nodes)
        n_ends = 1 + max(across.values())
        depth = int(self.nodes["depth"].max())
        figure = new_figure(_LEAF_WIDTH * n_ends, _LEVEL_HEIGHT * (depth + 1))
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_xlim(-0.6, n_ends - 0.4)
        axes.set_ylim(-depth - 0.5, 0.5)
        for row in self.nodes.to_dict("records"):
            _draw_node(axes, row, across)
        return figure


def _positions(nodes: pd.DataFrame) -> dict[int, float]:
    """Return the positions of nodes: leaves side by side, parents above children."""
    children = nodes.groupby("parent")["node"].agg(list).to_dict()
    ends = [node for node in nodes["node"] if node not in children]
    across = {node: float(place) for place, node in enumerate(ends)}
    for node in reversed(nodes["node"].to_list()):  # children come after parents
        if node in children:
            places = [across[child] for child in children[node]]
            across[node] = sum(places) / len(places)
    return across


def _draw_node(axes: Any, row: dict[str, Any], across: dict[int, float]) -> None:
    x, y = across[row["node"]], -float(row["depth"])
    if row["parent"] >= 0:
        above = across[row["parent"]]
        axes.plot([above, x], [y + 1, y], color=GREY, linewidth=1, zorder=1)
        axes.text(
            (above + x) / 2,
            y + 0.5,
            row["condition"],
            ha="center",
            va="center",
            fontsize=7,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            parse_math=False,
            zorder=2,
        )
    weight = f"{row['weight']:g} rows"
    axes.text(
        x,
        y,
        "\n".join([*filter(None, row["labels"].split(", ")), weight]),
        ha="center",
        va="center",
        fontsize=8,
        bbox={
            "boxstyle": "round",
            "facecolor": "white",
            "edgecolor": BLUE if row["is_leaf"] else ORANGE,
        },
        parse_math=False,
        zorder=3,
    )
