"""``hilabel predict``: terms for the rows of a table."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._options import INPUT_FILE, OUTPUT_FILE, screen_options
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


@click.command()
@click.argument("model", type=INPUT_FILE)
@click.argument("features", type=INPUT_FILE)
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    default="predictions.csv",
    metavar="FILE",
    show_default=True,
    help=".csv, .tsv or .parquet.",
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
    help="Only the N most probable terms of an id.",
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
@click.option(
    "--without",
    type=INPUT_FILE,
    metavar="ANNOTATIONS",
    help="Only ids that this file has no term of.",
)
@click.option(
    "--id-column", metavar="NAME", help="Id column [default: as in training]."
)
@screen_options
def predict(
    model: Path,
    features: Path,
    output: Path,
    without: Path | None,
    id_column: str | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Predict terms for the rows of FEATURES, with the MODEL of 'hilabel fit'.

    \b
    The long form has the columns id, term, name, probability, and leaves
    probabilities below 0.01 out unless a threshold is given. The wide form has
    0 and 1 with a threshold, else probabilities; with --top, 0 for the others.
    Example: hilabel predict model.hilabel new_genes.csv --top 5 -o terms.tsv
    """
    from hilabel.tasks import PredictChoices, predict_table, write_table
    from hilabel.tasks._predict import (
        PROBABILITY_DIGITS,
        check_output,
        count_without_terms,
        leave_out_annotated,
        load_table_model,
    )

    choices = PredictChoices(**options)
    choices.check()
    check_output(output, choices.form)
    with screen.working() as report:
        report("Loading the model", 0, 0)
        loaded = load_table_model(model)
        table = loaded.read(features, id_column)
        n_read = len(table)
        if without is not None:
            table = leave_out_annotated(table, without)
        report(f"Predicting {len(table)} rows", 0, 0)
        frame = predict_table(loaded, table, choices)
        write_table(
            frame, output, header=choices.form != "cafa", digits=PROBABILITY_DIGITS
        )
    known = set(loaded.sample_ids)
    left_out = {} if without is None else {"rows left out": n_read - len(table)}
    facts = {
        "rows": len(table),
        **left_out,
        "rows of the training table": sum(row_id in known for row_id in table.ids),
        "labelled rows in training": loaded.summary["matching"]["n_labeled"],
        "rows without any term": count_without_terms(frame, len(table), choices.form),
        "terms known": loaded.hierarchy.n_nodes,
        "lines written": len(frame),
    }
    screen.facts(facts)
    if without is not None and n_read == len(table):
        screen.say(f"no id of {features} is in {without}: no row was left out")
    screen.say_path(f"predictions: {output}")
    screen.json({"output": output, **facts})
