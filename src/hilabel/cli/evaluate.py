"""``hilabel evaluate``: compare a method with the constant predictor."""

from pathlib import Path
from typing import Any

import click

from hilabel.cli._group import NO_BETTER, NO_BETTER_TOLD, Command
from hilabel.cli._matching import show_matching
from hilabel.cli._options import (
    FEATURES_FILE,
    INPUT_FILE,
    METHOD_OPTIONS,
    choices_of,
    data_options,
    details_option,
    files_of,
    groups_option,
    hierarchy_option,
    labels_option,
    links_option,
    method_options,
    one_way_option,
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
@links_option
@one_way_option
@groups_option
@data_options
@method_options
@details_option
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
    from hilabel.models import judgement_numbers
    from hilabel.tasks import evaluate_model, evaluate_table

    if model is not None:
        refuse_training_options(
            click.get_current_context(),
            "--model is",
            (*METHOD_OPTIONS, "links_one_way", "groups"),
        )
    files = files_of(features, labels, hierarchy, options)
    choices = choices_of(options)
    with screen.working() as report:
        if model is None:
            result = evaluate_table(files, choices, report)
        else:
            result = evaluate_model(model, files, report)
        paths = [] if output is None else result.save(output)
    show_matching(screen, result.report)
    for line in result.details:
        screen.detail(line)
    screen.head(result.title)
    screen.table(result.measures)
    screen.detail_table("Average precision by depth", result.per_depth)
    if result.skipped:
        screen.say(result.skipped)
    for line in result.verdict:
        screen.say(line)
    for path in paths:
        screen.say_path(f"  {path}")
    if result.no_better:
        screen.alarm(NO_BETTER_TOLD)
    screen.json(
        {
            "title": result.title,
            "measures": result.measures,
            "per_depth": result.per_depth,
            "verdict": result.verdict,
            "skipped": result.skipped,
            "quality": judgement_numbers(result.judgement),
            "candidates": [vars(one) for one in result.judgement.candidates],
            "files": paths,
        }
    )
    if result.no_better:
        click.get_current_context().exit(NO_BETTER)
