"""``hilabel compare``: evaluate several methods on the same folds."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hilabel._method_text import split_outside
from hilabel.cli._group import NO_BETTER, NO_BETTER_TOLD, Command
from hilabel.cli._options import (
    INPUT_FILE,
    choices_of,
    complete_method,
    data_options,
    files_of,
    hierarchy_option,
    labels_option,
    screen_options,
    shared_options,
    show_methods,
)
from hilabel.cli._screen import Screen

if TYPE_CHECKING:
    from hilabel.tasks import FitChoices

__all__ = ["compare"]

_SHORT = {"micro_AP": "micro", "macro_AP": "macro", "seconds": "s", "peak_MB": "MB"}


def _listed(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> list[str] | None:
    """Return the methods named in one or several options, or None if there are none."""
    names = [name for text in given for name in split_outside(text, ",")]
    if "list" in names:
        show_methods(ctx)
    return names or None


@click.command(cls=Command)
@click.argument("features", type=INPUT_FILE)
@labels_option(required=True)
@hierarchy_option
@click.option(
    "--methods",
    multiple=True,
    metavar="A,B,...",
    callback=_listed,
    is_eager=True,
    shell_complete=complete_method,
    help="NAME, NAME:BASE or NAME:BASE:SETTING=VALUE; 'list' shows all methods.*",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder for tables and a figure.",
)
@data_options
@shared_options
@screen_options
def compare(
    features: Path,
    labels: Path,
    hierarchy: Path | None,
    methods: list[str] | None,
    output: Path | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Compare methods by cross-validation, all on the same folds.

    \b
    Without --methods, hilabel picks several methods that suit the data and runs
    the fastest first. Options marked * can be repeated. Example:
    hilabel compare genes.csv -l genes.gaf --methods default,default:logistic
    """
    from hilabel.tasks import compare_methods

    files = files_of(features, labels, hierarchy, options)
    with screen.working() as report:
        result = compare_methods(files, methods, choices_of(options), report)
        paths = [] if output is None else result.save(output)
    for line in str(result.report).splitlines():
        screen.say(line)
    screen.head(result.title)
    screen.table(_narrow(result.measures))
    screen.say(
        "micro, macro: average precision; behind: difference from the best in micro; "
        "error: standard error of that difference over folds; MB: peak memory, with "
        "workers"
    )
    for line in result.sentences:
        screen.say(line)
    train_it = fit_options(result.choices[result.best])
    screen.say_path(f"to train the best: hilabel fit ... {train_it}".rstrip())
    for path in paths:
        screen.say_path(f"  {path}")
    for name, error in result.failures.items():
        screen.alarm(f"{name} could not be evaluated: {error}")
    is_hopeless = result.best in result.no_better
    if is_hopeless:
        screen.alarm(NO_BETTER_TOLD)
    elif result.no_better:
        screen.alarm(
            f"No better than the constant predictor: {', '.join(result.no_better)}."
        )
    screen.json(
        {
            "title": result.title,
            "best": result.best,
            "options": train_it,
            "no_better": result.no_better,
            "measures": result.measures,
            "folds": result.display.frame(),
            "sentences": result.sentences,
            "files": paths,
        }
    )
    if is_hopeless:
        click.get_current_context().exit(NO_BETTER)


def _narrow(measures: Any) -> Any:
    """Fit the table into 80 columns, with settings on separate lines."""
    return measures.rename(columns=_SHORT).assign(
        method=[name.replace(":", ": ") for name in measures["method"]],
        s=[f"{seconds:.1f}" for seconds in measures["seconds"]],
        MB=[f"{memory:.0f}" for memory in measures["peak_MB"]],
    )


def fit_options(choices: "FitChoices") -> str:
    """Return the options for training a compared method with ``hilabel fit``."""
    words = []
    for name in ("method", "preset", "base"):
        if getattr(choices, name) is not None:
            words += [f"--{name}", getattr(choices, name)]
    for name, value in choices.parameters.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)
