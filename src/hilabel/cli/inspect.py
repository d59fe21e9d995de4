"""``hilabel inspect``: what is in a file, before and after training."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._options import (
    FEATURES_FILE,
    data_options,
    files_of,
    hierarchy_option,
    labels_option,
    screen_options,
    was_given,
)
from hilabel.cli._screen import Screen

__all__ = ["inspect"]


@click.command()
@click.argument("file", type=FEATURES_FILE)
@labels_option(required=False)
@hierarchy_option
@click.option(
    "--as",
    "kind",
    type=click.Choice(["auto", "features", "labels", "hierarchy", "model"]),
    default="auto",
    metavar="KIND",
    help="features, labels, hierarchy, model.",
)
@data_options
@screen_options
def inspect(
    file: Path,
    labels: Path | None,
    hierarchy: Path | None,
    kind: Any,
    screen: Screen,
    **options: Any,
) -> None:
    """Say what is in FILE: a table, labels, a hierarchy or a model.

    \b
    With --labels FILE is a table, and what matches and what does not is
    counted. * may be repeated.
    Example: hilabel inspect genes.csv --labels genes.gaf --hierarchy go.obo
    """
    from hilabel.tasks import inspect_file, inspect_table

    if labels is None and hierarchy is not None:
        raise click.UsageError(
            "--hierarchy needs --labels; to look at a hierarchy alone, give it as FILE."
        )
    with screen.working():
        if labels is None:
            ctx = click.get_current_context()
            given = {name: options[name] for name in options if was_given(ctx, name)}
            result = inspect_file(file, kind, **given)
        else:
            result = inspect_table(files_of(file, labels, hierarchy, options))
    screen.head(result.title)
    screen.facts(result.facts)
    for sentence in result.sentences:
        screen.say(sentence)
    for title, table in result.tables.items():
        if len(table):
            screen.head(title)
            screen.table(table)
    screen.json(
        {
            "title": result.title,
            **result.facts,
            "statements": result.sentences,
            **result.tables,
            "lists": result.lists,
        }
    )
