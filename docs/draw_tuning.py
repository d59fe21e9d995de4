"""Draw what tuning k and THR changes in the reproduction of the paper's experiment."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from hilabel.report._style import BLUE, GREY, ORANGE, new_figure
from hilabel.studies import read_results

VARIANTS = ("V1", "V2", "V3")
LINES = {0.3: (BLUE, "-", "o"), 0.5: (ORANGE, "--", "s"), 0.7: (GREY, ":", "^")}


def grid_means(folder: Path) -> pd.DataFrame:
    """Return the mean validation score and share of accepted rows per grid point."""
    tables = read_results(folder)
    runs = tables["results"].drop_duplicates("run").set_index("run")
    grid = tables["grid"]
    grid = grid.join(pd.DataFrame(grid["params"].map(json.loads).tolist()))
    grid["accepted"] = grid["n_pseudo_labeled"] / grid["run"].map(runs["n_unlabeled"])
    keys = ["method", "n_neighbors", "similarity_threshold"]
    return grid.groupby(keys)[["value", "accepted"]].mean().astype(float)


def draw_tuning(folder: Path, path: Path, dpi: int) -> None:
    """Save a figure of scores and accepted rows against k, a line for each THR."""
    means = grid_means(folder)
    figure = new_figure(9.5, 5.2)
    panels = figure.subplots(2, 3, sharex=True, sharey="row")
    for name, column in zip(VARIANTS, panels.T, strict=True):
        for axes, measure in zip(column, ("value", "accepted"), strict=True):
            _draw_lines(axes, means.loc[name][measure])
        column[0].set_title(name)
        column[1].set(xlabel="number of neighbours, k", xticks=[3, 4, 5])
    panels[0, 0].set_ylabel("average precision\non validation rows")
    panels[1, 0].set_ylabel("share of unlabelled\nrows accepted")
    panels[1, 0].set_ylim(0.9 * means["accepted"].min(), 1.01)
    panels[0, 2].legend(title="THR", frameon=False)
    figure.savefig(path, dpi=dpi)


def _draw_lines(axes: Any, means: pd.Series) -> None:
    for threshold, (colour, style, marker) in LINES.items():
        line = means.xs(threshold, level="similarity_threshold")
        axes.plot(
            line.index,
            line.to_numpy(),
            color=colour,
            linestyle=style,
            marker=marker,
            label=f"{threshold}",
        )
    axes.spines[["top", "right"]].set_visible(False)
