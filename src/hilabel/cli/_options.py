"""Options that several commands share."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from hilabel.cli._screen import Screen

__all__ = [
    "INPUT_FILE",
    "OUTPUT_FILE",
    "choices_of",
    "data_options",
    "files_of",
    "hierarchy_option",
    "labels_option",
    "method_options",
    "screen_options",
]

INPUT_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)

Function = Callable[..., Any]


def _together(*options: Function) -> Callable[[Function], Function]:
    """Return one decorator for several, the first on top."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# What is shown ------------------------------------------------------------------------


def screen_options(function: Function) -> Function:
    """Add ``--quiet`` and ``--json``, and pass a ``screen`` made from them."""

    @click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
    @click.option("--json", "as_json", is_flag=True, help="Show JSON, not tables.")
    @wraps(function)
    def with_screen(*args: Any, quiet: bool, as_json: bool, **kwargs: Any) -> Any:
        return function(*args, screen=Screen(quiet, as_json), **kwargs)

    return with_screen


# Data ---------------------------------------------------------------------------------


def labels_option(required: bool) -> Callable[[Function], Function]:
    """Add ``--labels``."""
    return click.option(
        "-l",
        "--labels",
        type=INPUT_FILE,
        required=required,
        metavar="FILE",
        help="GAF, or CSV/TSV of id and term.",
    )


hierarchy_option = click.option(
    "-H",
    "--hierarchy",
    type=INPUT_FILE,
    metavar="FILE",
    help="OBO, parent-child CSV, or paths [default: none, terms unrelated].",
)

data_options = _together(
    click.option("--id-column", metavar="NAME", help="Id column [default: first]."),
    click.option(
        "--categorical",
        multiple=True,
        metavar="NAME",
        help="Column of names that look like numbers.*",
    ),
    click.option("--drop", multiple=True, metavar="NAME", help="Column to ignore.*"),
    click.option(
        "--relation",
        "relations",
        multiple=True,
        metavar="NAME",
        help="Of OBO [default: is_a, part_of].*",
    ),
    click.option(
        "--evidence", multiple=True, metavar="CODE", help="Of GAF: keep only these.*"
    ),
    click.option(
        "--exclude-evidence", multiple=True, metavar="CODE", help="Of GAF: drop.*"
    ),
    click.option(
        "--unknown-terms",
        type=click.Choice(["raise", "drop"]),
        default="raise",
        metavar="[raise|drop]",
        help="On terms not in the hierarchy.",
    ),
    click.option(
        "--min-rows",
        type=click.IntRange(min=0),
        default=5,
        metavar="N",
        show_default=True,
        help="Learn terms with so many rows.",
    ),
)


def files_of(
    features: Path, labels: Path, hierarchy: Path | None, options: dict[str, Any]
) -> Any:
    """Take the options of ``data_options`` out, and return them as TableFiles."""
    from hilabel.tasks import TableFiles

    relations = options.pop("relations") or ("is_a", "part_of")
    names = ["id_column", "categorical", "drop", "evidence", "exclude_evidence"]
    names += ["unknown_terms", "min_rows"]
    rest = {name: options.pop(name) for name in names}
    return TableFiles(features, labels, hierarchy, relations=relations, **rest)


# Methods ------------------------------------------------------------------------------


def _complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    from hilabel.tasks import list_methods

    names = ["list", *list_methods()]
    return [n for n in names if n.lower().startswith(incomplete.lower())]


def _show_methods(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> str | None:
    if value is None or value.lower() != "list":
        return value
    from hilabel.tasks import method_table

    screen = Screen()
    screen.table(method_table(), uncut="method")
    screen.say(
        "handles: tree or DAG, single or multiple paths, full or partial depth; the "
        "hardest problem is named, and all easier ones are handled too."
    )
    ctx.exit()


method_options = _together(
    click.option(
        "--method",
        metavar="NAME",
        callback=_show_methods,
        is_eager=True,
        shell_complete=_complete_method,
        help="'list' shows all methods.",
    ),
    click.option("--preset", type=click.Choice(["paper"]), help="The paper's method."),
    click.option(
        "--base",
        type=click.Choice(
            [
                "forest",
                "extra-trees",
                "sklearn-forest",
                "tree",
                "logistic",
                "knn",
                "naive-bayes",
            ]
        ),
        metavar="NAME",
        help="forest, extra-trees, logistic, knn, ...",
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Parameter of the method.*",
    ),
    click.option(
        "--impute",
        type=click.Choice(["auto", "mean", "median", "zero", "none"]),
        default="auto",
        metavar="HOW",
        help="auto, mean, median, zero or none.",
    ),
    click.option(
        "--scale",
        type=click.Choice(["auto", "standard", "range", "none"]),
        default="auto",
        metavar="HOW",
        help="auto, standard, range or none.",
    ),
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        default=3,
        metavar="N",
        show_default=True,
        help="Folds of the labelled rows.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**32 - 1),
        default=0,
        metavar="N",
        show_default=True,
        help="Of all randomness.",
    ),
    click.option(
        "--jobs",
        "n_jobs",
        type=int,
        default=-1,
        metavar="N",
        help="Processors to use [default: all].",
    ),
)


def choices_of(options: dict[str, Any], thresholds: Any = "fmax") -> Any:
    """Take the options of ``method_options`` out, and return them as FitChoices."""
    from hilabel.tasks import FitChoices
    from hilabel.tasks._parameters import parse_settings

    if options["n_jobs"] == 0:
        raise click.UsageError("Invalid value for '--jobs': 0 is no number of jobs.")
    names = ("method", "preset", "base", "folds", "seed", "n_jobs")
    rest = {name: options.pop(name) for name in names}
    for name in ("impute", "scale"):
        given = options.pop(name)
        rest[name] = None if given == "none" else given
    parameters = parse_settings(options.pop("settings"))
    return FitChoices(parameters=parameters, thresholds=thresholds, **rest)
