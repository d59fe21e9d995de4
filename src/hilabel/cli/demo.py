"""``hilabel demo``: run every method on the paper's artificial data."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.tree import Tree
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from hilabel._progress import Report, say_nothing
from hilabel._writing import folder_aside
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    LocalClassifierPerNode,
    PriorClassifier,
)
from hilabel.cli._group import Command
from hilabel.cli._screen import Screen
from hilabel.datasets import ArtificialData, make_artificial, write_example
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision
from hilabel.report import PseudoLabelDisplay, has_matplotlib, save_figure
from hilabel.semi_supervised import SSHMCBLI

__all__ = ["DemoResult", "DemoRow", "demo", "print_demo", "run_demo", "save_figures"]

# How each profile breaks ties between negatives; see LocalClassifierPerNode.
NEGATIVES_ORDER: Final = {"paper": "siblings_first", "authors": "authors"}
VARIANTS: Final = ("v1", "v2", "v3")

# The paper's Table 3, reproduced by the profile "authors".
PUBLISHED: Final = {"LCN": 0.4492, "V1": 0.4817, "V2": 0.4526, "V3": 0.4573}

FIGURE_NODES: Final = (1, 4)

MEANING: Final = {
    "T": "tree",
    "DAG": "directed acyclic graph",
    "SPL": "a single path of labels per row",
    "MPL": "several paths of labels per row",
    "FD": "every path reaches a leaf",
    "PD": "paths may end anywhere",
}

NOTES: Final = (
    "LCN learns from the 12 labelled rows only; the calibrated version corrects for "
    "training on as many negatives as positives. V1 to V3 are SSHMC-BLI, which adds "
    "pseudo-labelled rows. The profile 'paper' follows the text of the paper, "
    "'authors' the program that produced its published scores.",
    "AP is the micro average precision on the 300 test rows. In the column 'closed', "
    "the ancestors of a label are labels too, as the hierarchy requires. The published "
    "scores use test labels that are not closed over ancestors, so a correctly "
    "predicted ancestor counts as an error; 'not closed' is computed this way.",
    "For comparison, the constant predictor ignores the features and predicts the "
    "frequency of each label among the labelled rows for every row.",
)


class DemoRow(NamedTuple):
    """The results of one method; results that do not apply to it are None."""

    method: str
    profile: str
    n_iter: int | None
    stop_reason: str | None
    n_pseudo_labeled: int | None
    # On test labels closed over ancestors, and on those of the published scores.
    average_precision: float
    unclosed_average_precision: float
    published: float | None


@dataclass(frozen=True, eq=False)
class DemoResult:
    """The results of the demo, with everything needed for printing and drawing.

    ``models[profile][variant]`` is a fitted SSHMCBLI, such as
    ``models["paper"]["V1"]``; ``local`` is the class name of the local classifiers.
    """

    data: ArtificialData
    local: str
    rows: tuple[DemoRow, ...]
    models: dict[str, dict[str, SSHMCBLI]]


def run_demo(local: Any = None, *, report: Report = say_nothing) -> DemoResult:
    """Train and score every method on the artificial data.

    The default local classifier, a random forest with a fixed seed, reproduces the
    published scores.
    """
    data = make_artificial()
    unclosed = make_artificial(closed_test=False).Y_test
    # The seed of the published scores; every node's forest uses it.
    local = RandomForestClassifier(100, random_state=0) if local is None else local
    contestants = list(_contestants(data.hierarchy, local))
    rows = []
    models: dict[str, dict[str, SSHMCBLI]] = {
        profile: {} for profile in NEGATIVES_ORDER
    }
    for number, (method, profile, model) in enumerate(contestants):
        title = f"{method} ({profile})" if profile else method
        report(f"Training {title}", number, len(contestants))
        model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
        scores = model.predict_proba(data.X_test)
        rows.append(
            DemoRow(
                method,
                profile,
                *_passes(model),
                average_precision=average_precision(data.Y_test, scores),
                unclosed_average_precision=average_precision(unclosed, scores),
                published=PUBLISHED[method] if profile == "authors" else None,
            )
        )
        if isinstance(model, SSHMCBLI):
            models[profile][method] = model
    return DemoResult(data, type(local).__name__, tuple(rows), models)


def _contestants(
    hierarchy: Hierarchy, local: Any
) -> Iterator[tuple[str, str, BaseHierarchicalClassifier]]:
    """Yield the method, profile and estimator of each table row, in order."""
    yield "constant", "", PriorClassifier(hierarchy)
    for profile, order in NEGATIVES_ORDER.items():
        base = LocalClassifierPerNode(
            hierarchy,
            estimator=local,
            policy="balanced_bottom_up",
            negatives_order=order,
        )
        yield "LCN", profile, base
        if profile == "paper":
            calibrated = clone(base).set_params(calibration="prior")
            yield "LCN calibrated", profile, calibrated
        for variant in VARIANTS:
            model = SSHMCBLI(
                hierarchy, estimator=local, variant=variant, profile=profile
            )
            yield variant.upper(), profile, model


def _passes(
    model: BaseHierarchicalClassifier,
) -> tuple[int | None, str | None, int | None]:
    if not isinstance(model, SSHMCBLI):
        return None, None, None
    n_pseudo_labeled = int((model.labeled_iter_ > 0).sum())
    return model.n_iter_, model.termination_condition_, n_pseudo_labeled


# Showing --------------------------------------------------------------------------


@click.command(cls=Command)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo_output",
    show_default=True,
    help="Folder for the figures; created if missing.",
)
@click.option(
    "--write-files",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write example files for training to this folder and exit.",
)
@click.option(
    "--example",
    type=click.Choice(["go", "shop", "titles", "proteins"]),
    default="go",
    show_default=True,
    help="Which files to write: genes (CSV, GAF, OBO), products (CSV), products with "
    "titles, or proteins (FASTA, hits).",
)
def demo(
    output: Path,
    write_files: Path | None,
    example: Literal["go", "shop", "titles", "proteins"],
) -> None:
    """Run every method on the paper's artificial data and save figures.

    \b
    Example: hilabel demo --output figures
    Example: hilabel demo --write-files example
    """
    screen = Screen()
    if write_files is not None:
        for path in write_example(write_files, example).values():
            screen.say_path(str(path))
        return
    if not has_matplotlib():
        _run_and_print(screen)
        screen.say("For figures, install matplotlib: pip install 'hilabel[plot]'")
        return
    # Create the folder first, so that a failure shows before the work starts.
    with folder_aside(output) as aside:
        result = _run_and_print(screen)
        with screen.working() as report:
            report("Drawing the figures", 0, 0)
            written = save_figures(result, aside)
    shown = " and ".join(map(str, FIGURE_NODES))
    screen.say(f"Nodes {shown} before and after pseudo-labelling:")
    for path in written:
        screen.say_path(f"  {output / path.name}")


def _run_and_print(screen: Screen) -> DemoResult:
    with screen.working() as report:
        result = run_demo(report=report)
    print_demo(result, Console())
    return result


def print_demo(result: DemoResult, console: Console) -> None:
    """Print the data, hierarchy and scores; the terminal needs at least 80 columns."""
    data = result.data
    console.print("[bold]The artificial data of the SSHMC-BLI paper[/bold]")
    console.print(_data_table(data))
    console.print(_hierarchy_tree(data.hierarchy))
    structure, paths, depth = data.hierarchy.problem_type(data.Y_labeled)
    console.print(f"\nProblem type: [bold]({structure}, {paths}, {depth})[/bold]")
    console.print(f"{MEANING[structure]}, {MEANING[paths]}, {MEANING[depth]}\n")
    console.print(f"[bold]Methods, with a {result.local} per node[/bold]")
    console.print(_score_table(result.rows))
    for note in NOTES:
        console.print(f"\n{note}", highlight=False)
    console.print()


def save_figures(result: DemoResult, folder: Path) -> list[Path]:
    """Draw the pseudo-labels of each profile and return the paths of the figures."""
    paths = []
    for profile, models in result.models.items():
        display = PseudoLabelDisplay.from_models(result.data, models, FIGURE_NODES)
        path = folder / f"pseudo_labels_{profile}.png"
        paths.append(save_figure(display.plot(), path))
    return paths


def _score_table(rows: tuple[DemoRow, ...]) -> Table:
    # The widest row needs 79 columns; beyond 80, rich would truncate numbers.
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False
    )
    for name in ("method", "profile"):
        table.add_column(name, no_wrap=True)
    table.add_column("passes", justify="right")
    table.add_column("stopped\nby", no_wrap=True)
    for name in ("pseudo-\nlabelled", "AP\nclosed", "AP not\nclosed", "published"):
        table.add_column(name, justify="right")
    for row, following in zip(rows, (*rows[1:], None)):
        table.add_row(
            row.method,
            row.profile or "-",
            *(
                "-" if value is None else str(value)
                for value in (row.n_iter, row.stop_reason, row.n_pseudo_labeled)
            ),
            f"{row.average_precision:.4f}",
            f"{row.unclosed_average_precision:.4f}",
            "-" if row.published is None else f"{row.published:.4f}",
            end_section=following is not None and following.profile != row.profile,
        )
    return table


def _data_table(data: ArtificialData) -> Table:
    table = Table("rows", "number", "features", "labels per row", box=box.SIMPLE_HEAD)
    for title, X, Y in (
        ("labelled", data.X_labeled, data.Y_labeled),
        ("unlabelled", data.X_unlabeled, None),
        ("test", data.X_test, data.Y_test),
    ):
        labels = "unknown" if Y is None else f"{Y.sum(axis=1).mean():.2f}"
        table.add_row(title, str(X.shape[0]), str(X.shape[1]), labels)
    return table


def _hierarchy_tree(hierarchy: Hierarchy) -> Tree:
    """Draw the graph as a tree; a node with two parents appears under both."""
    top = Tree(repr(hierarchy))

    def add(branch: Tree, node: int) -> None:
        parents = hierarchy.parents(node)
        shared = f"  [dim]({parents.size} parents)[/dim]" if parents.size > 1 else ""
        below = branch.add(f"{hierarchy.titles[node]}{shared}")
        for child in hierarchy.children(node):
            add(below, int(child))

    for root in hierarchy.roots:
        add(top, int(root))
    return top
