"""``hilabel fit``: train a model on features, labels and a hierarchy."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from hilabel._writing import check_target
from hilabel.cli._group import NO_BETTER, NO_BETTER_TOLD
from hilabel.cli._matching import show_matching
from hilabel.cli._options import (
    FEATURES_FILE,
    OUTPUT_FILE,
    choices_of,
    data_options,
    details_option,
    files_of,
    hierarchy_option,
    labels_option,
    links_option,
    method_options,
    one_way_option,
    screen_options,
)
from hilabel.cli._screen import STEPS_SHOWN, Screen
from hilabel.cli._tuning import TuningCommand, tuning_options

__all__ = ["fit"]


# Not the docstring, so that all options fit a screen.
_HELP: Final = """\b
Train on labelled and unlabelled rows. Options marked * can be repeated.
FEATURES: CSV, Excel, Parquet, .npy, .npz, .h5ad, FASTA, InterProScan, eggNOG,
ids if there are links, or -. Example: hilabel fit genes.csv -l genes.gaf
"""


@click.command(cls=TuningCommand, help=_HELP)
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
@links_option
@one_way_option
@data_options
@method_options
@tuning_options
@click.option(
    "--measure/--no-measure",
    default=True,
    help="Measure the quality [default: yes].",
)
@details_option
@screen_options
def fit(
    features: Path,
    labels: Path,
    hierarchy: Path | None,
    output: Path,
    valid: Path | None,
    valid_labels: Path | None,
    measure: bool,
    screen: Screen,
    **options: Any,
) -> None:
    """Train on labelled and unlabelled rows."""
    from hilabel.persistence import save_model
    from hilabel.tasks import fit_table

    check_target(output)
    files = files_of(features, labels, hierarchy, options)
    files = replace(files, valid=valid, valid_labels=valid_labels)
    tuning = {name: options[name] for name in ("tune", "valid_share")}
    choices = choices_of(options, measure=measure, **tuning)
    with screen.working() as report:
        result = fit_table(files, choices, report)
        save_model(result.model, output)
    show_matching(screen, result.report)
    for line in result.details:
        screen.detail(line)
    if result.tuning is not None:
        screen.table(result.tuning)
    if result.tried is not None:
        screen.detail_table(
            "Candidates, before calibration",
            _without_skipped(result.tried),
            uncut="candidate",
        )
    learned = result.model.record.pseudo_labels
    if learned is not None and learned.history:
        screen.detail_table("Pseudo-labelling", learned.frame(), most=STEPS_SHOWN)
    if result.skipped:
        screen.say(result.skipped)
    screen.say_path(f"model: {output}, {output.stat().st_size / 1e6:.2f} MB")
    if learned is not None:
        screen.say_path(
            f"pseudo-labels as a table: hilabel inspect {output} --pseudo-labels FILE"
        )
    for line in result.verdict:
        screen.say(line)
    screen.say_path(f"next: {next_command(output, features, files.links)}")
    if result.no_better:
        screen.alarm(NO_BETTER_TOLD)
    screen.json(
        {
            "output": output,
            "verdict": result.verdict,
            "skipped": result.skipped,
            "summary": result.model.summary,
        }
    )
    if result.no_better:
        click.get_current_context().exit(NO_BETTER)


def _without_skipped(tried: Any) -> Any:
    """Leave out what a sentence tells: candidates that were skipped, and why."""
    return tried[tried["reason"] == ""].drop(columns=["status", "reason"])


def next_command(model: Path, features: Path, links: Any = ()) -> str:
    """Return the command that predicts terms for the rows of the training table."""
    was_piped = click.get_current_context().obj == features
    rows = "-" if was_piped else str(features)
    words = ["hilabel", "predict", str(model), rows]
    for kind, path in links:
        words += ["--links", str(path) if kind is None else f"{kind}={path}"]
    return shlex.join([*words, "--threshold", "model"])
