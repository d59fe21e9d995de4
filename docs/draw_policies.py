"""Draw which rows are positive and negative under each policy, on one small DAG."""

from pathlib import Path
from typing import Any

import numpy as np

from hilabel import Hierarchy
from hilabel.local_models import POLICIES, balanced_bottom_up
from hilabel.report._style import BLUE, GREY, ORANGE, new_figure

EDGES = [
    ("A", "C"),
    ("A", "D"),
    ("C", "V"),
    ("C", "S"),
    ("B", "V"),
    ("B", "T"),
    ("V", "W"),
]
# Where each node is drawn. V has two parents: C, which is deep, and the root B.
PLACES = {
    "A": (1.0, 3.0),
    "B": (3.4, 3.0),
    "E": (4.6, 3.0),
    "C": (1.5, 2.0),
    "D": (0.3, 2.0),
    "S": (0.9, 1.0),
    "V": (2.3, 1.0),
    "T": (3.6, 1.0),
    "W": (2.3, 0.0),
}
NODE = "V"
COLOURS = {1: BLUE, -1: ORANGE, 0: "white"}


def examples_by_policy() -> dict[str, tuple[Any, Any]]:
    """Return the positive and negative rows of V, with one row ending at each node."""
    hierarchy = Hierarchy.from_edges(EDGES, nodes=list(PLACES))
    Y = hierarchy.close(np.eye(len(PLACES), dtype=bool))
    node = hierarchy.node(NODE)
    found = {
        name: policy(Y, hierarchy, node)
        for name, policy in POLICIES.items()
        if name != "balanced_bottom_up"
    }
    for order in ("siblings_first", "index"):
        name = f"balanced_bottom_up\nnegatives_order={order!r}"
        found[name] = balanced_bottom_up(Y, hierarchy, node, order=order)
    return found


def draw_policies(path: Path, dpi: int) -> None:
    """Save the figure."""
    found = examples_by_policy()
    figure = new_figure(11.5, 6.2)
    panels = figure.subplots(2, 4).ravel()
    for axes, (title, (positive, negative)) in zip(panels, found.items(), strict=False):
        sign = np.zeros(len(PLACES), dtype=int)
        sign[positive], sign[negative] = 1, -1
        _draw_panel(axes, title, dict(zip(PLACES, sign.tolist(), strict=True)))
    _draw_key(panels[len(found)])
    figure.savefig(path, dpi=dpi)


def _draw_panel(axes: Any, title: str, sign: dict[str, int]) -> None:
    for parent, child in EDGES:
        axes.plot(
            *zip(PLACES[parent], PLACES[child], strict=True), color=GREY, zorder=1
        )
    for name, place in PLACES.items():
        _draw_node(axes, place, name, sign[name])
    axes.set(title=title, xlim=(-0.4, 5.2), ylim=(-0.5, 3.5))
    axes.set_axis_off()


def _draw_node(axes: Any, place: tuple[float, float], name: str, sign: int) -> None:
    shape = {1: "o", -1: "s", 0: "o"}[sign]
    axes.plot(
        *place,
        marker=shape,
        markersize=19,
        markerfacecolor=COLOURS[sign],
        markeredgecolor="black" if name == NODE else GREY,
        markeredgewidth=2.4 if name == NODE else 1,
        zorder=2,
    )
    colour = "white" if sign == 1 else "black"
    axes.text(*place, name, ha="center", va="center_baseline", color=colour)


def _draw_key(axes: Any) -> None:
    texts = {
        1: "positive",
        -1: "negative",
        0: "not used",
    }
    for line, (sign, text) in enumerate(texts.items()):
        place = (0.2, 2.6 - 0.75 * line)
        _draw_node(axes, place, "", sign)
        axes.text(0.7, place[1], text, va="center")
    axes.text(
        -0.1,
        0.25,
        "examples of node V; one row\nends at each node, and has\nall nodes above it",
        va="center",
    )
    axes.set(xlim=(-0.4, 5.2), ylim=(-0.5, 3.5))
    axes.set_axis_off()
