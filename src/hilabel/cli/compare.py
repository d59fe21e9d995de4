"""``hilabel compare``: evaluate several methods on the same folds."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hilabel._method_text import read_value, split_outside
from hilabel._table_options import MIN_COUNT_TO_TRAIN
from hilabel.cli._cells import cells
from hilabel.cli._group import NO_BETTER, NO_BETTER_TOLD, Command
from hilabel.cli._matching import show_matching
from hilabel.cli._options import (
    INPUT_FILE,
    choices_of,
    complete_method,
    data_options,
    details_option,
    files_of,
    groups_option,
    hierarchy_option,
    labels_option,
    links_option,
    one_way_option,
    screen_options,
    shared_options,
    show_methods,
    was_given,
)
from hilabel.cli._screen import Screen

if TYPE_CHECKING:
    from hilabel.tasks import FitChoices

__all__ = ["compare"]

# Options that "hilabel fit" has not, or has with another meaning.
_OF_COMPARE = ("methods", "output", "groups", "quiet", "as_json", "details")

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
@links_option
@one_way_option
@groups_option
@data_options
@shared_options
@details_option
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
    hilabel compare genes.csv -l genes.gaf --methods default,SSHMCBLI
    """
    from hilabel.tasks import compare_methods

    files = files_of(features, labels, hierarchy, options)
    with screen.working() as report:
        result = compare_methods(files, methods, choices_of(options), report)
        paths = [] if output is None else result.save(output)
    show_matching(screen, result.report)
    screen.head(result.title)
    screen.table(_narrow(result.measures))
    screen.say(
        "micro, macro: average precision; behind: difference from the best in micro; "
        "error: standard error of that difference over folds; MB: peak memory, with "
        "workers"
    )
    screen.detail_table("Micro average precision by fold", result.display.frame())
    for line in result.sentences:
        screen.say(line)
    for name, why in result.skipped.items():
        screen.say(f"not compared: {name}, since {why}")
    train_it = fit_command(click.get_current_context(), result.choices[result.best])
    screen.say_path(f"to train the best: {train_it}")
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
            "command": train_it,
            "no_better": result.no_better,
            "measures": result.measures,
            "folds": result.display.frame(),
            "sentences": result.sentences,
            "skipped": result.skipped,
            "failures": result.failures,
            "files": paths,
        }
    )
    if is_hopeless:
        click.get_current_context().exit(NO_BETTER)


def _narrow(measures: Any) -> Any:
    """Fit the table into 80 columns, with settings on separate lines."""
    return measures.rename(columns=_SHORT).assign(
        method=[name.replace(":", ": ") for name in measures["method"]],
        s=cells(measures["seconds"], "seconds"),
        MB=["-" if x != x else f"{x:.0f}" for x in measures["peak_MB"]],
    )


def fit_command(ctx: click.Context, choices: "FitChoices") -> str:
    """Return the command that trains a compared method on the same files and folds."""
    words = ["hilabel", "fit"]
    for param in ctx.command.params:
        if param.name in _OF_COMPARE or not was_given(ctx, param.name or ""):
            continue
        value = ctx.params[param.name or ""]
        if isinstance(param, click.Argument):
            words.append(str(value))
            continue
        option = max(param.opts, key=len)
        several = value if isinstance(value, tuple | list) else (value,)
        for one in several:
            words += [option] if one is True else [option, _word(one)]
    if choices.method is not None:
        words += ["--method", choices.method]
    if choices.preset is not None:
        words += ["--preset", choices.preset]
        if not was_given(ctx, "min_count"):
            # A preset has a minimum count of its own.
            words += ["--min-count", str(MIN_COUNT_TO_TRAIN)]
    if choices.base is not None:
        words += ["--base", choices.base]
    for name, value in choices.parameters.items():
        words += ["--set", f"{name}={_word(value)}"]
    return shlex.join(words)


def _word(value: Any) -> str:
    """Write a value so that it is read again as the same value."""
    if value is None:
        return "none"
    if isinstance(value, tuple):  # the kind of links, and their file
        return "=".join(str(part) for part in value if part is not None)
    text = str(value)
    is_same = not isinstance(value, str) or read_value(text) == value
    return text if is_same else repr(value)
