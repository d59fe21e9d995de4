"""Options that choose parameters on validation rows."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click

from hilabel._method_text import read_value, split_outside
from hilabel.cli._group import Command
from hilabel.cli._options import INPUT_FILE, Function

_TUNE: Final = "--tune"
_SETTING: Final = re.compile(r"[A-Za-z]\w*=")


class TuningCommand(Command):
    """A command whose ``--tune`` takes all ``NAME=VALUES`` that follow it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the settings that follow ``--tune`` to a single value."""
        joined: list[str] = []
        is_tuned = False
        for number, arg in enumerate(args):
            is_first = number > 0 and args[number - 1] == _TUNE
            is_setting = bool(_SETTING.match(arg)) and not Path(arg).exists()
            if is_tuned and is_setting and not is_first:
                joined[-1] += f" {arg}"
            else:
                joined.append(arg)
                is_tuned = is_first or arg.startswith(f"{_TUNE}=")
        return super().parse_args(ctx, joined)


def parse_grid(
    ctx: click.Context, param: click.Parameter, given: Iterable[str]
) -> dict[str, list[Any]]:
    """Turn ``["k=3,4,5 THR=.3,.5"]`` into a dictionary of lists of Python values."""
    grid: dict[str, list[Any]] = {}
    settings = [part for text in given for part in split_outside(text, " ") if part]
    for setting in settings:
        name, _, text = setting.partition("=")
        values = split_outside(text, ",")
        if not name or not all(values):
            raise click.BadParameter(
                f"expected NAME=VALUE,VALUE, such as k=3,4,5, got {setting!r}.",
                ctx,
                param,
            )
        if name in grid:
            raise click.BadParameter(f"{name} was given twice.", ctx, param)
        grid[name] = [read_value(value) for value in values]
    return grid


def tuning_options(function: Function) -> Function:
    """Add ``--tune`` and the options that say which rows to tune on."""
    options = (
        click.option(
            _TUNE,
            multiple=True,
            metavar="NAME=A,B",
            callback=parse_grid,
            help="Try values on validation rows, keep the best.*",
        ),
        click.option(
            "--valid",
            type=INPUT_FILE,
            metavar="FILE",
            help="Features of the validation rows.",
        ),
        click.option(
            "--valid-labels",
            type=INPUT_FILE,
            metavar="FILE",
            help="Their labels [default: in --labels].",
        ),
        click.option(
            "--valid-share",
            type=float,
            metavar="SHARE",
            help="Share of labelled rows to set aside instead.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function
