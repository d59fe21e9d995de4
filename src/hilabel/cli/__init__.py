"""The command-line interface: parse options, call the library and print the results.

Each command has its own module, which is imported only when the command runs. A command
imports ``hilabel.tasks``, which does the work, only after its options have been parsed.
This keeps help and completion fast.
"""

from hilabel import __version__
from hilabel.cli._group import CommandGroup

__all__ = ["app", "main"]

HELP = """Learn hierarchical labels from a few labelled rows.

\b
Example:
  hilabel demo --write-files example
  hilabel fit example/features.csv --labels example/annotations.gaf
      --hierarchy example/terms.obo -o genes.hilabel
  hilabel predict genes.hilabel example/features.csv -o terms.csv
"""

EPILOG = """\b
Exit codes: 0 success, 1 unexpected error, 2 invalid input, 3 no better than
the constant predictor, 130 interrupted.
"""

app = CommandGroup(
    name="hilabel",
    help=HELP,
    epilog=EPILOG,
    version=__version__,
    commands_by_module={
        "fit": ("hilabel.cli.fit", "Train a model on a table of features."),
        "predict": ("hilabel.cli.predict", "Predict terms for the rows of a table."),
        "evaluate": ("hilabel.cli.evaluate", "Evaluate a method or a trained model."),
        "compare": ("hilabel.cli.compare", "Compare several methods on your data."),
        "explain": ("hilabel.cli.explain", "Show why a row gets its terms."),
        "report": ("hilabel.cli.report", "Write a page about a model and its rows."),
        "plot": ("hilabel.cli.plot", "Draw figures of pseudo-labels and scores."),
        "inspect": ("hilabel.cli.inspect", "Check a file before or after training."),
        "link": ("hilabel.cli.link", "Make links between rows."),
        "datasets": ("hilabel.cli.datasets", "List, fetch and convert data sets."),
        "study": ("hilabel.cli.study", "Compare methods on data sets."),
        "demo": ("hilabel.cli.demo", "Run every method on the paper's example."),
    },
)
"""The command ``hilabel``, an application of click.

Examples
--------
>>> from click.testing import CliRunner
>>> from hilabel.cli import app
>>> CliRunner().invoke(app, ["--help"]).exit_code
0
"""


def main() -> None:
    """Run a command; for invalid input, print one line and exit with code 2.

    Examples
    --------
    >>> from unittest import mock
    >>> from hilabel.cli import main
    >>> with mock.patch("sys.argv", ["hilabel", "--version"]):
    ...     try:
    ...         main()
    ...     except SystemExit as end:
    ...         print(end.code)
    hilabel, version ...
    0
    """
    app(prog_name="hilabel")
