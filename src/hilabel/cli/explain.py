"""``hilabel explain``: the neighbours, votes and decisions behind a row's terms."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hilabel._writing import check_target
from hilabel.cli._group import Command
from hilabel.cli._options import (
    INPUT_FILE,
    OUTPUT_FILE,
    ids_option,
    screen_options,
)
from hilabel.cli._screen import Screen

if TYPE_CHECKING:
    from hilabel.tasks import Explanation

__all__ = ["explain"]

# Shown with each term; --json has more.
_FEATURES_SHOWN = 2
_TABLES = ("decisions", "path", "neighbors", "votes", "passes", "members", "around")


@click.command(cls=Command)
@click.argument("model", type=INPUT_FILE)
@click.argument("row_id", metavar="ID")
@click.option(
    "--features",
    type=INPUT_FILE,
    metavar="FILE",
    help="Table with the row, if the model does not store it.",
)
@click.option(
    "--id-column", metavar="NAME", help="Id column [default: as in training]."
)
@ids_option
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of terms to show besides the predicted ones.",
)
@click.option(
    "--png", type=OUTPUT_FILE, metavar="FILE", help="Save a figure to this file."
)
@screen_options
def explain(
    model: Path,
    row_id: str,
    features: Path | None,
    id_column: str | None,
    ids: Path | None,
    top: int,
    png: Path | None,
    screen: Screen,
) -> None:
    """Show why the row ID gets its terms.

    \b
    Depending on the method, the output shows neighbours and votes, the splits on
    the row's path through a tree, or the scores of the models in a mean. For
    methods with one classifier per term, 'own' is the probability of the term
    before it is limited by its ancestors.
    Example: hilabel explain model.hilabel G0002 --png G0002.png
    """
    from hilabel.report import save_figure
    from hilabel.tasks import explain_row

    if png is not None:
        check_target(png, [".png"])
    with screen.working() as report:
        report("Loading the model", 0, 0)
        result = explain_row(
            model, row_id, features, id_column=id_column, ids=ids, top=top
        )
        if png is not None:
            save_figure(result.display.plot(), png)
    _print(result, screen)
    if png is not None:
        screen.say_path(f"figure: {png}")
    told = {name: getattr(result, name) for name in _TABLES}
    screen.json({"id": result.row_id, "role": result.role, **told})


def _print(result: "Explanation", screen: Screen) -> None:
    screen.head(f"{result.row_id}, {result.role}")
    decisions = result.decisions.copy()
    # Indented by depth, so that the path of decisions is easy to follow.
    decisions["name"] = [
        "  " * (depth - 1) + name
        for depth, name in zip(decisions["depth"], decisions["name"], strict=True)
    ]
    decisions["features"] = [
        ", ".join(features.split(", ")[:_FEATURES_SHOWN])
        for features in decisions["features"]
    ]
    columns = _columns_told(result.decisions)
    cut = [name for name in ("features", "name") if name in columns]
    screen.table(decisions[columns], cut=cut)
    if len(result.path):
        screen.head("Splits on the row's path")
        screen.table(result.path, cut=list(result.path.columns[:1]))
    if len(result.members):
        screen.head("Scores of each member, before calibration")
        screen.table(_members_told(result.members), cut=["name"])
    if len(result.around):
        screen.head("Nearest rows")
        screen.table(result.around)
    if len(result.neighbors):
        screen.head("Neighbours")
        screen.table(result.neighbors)
        screen.head("Votes")
        screen.table(result.votes)
    if len(result.passes):
        screen.head("Passes that changed labels")
        screen.table(result.passes)


def _members_told(members: Any) -> Any:
    """Return a table with one row per term and one column per member.

    Each column header includes the weight of the member.
    """
    shares = [
        f"{name} ({share:.0%})" for name, share in zip(members.member, members.share)
    ]
    terms = members.assign(member=shares)
    order = list(dict.fromkeys(shares))
    wide = terms.pivot_table(
        index=["term", "name"], columns="member", values="score", sort=False
    )
    return wide[order].reset_index().drop(columns="term")


def _columns_told(decisions: Any) -> list[str]:
    """Return the names of the columns that contain information."""
    columns = ["term", "name", "own", "probability", "limited_by", "predicted"]
    if (decisions["term"] == decisions["name"]).all():
        columns.remove("term")
    if decisions["own"].isna().all():
        columns = [name for name in columns if name not in ("own", "limited_by")]
    return columns + ["features"] * bool((decisions["features"] != "").any())
