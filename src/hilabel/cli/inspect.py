"""``hilabel inspect``: check a file before or after training."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from hilabel.cli._group import WRONG_INPUT, Command
from hilabel.cli._options import (
    FEATURES_FILE,
    data_options,
    details_option,
    files_of,
    hierarchy_option,
    labels_option,
    links_option,
    one_way_option,
    option_of,
    screen_options,
    shown,
    was_given,
)
from hilabel.cli._screen import STEPS_SHOWN, Screen

__all__ = ["inspect"]

# The tables of what a method repeated, which may be long.
_STEPS = ("passes", "rounds", "batches")


@click.command(cls=Command)
@click.argument("file", type=FEATURES_FILE)
@labels_option(required=False)
@hierarchy_option
@click.option(
    "--as",
    "kind",
    type=click.Choice(["auto", "features", "labels", "hierarchy", "links", "model"]),
    default="auto",
    metavar="KIND",
    help="features, labels, hierarchy, links or model.",
)
@click.option(
    "--pseudo-labels",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="For a model, write the pseudo-labels of its training rows: .csv, .tsv, "
    ".parquet or -.",
)
@links_option
@one_way_option
@data_options
@details_option
@screen_options
def inspect(
    file: Path,
    labels: Path | None,
    hierarchy: Path | None,
    kind: Any,
    pseudo_labels: Path | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Describe FILE: a table, labels, a hierarchy, links or a model.

    \b
    All problems are listed, with the options that fix them. With --labels, FILE
    is a table, and matching rows and terms are counted.
    Options marked * can be repeated.
    Example: hilabel inspect genes.csv --labels genes.gaf --hierarchy go.obo
    """
    from hilabel.tasks import inspect_file, inspect_table, write_pseudo_labels

    if labels is None and hierarchy is not None:
        raise click.UsageError(
            "--hierarchy needs --labels; to inspect only a hierarchy, pass it as FILE."
        )
    if pseudo_labels is not None:
        _check_pseudo_labels(pseudo_labels, labels, screen)
    with screen.working():
        if labels is None:
            ctx = click.get_current_context()
            given = {name: options[name] for name in options if was_given(ctx, name)}
            result = inspect_file(file, kind, **given)
        else:
            result = inspect_table(files_of(file, labels, hierarchy, options))
        if pseudo_labels is not None:
            write_pseudo_labels(file, pseudo_labels)
    ctx = click.get_current_context()
    title = shown(ctx, result.title)
    screen.head(title)
    if result.facts:
        screen.facts(result.facts)
    for sentence in result.sentences:
        screen.say(sentence)
    for name, table in result.tables.items():
        if len(table):
            screen.head(name)
            screen.table(table, most=STEPS_SHOWN if name in _STEPS else None)
    if result.problems:
        screen.head("Problems and how to fix them")
        screen.table(result.problem_table(partial(option_of, ctx)))
    if pseudo_labels is not None:
        screen.say_path(f"\npseudo-labels: {pseudo_labels}")
    if not result.is_usable:
        screen.alarm(f"{title}: training would fail because of the errors above.")
    screen.json(
        {
            "title": title,
            **result.facts,
            "statements": result.sentences,
            **result.tables,
            "lists": result.lists,
            "problems": [vars(problem) for problem in result.problems],
            **({} if pseudo_labels is None else {"output": pseudo_labels}),
        }
    )
    if not result.is_usable:
        ctx.exit(WRONG_INPUT)


def _check_pseudo_labels(output: Path, labels: Path | None, screen: Screen) -> None:
    """Refuse options that contradict ``--pseudo-labels``."""
    if labels is not None:
        raise click.UsageError("--pseudo-labels needs a model as FILE, not --labels.")
    if str(output) == "-":
        if screen.as_json:
            raise click.UsageError(
                "--json and --pseudo-labels - both write to standard output; write the "
                "pseudo-labels to a file."
            )
        screen.quiet = True
