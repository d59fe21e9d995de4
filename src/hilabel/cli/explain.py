"""``hilabel explain``: the neighbours, votes and decisions behind a row's terms."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from hilabel._writing import check_target
from hilabel.cli._cells import cells
from hilabel.cli._group import Command
from hilabel.cli._options import (
    INPUT_FILE,
    OUTPUT_FILE,
    ids_option,
    links_option,
    screen_options,
)
from hilabel.cli._screen import Screen

if TYPE_CHECKING:
    from hilabel.tasks import Explanation

__all__ = ["explain"]

# Shown with each term; --json has more.
_FEATURES_SHOWN = 2
# On a narrower terminal, each line of a table becomes a paragraph.
_NARROW = 80
# A column that is shortened keeps at least this many characters.
_LEAST_CUT = 12
_FINAL = (
    "These probabilities are from models that were trained without the labels of this "
    "row. What follows is of the final model, which was trained on them; the scores of "
    "its members are left out."
)
_TABLES = (
    *("decisions", "path", "neighbors", "votes", "contributions", "members"),
    *("linked", "passes"),
)


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
@links_option
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show the N most probable terms, and no others.",
)
@click.option(
    "--at-least",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Without --top: show the N most probable terms besides the predicted ones.",
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
    links: tuple[Any, ...],
    top: int | None,
    at_least: int,
    png: Path | None,
    screen: Screen,
) -> None:
    """Show why the row ID gets its terms.

    \b
    Each term has its probability, the threshold from which a row gets the term,
    and the precision and recall of the term at this threshold. Depending on the
    method, neighbours and votes follow, the splits on the row's path through
    trees, contributions of columns, or the scores of the models in a mean.
    Example: hilabel explain model.hilabel G0002 --png G0002.png
    """
    from hilabel.report import save_figure
    from hilabel.tasks import explain_row

    if png is not None:
        check_target(png, [".png"])
    with screen.working() as report:
        report("Loading the model", 0, 0)
        result = explain_row(
            model,
            row_id,
            features,
            id_column=id_column,
            ids=ids,
            links=links,
            top=top,
            at_least=at_least,
        )
        if png is not None:
            save_figure(result.display.plot(), png)
    _print(result, screen)
    if png is not None:
        screen.say_path(f"figure: {png}")
    told = {name: getattr(result, name) for name in _TABLES}
    screen.json(
        {"id": result.row_id, "role": result.role, "scored": result.scored, **told}
    )


def _print(result: "Explanation", screen: Screen) -> None:
    from hilabel.judgement import OUT_OF_FOLD

    screen.head(f"{result.row_id}, {result.role}, scored {result.scored}")
    _print_decisions(result, screen)
    if result.scored == OUT_OF_FOLD:
        screen.say(_FINAL)
    _show(screen, "Linked training rows, strongest first", result.linked, ["labels"])
    for title, near in _neighbors_told(result.neighbors):
        _show(screen, title, near, cut=["labels"])
    _show(screen, "Votes", result.votes, cut=["name"])
    title = "Scores of each member, before calibration"
    _show(screen, title, _members_told(result.members), cut=["name"])
    _show(screen, "Added to the log odds", _added(result.contributions))
    _show(screen, "Splits on the row's path", result.path, cut=[*result.path][:1])
    _show(screen, "Passes that changed labels", result.passes, cut=["labels"])


def _print_decisions(result: "Explanation", screen: Screen) -> None:
    decisions = result.decisions.copy()
    # Indented by depth, so that the path of decisions is easy to follow.
    least = decisions["depth"].min()
    decisions["name"] = [
        "  " * (depth - least) + name
        for depth, name in zip(decisions["depth"], decisions["name"], strict=True)
    ]
    decisions["features"] = [
        ", ".join(features.split(", ")[:_FEATURES_SHOWN])
        for features in decisions["features"]
    ]
    is_same = (result.decisions["term"] == result.decisions["name"]).all()
    names = ["name"] if is_same else ["term", "name"]
    numbers = ["probability", "threshold", "precision", "recall", "predicted"]
    told = [name for name in numbers if decisions[name].notna().any()]
    shown = decisions[[*names, *told]].rename(columns={"probability": "prob."})
    _show(screen, "", shown, cut=["name"])
    more = ["own", "limited_by"] if decisions["own"].notna().any() else []
    more += ["features"] * bool((decisions["features"] != "").any())
    if more:
        title = "Most important features"
        if len(more) > 1:
            title += ", and probabilities before the limit by ancestors"
        _show(screen, title, decisions[["name", *more]], cut=["features", "name"])


def _neighbors_told(neighbors: Any) -> Iterator[tuple[str, Any]]:
    """Yield a heading and a table for each part of the model that finds neighbours."""
    if not len(neighbors):
        return
    for part, near in neighbors.groupby("found_by", sort=False):
        title = f"Neighbours, found by {part}"
        if near["shares_leaves"].all():
            title += " (distance: share of the trees that separate the rows)"
        columns = ["id", "distance", "labels"]
        if not near["labels_given"].all():
            columns.insert(2, "labels_given")
        yield title, near[columns]


def _members_told(members: Any) -> Any:
    """Return a table with one row per member and term, and the share of the member."""
    if not len(members):
        return members
    shares = [
        f"{name} ({share:.0%})"
        for name, share in zip(members["member"], members["share"], strict=True)
    ]
    terms = members.assign(member=shares)
    order = list(dict.fromkeys(shares))
    wide = terms.pivot_table(
        index=["term", "name"], columns="member", values="score", sort=False
    )
    return wide[order].reset_index().drop(columns="term")


def _added(contributions: Any) -> Any:
    """Return a table with one row per term, and its contributions in one cell."""
    if not len(contributions):
        return contributions
    parts = contributions.assign(
        contributions=[
            f"{name} {value:+.2g}"
            for name, value in zip(
                contributions["feature"], contributions["contribution"], strict=True
            )
        ]
    )
    texts = parts.groupby(["term", "name"], sort=False)["contributions"].agg(", ".join)
    return texts.reset_index().drop(columns="term")


def _show(screen: Screen, title: str, frame: Any, cut: Sequence[str] = ()) -> None:
    """Print a table or, if it is wider than the screen, a paragraph for each line."""
    if not len(frame):
        return
    if title:
        screen.head(title)
    if screen.width >= _NARROW and _fits(frame, screen.width, cut):
        screen.table(frame, cut=[name for name in cut if name in frame])
        return
    columns = {str(name): cells(frame[name], str(name)) for name in frame.columns}
    _, *titles = (name.replace("_", " ") for name in columns)
    for first, *others in zip(*columns.values(), strict=True):
        pairs = zip(titles, map(str.strip, others), strict=True)
        # A single title, above all paragraphs, is enough for a single value.
        told = ", ".join(
            f"{name} {value}" if len(others) > 1 else value
            for name, value in pairs
            if value
        )
        text = f"{first.strip()}: {told}"
        screen.say_path(fill(text, screen.width, subsequent_indent="    "))


def _fits(frame: Any, width: int, cut: Sequence[str]) -> bool:
    """Return whether a table fits on the screen, if some columns are shortened."""
    total = 0
    for name in map(str, frame.columns):
        widest = max(map(len, [name, *cells(frame[name], name)]))
        total += 2 + (min(widest, _LEAST_CUT) if name in cut else widest)
    return total <= width
