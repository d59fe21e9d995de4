"""From a model and a table to predicted terms, in the forms that people use."""

from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from hilabel._progress import Report, say_nothing
from hilabel._typing import BoolArray, FilePath, FloatArray
from hilabel._writing import check_target, written_aside
from hilabel.datasets import FeatureTable, read_annotations
from hilabel.exceptions import ModelFileError, ParameterError
from hilabel.persistence import TableModel, load_model

SUFFIXES: Final = (".csv", ".tsv", ".parquet")
CAFA_SUFFIXES: Final = (".tsv", ".txt")
SMALLEST_SHOWN: Final = 0.01
# CAFA takes scores above 0 with two or three digits after the point.
CAFA_DIGITS: Final = 3
# Probabilities have 24 bits; more digits in a text would be noise.
PROBABILITY_DIGITS: Final = 6


@dataclass(frozen=True)
class PredictChoices:
    """Which predictions to give, and in which form.

    Attributes
    ----------
    form : {"long", "wide", "cafa"}
        A row per id and term; a row per id and a column per term; or the three
        columns of CAFA, without heading.
    top : int or None
        Only so many terms per id, the most probable.
    threshold : float, "model" or None
        Only terms with at least this probability; ``"model"`` is the one chosen in
        training. None shows all from 0.01 on, and all in the wide form.
    per_node : bool
        Only terms that reach the threshold chosen for each in training, and their
        ancestors.
    most_specific : bool
        Of the terms so chosen, only those without a term below that is chosen too.

    Examples
    --------
    >>> from hilabel.tasks import PredictChoices
    >>> PredictChoices(top=3).threshold is None
    True
    """

    form: Literal["long", "wide", "cafa"] = "long"
    top: int | None = None
    threshold: float | Literal["model"] | None = None
    per_node: bool = False
    most_specific: bool = False

    def check(self) -> None:
        """Refuse choices that contradict each other."""
        if self.form not in ("long", "wide", "cafa"):
            raise ParameterError(
                f"Expected the form 'long', 'wide' or 'cafa', got {self.form!r}.",
                parameter="form",
            )
        if self.per_node and self.threshold is not None:
            raise ParameterError(
                "One threshold and one per node contradict each other; give one.",
                parameter=("threshold", "per_node"),
            )
        is_number = isinstance(self.threshold, Real) and 0 <= self.threshold <= 1
        if not (is_number or self.threshold in (None, "model")):
            raise ParameterError(
                "Expected a threshold from 0 to 1, 'model' or None, got "
                f"{self.threshold!r}.",
                parameter="threshold",
            )
        if self.top is not None and self.top < 1:
            raise ParameterError(
                f"Expected 1 term or more, got {self.top}.", parameter="top"
            )


def predict_table(
    model: TableModel, table: FeatureTable, choices: PredictChoices | None = None
) -> pd.DataFrame:
    """Return the predicted terms of the rows of a table.

    Parameters
    ----------
    model : TableModel
    table : FeatureTable
        As ``model.read`` returns it.
    choices : PredictChoices, optional

    Returns
    -------
    DataFrame
        Long: ``id, term, name, probability``, ids in the order of the table and the
        most probable term first. Wide: ``id`` and a column per term; with a threshold
        1 and 0 in place of probabilities. CAFA: ``id, term, probability``.

    Raises
    ------
    ValueError
        If thresholds are asked for that the model does not have.
    """
    choices = PredictChoices() if choices is None else choices
    choices.check()
    scores = model.predict_proba(table)
    shown = _shown(model, scores, choices)
    if choices.form == "wide":
        return _wide(model, table, scores, shown, choices)
    return _long(model, table, scores, shown, choices.form)


def predict_file(
    model: TableModel | FilePath,
    features: FilePath,
    output: FilePath,
    choices: PredictChoices | None = None,
    *,
    without: FilePath | None = None,
    id_column: str | None = None,
    report: Report = say_nothing,
) -> dict[str, int]:
    """Write the predicted terms of the rows of a file.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or the file that has it.
    features : path-like
        CSV, TSV or Parquet with the columns of training.
    output : path-like
        ``.csv``, ``.tsv`` or ``.parquet``; in the form of CAFA ``.tsv`` or ``.txt``.
    choices : PredictChoices, optional
    without : path-like, optional
        Annotations; ids that have a term there are left out.
    id_column : str, optional
        By default the one of training.
    report : callable, optional
        Told what comes next.

    Returns
    -------
    dict of str to int
        What was counted.

    Raises
    ------
    ValueError
        If a file or a choice is wrong, or no row is left.
    """
    choices = PredictChoices() if choices is None else choices
    choices.check()
    is_cafa = choices.form == "cafa"
    check_target(output, CAFA_SUFFIXES if is_cafa else SUFFIXES)
    report("Loading the model", 0, 0)
    model = as_table_model(model)
    table = model.read(features, id_column)
    n_read = len(table)
    if without is not None:
        table = _left_over(table, without)
    report(f"Predicting {len(table)} rows", 0, 0)
    frame = predict_table(model, table, choices)
    write_table(frame, output, header=not is_cafa, digits=PROBABILITY_DIGITS)
    known = set(model.sample_ids)
    return {
        "rows": len(table),
        **({} if without is None else {"rows left out": n_read - len(table)}),
        "rows of the training table": sum(row_id in known for row_id in table.ids),
        "labelled rows in training": model.summary["matching"]["n_labeled"],
        "rows without any term": _n_without_terms(frame, len(table), choices.form),
        "terms known": model.hierarchy.n_nodes,
        "lines written": len(frame),
    }


