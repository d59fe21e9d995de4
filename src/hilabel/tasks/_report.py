"""Create a report page about a trained model and about rows in a user's files."""

from pathlib import Path
from typing import Any

from hilabel._progress import Report, say_nothing
from hilabel._typing import FilePath
from hilabel.datasets import TableFiles
from hilabel.exceptions import ParameterError
from hilabel.models import TableModel
from hilabel.report.page import GivenRows, ModelPage, PageContent
from hilabel.tasks._predict import as_table_model
from hilabel.tasks._rows_linked import RowsLinked


def report_model(
    model: TableModel | FilePath,
    features: FilePath | None = None,
    files: TableFiles | None = None,
    *,
    id_column: str | None = None,
    ids: FilePath | None = None,
    links: Any = None,
    report: Report = say_nothing,
) -> ModelPage:
    """Create a page about a model from ``hilabel fit`` and, optionally, about rows.

    If no rows are given, the page shows the labelled training rows, each with its
    out-of-fold probabilities. If rows are given, those that were labelled in training
    are also shown with their out-of-fold probabilities.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or its file.
    features : path-like, optional
        A table of rows to show, of the same kind and with the same columns as in
        training.
    files : TableFiles, optional
        Instead of ``features``: rows with their labels. If the model was trained on
        none of the labelled rows, its quality is measured on them.
    id_column : str, optional
        Id column of ``features``; by default, the same as in training.
    ids : path-like, optional
        The ids of the rows, if ``features`` are arrays.
    links : LinkTable, path-like, mapping of str to path-like, or (kind, path) pairs
        Links between ids, or files with them, from the rows of ``features`` to training
        rows; for ``files``, those are ``files.links``.
    report : callable, optional
        Called with the progress.

    Returns
    -------
    ModelPage

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table, report_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     model = fit_table(files, FitChoices(effort="fast")).model
    ...     page = report_model(model, paths["features"])
    >>> page.payload["measured_on"]
    'out of fold'
    """
    if files is not None and features is not None:
        raise ParameterError(
            "Expected features or files with labels, got both; remove one of them.",
            parameter="features",
        )
    report("Loading the model", 0, 0)
    title = "" if isinstance(model, TableModel) else Path(model).name
    model = as_table_model(model)
    report("Reading the files", 0, 0)
    rows = None
    if files is not None:
        table, labels, _ = model.read_labeled(files)
        linked = RowsLinked.of(model, table.ids, files.links)
        X = model.matrix(table, linked.links)
        rows = GivenRows(model, table.ids, X, labels)
    elif features is not None:
        table = model.read(features, id_column, ids)
        linked = RowsLinked.of(model, table.ids, links)
        rows = GivenRows(model, table.ids, model.matrix(table, linked.links))
    report("Making the page", 0, 0)
    return ModelPage.of(PageContent.of(model, rows, title))
