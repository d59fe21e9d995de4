"""``hilabel fit``: train a model on features, labels and a hierarchy."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from hilabel._writing import check_target
from hilabel.cli._group import NO_BETTER, NO_BETTER_TOLD
from hilabel.cli._options import (
    FEATURES_FILE,
    OUTPUT_FILE,
    choices_of,
    data_options,
    files_of,
    hierarchy_option,
    labels_option,
    method_options,
    none_if_said,
    screen_options,
)
from hilabel.cli._screen import STEPS_SHOWN, Screen
from hilabel.cli._tuning import TuningCommand, tuning_options

__all__ = ["fit"]


@click.command(cls=TuningCommand)
@click.argument("features", type=FEATURES_FILE)
@labels_option(required=True)
@hierarchy_option
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    default="model.hilabel",
    metavar="FILE",
    show_default=True,
    help="Model file.",
)
@data_options
@method_options
@tuning_options
@click.option(
    "--thresholds",
    type=click.Choice(["fmax", "f1", "none"]),
    default="fmax",
    metavar="HOW",
    callback=none_if_said,
    help="Tune thresholds for fmax, f1 or none.",
)
@screen_options
def fit(
    features: Path,
    labels: Path,
    hierarchy: Path | None,
    output: Path,
    valid: Path | None,
    valid_labels: Path | None,
    thresholds: Any,
    screen: Screen,
    **options: Any,
) -> None:
    """Train a model on FEATURES. Rows without labels count as unlabelled.

    \b
    FEATURES: CSV, Excel, Parquet, .npy, .npz, .h5ad, InterProScan, eggNOG, or -
    for standard input. Options marked * can be repeated.
    Example: hilabel fit genes.csv --labels genes.gaf --hierarchy go-basic.obo
    """
    from hilabel.persistence import save_model
    from hilabel.tasks import fit_table

    check_target(output)
    files = files_of(features, labels, hierarchy, options)
    files = replace(files, valid=valid, valid_labels=valid_labels)
    tuning = {name: options[name] for name in ("tune", "valid_share")}
    choices = choices_of(options, thresholds=thresholds, **tuning)
    with screen.working() as report:
        result = fit_table(files, choices, report)
        save_model(result.model, output)
    for line in (*str(result.report).splitlines(), *result.sentences):
        screen.say(line)
    if result.tuning is not None:
        screen.table(result.tuning)
    if result.tried is not None:
        screen.table(result.tried, uncut="candidate")
    learned = result.model.pseudo_labeling
    if learned is not None and learned.history:
        screen.table(learned.frame(), most=STEPS_SHOWN)
        screen.say_path(
            f"pseudo-labels as a table: hilabel inspect {output} --pseudo-labels FILE"
        )
    screen.say_path(f"model: {output}, {output.stat().st_size / 1e6:.2f} MB")
    if result.no_better:
        screen.alarm(NO_BETTER_TOLD)
    screen.json({"output": output, "summary": result.model.summary})
    if result.no_better:
        click.get_current_context().exit(NO_BETTER)
