"""Write the labels that the unlabelled training rows of a model received."""

import numpy as np
import pandas as pd

from hilabel._typing import FilePath
from hilabel._writing import check_target, inputs_kept
from hilabel.exceptions import ParameterError
from hilabel.models import TableModel
from hilabel.tasks._predict import as_table_model
from hilabel.tasks._predict_file import PROBABILITY_DIGITS, SUFFIXES
from hilabel.tasks._write_table import STANDARD_OUTPUT, write_table


def pseudo_label_table(model: TableModel | FilePath) -> pd.DataFrame:
    """Return the labels that the unlabelled training rows of a model received.

    Parameters
    ----------
    model : TableModel or path-like
        A model of a method with ``pseudo_labels``, or its file.

    Returns
    -------
    DataFrame
        The columns ``id``, ``term`` and ``name``, and those that ``pseudo_labels`` of
        the method has besides ``row`` and ``node``.

    Raises
    ------
    ParameterError
        If the method does not pseudo-label rows.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table, pseudo_label_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(
    ...         method="SSHMCBLI", base="naive-bayes", measure=False
    ...     )
    ...     table = pseudo_label_table(fit_table(files, choices).model)
    >>> table.columns.tolist()
    ['id', 'term', 'name', 'vote', 'similarity', 'pass']
    """
    loaded = as_table_model(model)
    estimator, hierarchy = loaded.estimator, loaded.hierarchy
    if not hasattr(estimator, "pseudo_labels"):
        where = "" if isinstance(model, TableModel) else f"{model}: "
        raise ParameterError(
            f"{where}expected a model of a method that pseudo-labels rows, such as "
            f"SSHMCBLI, got {type(estimator).__name__}; fit it again with such "
            "a method.",
            parameter="pseudo_labels",
        )
    found = estimator.pseudo_labels()
    ids = np.array(loaded.sample_ids, dtype=object)
    titles = dict(zip(hierarchy.names, hierarchy.titles, strict=True))
    named = {
        "id": ids[found["row"]],
        "term": found["node"],
        "name": found["node"].map(titles),
    }
    return pd.concat(
        [pd.DataFrame(named), found.drop(columns=["row", "node"])], axis="columns"
    )


def write_pseudo_labels(
    model: TableModel | FilePath, output: FilePath
) -> dict[str, int]:
    """Write the labels that the unlabelled training rows of a model received.

    Parameters
    ----------
    model : TableModel or path-like
    output : path-like
        ``.csv``, ``.tsv`` or ``.parquet``; text may be compressed, as in ``.csv.gz``;
        ``"-"`` is standard output.

    Returns
    -------
    dict of str to int
        The number of rows with pseudo-labels and of lines.

    Raises
    ------
    ParameterError
        If the method does not pseudo-label rows.
    FileExistsError
        If ``output`` is the file of the model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table, write_pseudo_labels
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(
    ...         method="SSHMCBLI", base="naive-bayes", measure=False
    ...     )
    ...     model = fit_table(files, choices).model
    ...     path = Path(folder, "pseudo_labels.csv")
    ...     counted = write_pseudo_labels(model, path)
    ...     len(path.read_text().splitlines()) == counted["lines written"] + 1
    True
    """
    with inputs_kept([model]):
        if str(output) != STANDARD_OUTPUT:
            check_target(output, SUFFIXES)
        table = pseudo_label_table(model)
        write_table(table, output, digits=PROBABILITY_DIGITS)
    return {
        "rows with pseudo-labels": int(table["id"].nunique()),
        "lines written": len(table),
    }
