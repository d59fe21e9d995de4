"""The result of a comparison of methods, as tables and a figure that can be saved."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pandas as pd

from hilabel._typing import FilePath
from hilabel._writing import folder_aside, inputs_kept
from hilabel.datasets import MatchReport
from hilabel.judgement import Judgement
from hilabel.report import ComparisonDisplay, has_matplotlib, save_figure
from hilabel.tasks._choices import FitChoices
from hilabel.tasks._write_table import write_table

CONSTANT: Final = "constant predictor"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Scores of several methods on the same rows and folds.

    Attributes
    ----------
    title : str
        What was compared, and how.
    measures : DataFrame
        One row per method and for the constant predictor, best first: ``method``;
        ``micro_AP``, ``macro_AP`` and ``Fmax`` over the rows of all folds; ``behind``,
        the difference from the best micro average precision, and ``error``, the
        standard error of that difference over folds; ``seconds`` for training and
        scoring in all folds; ``peak_MB``, the peak memory of the process and its
        workers, including the data. Unknown values are NaN.
    choices : dict of FitChoices
        The choices of each method by its name in ``measures``, for :func:`fit_table`.
    judgements : dict of Judgement
        The quality of each method.
    display : ComparisonDisplay
    report : MatchReport
    sentences : tuple of str
        The findings, to be shown.
    failures : dict of str
        Methods that raised an error, and its message.
    no_better : tuple of str
        Methods that are no better than the constant predictor.
    skipped : dict of str
        Methods that are compared by default, but not on these data, and why.
    inputs : tuple of Path
        The files that were read; ``save`` does not overwrite them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import TableFiles, compare_methods
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     found = compare_methods(files, ["PredictiveClusteringTree"])
    >>> found.best, found.failures
    ('PredictiveClusteringTree', {})
    """

    title: str
    measures: pd.DataFrame
    choices: dict[str, FitChoices]
    judgements: dict[str, Judgement]
    display: ComparisonDisplay
    report: MatchReport
    sentences: tuple[str, ...]
    failures: dict[str, str]
    no_better: tuple[str, ...]
    skipped: dict[str, str] = field(default_factory=dict)
    inputs: tuple[Path, ...] = ()

    @property
    def best(self) -> str:
        """The method with the highest micro average precision."""
        return next(name for name in self.measures["method"] if name != CONSTANT)

    def frame(self) -> pd.DataFrame:
        """Return ``measures``."""
        return self.measures

    def save(self, folder: FilePath) -> list[Path]:
        """Write the tables as CSV, and the figure if matplotlib is installed."""
        with inputs_kept(self.inputs), folder_aside(folder) as aside:
            written = [
                write_table(self.measures, aside / "comparison.csv"),
                write_table(self.display.frame(), aside / "folds.csv"),
            ]
            if has_matplotlib():
                figure = self.display.plot()
                written.append(save_figure(figure, aside / "comparison.png"))
        return [Path(folder) / path.name for path in written]
