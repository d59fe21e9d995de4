"""Run or resume a study, in parallel."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from joblib import Parallel, delayed, effective_n_jobs

from hilabel._progress import Progress
from hilabel._typing import FilePath
from hilabel._writing import inputs_kept
from hilabel.studies._config import Study, read_study
from hilabel.studies._plan import cells_of, make_plan
from hilabel.studies._run import run_one
from hilabel.studies._specs import RunSpec
from hilabel.studies._store import ResultsStore
from hilabel.studies._time_left import TimeLeft
from hilabel.studies._workbench import Workbench


@dataclass(frozen=True)
class StudyStatus:
    """The progress of a study.

    Attributes
    ----------
    n_runs, n_done : int
        Number of runs in the plan, and of finished runs, successful or not.
    failed : tuple of (str, str)
        The failed runs and the reasons.
    n_removed : int
        Number of unfinished files of killed processes that were removed.

    Examples
    --------
    >>> from hilabel.studies import StudyStatus
    >>> StudyStatus(n_runs=6, n_done=2, failed=()).n_done
    2
    """

    n_runs: int
    n_done: int
    failed: tuple[tuple[str, str], ...]
    n_removed: int = 0


class _Done(NamedTuple):
    """What a worker reports about a finished run."""

    run: RunSpec
    seconds: float
    error: str


def run_study(
    study: Study | FilePath,
    folder: FilePath,
    *,
    n_jobs: int | None = None,
    retry_failed: bool = False,
    verbose: int = 0,
) -> StudyStatus:
    """Run the parts of a study whose results are not in the folder yet.

    If the function is interrupted in any way, it can be called again to continue.
    Several processes may work in the same folder at the same time. If a run fails, its
    error is recorded, and the other runs continue.

    Parameters
    ----------
    study : Study or path-like
    folder : path-like
        The results folder; created if missing.
    n_jobs : int, optional
        Number of cells computed in parallel with joblib. The results do not depend on
        it.
    retry_failed : bool, default=False
        Repeat runs that failed before.
    verbose : int, default=0
        1 shows the remaining time on standard error after two seconds; 2 from the
        start.

    Returns
    -------
    StudyStatus
        With several processes, some runs may still be running in another one.

    Raises
    ------
    StudyConfigError
        If the study file is invalid or its data are missing.
    OSError
        If the folder cannot be written to, such as on a full disk, or a table of
        results would replace a file that the study names. Results written before remain
        valid.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import read_results, run_study
    >>> text = '''
    ... fractions = [0.5]
    ... datasets = [{ name = "tree", source = "synthetic", n_samples = 100 }]
    ... methods.constant = { class = "PriorClassifier" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     status = run_study(path, Path(folder, "results"))
    ...     results = read_results(Path(folder, "results"))["results"]
    >>> status.n_done, results["method"].unique().tolist()
    (1, ['constant'])
    """
    study = study if isinstance(study, Study) else read_study(study)
    study.check_data()
    with inputs_kept(study.inputs):
        return _run_study(study, folder, n_jobs, retry_failed, Progress(verbose))


def _run_study(
    study: Study,
    folder: FilePath,
    n_jobs: int | None,
    retry_failed: bool,
    progress: Progress,
) -> StudyStatus:
    plan = make_plan(study)
    store = ResultsStore(folder)
    store.check_tables()  # fail now, not after hours of work
    store.write_study(study.source.text, study.datasets)
    n_removed = store.clean_up(plan)
    pending = store.pending(plan, failed_counts=not retry_failed)
    progress.report(f"{len(plan) - len(pending)} of {len(plan)} runs are already done")
    time_left = TimeLeft(pending, effective_n_jobs(n_jobs))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    for done in parallel(
        delayed(_run_cell)(runs, store, retry_failed) for runs in cells_of(pending)
    ):
        for run, seconds, error in done:
            time_left.count(run.method.name, seconds)
            if error:
                progress.report(f"{run.title} failed: {error}")
        if done:
            seconds = sum(seconds for _, seconds, _ in done)
            progress.report(f"{done[0].run.cell.title}: {seconds:.1f} s; {time_left}")
    store.write_tables(plan)
    n_removed += store.clean_up(plan)
    return replace(_status(plan, store), n_removed=n_removed)


def study_status(study: Study | FilePath, folder: FilePath) -> StudyStatus:
    """Return the progress of a study.

    Parameters
    ----------
    study : Study or path-like
    folder : path-like
        The results folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import study_status
    >>> text = '''
    ... fractions = [0.5]
    ... datasets = [{ name = "tree", source = "synthetic" }]
    ... methods.constant = { class = "PriorClassifier" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     status = study_status(path, Path(folder, "results"))
    >>> status.n_runs, status.n_done
    (1, 0)
    """
    study = study if isinstance(study, Study) else read_study(study)
    return _status(make_plan(study), ResultsStore(folder))


def _status(plan: Sequence[RunSpec], store: ResultsStore) -> StudyStatus:
    done = [run for run in plan if store.has(run.id)]
    errors = [(run.title, store.read(run.id).error) for run in done]
    failed = tuple((title, error) for title, error in errors if error)
    return StudyStatus(len(plan), len(done), failed)


def _run_cell(
    runs: Sequence[RunSpec], store: ResultsStore, retry_failed: bool
) -> list[_Done]:
    """Perform the runs of one cell, unless another process is working on it."""
    done = []
    with store.claim(runs) as is_mine:
        if not is_mine:
            return []
        bench = Workbench(runs[0].cell)
        # Check again: another process may have finished some in the meantime.
        for run in store.pending(runs, failed_counts=not retry_failed):
            record = run_one(run, bench)
            store.write(record)
            done.append(_Done(run, float(record.facts["seconds"]), record.error))
    return done
