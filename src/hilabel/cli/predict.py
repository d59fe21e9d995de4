"""``hilabel predict``: terms for the rows of a table."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._group import Command
from hilabel.cli._options import (
    FEATURES_FILE,
    INPUT_FILE,
    ids_option,
    screen_options,
    shown,
)
from hilabel.cli._screen import Screen

__all__ = ["predict"]


class _Threshold(click.ParamType):
    """A probability, or the word ``model``."""

    name = "threshold"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value == "model":
            return value
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            self.fail(f"expected a number from 0 to 1, or 'model', got {value!r}.")
        return number


@click.command(cls=Command)
@click.argument("model", type=INPUT_FILE)
@click.argument("features", type=FEATURES_FILE)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    default="predictions.csv",
    metavar="FILE",
    show_default=True,
    help=".csv, .tsv, .parquet, .csv.gz, - (screen).",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["long", "wide", "cafa"]),
    default="long",
    show_default=True,
    help="A row per id and term; per id; CAFA.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the most probable terms of an id, N of them most specific.",
)
@click.option(
    "--threshold",
    type=_Threshold(),
    metavar="P",
    help="Only from this probability on; 'model' is the one chosen in training.",
)
@click.option(
    "--per-node-thresholds",
    "per_node",
    is_flag=True,
    help="Only terms that reach their own threshold, and their ancestors.",
)
@click.option(
    "--most-specific",
    is_flag=True,
    help="Of these, only terms without a term below among them.",
)
@click.option("--roots", is_flag=True, help="Show root terms too.")
@click.option(
    "--new-only", is_flag=True, help="Only terms that the id had not in training."
)
@click.option(
    "--reliable-only",
    is_flag=True,
    help="Only terms told apart better than by chance.",
)
@click.option(
    "--term",
    "terms",
    multiple=True,
    metavar="TERM",
    help="Only this one: the ids most likely to have it, --top N of them.*",
)
@click.option(
    "--without",
    type=INPUT_FILE,
    metavar="ANNOTATIONS",
    help="Only ids that this file has no term of.",
)
@click.option(
    "--id-column", metavar="NAME", help="Id column [default: as in training]."
)
@ids_option
@screen_options
def predict(
    model: Path,
    features: Path,
    output: Path,
    without: Path | None,
    id_column: str | None,
    ids: Path | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Predict terms for the rows of FEATURES, with the MODEL of 'hilabel fit'.

    \b
    The long form tells of each term its probability, what that was worth in
    training, the term's frequency and whether it is new, and leaves
    probabilities below 0.01 out unless a threshold is given. The wide form
    has 0 and 1 with a threshold, else probabilities; with --top, 0 for the
    others. * may be repeated.
    Example: hilabel predict model.hilabel new_genes.csv --top 5 -o terms.tsv
    """
    from hilabel.tasks import PredictChoices, predict_file

    if str(output) == "-":
        if screen.as_json:
            raise click.UsageError(
                "--json and -o - both want the screen; write to a file."
            )
        screen.quiet = True
    with screen.working() as report:
        facts = predict_file(
            model,
            features,
            output,
            PredictChoices(**options),
            without=without,
            id_column=id_column,
            ids=ids,
            report=report,
        )
    screen.facts(facts)
    if facts.get("rows left out") == 0:
        told = shown(click.get_current_context(), str(features))
        screen.say(f"no id of {told} is in {without}: no row was left out")
    screen.say_path(f"predictions: {output}")
    screen.json({"output": output, **facts})
