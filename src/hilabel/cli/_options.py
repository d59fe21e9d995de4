"""Options shared by several commands."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import Field, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from hilabel._method_text import read_value
from hilabel._table_options import TableOptions
from hilabel.cli._screen import Screen
from hilabel.exceptions import HilabelError

if TYPE_CHECKING:
    from hilabel.tasks import FitChoices, TableFiles

INPUT_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)

STANDARD_INPUT: Final = "standard input"


class FeaturesFile(click.Path):
    """A file, or ``-`` for standard input, which is copied to a temporary file.

    Readers check the first bytes and then read from the start again, which is not
    possible with a pipe.
    """

    name = "path"

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, allow_dash=True, path_type=Path)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path of the file."""
        path = super().convert(value, param, ctx)
        if str(path) != "-" or ctx is None or ctx.resilient_parsing:
            return path
        folder = ctx.with_resource(tempfile.TemporaryDirectory())
        kept = Path(folder) / STANDARD_INPUT
        with kept.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        ctx.obj = kept
        return kept


FEATURES_FILE = FeaturesFile()


def shown(ctx: click.Context, text: str) -> str:
    """Replace the path of the temporary file in a text with "standard input"."""
    return text if ctx.obj is None else text.replace(str(ctx.obj), STANDARD_INPUT)


Function = Callable[..., Any]


def _together(options: Iterable[Function]) -> Callable[[Function], Function]:
    """Combine several decorators into one; the first becomes the outermost."""
    listed = [*options]

    def decorate(function: Function) -> Function:
        for option in reversed(listed):
            function = option(function)
        return function

    return decorate


def option_of(ctx: click.Context, parameter: str) -> str | None:
    """Return the option that sets a parameter of the library, if there is one.

    The option either has the same name as the parameter or declares that name
    explicitly.
    """
    for option in ctx.command.params:
        if option.name == parameter and isinstance(option, click.Option):
            return max(option.opts, key=len)
    return None


