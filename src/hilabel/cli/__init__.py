"""The command line: parse, call, print. One file per command."""

import click

from hilabel import __version__
from hilabel.cli._demo import demo
from hilabel.cli.study import study

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hilabel")
def app() -> None:
    """Learn hierarchical labels from few labelled examples.

    Example: hilabel demo
    """


app.add_command(demo)
app.add_command(study)


def main() -> None:
    """Run the command line; a bad input ends in one line and exit code 2."""
    try:
        app(prog_name="hilabel")
    except (ValueError, OSError) as error:
        message = " ".join(str(error).split())
        click.echo(f"hilabel: {message}", err=True)
        raise SystemExit(2) from None
