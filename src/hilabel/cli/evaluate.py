"""``hilabel evaluate``: compare a method with the constant predictor."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._group import NO_BETTER, NO_BETTER_TOLD, Command
from hilabel.cli._options import (
    FEATURES_FILE,
    INPUT_FILE,
    METHOD_OPTIONS,
    choices_of,
    data_options,
    files_of,
    hierarchy_option,
    labels_option,
    method_options,
    refuse_training_options,
    screen_options,
)
from hilabel.cli._screen import Screen

__all__ = ["evaluate"]


@click.command(cls=Command)
@click.argument("features", type=FEATURES_FILE)
@labels_option(required=True)
@hierarchy_option
@click.option(
    "-m",
    "--model",
    type=INPUT_FILE,
    metavar="FILE",
    help="Evaluate this model instead of training one.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder for tables and figures.",
)
@data_options
@method_options
@screen_options
def evaluate(
    features: Path,
    labels: Path,
    hierarchy: Path | None,
    model: Path | None,
    output: Path | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Evaluate a method by cross-validation, or a trained model on a test file.

    \b
    Unlabelled rows are used for training in every fold.
    Options marked * can be repeated.
    Example: hilabel evaluate genes.csv -l genes.gaf -H go.obo -o quality
    """
    from hilabel.tasks import evaluate_model, evaluate_table

    if model is not None:
        refuse_training_options(
            click.get_current_context(), "--model is", METHOD_OPTIONS
        )
    files = files_of(features, labels, hierarchy, options)
    choices = choices_of(options)
    with screen.working() as report:
        if model is None:
            result = evaluate_table(files, choices, report)
        else:
            result = evaluate_model(model, files, report)
        paths = [] if output is None else result.save(output)
    for line in (*str(result.report).splitlines(), *result.sentences):
        screen.say(line)
    screen.head(result.title)
    screen.table(result.measures)
    screen.head("Label sets, at thresholds")
    screen.table(result.thresholds)
    screen.head("By depth (average precision)")
    screen.table(result.per_depth.rename(columns=_shorter))
    calibration = result.calibration
    screen.say(
        f"mean error of the probabilities: {calibration.error:.3f} for those of at "
        f"least {calibration.floor:g}, {calibration.overall_error:.3f} for all"
    )
    for path in paths:
        screen.say_path(f"  {path}")
    if result.no_better:
        screen.alarm(NO_BETTER_TOLD)
    screen.json(
        {
            "title": result.title,
            "measures": result.measures,
            "thresholds": result.thresholds,
            "per_depth": result.per_depth,
            "calibration_error": result.calibration.error,
            "overall_calibration_error": result.calibration.overall_error,
            "files": paths,
        }
    )
    if result.no_better:
        click.get_current_context().exit(NO_BETTER)


def _shorter(name: str) -> str:
    return name.replace("_average_precision", "").replace(
        "n_nodes_with_positives", "seen"
    )
