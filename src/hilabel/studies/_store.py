"""The results folder: a file per run, and tables made of them."""

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
from hilabel.studies._records import TABLES, RunRecord, make_tables
from hilabel.studies._specs import DatasetSpec, RunSpec
from hilabel.studies._tables import CONTENTS_FILE

_STUDY_FILE = "study.toml"
_OLD_SECONDS = 3600


class ResultsStore:
    """The results of a study in a folder, safe against whatever ends a process.

    ``runs/`` has a file for each run that ended. It appears whole, by a rename, and is
    the only truth; nothing else needs to be kept. ``claims/`` has a lock file for each
    cell. ``results.parquet`` and the other tables are made from the runs by
    :meth:`write_tables` and can be made again at any time. ``study.toml`` is a copy of
    the study file, ``contents.json`` says what the tables held that it names.

    Parameters
    ----------
    folder : path-like
        Made if it is missing.

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
        """Keep a run; after this it survives everything but the loss of the disk."""
        _write_bytes(self._path(record.run), record.to_bytes())

    def read(self, run_id: str) -> RunRecord:
        """Return the record of a run."""
        path = self._path(run_id)
        try:
            return RunRecord.from_bytes(path.read_bytes())
        except ValueError as error:
            raise StudyStoreError(
                f"{path}: expected the record of a run, got something else ({error}); "
                "remove the file, and the run will be done again."
            ) from None

    def has(self, run_id: str, *, failed_counts: bool = True) -> bool:
        """Whether a run has ended; without ``failed_counts``, ended well."""
        if not self._path(run_id).is_file():
            return False
        return failed_counts or not self.read(run_id).error

    def pending(
        self, runs: Iterable[RunSpec], *, failed_counts: bool = True
    ) -> list[RunSpec]:
        """Return those of the runs that are still to be done."""
        return [r for r in runs if not self.has(r.id, failed_counts=failed_counts)]

    @contextmanager
    def claim(self, runs: Sequence[RunSpec]) -> Iterator[bool]:
        """Reserve the runs of a cell; False if another process is at work on it."""
        with _locked(self._claim_path(runs[0])) as is_mine:
            yield is_mine

    def clean_up(self, runs: Sequence[RunSpec]) -> int:
        """Remove what killed processes left unfinished, and claims of ended cells.

        What another process holds a claim on is left to it. Returns how many
        unfinished files there were.
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
        # Of runs that the study no longer has, as nobody knows who is at them.
        n_removed += _remove(path for path in left if _is_old(path))
        if not self.pending(runs):
            self._remove_claims()
        return n_removed

    def _unfinished(self, folder: Path) -> set[Path]:
        return {path for path in folder.iterdir() if is_leftover_of(path)}

    def _remove_claims(self) -> None:
        """Remove the lock files that nobody holds; all that they guard is done."""
        for path in (self.folder / "claims").iterdir():
            with _locked(path) as is_mine:
                if is_mine:
                    path.unlink(missing_ok=True)

    # Tables -------------------------------------------------------------------------

    def tables(self, runs: Iterable[RunSpec]) -> dict[str, pd.DataFrame]:
        """Return the tables of those of the runs that have ended, in their order."""
        done = (run.id for run in runs if self.has(run.id))
        return make_tables(self.read(run_id) for run_id in done)

    def write_tables(self, runs: Sequence[RunSpec]) -> dict[str, pd.DataFrame]:
        """Make the Parquet files anew from the runs, each replaced as a whole."""
        # One process at a time: who comes last has seen all runs of who came before.
        with _locked(self._tables_claim, wait=True):
            tables = self.tables(runs)
            for name, frame in tables.items():
                with written_aside(self._table_path(name)) as aside:
                    frame.to_parquet(aside, index=False, compression="zstd")
        return tables

    def check_tables(self) -> None:
        """Raise ``ImportError`` or ``OSError`` if tables cannot be written here."""
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ImportError(
                "Tables of results need pyarrow, which is not installed; "
                "pip install 'hilabel[study]'."
            ) from None
        for name in TABLES:
            check_target(self._table_path(name))

    def write_study(self, text: str, datasets: Iterable[DatasetSpec] = ()) -> None:
        """Keep a copy of the study file, and which files it was about."""
        contents = {spec.name: dict(spec.contents) for spec in datasets}
        with _locked(self._tables_claim, wait=True):
            if any(contents.values()):
                content = json.dumps(contents, indent=1).encode()
                _write_bytes(self.folder / CONTENTS_FILE, content)
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
    """Read the tables of a study that was run.

    Parameters
    ----------
    folder : path-like
        A results folder. Only its ``.parquet`` files are read.

    Returns
    -------
    dict of str to DataFrame
        ``results``: a row per run and measure. ``nodes`` and ``depths``: test scores by
        node and depth. ``passes``: what each pass of the pseudo-labelling accepted.
        ``grid``: the grid points on the validation rows.

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
                f"{path}: expected a table of results, got none; "
                "'hilabel study run' writes it."
            )
        try:
            tables[name] = pd.read_parquet(path)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise StudyStoreError(
                f"{path}: expected Parquet, got something else ({reason}); "
                "'hilabel study run' makes it anew."
            ) from None
    return tables


@contextmanager
def _locked(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a lock file, or yield False if another process holds it.

    The system itself takes the lock back when its owner ends, however that happens: no
    claim is ever stale.
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
    """Say whether nobody can be writing there any more; that takes milliseconds."""
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > _OLD_SECONDS
    return False
