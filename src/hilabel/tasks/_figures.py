"""Figures about a model, a method or a table of scores, from a user's files."""

import csv
from collections.abc import Iterable
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._progress import Report, say_nothing
from hilabel._typing import FilePath
from hilabel.datasets import TableFiles
from hilabel.exceptions import DatasetFormatError, ParameterError
from hilabel.hierarchy import informative_nodes
from hilabel.models import TableModel
from hilabel.report import (
    CriticalDifferenceDisplay,
    LabelFractionDisplay,
    PseudoLabelDisplay,
)
from hilabel.report.page import has_pseudo_labels, stored_rows
from hilabel.tasks._build import preset_sentences_of
from hilabel.tasks._choices import FitChoices
from hilabel.tasks._predict import as_table_model
from hilabel.tasks._prepared import Folds, Prepared


def pseudo_label_display(
    model: TableModel | FilePath,
    features: FilePath | None = None,
    *,
    nodes: Iterable[str] | None = None,
    columns: Iterable[str] | None = None,
    id_column: str | None = None,
    ids: FilePath | None = None,
) -> PseudoLabelDisplay:
    """Return the figure of the pseudo-labels of a model from ``hilabel fit``.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or its file.
    features : path-like, optional
        The training table, if the method does not store its training rows.
    nodes, columns
        As in :meth:`~hilabel.report.PseudoLabelDisplay.from_estimator`; columns are in
        the units of the table.
    id_column : str, optional
        Id column of ``features``; by default, the same as in training.
    ids : path-like, optional
        The ids of the rows, if ``features`` are arrays.

    Raises
    ------
    ParameterError
        If the method has no pseudo-labels, or training rows are missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table
    >>> from hilabel.tasks import pseudo_label_display
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="SSHMCBLI", base="tree", measure=False)
    ...     display = pseudo_label_display(fit_table(files, choices).model)
    >>> len(display.panels)  # nodes
    3
    """
    model = as_table_model(model)
    names = model.feature_names
    X = None
    if not has_pseudo_labels(model.estimator):
        pass  # refused below, whatever the table is
    elif features is not None:
        table = model.read(features, id_column, ids)
        place = {row_id: row for row, row_id in enumerate(table.ids)}
        missing = [row_id for row_id in model.sample_ids if row_id not in place]
        if missing:
            raise ParameterError(
                f"{features}: expected the training table, but {len(missing)} of its "
                f"{len(model.sample_ids)} rows are missing, such as {missing[0]!r}.",
                parameter="features",
            )
        X = model.matrix(table)[[place[row_id] for row_id in model.sample_ids]]
    elif (X := stored_rows(model)) is None:
        raise ParameterError(
            f"{type(model.estimator).__name__} does not store its training rows; pass "
            "the training table.",
            parameter="features",
        )
    if columns is not None:
        columns = [_column(name, names) for name in columns]
        if X is not None and not sp.issparse(X):
            center, spread = model.preparation.scaling()
            X = np.asarray(X) * spread + center
    return PseudoLabelDisplay.from_estimator(
        model.estimator, X, nodes=nodes, columns=columns, feature_names=names
    )


