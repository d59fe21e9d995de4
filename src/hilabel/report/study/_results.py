"""The input to a report: the tables of a study, and the study file."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, Self

import pandas as pd

from hilabel import semi_supervised
from hilabel._typing import FilePath
from hilabel.exceptions import StudyConfigError, StudyStoreError
from hilabel.studies import (
    MEASURES,
    TABLES,
    MethodSpec,
    ResultsStore,
    RunSpec,
    Study,
    block_scores,
    gap_closed,
    make_plan,
    read_results,
    read_study,
    stale_results,
)

_CONSTANT_CLASS: Final = "PriorClassifier"
_CONSTANT_NAME: Final = "constant"


@dataclass(frozen=True, eq=False)
class StudyResults:
    """The results of a study with arbitrary methods and data sets."""

    name: str  # of the study, or of its folder without a study file
    tables: dict[str, pd.DataFrame]  # see hilabel.studies.read_results
    # None if the folder has no study file, or an unreadable one.
    study: Study | None = None
    # Per method, the number of results that are older than its own code.
    stale: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, store: ResultsStore | FilePath) -> Self:
        """Read a results folder; the study may be unfinished.

        Raises
        ------
        StudyStoreError
            If there is nothing to report.
        """
        folder = Path(store.folder if isinstance(store, ResultsStore) else store)
        study = _study_of(folder)
        tables = _tables_of(folder, study)
        if tables["results"].empty:
            raise StudyStoreError(
                f"{folder}: expected the results of at least one run, got none; "
                "'hilabel study run' makes them."
            )
        # The copy of the study file does not have the name of the file.
        told = study.source.table.get("name") if study else None
        stale = stale_results(folder, tables["results"])
        return cls(told or folder.resolve().name, tables, study, stale)

    # Names --------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The title of the study."""
        return (self.study.title if self.study else "") or self.name

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """All methods, in the order of the study."""
        if self.study is not None:
            return tuple(method.name for method in self.study.methods)
        return tuple(map(str, self.tables["results"]["method"].unique()))

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """The data sets with runs, in the order of the study."""
        return tuple(map(str, self.tables["results"]["dataset"].unique()))

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The measures with results, in the order in which the study lists them."""
        return tuple(map(str, self.values["measure"].unique()))

    @property
    def measure(self) -> str:
        """The first measure of the study, used in figures and tests."""
        return self.measures[0] if self.measures else ""

    @cached_property
    def constant(self) -> str | None:
        """The method that ignores the features, if there is one."""
        if self.study is None:
            return _CONSTANT_NAME if _CONSTANT_NAME in self.methods else None
        for method in self.study.methods:
            if method.class_name == _CONSTANT_CLASS:
                return method.name
        return None

    @cached_property
    def supervised(self) -> dict[str, str]:
        """Mapping from methods to their supervised counterparts, if these differ."""
        if self.study is None:
            return {}
        pairs = self.study.supervised.items()
        return {name: other for name, other in pairs if name != other}

    @cached_property
    def semi_supervised(self) -> set[str]:
        """The methods that learn from unlabelled rows."""
        gave_labels = self.runs["n_pseudo_labeled"].notna()
        found = set(self.runs.loc[gave_labels, "method"])
        if self.study is not None:
            found |= {
                one.name for one in self.study.methods if _is_semi_supervised(one)
            }
        return found

    # Tables -------------------------------------------------------------------------

    @cached_property
    def values(self) -> pd.DataFrame:
        """The rows of the ``results`` table that have a value."""
        results = self.tables["results"]
        return results[(results["measure"] != "") & results["value"].notna()]

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Table with one row per run, without measures."""
        results = self.tables["results"]
        runs = results.drop_duplicates("run").drop(columns=["measure", "value"])
        return runs.reset_index(drop=True)

    @property
    def failed(self) -> pd.DataFrame:
        """The failed runs."""
        return self.runs[self.runs["error"] != ""]

    @property
    def n_planned(self) -> int:
        """The number of runs in the study, whether finished or not."""
        return len(self._plan) if self.study else len(self.runs)

    @cached_property
    def _plan(self) -> list[RunSpec]:
        return make_plan(self.study) if self.study else []

    @cached_property
    def missing(self) -> pd.DataFrame:
        """How many runs are planned and missing, by data set and method.

        The columns are ``dataset``, ``method``, ``n_planned`` and ``n_missing``.
        """
        finished = set(self.runs["run"])
        rows = [
            (run.cell.dataset.name, run.method.name, 1, int(run.id not in finished))
            for run in self._plan
        ]
        columns = ["dataset", "method", "n_planned", "n_missing"]
        groups = pd.DataFrame(rows, columns=columns).groupby(columns[:2], sort=False)
        return groups.sum().reset_index()

    def blocks(self, measure: str | None = None) -> pd.DataFrame:
        """Return a table of scores with one row per block and one column per method."""
        measure = measure or self.measure
        present = set(self.values.loc[self.values["measure"] == measure, "method"])
        methods = [name for name in self.methods if name in present]
        if not methods:
            return pd.DataFrame()
        asked_for = None if self.study is None else self.study.fractions
        return block_scores(self.values, measure, methods, fractions=asked_for)

    def partly_labeled(self, table: str) -> pd.DataFrame:
        """Return a table without fractions that only supervised counterparts use."""
        rows, blocks = self.tables[table], self.blocks()
        if blocks.empty:
            return rows.iloc[:0]
        return rows[rows["fraction"].isin(blocks.index.get_level_values("fraction"))]

    @cached_property
    def gaps(self) -> pd.DataFrame:
        """The share of the label gap that each method closes."""
        return gap_closed(self.values, self.supervised, self.measure)

    def gap_totals(self, by: str | list[str]) -> pd.Series:
        """Return the total gain over the total gap of all data sets, by group."""
        gaps = self.gaps.dropna(subset="gap_closed")
        gaps = gaps.assign(
            gain=gaps["score"] - gaps["supervised_score"],
            gap=gaps["full_score"] - gaps["supervised_score"],
        )
        totals = gaps.groupby(by, sort=False)[["gain", "gap"]].sum()
        return totals["gain"] / totals["gap"]

    @staticmethod
    def higher_is_better(measure: str) -> bool:
        """Return whether higher values of a measure are better."""
        return measure not in MEASURES or MEASURES[measure].higher_is_better


