"""``hilabel link``: make links between rows."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._group import Command
from hilabel.cli._options import (
    INPUT_FILE,
    OUTPUT_FILE,
    Jobs,
    refuse_options,
    screen_options,
)
from hilabel.cli._screen import Screen

__all__ = ["link"]

_OF_HITS = ("sensitivity", "evalue")


@click.command(cls=Command)
@click.argument("features", type=INPUT_FILE)
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    default="links.csv.gz",
    metavar="FILE",
    show_default=True,
    help=".csv or .tsv, or .m8 for hits; also with .gz.",
)
@click.option(
    "--to",
    type=INPUT_FILE,
    metavar="FILE",
    help="Rows to link to, such as the training rows [default: the same].",
)
@click.option(
    "--by",
    type=click.Choice(["auto", "rows", "diamond", "mmseqs"]),
    default="auto",
    metavar="HOW",
    help="rows, diamond or mmseqs [default: by the kind of file].",
)
@click.option(
    "-k",
    "--links",
    "n_links",
    type=click.IntRange(min=1),
    metavar="N",
    help="Links of a row [default: 10 nearest rows, 100 hits].",
)
@click.option(
    "--metric",
    type=click.Choice(["auto", "euclidean", "cosine", "correlation", "manhattan"]),
    default="auto",
    metavar="NAME",
    help="auto, euclidean, cosine, correlation, manhattan.",
)
@click.option(
    "--sensitivity",
    type=click.Choice(
        ["fast", "sensitive", "more-sensitive", "very-sensitive", "ultra-sensitive"]
    ),
    default="sensitive",
    metavar="HOW",
    show_default=True,
    help="fast, sensitive, more-, very-, ultra-sensitive.",
)
@click.option(
    "--evalue",
    type=click.FloatRange(min=0, min_open=True),
    default=0.001,
    metavar="E",
    show_default=True,
    help="Largest e-value of a hit.",
)
@click.option("--id-column", metavar="NAME", help="Id column [default: first].")
@click.option("--drop", multiple=True, metavar="NAME", help="Ignore this column.*")
@click.option("--ids", type=INPUT_FILE, metavar="FILE", help="Ids of .npy rows.")
@click.option(
    "--jobs",
    "n_jobs",
    type=Jobs(),
    default=-1,
    metavar="N",
    help="Processors [default: all].",
)
@screen_options
def link(
    features: Path,
    output: Path,
    to: Path | None,
    id_column: str | None,
    drop: tuple[str, ...],
    ids: Path | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Write links between the rows of FEATURES: nearest rows, or hits.

    \b
    Sequences in FASTA are searched with DIAMOND or MMseqs2, which must be
    installed; the rows of other tables are linked to their nearest rows.
    Options marked * can be repeated.
    Example: hilabel link proteins.fasta -o hits.m8.gz
    """
    from hilabel.tasks import LinkChoices, link_rows

    if options["by"] == "rows":
        ctx = click.get_current_context()
        refuse_options(ctx, _OF_HITS, "controls searches of sequences; remove it")
    reading = {"id_column": id_column, "drop": drop, "ids": ids}
    with screen.working() as report:
        facts = link_rows(
            features,
            output,
            LinkChoices(**options),
            to=to,
            report=report,
            **{name: value for name, value in reading.items() if value},
        )
    screen.facts(facts)
    screen.say_path(f"links: {output}")
    screen.json({"output": output, **facts})
