"""``hilabel report``: an HTML report on a model and its predictions."""

from pathlib import Path
from typing import Any

import click

from hilabel._writing import check_target
from hilabel.cli._group import Command
from hilabel.cli._options import (
    FEATURES_FILE,
    INPUT_FILE,
    OUTPUT_FILE,
    data_options,
    files_of,
    hierarchy_option,
    labels_option,
    links_option,
    refuse_options,
    refuse_training_options,
    screen_options,
)
from hilabel.cli._screen import Screen

__all__ = ["report"]

_OF_ROWS = ("labels", "id_column", "ids", "links")
_OF_LABELS = (
    "hierarchy",
    *("relations", "lenient", "evidence", "exclude_evidence"),
    *("separators", "assume_complete", "unknown_terms"),
)


@click.command(cls=Command)
@click.argument("model", type=INPUT_FILE)
@click.option(
    "-f",
    "--features",
    type=FEATURES_FILE,
    metavar="FILE",
    help="Rows to show, as in training.",
)
@labels_option(required=False)
@hierarchy_option
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    default="report.html",
    metavar="FILE",
    show_default=True,
    help="The page.",
)
@links_option
@data_options
@screen_options
def report(
    model: Path,
    features: Path | None,
    labels: Path | None,
    hierarchy: Path | None,
    output: Path,
    screen: Screen,
    **options: Any,
) -> None:
    """Write a page about MODEL: how good it is, what it predicts, and why.

    \b
    The page is one file that opens in any browser. Without --features, it shows
    the labelled training rows, scored by models trained without them. With
    --labels, the model is evaluated on these rows; use rows that are new to it.
    Options marked * can be repeated.
    Example: hilabel report model.hilabel -f genes.csv -o page.html
    """
    from hilabel.report.page import SUFFIXES
    from hilabel.tasks import report_model

    ctx = click.get_current_context()
    check_target(output, SUFFIXES)
    refuse_training_options(ctx, "MODEL is")
    if features is None:
        refuse_options(ctx, _OF_ROWS, "needs rows; add --features")
    if labels is None:
        refuse_options(ctx, _OF_LABELS, "needs labels; add --labels")
    with screen.working() as told:
        if features is not None and labels is not None:
            files = files_of(features, labels, hierarchy, options)
            page = report_model(model, files=files, report=told)
        else:
            where = {name: options[name] for name in ("id_column", "ids", "links")}
            page = report_model(model, features, **where, report=told)
        page.write(output)
    size = output.stat().st_size
    left_out = page.payload["left_out"]
    screen.say_path(f"page: {output}, {size / 1e6:.1f} MB; open it in a browser")
    screen.json({"output": output, "bytes": size, "left_out": left_out})
