"""The result of an evaluation, as tables and figures that can be saved."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from hilabel._typing import FilePath
from hilabel._writing import folder_aside, inputs_kept
from hilabel.datasets import MatchReport
from hilabel.hierarchy import Hierarchy
from hilabel.judgement import (
    Judgement,
    depth_table,
    measure_table,
    node_table,
    skipped_sentence,
)
from hilabel.report import (
    CalibrationDisplay,
    Display,
    PrecisionRecallDisplay,
    has_matplotlib,
    save_figure,
)
from hilabel.tasks._write_table import write_table


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Measures of a method on rows that its models have not seen.

    Attributes
    ----------
    title : str
        What was evaluated, and how.
    judgement : Judgement
    without_unlabeled : Judgement or None
        Of the same method, trained on the labelled rows alone, if it learns from
        unlabelled rows and does not measure their gain itself.
    without_groups : Judgement or None
        Of the same method, in folds that do not keep groups of strongly linked rows
        together, if the rows are grouped.
    hierarchy : Hierarchy
    report : MatchReport
    verdict : tuple of str
        Quality, gain from unlabelled rows, and decision, a line each.
    details : tuple of str
        The choices and their reasons, and what else was measured.
    inputs : tuple of Path
        The files that were read; ``save`` does not overwrite them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import TableFiles, write_example
    >>> from hilabel.tasks import FitChoices, evaluate_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     found = evaluate_table(files, FitChoices(method="PredictiveClusteringTree"))
    >>> found.measures.columns.tolist()
    ['measure', 'model', 'constant', 'better']
    """

    title: str
    judgement: Judgement
    hierarchy: Hierarchy
    report: MatchReport
    verdict: tuple[str, ...]
    details: tuple[str, ...]
    without_unlabeled: Judgement | None = None
    without_groups: Judgement | None = None
    inputs: tuple[Path, ...] = ()

    @cached_property
    def measures(self) -> pd.DataFrame:
        """One row per measure: ``measure``, ``model``, ``constant``, ``better``.

        If there is such a judgement, ``without_unlabelled`` or ``without_groups`` is a
        column, too.
        """
        table = measure_table(self.judgement)
        if self.without_groups is not None:
            apart = measure_table(self.without_groups)
            table.insert(2, "without_groups", apart["model"])
        if self.without_unlabeled is not None:
            control = measure_table(self.without_unlabeled)
            table.insert(2, "without_unlabelled", control["model"])
        return table

    @property
    def per_depth(self) -> pd.DataFrame:
        """Average precision for all informative nodes, and depth by depth."""
        return depth_table(self.judgement)

    @property
    def per_node(self) -> pd.DataFrame:
        """Quality, threshold, precision and recall of each informative node."""
        return node_table(self.judgement, self.hierarchy)

    @property
    def curves(self) -> PrecisionRecallDisplay:
        """Precision-recall curves of the method and of the constant predictor."""
        return PrecisionRecallDisplay.from_judgement(self.judgement)

    @property
    def calibration(self) -> CalibrationDisplay:
        """Predicted probabilities against observed label frequencies."""
        return CalibrationDisplay.from_judgement(self.judgement)

    @property
    def skipped(self) -> str:
        """Which candidates were not tried, and why, in a sentence; "" if all were."""
        return skipped_sentence(self.judgement.candidates)

    @property
    def no_better(self) -> bool:
        """Whether the method is no better than the constant predictor."""
        return self.judgement.is_no_better

    def save(self, folder: FilePath) -> list[Path]:
        """Write the tables as CSV, and the figures if matplotlib is installed."""
        with inputs_kept(self.inputs), folder_aside(folder) as aside:
            written = self._write(aside)
        return [Path(folder) / path.name for path in written]

    def _write(self, folder: Path) -> list[Path]:
        tables = {
            "measures": self.measures,
            "per_depth": self.per_depth,
            "per_node": self.per_node,
            "calibration": self.calibration.frame(),
            "precision_recall": self.curves.frame(),
        }
        paths = [
            write_table(table, folder / f"{name}.csv") for name, table in tables.items()
        ]
        if has_matplotlib():
            displays: dict[str, Display] = {
                "calibration": self.calibration,
                "precision_recall": self.curves,
            }
            paths += [
                save_figure(display.plot(), folder / f"{name}.png")
                for name, display in displays.items()
            ]
        return paths
