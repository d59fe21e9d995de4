"""The results folder: one file per run, and tables made from these files."""

import json
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
from filelock import FileLock, Timeout

from hilabel._typing import FilePath
from hilabel._writing import check_target, is_leftover_of, written_aside
from hilabel.exceptions import StudyStoreError
from hilabel.studies._records import (
    TABLES,
    RunRecord,
    make_tables,
    with_all_columns,
)
from hilabel.studies._specs import DatasetSpec, MethodSpec, RunSpec
from hilabel.studies._tables import CONTENTS_FILE
from hilabel.studies._user_code import code_files, code_id, hash_again, method_code

_STUDY_FILE = "study.toml"
_CODE_FILE = "code.json"
_OLD_SECONDS = 3600


class ResultsStore:
    """A folder with the results of a study, which remains valid after any interruption.

    ``runs/`` contains one file for each finished run. These files are written
    atomically and are the only source of truth; nothing else needs to be kept.
    ``claims/`` contains a lock file for each cell. :meth:`write_tables` creates
    ``results.parquet`` and the other tables from the runs, and can be called again at
    any time. ``study.toml`` is a copy of the study file, ``contents.json`` contains
    hashes of the tables that it names, and ``code.json`` the files of the user's own
    code and their hashes.

    Parameters
    ----------
    folder : path-like
        Created if missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import ResultsStore
    >>> with TemporaryDirectory() as folder:
    ...     ResultsStore(folder).has("a run that never was")
    False
    """

    def __init__(self, folder: FilePath) -> None:
        self.folder = Path(folder)
        for name in ("runs", "claims"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    # Runs ---------------------------------------------------------------------------

    def write(self, record: RunRecord) -> None:
        """Store the record of a run durably."""
        _write_bytes(self._path(record.run), record.to_bytes())

    def read(self, run_id: str) -> RunRecord:
        """Return the record of a run."""
        path = self._path(run_id)
        try:
            return RunRecord.from_bytes(path.read_bytes())
        except ValueError as error:
            raise StudyStoreError(
                f"{path}: expected the record of a run, but it is invalid ({error}); "
                "remove the file to repeat the run."
            ) from None

    def has(self, run_id: str, *, failed_counts: bool = True) -> bool:
        """Return whether a run has finished.

        A failed run only counts as finished if ``failed_counts`` is True.
        """
        if not self._path(run_id).is_file():
            return False
        return failed_counts or not self.read(run_id).error

    def pending(
        self, runs: Iterable[RunSpec], *, failed_counts: bool = True
    ) -> list[RunSpec]:
        """Return the runs that have not finished yet, or whose results are stale."""
        runs = list(runs)
        stale = {run.id for run in self.stale(runs)}
        return [
            run
            for run in runs
            if run.id in stale or not self.has(run.id, failed_counts=failed_counts)
        ]

    def stale(self, runs: Iterable[RunSpec]) -> list[RunSpec]:
        """Return the finished runs whose method uses code that has changed since.

        This is a user's own code; hilabel's version and commit are in the record.
        """
        runs = list(runs)
        methods = {run.method.name: run.method for run in runs}
        codes = {name: method_code(method) for name, method in methods.items()}
        # The records of other methods need not be read.
        own = [run for run in runs if codes[run.method.name] and self.has(run.id)]
        return [run for run in own if self.read(run.id).code != codes[run.method.name]]

    @contextmanager
    def claim(self, runs: Sequence[RunSpec], *, wait: bool = False) -> Iterator[bool]:
        """Reserve a cell, or yield False if another process is working on it.

        If ``wait`` is True, wait until that process has finished.
        """
        with _locked(self._claim_path(runs[0]), wait=wait) as is_mine:
            yield is_mine

    def clean_up(self, runs: Sequence[RunSpec]) -> int:
        """Remove unfinished files left by killed processes, and unused lock files.

        Cells claimed by another process are skipped. Returns the number of unfinished
        files that were removed.
        """
        n_removed = 0
        with _locked(self._tables_claim) as is_mine:
            if is_mine:
                n_removed += _remove(self._unfinished(self.folder))
        left = self._unfinished(self.folder / "runs")
        for run in runs if left else ():
            mine = {path for path in left if is_leftover_of(path, self._path(run.id))}
            if mine:
                with _locked(self._claim_path(run)) as is_mine:
                    n_removed += _remove(mine) if is_mine else 0
                left -= mine
        # Files of runs that are no longer in the study, whose process is unknown.
        n_removed += _remove(path for path in left if _is_old(path))
        if not self.pending(runs):
            self._remove_claims()
        return n_removed

    def _unfinished(self, folder: Path) -> set[Path]:
        return {path for path in folder.iterdir() if is_leftover_of(path)}

    def _remove_claims(self) -> None:
        """Remove all lock files that no process holds; all cells must be finished."""
        for path in (self.folder / "claims").iterdir():
            with _locked(path) as is_mine:
                if is_mine:
                    path.unlink(missing_ok=True)

    # Tables -------------------------------------------------------------------------

    def tables(self, runs: Iterable[RunSpec]) -> dict[str, pd.DataFrame]:
        """Return the tables of the finished runs, in the given order."""
        done = (run.id for run in runs if self.has(run.id))
        return make_tables(self.read(run_id) for run_id in done)

    def write_tables(self, runs: Sequence[RunSpec]) -> dict[str, pd.DataFrame]:
        """Rewrite each Parquet file atomically, from the records of the runs."""
        # One process at a time, so that the last one includes all runs of the others.
        with _locked(self._tables_claim, wait=True):
            tables = self.tables(runs)
            for name, frame in tables.items():
                with written_aside(self._table_path(name)) as aside:
                    frame.to_parquet(aside, index=False, compression="zstd")
        return tables

    def check_tables(self) -> None:
        """Raise ``ImportError`` or ``OSError`` if tables cannot be written."""
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ImportError(
                "Tables of results need pyarrow, which is not installed; "
                "pip install 'hilabel[study]'."
            ) from None
        for name in TABLES:
            check_target(self._table_path(name))

    def write_study(
        self,
        text: str,
        datasets: Iterable[DatasetSpec] = (),
        methods: Iterable[MethodSpec] = (),
    ) -> None:
        """Store a copy of the study file, and hashes of the files that it names."""
        contents = {spec.name: dict(spec.contents) for spec in datasets}
        code = {spec.name: code_files(spec) for spec in methods}
        with _locked(self._tables_claim, wait=True):
            if any(contents.values()):
                content = json.dumps(contents, indent=1).encode()
                _write_bytes(self.folder / CONTENTS_FILE, content)
            if any(code.values()):
                content = json.dumps(code, indent=1).encode()
                _write_bytes(self.folder / _CODE_FILE, content)
            _write_bytes(self.folder / _STUDY_FILE, text.encode())

    def _table_path(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    @property
    def _tables_claim(self) -> Path:
        return self.folder / "claims" / "tables"

    def _claim_path(self, run: RunSpec) -> Path:
        return self.folder / "claims" / run.cell.id

    def _path(self, run_id: str) -> Path:
        return self.folder / "runs" / f"{run_id}.json"


def read_results(folder: FilePath) -> dict[str, pd.DataFrame]:
    """Read the result tables of a study.

    Parameters
    ----------
    folder : path-like
        A results folder. Only its ``.parquet`` files are read.

    Returns
    -------
    dict of str to DataFrame
        ``results``: one row per run and measure. ``nodes`` and ``depths``: test scores
        by node and depth. ``passes``: what each pass of pseudo-labelling accepted.
        ``grid``: scores of the grid points on the validation rows.

    Raises
    ------
    StudyStoreError
        If a table is missing or damaged.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import TABLES, read_results, run_study
    >>> text = '''
    ... fractions = [0.5]
    ... datasets = [{ name = "tree", source = "synthetic", n_samples = 100 }]
    ... methods.constant = { class = "PriorClassifier" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     _ = run_study(path, Path(folder, "results"))
    ...     tables = read_results(Path(folder, "results"))
    >>> set(tables) == set(TABLES)
    True
    """
    tables = {}
    for name in TABLES:
        path = Path(folder) / f"{name}.parquet"
        if not path.is_file():
            raise StudyStoreError(
                f"{path}: this table of results does not exist; 'hilabel study run' "
                "writes it."
            )
        try:
            tables[name] = with_all_columns(name, pd.read_parquet(path))
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise StudyStoreError(
                f"{path}: this is not a valid Parquet file ({reason}); 'hilabel "
                "study run' writes it again."
            ) from None
    return tables


def stale_results(folder: FilePath, results: pd.DataFrame) -> dict[str, int]:
    """Return the number of stale results per method.

    A result is stale if its method uses a class or a function of the user whose file
    has changed since. ``hilabel study run`` computes stale results again.

    Parameters
    ----------
    folder : path-like
        A results folder. If the user's files are not on this machine, results are
        compared with the files at the time of the last run.
    results : DataFrame
        The table ``results`` of this folder.

    Raises
    ------
    StudyStoreError
        If ``code.json`` in the folder is damaged.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import read_results, run_study, stale_results
    >>> text = '''
    ... fractions = [0.5]
    ... datasets = [{ name = "tree", source = "synthetic", n_samples = 100 }]
    ... methods.mine = { class = "mine.py:Mine" }
    ... '''
    >>> code = "from hilabel.classifiers import PriorClassifier as Mine"
    >>> with TemporaryDirectory() as folder:
    ...     results, own = Path(folder, "results"), Path(folder, "mine.py")
    ...     _ = own.write_text(code)
    ...     _ = Path(folder, "study.toml").write_text(text)
    ...     _ = run_study(Path(folder, "study.toml"), results)
    ...     _ = own.write_text(code + "  # edited")
    ...     stale_results(results, read_results(results)["results"])
    {'mine': 1}
    """
    path = Path(folder) / _CODE_FILE
    if not path.is_file():
        return {}
    try:
        methods = json.loads(path.read_bytes())
        codes = {name: code_id(hash_again(files)) for name, files in methods.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise StudyStoreError(
            f"{path}: expected the hashes of a study's code, but the content is "
            f"invalid ({error}); remove the file."
        ) from None
    runs = results.drop_duplicates("run")
    current = runs["method"].map(codes).fillna("")
    is_stale = (current != "") & (current != runs["code"])
    counts = runs.loc[is_stale].groupby("method", sort=False).size()
    return {str(name): int(n) for name, n in counts.items()}


@contextmanager
def _locked(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a lock file, or yield False if another process holds it.

    The operating system releases the lock when the process that holds it ends for any
    reason, so no claim is ever stale.
    """
    lock = FileLock(path)
    with suppress(Timeout):
        lock.acquire(blocking=wait)
    try:
        yield lock.is_locked
    finally:
        lock.release()


def _write_bytes(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return  # a study may be run from the copy in its own folder
    with written_aside(path) as aside:
        aside.write_bytes(content)


def _remove(folders: Iterable[Path]) -> int:
    n_removed = 0
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        n_removed += 1
    return n_removed


def _is_old(path: Path) -> bool:
    """Return whether a file is so old that no process can still be writing it."""
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > _OLD_SECONDS
    return False
