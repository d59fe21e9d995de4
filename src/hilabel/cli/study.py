"""``hilabel study``: list and run studies, show their status, and write reports."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hilabel.cli._group import FAILED_RUNS, Subgroup
from hilabel.cli._options import Jobs

if TYPE_CHECKING:
    from hilabel.studies import StudyStatus

__all__ = ["study"]

_FAILURES_SHOWN = 5
_WARNINGS_SHOWN = 5
_TITLES = {"dataset": "data set", "fraction": "labelled fraction"}


class StudyFile(click.Path):
    """A study file: a path, or the name of a study that comes with hilabel."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the path of the study file."""
        if not Path(value).is_file():
            from hilabel.studies import bundled_studies

            bundled = bundled_studies()
            if value not in bundled:
                self.fail(
                    f"expected a study file or one of {', '.join(bundled)}, got "
                    f"{str(value)!r}, which is no file; correct the path.",
                    param,
                    ctx,
                )
            value = bundled[value]
        return super().convert(value, param, ctx)


_config = click.argument("config", type=StudyFile())
_output = click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Results folder [default: study_results/NAME].",
)
_as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text."
)
_Command = TypeVar("_Command", bound=Callable[..., Any])


def _selection(command: _Command) -> _Command:
    """Add the options that choose a part of a study; each can be repeated."""
    for name, kind in (
        ("repetition", click.IntRange(1)),
        ("method", str),
        ("fraction", float),
        ("dataset", str),
    ):
        command = click.option(
            f"--{name}",
            f"{name}s",
            type=kind,
            multiple=True,
            help=f"Only this {_TITLES.get(name, name)}; repeat the option for several.",
        )(command)
    return command


@click.group(cls=Subgroup)
def study() -> None:
    """Compare methods on data sets, as described in a TOML file.

    CONFIG is the path of such a file, or the name of a study that comes with hilabel.

    Example: hilabel study run smoke
    """


@study.command("list")
def list_studies() -> None:
    """List the studies that come with hilabel.

    Example: hilabel study list
    """
    from hilabel.studies import bundled_studies, read_study

    for name, path in bundled_studies().items():
        title = read_study(path, check_methods=False).title
        click.echo(f"{name:<14}{title}")
    click.echo("To run one: hilabel study run NAME")


@study.command()
@_config
@_output
@_selection
@click.option(
    "--n-jobs",
    type=Jobs(),
    default=1,
    show_default=True,
    help="Number of processes; -1 means one per core. It does not affect the results.",
)
@click.option("--retry-failed", is_flag=True, help="Repeat failed runs.")
@click.option("--quiet", is_flag=True, help="Do not show progress.")
@_as_json
def run(
    config: Path,
    output: Path | None,
    n_jobs: int,
    retry_failed: bool,
    quiet: bool,
    as_json: bool,
    **selection: Any,
) -> None:
    """Run a study, or resume it; it can be interrupted at any time.

    By default, all of it is run. With --dataset, --fraction, --method or --repetition,
    only the selected part is run; the rest can follow later, in the same folder. If
    runs failed, the exit code is 4.

    Example: hilabel study run paper_go --dataset pheno --method V2 --n-jobs 2
    """
    from hilabel.studies import read_study, run_study

    plan = read_study(config)
    folder = output or _default_folder(plan.name)
    status = run_study(
        plan,
        folder,
        n_jobs=n_jobs,
        retry_failed=retry_failed,
        verbose=0 if quiet else 1,
        **selection,
    )
    _print_status(status, folder, as_json)
    if not as_json:
        _print_warnings(status)
        click.echo(f"Results: {folder / 'results.parquet'}")
        click.echo(f"For a report: hilabel study report {folder}")
    if status.failed:
        click.get_current_context().exit(FAILED_RUNS)


@study.command()
@_config
@_output
@_selection
@_as_json
def status(config: Path, output: Path | None, as_json: bool, **selection: Any) -> None:
    """Show how many runs of a study have finished and which failed.

    Example: hilabel study status paper_go
    """
    from hilabel.studies import read_study, study_status

    plan = read_study(config)
    folder = output or _default_folder(plan.name)
    if not folder.is_dir():
        raise click.UsageError(
            f"{folder}: this results folder does not exist; 'hilabel study run' "
            "creates it, or pass another with --output."
        )
    _print_status(study_status(plan, folder, **selection), folder, as_json)


@study.command()
@click.argument("store", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Output folder [default: STORE/report].",
)
def report(store: Path, output: Path | None) -> None:
    """Write an HTML report on the results in the folder STORE.

    The page opens in any browser. It shows scores by labelled fraction, ranks and
    tests, the label gap, depths and nodes, pseudo-labelling, time and memory, failures,
    and a table of all runs that can be sorted and filtered. Figures are saved next to
    it as PNG and SVG, tables as CSV. The study need not be finished.

    Example: hilabel study report study_results/smoke -o smoke_report
    """
    from hilabel.report.study import write_study_report

    click.echo(f"Report: {write_study_report(store, output or store / 'report')}")


def _default_folder(name: str) -> Path:
    return Path("study_results") / name


def _print_status(status: "StudyStatus", folder: Path, as_json: bool) -> None:
    from hilabel.studies import stale_sentence

    if as_json:
        outcome = {
            "folder": str(folder),
            "n_runs": status.n_runs,
            "n_done": status.n_done,
            "n_planned": status.n_planned,
            "stale": status.stale,
            "repeated": status.repeated,
            "n_removed": status.n_removed,
            "warnings": status.warnings,
            "failed": [{"run": run, "error": error} for run, error in status.failed],
        }
        click.echo(json.dumps(outcome, indent=2))
        return
    is_part = status.n_runs < status.n_planned
    part = f"; the whole study has {status.n_planned}" if is_part else ""
    selected = "selected runs" if is_part else "runs"
    click.echo(f"{status.n_done} of {status.n_runs} {selected} done{part}")
    for method, n in status.repeated.items():
        click.echo(f"{n} stale result(s) of method {method} were computed again")
    for method, n in status.stale.items():
        click.echo(stale_sentence(method, n))
    if status.n_removed:
        click.echo(
            f"removed {status.n_removed} unfinished file(s) left by killed processes"
        )
    left = status.n_runs - status.n_done
    if left:
        click.echo(f"{left} left, or running in another process")
    if not status.failed:
        return
    click.echo(
        f"{len(status.failed)} failed (see them all with 'hilabel study report', "
        "repeat them with --retry-failed):"
    )
    for title, error in status.failed[:_FAILURES_SHOWN]:
        click.echo(f"  {title}: {error}")
    if len(status.failed) > _FAILURES_SHOWN:
        click.echo(f"  and {len(status.failed) - _FAILURES_SHOWN} more")


def _print_warnings(status: "StudyStatus") -> None:
    """Print each warning once, the most frequent ones first."""
    if status.warnings:
        click.echo("Warnings, with the number of runs:")
    for text, n_runs in list(status.warnings.items())[:_WARNINGS_SHOWN]:
        click.echo(f"  {n_runs}: {text}")
    if len(status.warnings) > _WARNINGS_SHOWN:
        click.echo(f"  and {len(status.warnings) - _WARNINGS_SHOWN} more")