def _n_without_terms(frame: pd.DataFrame, n_rows: int, form: str) -> int:
    if form == "wide":
        return int((frame.iloc[:, 1:] == 0).all(axis=1).sum())
    return n_rows - frame["id"].nunique()


def _left_over(table: FeatureTable, labels: FilePath) -> FeatureTable:
    """Return the rows of a table that a file of annotations says nothing of."""
    annotated = set(read_annotations(labels, table.ids).ids)
    ids = tuple(row_id for row_id in table.ids if row_id not in annotated)
    if not ids:
        raise ParameterError(
            f"{table.source}: all {len(table)} rows are annotated in {labels}, so that "
            "none is left to predict.",
            parameter="without",
        )
    return FeatureTable(ids, table.frame.loc[list(ids)], table.source)


def _shown(model: TableModel, scores: FloatArray, choices: PredictChoices) -> BoolArray:
    if choices.per_node or choices.threshold == "model":
        if model.thresholds is None:
            raise ParameterError(
                "The model was fitted without thresholds; fit it again with some, or "
                "give a number.",
                parameter="per_node" if choices.per_node else "threshold",
            )
        chosen = model.thresholds
        shown = model.labels(
            scores, chosen.per_node if choices.per_node else chosen.overall
        )
    elif choices.threshold is not None:
        shown = model.labels(scores, float(choices.threshold))
    elif choices.form == "wide" and choices.top is None and not choices.most_specific:
        shown = np.ones(scores.shape, dtype=bool)
    else:
        shown = scores >= SMALLEST_SHOWN
    if choices.top is not None:
        # Parents come first among equals, so that the terms shown stay consistent.
        order = model.hierarchy.order
        ranked = order[np.argsort(-scores[:, order], axis=1, kind="stable")]
        first = np.zeros(scores.shape, dtype=bool)
        np.put_along_axis(first, ranked[:, : choices.top], True, axis=1)
        shown &= first
    if choices.most_specific:
        shown = np.asarray(model.hierarchy.most_specific(shown), dtype=bool)
    return shown


def _long(
    model: TableModel,
    table: FeatureTable,
    scores: FloatArray,
    shown: BoolArray,
    form: str,
) -> pd.DataFrame:
    order = model.hierarchy.order
    rows, places = np.nonzero(shown[:, order])
    nodes = order[places]
    values = scores[rows, nodes]
    ranking = np.lexsort((places, -values, rows))
    rows, nodes, values = rows[ranking], nodes[ranking], values[ranking]
    ids = np.array(table.ids, dtype=object)[rows]
    terms = np.array(model.hierarchy.names, dtype=object)[nodes]
    if form == "cafa":
        rounded = np.round(values.astype(np.float64), CAFA_DIGITS)
        frame = pd.DataFrame({"id": ids, "term": terms, "probability": rounded})
        return frame[frame["probability"] > 0].reset_index(drop=True)
    titles = np.array(model.hierarchy.titles, dtype=object)[nodes]
    return pd.DataFrame(
        {"id": ids, "term": terms, "name": titles, "probability": values}
    )


def _wide(
    model: TableModel,
    table: FeatureTable,
    scores: FloatArray,
    shown: BoolArray,
    choices: PredictChoices,
) -> pd.DataFrame:
    is_decided = choices.per_node or choices.threshold is not None
    values: Any = shown.astype(np.int8) if is_decided else np.where(shown, scores, 0)
    frame = pd.DataFrame(values, columns=list(model.hierarchy.names))
    name = "id" if "id" not in model.hierarchy else "row id"
    frame.insert(0, name, list(table.ids))
    return frame


def as_table_model(model: TableModel | FilePath) -> TableModel:
    """Return a model that reads tables, loaded from the file that has it."""
    if isinstance(model, TableModel):
        return model
    loaded = load_model(model)
    if not isinstance(loaded, TableModel):
        raise ModelFileError(
            f"{model}: expected a model written by 'hilabel fit', got a "
            f"{type(loaded).__name__} without the preprocessing of its table; load it "
            "in Python with load_model."
        )
    return loaded


def write_table(
    frame: pd.DataFrame,
    path: FilePath,
    *,
    header: bool = True,
    digits: int | None = None,
) -> Path:
    r"""Write a table as CSV, TSV or Parquet, by its suffix, complete or not at all.

    Parameters
    ----------
    frame : DataFrame
    path : path-like
    header : bool, default=True
        Whether the first line names the columns.
    digits : int, optional
        Digits of the numbers in CSV and TSV; by default all.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from hilabel.tasks import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_table(pd.DataFrame({"a": [1]}), f"{folder}/a.tsv")
    ...     path.read_text()
    'a\n1\n'
    """
    path = Path(path)
    with written_aside(path) as aside:
        if path.suffix.lower() == ".parquet":
            try:
                frame.to_parquet(aside, index=False, engine="pyarrow")
            except ImportError as error:
                raise ImportError(
                    "Writing Parquet files needs pyarrow: pip install "
                    "'hilabel[parquet]'."
                ) from error
        else:
            separator = "," if path.suffix.lower() == ".csv" else "\t"
            frame.to_csv(
                aside,
                sep=separator,
                index=False,
                header=header,
                lineterminator="\n",
                float_format=None if digits is None else f"%.{digits}g",
            )
    return path
