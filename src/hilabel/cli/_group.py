"""Command groups that import commands on demand and report errors in one line."""

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from click.shell_completion import CompletionItem

UNEXPECTED: Final = 1
WRONG_INPUT: Final = 2
NO_BETTER: Final = 3
FAILED_RUNS: Final = 4
INTERRUPTED: Final = 130

NO_BETTER_TOLD: Final = (
    "This model is no better than the constant predictor, which predicts the label "
    "frequencies for every row: it found no relation between the features and the "
    "labels. Try another method or other features."
)

CONTEXT_SETTINGS: Final = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 80,
}


class Command(click.Command):
    """A command that never overwrites its input files."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raise an error if an output file is also an input."""
        from hilabel._writing import inputs_kept

        with inputs_kept(_input_files(ctx)):
            return super().invoke(ctx)


def _input_files(ctx: click.Context) -> Iterator[Path]:
    """Yield the input files: paths that must exist, and the argument SOURCE."""
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        is_path = isinstance(param.type, click.Path) and param.type.exists
        is_source = isinstance(param, click.Argument) and isinstance(value, str)
        if value is None or not (is_path or is_source):
            continue
        # Files of links come with the name of their kind.
        paths = [path for _, path in value] if isinstance(value, tuple) else [value]
        yield from (Path(path) for path in paths if Path(path).is_file())


class Subgroup(click.Group):
    """A group of commands that are defined in the same module."""

    command_class = Command


class CommandGroup(click.Group):
    """A group whose commands each have their own module.

    ``commands_by_module`` maps the name of each command to its module and help text.
    The module defines a command with that name. The help is shown without importing any
    module.
    """

    def __init__(
        self,
        *args: Any,
        commands_by_module: Mapping[str, tuple[str, str]],
        version: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, context_settings=dict(CONTEXT_SETTINGS), **kwargs)
        self._by_module = dict(commands_by_module)
        click.version_option(version, prog_name=self.name)(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of typical use."""
        return [*self._by_module, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command and return it."""
        if name not in self._by_module:
            return super().get_command(ctx, name)
        module = importlib.import_module(self._by_module[name][0])
        command: click.Command = getattr(module, name)
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands without importing their modules."""
        rows = [(name, text) for name, (_, text) in self._by_module.items()]
        rows += [
            (name, command.get_short_help_str())
            for name, command in self.commands.items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Complete command names without importing their modules."""
        names = [
            CompletionItem(name, help=text)
            for name, (_, text) in self._by_module.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run the command and exit with a code; report any error in one line."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except click.Abort:
            _fail("interrupted; no unfinished file was left behind.", INTERRUPTED)
        except click.exceptions.NoArgsIsHelpError as error:
            # The message of this error is the help.
            click.echo(error.format_message())
            sys.exit(WRONG_INPUT)
        except click.ClickException as error:
            _fail(_click_message(error), WRONG_INPUT)
        except BrokenPipeError:
            # The reader closed the pipe; keep Python from complaining on exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(UNEXPECTED)
        except (ValueError, OSError, ImportError) as error:
            _fail(_message(error), WRONG_INPUT)
        except MemoryError:
            _fail(
                "not enough memory for this job; use fewer rows or columns, or smaller "
                "settings.",
                WRONG_INPUT,
            )
        except Exception as error:
            if os.environ.get("HILABEL_TRACEBACK"):
                raise
            _fail(
                f"unexpected error, {type(error).__name__}: {error} Please report it; "
                "HILABEL_TRACEBACK=1 shows the traceback.",
                UNEXPECTED,
            )
        sys.exit(code if isinstance(code, int) else 0)


def _click_message(error: click.ClickException) -> str:
    if not isinstance(error, click.UsageError):
        return error.format_message()
    command = error.ctx.command_path if error.ctx else "hilabel"
    return f"{error.format_message()} See '{command} --help'."


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}."
    return str(error) or type(error).__name__


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"hilabel: {' '.join(message.split())}", err=True)
    sys.exit(code)
