"""``hilabel plot``: figures of pseudo-labels, labelled fractions and ranks."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hilabel._method_text import split_outside
from hilabel._writing import check_target
from hilabel.cli._group import Subgroup
from hilabel.cli._options import (
    FEATURES_FILE,
    INPUT_FILE,
    OUTPUT_FILE,
    choices_of,
    data_options,
    files_of,
    hierarchy_option,
    ids_option,
    labels_option,
    screen_options,
    training_options,
)
from hilabel.cli._screen import Screen

if TYPE_CHECKING:
    from hilabel.report import Display

__all__ = ["plot"]

_SUFFIXES: Final = (".png", ".svg", ".pdf")

_output = click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    required=True,
    metavar="FILE",
    help="The figure: .png, .svg or .pdf.",
)


def _listed(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> list[str] | None:
    """Return the values of one or several options, or None if there are none."""
    return [name for text in given for name in split_outside(text, ",")] or None


def _fractions(
    ctx: click.Context, param: click.Parameter, given: str
) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in given.split(","))
    except ValueError:
        raise click.BadParameter(
            f"expected numbers such as .1,.3,1, got {given!r}.", ctx, param
        ) from None


@click.group(cls=Subgroup)
def plot() -> None:
    """Draw figures of pseudo-labels and scores.

    Example: hilabel plot pseudo-labels model.hilabel -o map.png
    """


@plot.command("pseudo-labels")
@click.argument("model", type=INPUT_FILE)
@_output
@click.option(
    "--nodes",
    multiple=True,
    metavar="A,B,...",
    callback=_listed,
    help="Nodes to show [default: three that divide the rows].*",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="A,B",
    callback=_listed,
    help="Columns of the axes [default: principal components].*",
)
@click.option(
    "--features",
    type=INPUT_FILE,
    metavar="FILE",
    help="Training table, if the model does not store it.",
)
@click.option(
    "--id-column", metavar="NAME", help="Id column [default: as in training]."
)
@ids_option
@screen_options
def pseudo_labels(model: Path, output: Path, screen: Screen, **options: Any) -> None:
    """Draw rows before and after pseudo-labelling.

    \b
    MODEL is a file of 'hilabel fit' with a method that labels unlabelled rows,
    such as SSHMCBLI or STHC. Options marked * can be repeated. Example:
    hilabel plot pseudo-labels model.hilabel --nodes GO:0008150 -o map.png
    """
    from hilabel.tasks import pseudo_label_display

    check_target(output, _SUFFIXES)
    with screen.working() as report:
        report("Drawing", 0, 0)
        display = pseudo_label_display(model, **options)
        _save(display, output)
    for before, after in display.panels:
        screen.say(" ".join(before.title.split()))
        screen.say(f"  {' '.join(after.title.split())}")
    screen.say_path(f"figure: {output}")
    screen.json(
        {
            "output": output,
            "axes": display.axis_names,
            "nodes": [panel.node for panel, *_ in display.panels],
        }
    )


@plot.command("label-fraction")
@click.argument("features", type=FEATURES_FILE)
@labels_option(required=True)
@hierarchy_option
@_output
@click.option(
    "--fractions",
    default=".1,.3,.5,1",
    metavar="F,F,...",
    show_default=True,
    callback=_fractions,
    help="Labelled fractions.",
)
@click.option(
    "--test",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.3,
    metavar="SHARE",
    help="Share of test rows [default: 0.3].",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=3,
    metavar="N",
    help="Repetitions [default: 3].",
)
@data_options
@training_options
@screen_options
def label_fraction(
    features: Path,
    labels: Path,
    hierarchy: Path | None,
    output: Path,
    fractions: tuple[float, ...],
    test: float,
    repetitions: int,
    screen: Screen,
    **options: Any,
) -> None:
    """Draw scores against the labelled fraction.

    \b
    A method is trained on FEATURES at each fraction with the unlabelled rows and,
    if it learns from them, without. Options marked * can be repeated. Example:
    hilabel plot label-fraction genes.csv -l genes.gaf --method SSHMCBLI -o f.png
    """
    from hilabel.tasks import label_fraction_display

    check_target(output, _SUFFIXES)
    files = files_of(features, labels, hierarchy, options)
    with screen.working() as report:
        display, sentences = label_fraction_display(
            files,
            choices_of(options),
            fractions=fractions,
            test=test,
            repetitions=repetitions,
            report=report,
        )
        _save(display, output)
    for line in sentences:
        screen.say(line)
    screen.table(display.mean_frame())
    screen.say_path(f"figure: {output}")
    screen.json({"output": output, "scores": display.frame()})


@plot.command("critical-difference")
@click.argument("scores", type=INPUT_FILE)
@_output
@click.option("--lower-is-better", is_flag=True, help="The scores are losses.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    metavar="A",
    show_default=True,
    help="Significance level.",
)
@screen_options
def critical_difference(
    scores: Path, output: Path, lower_is_better: bool, alpha: float, screen: Screen
) -> None:
    """Draw mean ranks and mark methods that do not differ significantly.

    \b
    SCORES is a CSV file with a column for each method and a row for each block,
    such as a data set; a first column of words, or without a title, names the
    blocks. Commas, semicolons or tabs separate the cells.
    Example: hilabel plot critical-difference scores.csv -o ranks.png
    """
    from hilabel.tasks import critical_difference_display

    check_target(output, _SUFFIXES)
    display = critical_difference_display(
        scores, higher_is_better=not lower_is_better, alpha=alpha
    )
    _save(display, output)
    friedman = display.friedman
    screen.table(display.frame().astype({"groups": str}), uncut="method")
    is_different = friedman.rejects(alpha)
    screen.say(
        f"critical difference {display.difference:.3f} over {friedman.n_blocks} "
        f"blocks; Friedman's test finds {'a' if is_different else 'no'} difference "
        f"between the methods: p = {friedman.chi_square_p:.3g}"
    )
    screen.say_path(f"figure: {output}")
    screen.json(
        {
            "output": output,
            "critical_difference": display.difference,
            "friedman_p": friedman.chi_square_p,
            "friedman_rejects": is_different,
            "ranks": display.frame(),
        }
    )


def _save(display: "Display", output: Path) -> None:
    from hilabel.report import save_figure

    save_figure(display.plot(), output)
