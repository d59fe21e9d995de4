"""``hilabel datasets``: list, fetch and convert known data sets."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._group import Subgroup
from hilabel.cli._options import screen_options
from hilabel.cli._screen import Screen

__all__ = ["datasets"]

home_option = click.option(
    "--data-home",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Data folder [default: $HILABEL_DATA or a cache].",
)


@click.group(cls=Subgroup)
def datasets() -> None:
    """List, fetch and convert data sets.

    Example: hilabel datasets convert GO/cellcycle tables
    """


@datasets.command("list")
@home_option
@screen_options
def list_(data_home: Path | None, screen: Screen) -> None:
    """List the known data sets.

    Example: hilabel datasets list
    """
    from hilabel.datasets import list_datasets

    known = list_datasets(data_home)
    for found in known:
        where = str(found.folder) if found.present else "not on this machine"
        screen.say_path(f"{found.collection + '/' + found.name:<16}{where}")
    screen.json(
        {
            "datasets": [
                {
                    "name": f"{found.collection}/{found.name}",
                    "present": found.present,
                    "folder": found.folder,
                }
                for found in known
            ]
        }
    )


@datasets.command()
@click.argument("name")
@home_option
@click.option(
    "--url",
    "base_url",
    metavar="ADDRESS",
    help="Copy of the data folder to fetch from.",
)
@screen_options
def fetch(name: str, screen: Screen, **options: Any) -> None:
    """Download the data set NAME and verify the files.

    Example: hilabel datasets fetch GO/cellcycle --url https://example.org/data
    """
    from hilabel.datasets import fetch_dataset

    collection, slash, short = name.partition("/")
    if not slash:
        raise click.UsageError(
            f"Expected COLLECTION/NAME, such as GO/cellcycle, got {name!r}."
        )
    with screen.working() as report:
        report(f"Fetching {name}", 0, 0)
        folder = fetch_dataset(collection, short, **options)
    screen.say_path(f"{name}: {folder}")
    screen.json({"name": name, "folder": folder})


@datasets.command()
@click.argument("source")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "tsv", "parquet"]),
    default="csv",
    show_default=True,
    help="File format of the features.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep nodes with at least N training rows.",
)
@click.option(
    "--separate-valid",
    is_flag=True,
    help="Write the validation rows to their own files.",
)
@home_option
@screen_options
def convert(source: str, folder: Path, screen: Screen, **options: Any) -> None:
    """Convert SOURCE, a known data set or ARFF file, to tables in FOLDER.

    Example: hilabel datasets convert GO/cellcycle tables
    """
    from hilabel.tasks import convert_dataset

    with screen.working() as report:
        report(f"Converting {source}", 0, 0)
        paths = convert_dataset(source, folder, **options)
    for path in paths:
        screen.say_path(str(path))
    screen.json({"files": paths})