def _is_semi_supervised(method: MethodSpec) -> bool:
    """Return whether a method of this library gets and uses unlabelled rows."""
    if not (method.unlabeled and method.class_path.startswith("hilabel.")):
        return False
    cls = getattr(semi_supervised, method.class_name, None)
    return cls is not None and cls.method_tags.semi_supervised


def measure_title(measure: str) -> str:
    """Return the name of a measure for use in text.

    Examples
    --------
    >>> from hilabel.report.study._results import measure_title
    >>> measure_title("micro_average_precision"), measure_title("fmax")
    ('micro AP', 'Fmax')
    """
    words = measure.replace("average_precision", "AP").replace("_", " ")
    known = {"fmax": "Fmax", "hierarchical f1": "hierarchical F1"}
    return known.get(words, words)


def _study_of(folder: Path) -> Study | None:
    try:
        # Classes named in the study may be missing, or have other parameters now.
        return read_study(folder / "study.toml", check_methods=False)
    except (OSError, StudyConfigError):
        return None  # the numbers do not depend on it


def _tables_of(folder: Path, study: Study | None) -> dict[str, pd.DataFrame]:
    """Return the stored tables, or new ones if these are out of date."""
    if study is None or not (folder / "runs").is_dir():
        return read_results(folder)
    plan = make_plan(study)
    # Runs of an earlier version of the study do not belong to it.
    known = {run.id for run in plan}
    ended = [path for path in (folder / "runs").glob("*.json") if path.stem in known]
    if not ended or not _are_newer(folder, ended):
        return ResultsStore(folder).tables(plan)
    tables = read_results(folder)
    is_same = {path.stem for path in ended} == set(tables["results"]["run"])
    return tables if is_same else ResultsStore(folder).tables(plan)


def _are_newer(folder: Path, runs: list[Path]) -> bool:
    """Return whether all tables were written after the last run."""
    written = [folder / f"{name}.parquet" for name in TABLES]
    if not all(path.is_file() for path in written):
        return False
    last_run = max(path.stat().st_mtime_ns for path in runs)
    return min(path.stat().st_mtime_ns for path in written) > last_run