def label_fraction_display(
    files: TableFiles,
    choices: FitChoices | None = None,
    *,
    fractions: Iterable[float] = (0.1, 0.3, 0.5, 1.0),
    test: float = 0.3,
    repetitions: int = 3,
    report: Report = say_nothing,
) -> tuple[LabelFractionDisplay, tuple[str, ...]]:
    """Return average precision against the labelled fraction, and the choices made.

    Roots that nearly all labelled rows have are not measured.

    Parameters
    ----------
    files : TableFiles
    choices : FitChoices, optional
    fractions, test, repetitions
        As in :meth:`~hilabel.report.LabelFractionDisplay.from_estimator`.
    report : callable, optional
        Called with the progress.

    Returns
    -------
    display : LabelFractionDisplay
    sentences : tuple of str
        The choices and their reasons, as in ``FitResult``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, label_fraction_display
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     display, _ = label_fraction_display(
    ...         files, FitChoices(effort="fast"), fractions=[0.5], repetitions=1
    ...     )
    >>> display.frame()["trained_on"].tolist()
    ['labelled rows only', 'constant predictor']
    """
    choices = FitChoices() if choices is None else choices
    choices.refuse_tuning()
    choices.resolved()
    files = choices.counting(files)
    report("Reading the files", 0, 0)
    tables = files.read()
    folds = Folds(np.full(len(tables.table), -1))
    prepared = Prepared.of(tables, choices, folds, report)
    labels = tables.labels
    informative = informative_nodes(tables.hierarchy, labels.n_positive, labels.n_known)
    display = LabelFractionDisplay.from_estimator(
        prepared.estimator,
        prepared.data.X,
        labels,
        fractions=fractions,
        test=test,
        repetitions=repetitions,
        nodes=np.flatnonzero(informative).tolist(),
        random_state=choices.seed,
        report=report,
    )
    told = preset_sentences_of(choices, files)
    return display, (*prepared.sentences, *told)


def critical_difference_display(
    path: FilePath, *, higher_is_better: bool = True, alpha: float = 0.05
) -> CriticalDifferenceDisplay:
    r"""Return the critical-difference diagram of a table of scores.

    Parameters
    ----------
    path : path-like
        A file with a row for each block and a column for each method, separated by
        commas, semicolons or tabs. A first column of words, or one without a title,
        names the blocks.
    higher_is_better : bool, default=True
    alpha : float, default=0.05

    Raises
    ------
    DatasetFormatError
        If the file is not such a table.
    ScoreError
        If a score is missing or not a number.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.tasks import critical_difference_display
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     _ = path.write_text("data,forest,tree\nyeast,0.7,0.6\nshop,0.9,0.8\n")
    ...     critical_difference_display(path).ranks.to_dict()
    {'forest': 1.0, 'tree': 2.0}
    """
    return CriticalDifferenceDisplay.from_scores(
        _read_scores(path), higher_is_better=higher_is_better, alpha=alpha
    )


def _read_scores(path: FilePath) -> pd.DataFrame:
    """Return a table of scores, with the names of the blocks as its index."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        separator = _separator_of(text)
        header = _check_widths(path, text, separator)
        table = pd.read_csv(StringIO(text), sep=separator, index_col=False)
    except (
        csv.Error,
        pd.errors.ParserError,
        pd.errors.EmptyDataError,
        UnicodeError,
    ) as error:
        raise DatasetFormatError(
            "expected a table with a column of scores for each method, but it cannot "
            f"be read: {' '.join(str(error).split())}",
            source=path,
        ) from None
    # pandas writes an index without a title, or two.
    n_names = len(list(takewhile(lambda title: not title.strip(), header)))
    if n_names == 0 and not pd.api.types.is_numeric_dtype(table.iloc[:, 0]):
        n_names = 1
    return table.set_index(list(table.columns[:n_names])) if n_names else table


def _separator_of(text: str) -> str:
    """Return the separator that divides the header into most cells."""
    header = text.lstrip().partition("\n")[0]
    n_cells = {mark: len(next(csv.reader([header], delimiter=mark))) for mark in ",;\t"}
    return max(n_cells, key=n_cells.__getitem__)


def _check_widths(path: FilePath, text: str, separator: str) -> list[str]:
    """Return the header; raise an error if a line has more or fewer cells."""
    lines = csv.reader(StringIO(text, newline=""), delimiter=separator)
    header = next(filter(None, lines), [])
    for cells in filter(None, lines):
        if len(cells) != len(header):
            raise DatasetFormatError(
                f"expected {len(header)} cells in each line, as in the header, but "
                f"line {lines.line_num} has {len(cells)}; every column needs a title, "
                "and every block a score of each method.",
                source=path,
            )
    return header


def _column(name: str, names: Iterable[str]) -> Any:
    """Return a column's name or, if there is no such name, the number it stands for."""
    return int(name) if name.isdigit() and name not in names else name
