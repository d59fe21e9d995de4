"""The results folder: a file per run, and tables made of them."""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
from filelock import FileLock, Timeout

from hilabel._typing import FilePath
from hilabel._writing import leftovers_of, written_aside
from hilabel.exceptions import StudyStoreError
from hilabel.studies._records import TABLES, RunRecord, make_tables
from hilabel.studies._specs import DatasetSpec, RunSpec
from hilabel.studies._tables import CONTENTS_FILE

_STUDY_FILE = "study.toml"


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
        with _locked(self.folder / "claims" / runs[0].cell.id) as is_mine:
            if is_mine:
                for run in runs:
                    _remove_leftovers(self._path(run.id))
            yield is_mine

    # Tables -------------------------------------------------------------------------

    def tables(self, runs: Iterable[RunSpec]) -> dict[str, pd.DataFrame]:
        """Return the tables of those of the runs that have ended, in their order."""
        done = (run.id for run in runs if self.has(run.id))
        return make_tables(self.read(run_id) for run_id in done)

    def write_tables(self, runs: Sequence[RunSpec]) -> dict[str, pd.DataFrame]:
        """Make the Parquet files anew from the runs, each replaced as a whole."""
        # One process at a time: who comes last has seen all runs of who came before.
        with _locked(self.folder / "claims" / "tables", wait=True):
            tables = self.tables(runs)
            for name, frame in tables.items():
                path = self.folder / f"{name}.parquet"
                _remove_leftovers(path)
                with written_aside(path) as aside:
                    frame.to_parquet(aside, index=False, compression="zstd")
        return tables

    def check_tables(self) -> None:
        """Raise ``ImportError`` if what it takes to write tables is not here."""
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ImportError(
                "Tables of results need pyarrow, which is not installed; "
                "pip install 'hilabel[study]'."
            ) from None

    def write_study(self, text: str, datasets: Iterable[DatasetSpec] = ()) -> None:
        """Keep a copy of the study file, and which files it was about."""
        contents = {spec.name: dict(spec.contents) for spec in datasets}
        if any(contents.values()):
            content = json.dumps(contents, indent=1).encode()
            _write_bytes(self.folder / CONTENTS_FILE, content)
        _write_bytes(self.folder / _STUDY_FILE, text.encode())

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
    with written_aside(path) as aside:
        aside.write_bytes(content)


def _remove_leftovers(path: Path) -> None:
    for folder in leftovers_of(path):
        shutil.rmtree(folder, ignore_errors=True)
