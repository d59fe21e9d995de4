"""The command line: parse, call, print. One file per command.

A command is imported when it is run, and imports the work it does, ``hilabel.tasks``,
when its options have been read, so that help and completion come at once.
"""

from hilabel import __version__
from hilabel.cli._group import CommandGroup

__all__ = ["app", "main"]

HELP = """Learn hierarchical labels from few labelled examples.

\b
Example:
  hilabel demo --write-files example
  hilabel fit example/features.csv --labels example/annotations.gaf
      --hierarchy example/terms.obo -o genes.hilabel
  hilabel predict genes.hilabel example/features.csv -o terms.csv
"""

EPILOG = """\b
Exit codes: 0 done, 1 unexpected error, 2 wrong input, 3 no better than the
constant predictor, 130 interrupted.
"""

app = CommandGroup(
    name="hilabel",
    help=HELP,
    epilog=EPILOG,
    version=__version__,
    commands_by_module={
        "fit": ("hilabel.cli.fit", "Train a model on a table, labels, a hierarchy."),
        "predict": ("hilabel.cli.predict", "Predict terms for the rows of a table."),
        "evaluate": ("hilabel.cli.evaluate", "Measure a method, or a trained model."),
        "compare": ("hilabel.cli.compare", "Find the best of several methods."),
        "explain": ("hilabel.cli.explain", "Show why a row gets its terms."),
        "report": ("hilabel.cli.report", "Write a page about a model and its rows."),
        "inspect": ("hilabel.cli.inspect", "Say what is in a file."),
        "datasets": ("hilabel.cli.datasets", "List, fetch and convert data sets."),
        "study": ("hilabel.cli.study", "Compare methods on data sets, from a file."),
        "demo": ("hilabel.cli.demo", "Run every method on the paper's example."),
    },
)


def main() -> None:
    """Run the command line; a bad input ends in one line and exit code 2."""
    app(prog_name="hilabel")
