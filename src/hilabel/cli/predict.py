"""``hilabel predict``: predict terms for the rows of a table."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._group import Command
from hilabel.cli._options import (
    FEATURES_FILE,
    INPUT_FILE,
    ids_option,
    links_option,
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
    help=".csv, .tsv, .parquet, .csv.gz, or - for standard output.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["long", "wide", "cafa"]),
    default="long",
    show_default=True,
    help="One row per id and term, one row per id, or CAFA.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep the N most probable terms of each id.",
)
@click.option(
    "--branches",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep the N most probable branches of each id: terms and their ancestors.",
)
@click.option(
    "--threshold",
    type=_Threshold(),
    metavar="P",
    help="Keep terms with at least this probability, or with 'model' those that the "
    "model decides on.",
)
@click.option(
    "--most-specific",
    is_flag=True,
    help="Of the remaining terms, keep those without a descendant among them.",
)
@click.option("--roots", is_flag=True, help="Include root terms.")
@click.option(
    "--new-only", is_flag=True, help="Keep terms that the id did not have in training."
)
@click.option(
    "--reliable-only",
    is_flag=True,
    help="Keep terms that the model ranks better than chance.",
)
@click.option(
    "--term",
    "terms",
    multiple=True,
    metavar="TERM",
    help="Predict only this term; list the ids most likely to have it, at most --top "
    "N.*",
)
@click.option(
    "--out-of-fold/--no-out-of-fold",
    default=True,
    help="Score labelled training rows by models trained without their labels "
    "[default: yes].",
)
@click.option(
    "--without",
    type=INPUT_FILE,
    metavar="ANNOTATIONS",
    help="Only predict for ids without a term in this file.",
)
@click.option(
    "--id-column", metavar="NAME", help="Id column [default: as in training]."
)
@ids_option
@links_option
@screen_options
def predict(
    model: Path,
    features: Path,
    output: Path,
    without: Path | None,
    id_column: str | None,
    ids: Path | None,
    links: tuple[Any, ...],
    screen: Screen,
    **options: Any,
) -> None:
    """Predict terms for the rows of FEATURES with a MODEL from 'hilabel fit'.

    \b
    The long format contains the probability of each term, its reliability in
    training, its frequency, and whether it is new. Without a threshold, this
    format omits probabilities below 0.01. The wide format contains 0 and 1 if
    there is a threshold, and probabilities otherwise; with --top, all other
    terms are 0. Options marked * can be repeated.
    Example: hilabel predict model.hilabel new_genes.csv --top 5 -o terms.tsv
    """
    from hilabel.tasks import PredictChoices, predict_file

    if str(output) == "-":
        if screen.as_json:
            raise click.UsageError(
                "--json and -o - both write to standard output; write the predictions "
                "to a file."
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
            links=links,
            report=report,
        )
    screen.facts(facts)
    if facts.get("rows omitted") == 0:
        told = shown(click.get_current_context(), str(features))
        screen.say(f"no id of {told} is in {without}: no row was omitted")
    screen.say_path(f"predictions: {output}")
    screen.json({"output": output, **facts})
