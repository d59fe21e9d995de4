"""Predict terms for a file in blocks of rows, and write them to another file."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._accessions import row_finder
from hilabel._progress import Report, say_nothing
from hilabel._typing import FilePath
from hilabel._writing import check_target, inputs_kept
from hilabel.datasets import (
    Annotations,
    FeatureBlocks,
    FeatureTable,
    read_annotations,
)
from hilabel.exceptions import DatasetFormatError, ParameterError
from hilabel.models import TableModel
from hilabel.tasks._predict import as_table_model, predicted_blocks, rows_at_once
from hilabel.tasks._predict_choices import PredictChoices
from hilabel.tasks._rows_linked import RowsLinked, link_paths
from hilabel.tasks._write_table import STANDARD_OUTPUT, table_writer

SUFFIXES: Final = (".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.gz")
CAFA_SUFFIXES: Final = (".tsv", ".txt", ".tsv.gz", ".txt.gz")
# Calibrated probabilities have 24 bits; more digits would be noise. Scores that are not
# calibrated are written as they are, so that others can reproduce them.
PROBABILITY_DIGITS: Final = 6


def predict_file(
    model: TableModel | FilePath,
    features: FilePath,
    output: FilePath,
    choices: PredictChoices | None = None,
    *,
    without: FilePath | None = None,
    id_column: str | None = None,
    ids: FilePath | None = None,
    links: Any = None,
    report: Report = say_nothing,
) -> dict[str, int]:
    """Predict terms for the rows of a file, and write them to another file.

    Rows of CSV, TSV and Parquet files are read, predicted and written in blocks. Apart
    from the current block, only the row identifiers are kept in memory and, if
    ``terms`` are given without ``top``, the output lines. The output file does not
    appear until it is complete.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or its file.
    features : path-like
        A file of the same kind and with the same columns as in training.
    output : path-like
        ``.csv``, ``.tsv`` or ``.parquet``; in the CAFA format, ``.tsv`` or ``.txt``.
        Text may be compressed, as in ``.csv.gz``; ``"-"`` is standard output.
    choices : PredictChoices, optional
    without : path-like, optional
        A file of annotations; ids with a term in it are omitted.
    id_column : str, optional
        By default, the same as in training.
    ids : path-like, optional
        The ids of the rows of an array; see :func:`~hilabel.datasets.read_features`.
    links : LinkTable, path-like, mapping of str to path-like, or (kind, path) pairs
        Links between ids, or files with them: from these rows to training rows, if
        the model was trained with links. Rows without links are predicted from their
        columns.
    report : callable, optional
        Called with a message, the number of rows done, and the number of all rows.

    Returns
    -------
    dict of str to int
        Counts of rows, terms and lines.

    Raises
    ------
    ValueError
        If a file or a choice is invalid, or no row is left.
    FileExistsError
        If ``output`` is one of the files that are read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table, predict_file
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree", measure=False)
    ...     model = fit_table(files, choices).model
    ...     counted = predict_file(model, files.features, Path(folder, "terms.csv"))
    >>> counted["rows"]
    240
    """
    choices = PredictChoices() if choices is None else choices
    choices.check()
    with inputs_kept([model, features, without, ids, *link_paths(links)]):
        return _predict_file(
            model,
            features,
            output,
            choices,
            without=without,
            id_column=id_column,
            ids=ids,
            links=links,
            report=report,
        )


def _predict_file(
    model: TableModel | FilePath,
    features: FilePath,
    output: FilePath,
    choices: PredictChoices,
    *,
    without: FilePath | None,
    id_column: str | None,
    ids: FilePath | None,
    links: Any,
    report: Report,
) -> dict[str, int]:
    is_cafa = choices.form == "cafa"
    if str(output) != STANDARD_OUTPUT:
        check_target(output, CAFA_SUFFIXES if is_cafa else SUFFIXES)
    report("Loading the model", 0, 0)
    model = as_table_model(model)
    report("Reading the identifiers", 0, 0)
    blocks = model.open(features, rows_at_once(model), id_column, ids)
    n_read = len(blocks)
    if without is not None:
        blocks = _left_over(blocks, without, model)
    about_columns: dict[str, int] = {}
    blocks = _counting(blocks, about_columns)
    report("Reading the links", 0, 0)
    linked = RowsLinked.of(model, blocks.ids, links)
    n_rows, n_done, n_out_of_fold, n_with_terms, n_lines = len(blocks), 0, 0, 0, 0
    report(_told(0, n_rows), 0, n_rows)
    with table_writer(
        output,
        header=not is_cafa,
        digits=None if model.calibration is None else PROBABILITY_DIGITS,
        separator="\t" if is_cafa else None,
    ) as write:
        for block in predicted_blocks(model, blocks, choices, linked.links):
            write(block.frame)
            n_with_terms += _n_with_terms(block.frame, choices.form)
            n_lines += len(block.frame)
            n_done += block.n_rows
            n_out_of_fold += block.n_out_of_fold
            report(_told(n_done, n_rows), n_done, n_rows)
    n_roots = 0
    if not (choices.roots or choices.terms):
        n_roots = int((~model.informative).sum())
    n_unreliable = 0
    if choices.reliable_only and model.judgement is not None:
        unreliable = model.informative & ~model.judgement.reliable
        n_unreliable = int(unreliable.sum())
    known = set(model.sample_ids)
    return {
        "rows": n_rows,
        **({} if without is None else {"rows omitted": n_read - n_rows}),
        **about_columns,
        **linked.counts,
        "rows of the training table": sum(row_id in known for row_id in blocks.ids),
        "labelled rows in training": int(model.labeled.sum()),
        **({"rows scored out of fold": n_out_of_fold} if n_out_of_fold else {}),
        "rows without any term": n_rows - n_with_terms,
        "terms known": model.hierarchy.n_nodes,
        **({"root terms omitted": n_roots} if n_roots else {}),
        **({"unreliable terms omitted": n_unreliable} if n_unreliable else {}),
        "lines written": n_lines,
    }


def _told(n_done: int, n_rows: int) -> str:
    return f"Predicting, {n_done:,} of {n_rows:,} rows"


def _n_with_terms(frame: pd.DataFrame, form: str) -> int:
    """Count the rows with at least one term; each row occurs in only one frame."""
    if form == "wide":
        return int((frame.iloc[:, 1:] != 0).any(axis=1).sum())
    return int(frame["id"].nunique())


def _left_over(
    blocks: FeatureBlocks, labels: FilePath, model: TableModel
) -> FeatureBlocks:
    """Return the rows of a table that have no annotations in a file."""
    annotations = _read_as_trained(labels, blocks.ids, model)
    rows = {*map(row_finder(blocks.ids), annotations.ids)} - {-1}
    annotated = {blocks.ids[row] for row in rows}
    left = tuple(row_id for row_id in blocks.ids if row_id not in annotated)
    if not left:
        raise ParameterError(
            f"{blocks.source}: all {len(blocks)} rows are annotated in {labels}, so "
            "there are none left to predict.",
            parameter="without",
        )

    def read() -> Iterator[FeatureTable]:
        for table in blocks:
            rows = [row for row, name in enumerate(table.ids) if name not in annotated]
            if rows:
                yield table.rows(rows)

    return FeatureBlocks(left, blocks.source, read)


def _read_as_trained(
    labels: FilePath, ids: tuple[str, ...], model: TableModel
) -> Annotations:
    """Read annotations, if necessary from the label columns used in training."""
    read = partial(
        read_annotations,
        labels,
        ids,
        strip_version=model.reading.strip_version,
        id_name=model.reading.id_column,
    )
    columns = tuple(model.reading.label_columns)
    try:
        return read()
    except DatasetFormatError as error:
        if not columns or "label_columns" not in error.parameter:
            raise
        return read(label_columns=columns)


def _counting(blocks: FeatureBlocks, counts: dict[str, int]) -> FeatureBlocks:
    """While rows are read, count the sparse columns that are unknown to the model."""

    def read() -> Iterator[FeatureTable]:
        n_empty = 0
        for table in blocks:
            if table.sparse is not None:
                n_empty += int((np.diff(table.sparse.values.indptr) == 0).sum())
                counts["columns unknown to the model"] = table.n_unknown
                counts["rows without a known column"] = n_empty
            yield table

    return FeatureBlocks(blocks.ids, blocks.source, read)