def was_given(ctx: click.Context, name: str) -> bool:
    """Return whether an option was given on the command line."""
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def none_if_said(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Return None for the word 'none', and any other value unchanged."""
    return None if value == "none" else value


# Output ------------------------------------------------------------------------


details_option = click.option(
    "--details", is_flag=True, help="Print all tables and explanations."
)


def screen_options(function: Function) -> Function:
    """Add ``--quiet`` and ``--json``, and pass a matching ``screen`` to the command.

    A command with ``details_option`` gets a screen that also prints details if asked.

    Error messages from the library then name options instead of parameters.
    """

    @click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
    @click.option(
        "--json", "as_json", is_flag=True, help="Print JSON instead of tables."
    )
    @wraps(function)
    def with_screen(
        *args: Any, quiet: bool, as_json: bool, details: bool = False, **kwargs: Any
    ) -> Any:
        screen = Screen(quiet, as_json, details)
        try:
            return function(*args, screen=screen, **kwargs)
        except HilabelError as error:
            ctx = click.get_current_context()
            found = (option_of(ctx, name) for name in error.parameter)
            options = filter(None, found)
            told = shown(ctx, error.naming("option", options))
            raise click.ClickException(told) from error

    return with_screen


# Amounts ------------------------------------------------------------------------------


class Amount(click.ParamType):
    """A positive number with a unit, such as 10m or 6G."""

    name = "amount"

    def __init__(self, units: str, sizes: tuple[float, ...], example: str) -> None:
        self._sizes = dict(zip(units.split(), sizes, strict=True))
        self._example = example

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the amount in seconds or bytes."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        unit = next((one for one in self._sizes if text.endswith(one)), "")
        try:
            number = float(text.removesuffix(unit))
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf") or not unit:
            self.fail(f"expected an amount such as {self._example}, got {text!r}.")
        return number * self._sizes[unit]


SIZE = Amount("M G T", (1e6, 1e9, 1e12), "6G or 500M")


# Data ---------------------------------------------------------------------------------


def labels_option(required: bool) -> Callable[[Function], Function]:
    """Add ``--labels``."""
    return click.option(
        "-l",
        "--labels",
        type=INPUT_FILE,
        required=required,
        metavar="FILE",
        help="GAF, or CSV/TSV with id and term.",
    )


hierarchy_option = click.option(
    "-H",
    "--hierarchy",
    type=INPUT_FILE,
    metavar="FILE",
    help="OBO, parent-child CSV, or paths.",
)


def _data_option(declared: Field[Any]) -> Function:
    shown, default = declared.metadata, declared.default
    how: dict[str, Any] = {"metavar": shown["metavar"], "help": shown["help"]}
    how["hidden"] = shown.get("hidden", False)
    if "is_count" in shown:
        how["type"] = click.IntRange(min=0)
    elif "is_size" in shown:
        how["type"] = SIZE
    elif "is_file" in shown:
        how["type"] = INPUT_FILE
    elif "choices" in shown:
        how["type"] = click.Choice(shown["choices"])
    elif isinstance(default, bool):
        how = {"is_flag": True, "help": shown["help"]}
    how["multiple"] = isinstance(default, tuple)
    option = shown.get("option", f"--{declared.name.replace('_', '-')}")
    return click.option(option, declared.name, default=default, **how)


data_options = _together(_data_option(declared) for declared in fields(TableOptions))


ids_option = click.option(
    "--ids",
    type=INPUT_FILE,
    metavar="FILE",
    help="Ids of .npy rows, one per line.",
)


class LinksFile(click.Path):
    """A file of links, perhaps with the name of their kind, as in ``hits=FILE``."""

    name = "path"

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the name of the kind, or None, and the path."""
        from hilabel.datasets import parse_links_option

        if isinstance(value, tuple):  # it was converted before
            return value
        try:
            kind, path = parse_links_option(str(value))
        except HilabelError as error:
            self.fail(str(error.message), param, ctx)
        return kind, super().convert(path, param, ctx)


LINKS_FILE = LinksFile()

links_option = click.option(
    "--links",
    type=LINKS_FILE,
    multiple=True,
    metavar="FILE",
    help="Links between rows; KIND=FILE names them.*",
)

one_way_option = click.option(
    "--links-one-way",
    "links_one_way",
    is_flag=True,
    hidden=True,  # few need it: docs/links.md
    help="Links lead only from source to target.",
)

groups_option = click.option(
    "--groups",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="Keep strongly linked rows in one fold.",
)


def files_of(
    features: Path, labels: Path, hierarchy: Path | None, options: dict[str, Any]
) -> "TableFiles":
    """Return the input files, and how to read them, from the values of options."""
    from hilabel.tasks import TableFiles

    how = {declared.name: options[declared.name] for declared in fields(TableOptions)}
    return TableFiles(
        features,
        labels,
        hierarchy,
        links=options.get("links", ()),
        links_both_ways=not options.get("links_one_way", False),
        groups=options.get("groups"),
        **how,
    )


# Methods ------------------------------------------------------------------------------


def complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    from hilabel.tasks import list_methods

    names = ["list", *list_methods()]
    return [n for n in names if n.lower().startswith(incomplete.lower())]


def _one_method(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> str | None:
    if len(given) > 1:
        raise click.BadParameter(
            f"expected one method, got {' and '.join(given)}; run the command once per "
            "method.",
            ctx,
            param,
        )
    value = given[0] if given else None
    if value is not None and value.lower() == "list":
        show_methods(ctx)
    return value


def show_methods(ctx: click.Context) -> NoReturn:
    """Print all methods and exit."""
    from hilabel.tasks import method_table

    screen = Screen()
    screen.table(method_table(), uncut="method")
    screen.say(
        "handles: tree or DAG, single or multiple paths, full or partial depth. The "
        "table names the most general problem; simpler ones work too."
    )
    ctx.exit()


def parse_settings(
    ctx: click.Context, param: click.Parameter, settings: Iterable[str]
) -> dict[str, Any]:
    """Turn ``["n_neighbors=5", "variant=v1"]`` into a dictionary of Python values."""
    parsed: dict[str, Any] = {}
    for setting in settings:
        name, _, text = map(str.strip, setting.partition("="))
        if not name or not text:
            raise click.BadParameter(
                f"expected NAME=VALUE, such as n_neighbors=5, got {setting!r}.",
                ctx,
                param,
            )
        if name in parsed:
            raise click.BadParameter(f"{name} was given twice.", ctx, param)
        parsed[name] = read_value(text)
    return parsed


class Jobs(click.IntRange):
    """The number of processes or threads; -1 means one per processor."""

    def __init__(self) -> None:
        super().__init__(-1, 1024)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number of jobs, which must not be 0."""
        number = super().convert(value, param, ctx)
        if number == 0:
            self.fail("expected a positive number or -1, got 0.", param, ctx)
        return number


# The keys are the field names of FitChoices, except for the short form "fast".
METHOD_OPTIONS: Final[dict[str, Function]] = {
    "method": click.option(
        "--method",
        # Otherwise, only the last of several values would be used silently.
        multiple=True,
        metavar="NAME",
        callback=_one_method,
        is_eager=True,
        shell_complete=complete_method,
        help="Method to use; 'list' shows all methods.",
    ),
    "effort": click.option(
        "--effort",
        type=click.Choice(["fast", "normal", "best"]),
        default="normal",
        metavar="HOW",
        help="Time to take: fast (or --fast), normal, best.",
    ),
    # Its help is that of --effort, so that the help of a command fits a screen.
    "fast": click.option("--fast", is_flag=True, hidden=True),
    "time": click.option(
        "--time",
        type=Amount("s m h", (1, 60, 3_600), "10m or 90s"),
        metavar="TIME",
        help="Time limit of the default method, such as 10m.",
    ),
    "memory": click.option(
        "--memory",
        type=SIZE,
        metavar="SIZE",
        help="Memory limit of models, such as 6G.",
    ),
    "keep_best": click.option(
        "--keep-best", is_flag=True, help="Ctrl-C keeps the best model so far."
    ),
    "preset": click.option(
        "--preset", type=click.Choice(["paper"]), help="Use the paper's method."
    ),
    "base": click.option(
        "--base", metavar="NAME", help="Base model: forest, logistic, network, ..."
    ),
    "parameters": click.option(
        "--set",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        callback=parse_settings,
        help="Set a parameter of the method.*",
    ),
    "impute": click.option(
        "--impute",
        type=click.Choice(["auto", "mean", "median", "zero", "none"]),
        default="auto",
        metavar="HOW",
        callback=none_if_said,
        help="Imputation: auto, mean, median, zero, none.",
    ),
    "scale": click.option(
        "--scale",
        type=click.Choice(["auto", "standard", "range", "none"]),
        default="auto",
        metavar="HOW",
        callback=none_if_said,
        help="Scaling: auto, standard, range, none.",
    ),
    "calibrate": click.option(
        "--calibrate/--no-calibrate",
        default=None,
        help="Calibrate [default: yes; with --preset, no].",
    ),
    "folds": click.option(
        "--folds",
        type=click.IntRange(min=2),
        metavar="N",
        help="Folds [default: 5; 10 with few rows].",
    ),
    "seed": click.option(
        "--seed",
        type=click.IntRange(0, 2**32 - 1),
        default=0,
        metavar="N",
        show_default=True,
        help="Random seed.",
    ),
    "n_jobs": click.option(
        "--jobs",
        "n_jobs",
        type=Jobs(),
        default=-1,
        metavar="N",
        help="Processors [default: all].",
    ),
}

method_options = _together(METHOD_OPTIONS.values())

# Options that also apply to scores that are not calibrated.
training_options = _together(
    option
    for name, option in METHOD_OPTIONS.items()
    if name not in ("calibrate", "folds")
)

# Options that apply to all methods of a comparison.
SHARED_OPTIONS: Final = ("impute", "scale", "folds", "seed", "n_jobs")

shared_options = _together(METHOD_OPTIONS[name] for name in SHARED_OPTIONS)


def choices_of(options: dict[str, Any], **more: Any) -> "FitChoices":
    """Return the values of ``method_options`` as ``FitChoices``."""
    from hilabel.tasks import FitChoices

    given = {name: options[name] for name in METHOD_OPTIONS if name in options}
    if given.pop("fast", False):
        given["effort"] = "fast"
    return FitChoices(**given, **more)


def refuse_training_options(
    ctx: click.Context, why: str, more: Iterable[str] = ()
) -> None:
    """Raise an error if an option that only applies to training was given."""
    reading = ("min_count", "categorical", "text", "drop")
    ids = ("strip_version", "merge_duplicates")
    refuse_options(
        ctx,
        (*more, *reading, *ids),
        f"controls training, but {why} already trained; remove one of the two",
    )


def refuse_options(ctx: click.Context, names: Iterable[str], why: str) -> None:
    """Raise an error if one of these options was given."""
    for name in names:
        if was_given(ctx, name):
            raise click.UsageError(f"{option_of(ctx, name)} {why}.", ctx)
