"""Run or resume a study, in parallel."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from joblib import Parallel, delayed, effective_n_jobs

from hilabel._progress import Progress
from hilabel._typing import FilePath
from hilabel._writing import inputs_kept
from hilabel.studies._config import Study, read_study
from hilabel.studies._plan import cells_of, make_plan
from hilabel.studies._run import run_one
from hilabel.studies._runs_left import RunsLeft
from hilabel.studies._selection import select_runs
from hilabel.studies._specs import RunSpec
from hilabel.studies._store import ResultsStore
from hilabel.studies._workbench import Workbench


@dataclass(frozen=True)
class StudyStatus:
    """The progress of a study.

    Attributes
    ----------
    n_runs, n_done : int
        Number of runs, and of finished runs, successful or not. If only part of the
        study was selected, only its runs count here and below.
    failed : tuple of (str, str)
        The failed runs and the reasons.
    n_planned : int
        Number of runs of the whole study.
    stale : dict of str to int
        Per method, the number of results that do not count as finished because its own
        code (a class or function outside hilabel) has changed since.
    repeated : dict of str to int
        Per method, the number of stale results that were computed again.
    warnings : dict of str to int
        Each warning of the finished runs, and the number of runs that issued it.
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
    n_planned: int = 0
    stale: dict[str, int] = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)
    warnings: dict[str, int] = field(default_factory=dict)
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
    datasets: str | Iterable[str] | None = None,
    fractions: float | Iterable[float] | None = None,
    methods: str | Iterable[str] | None = None,
    repetitions: int | Iterable[int] | None = None,
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
    datasets, methods : str or iterable of str, optional
    fractions : float or iterable of float, optional
    repetitions : int or iterable of int, optional
        Run only these; by default, run all. The rest can be run later, in the same
        folder.
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
        If several processes work in the folder, each one waits at the end for the cells
        that the others are working on.

    Raises
    ------
    StudyConfigError
        If the study file is invalid or its data are missing.
    ParameterError
        If the study does not have a selected data set, fraction, method or repetition.
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
    plan = make_plan(study)
    chosen = select_runs(
        plan,
        datasets=datasets,
        fractions=fractions,
        methods=methods,
        repetitions=repetitions,
    )
    study.check_data({run.cell.dataset.name for run in chosen})
    store = ResultsStore(folder)
    with inputs_kept(study.inputs):
        store.check_tables()  # fail now, not after hours of work
        store.write_study(study.source.text, study.datasets, study.methods)
        n_removed = store.clean_up(plan)
        progress = Progress(verbose)
        stale = _by_method(store.stale(chosen))
        for method, n_results in stale.items():
            progress.announce(stale_sentence(method, n_results))
        _run(chosen, store, n_jobs, retry_failed, progress)
        store.write_tables(plan)
        n_removed += store.clean_up(plan)
    status = _status(chosen, store, len(plan))
    repeated = Counter(stale) - Counter(status.stale)
    return replace(status, repeated=dict(repeated), n_removed=n_removed)


def _run(
    runs: Sequence[RunSpec],
    store: ResultsStore,
    n_jobs: int | None,
    retry_failed: bool,
    progress: Progress,
) -> None:
    """Perform the runs that are pending."""
    pending = store.pending(runs, failed_counts=not retry_failed)
    progress.report(f"{len(runs) - len(pending)} of {len(runs)} runs are already done")
    runs_left = RunsLeft(pending, effective_n_jobs(n_jobs))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    taken = []
    for cell, done in parallel(
        delayed(_run_cell)(cell, store, retry_failed) for cell in cells_of(pending)
    ):
        if done is None:
            taken.append(cell)
        _report(cell, done or [], progress, runs_left)
    if taken:
        progress.report("waiting for cells that another process works on")
    # That process may have selected other methods.
    for cell, done in parallel(
        delayed(_run_cell)(cell, store, retry_failed, wait=True) for cell in taken
    ):
        _report(cell, done or [], progress, runs_left)


def _report(
    cell: Sequence[RunSpec],
    done: Sequence[_Done],
    progress: Progress,
    runs_left: RunsLeft,
) -> None:
    for run, seconds, error in done:
        runs_left.count(run.method.name, seconds)
        if error:
            progress.report(f"{run.title} failed: {error}")
    if done:
        seconds = sum(seconds for _, seconds, _ in done)
        progress.report(f"{cell[0].cell.title}: {seconds:.1f} s; {runs_left}")


def study_status(
    study: Study | FilePath,
    folder: FilePath,
    *,
    datasets: str | Iterable[str] | None = None,
    fractions: float | Iterable[float] | None = None,
    methods: str | Iterable[str] | None = None,
    repetitions: int | Iterable[int] | None = None,
) -> StudyStatus:
    """Return the progress of a study.

    Parameters
    ----------
    study : Study or path-like
    folder : path-like
        The results folder.
    datasets, methods : str or iterable of str, optional
    fractions : float or iterable of float, optional
    repetitions : int or iterable of int, optional
        Count only these; by default, count all.

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
    plan = make_plan(study)
    chosen = select_runs(
        plan,
        datasets=datasets,
        fractions=fractions,
        methods=methods,
        repetitions=repetitions,
    )
    return _status(chosen, ResultsStore(folder), len(plan))


def _status(
    runs: Sequence[RunSpec], store: ResultsStore, n_planned: int
) -> StudyStatus:
    stale = store.stale(runs)
    is_stale = {run.id for run in stale}
    done = [run for run in runs if store.has(run.id) and run.id not in is_stale]
    failed, warnings = [], Counter[str]()
    for run in done:
        record = store.read(run.id)
        warnings.update(record.warnings)
        if record.error:
            failed.append((run.title, record.error))
    return StudyStatus(
        n_runs=len(runs),
        n_done=len(done),
        failed=tuple(failed),
        n_planned=n_planned,
        stale=_by_method(stale),
        warnings=dict(warnings.most_common()),
    )


def _by_method(runs: Iterable[RunSpec]) -> dict[str, int]:
    return dict(Counter(run.method.name for run in runs))


def stale_sentence(method: str, n_results: int) -> str:
    """Return a sentence about results of a method whose own code has changed.

    Examples
    --------
    >>> from hilabel.studies import stale_sentence
    >>> stale_sentence("mine", 3)
    '3 results of method mine are stale: its code has changed'
    """
    results = "1 result" if n_results == 1 else f"{n_results} results"
    verb = "is" if n_results == 1 else "are"
    return f"{results} of method {method} {verb} stale: its code has changed"


def _run_cell(
    runs: Sequence[RunSpec],
    store: ResultsStore,
    retry_failed: bool,
    *,
    wait: bool = False,
) -> tuple[Sequence[RunSpec], list[_Done] | None]:
    """Perform the runs of one cell; return None if another process is working on it."""
    done = []
    with store.claim(runs, wait=wait) as is_mine:
        if not is_mine:
            return runs, None
        bench = Workbench(runs[0].cell)
        # Check again: another process may have finished some in the meantime.
        for run in store.pending(runs, failed_counts=not retry_failed):
            record = run_one(run, bench)
            store.write(record)
            done.append(_Done(run, float(record.facts["seconds"]), record.error))
    return runs, done
