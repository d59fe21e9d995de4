"""From a model and a table to predicted terms, in the forms that people use."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._progress import Report, say_nothing
from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray
from hilabel._writing import check_target, written_aside
from hilabel.datasets import FeatureTable, read_annotations
from hilabel.exceptions import ModelFileError, ParameterError
from hilabel.hierarchy import Hierarchy
from hilabel.persistence import TableModel, load_model
from hilabel.tasks._roots import informative

STANDARD_OUTPUT: Final = "-"
SUFFIXES: Final = (".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.gz")
CAFA_SUFFIXES: Final = (".tsv", ".txt", ".tsv.gz", ".txt.gz")
# By the marks that a model has of a term: 0, 1 and 2.
_STATUS: Final = ("new", "implied", "annotated")
# Bounds the memory of what is counted per cell.
_ROWS_AT_ONCE: Final = 1000
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
        Only the most probable terms of an id, so many that this number of them are
        most specific: those with a term below among them do not count. With ``terms``,
        so many ids per term.
    threshold : float, "model" or None
        Only terms with at least this probability; ``"model"`` is the one chosen in
        training. None shows all from 0.01 on, and all in the wide form.
    per_node : bool
        Only terms that reach the threshold chosen for each in training, and their
        ancestors.
    most_specific : bool
        Of the terms so chosen, only those without a term below that is chosen too.
    roots : bool
        Whether to show the roots of an ontology too, which only name its aspects, and
        a root that all labelled rows have.
    new_only : bool
        Only terms that the id did not have in training, neither by an annotation nor
        implied by one.
    reliable_only : bool
        Only terms that the model told apart better than by chance in training.
    terms : sequence of str
        Only these terms, each with the ids that most probably have it.

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
    roots: bool = False
    new_only: bool = False
    reliable_only: bool = False
    terms: Sequence[str] = ()

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
        if self.terms and self.reliable_only:
            raise ParameterError(
                "Terms that are named are shown, reliable or not; leave one out.",
                parameter=("terms", "reliable_only"),
            )
        if self.terms and (self.form == "wide" or self.most_specific):
            raise ParameterError(
                "The ids of a term are told a line each, whatever is below it; leave "
                "the wide form and the most specific terms out.",
                parameter=("form",) if self.form == "wide" else ("most_specific",),
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
        Long: ids in the order of the table and the most probable term first; with
        ``terms`` the terms in the order given and the most probable id first. The
        columns are ``id, term, name, probability``; ``precision_from_here``, the share
        of right ones among all predictions at least as probable, out of fold in
        training; ``term_quality``, the term's average precision there, and
        ``reliable``, whether that is more than chance; ``frequency``, the share of the
        labelled training rows that have the term, and ``information``, the same in
        bits; ``aspect`` if the hierarchy has some; ``status``, whether the id was
        ``annotated`` with the term in training, that was ``implied`` by an annotation,
        or it is ``new``. Wide: ``id`` and a column per term; with a threshold
        1 and 0 in place of probabilities. CAFA: ``id, term, probability``.

    Raises
    ------
    ValueError
        If thresholds are asked for that the model does not have.
    """
    choices = PredictChoices() if choices is None else choices
    choices.check()
    grid = _grid(model, table, choices)
    if choices.form == "wide":
        return grid.wide(is_decided=choices.per_node or choices.threshold is not None)
    frame = grid.long(term_first=bool(choices.terms))
    if choices.terms and choices.top is not None:
        frame = frame.groupby("term", sort=False).head(choices.top)
    if choices.form == "cafa":
        frame = frame[["id", "term", "probability"]]
        frame = frame.assign(probability=frame["probability"].round(CAFA_DIGITS))
        frame = frame[frame["probability"] > 0]
    return frame.reset_index(drop=True)


def predict_file(
    model: TableModel | FilePath,
    features: FilePath,
    output: FilePath,
    choices: PredictChoices | None = None,
    *,
    without: FilePath | None = None,
    id_column: str | None = None,
    ids: FilePath | None = None,
    report: Report = say_nothing,
) -> dict[str, int]:
    """Write the predicted terms of the rows of a file.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or the file that has it.
    features : path-like
        A file of the kind and with the columns of training.
    output : path-like
        ``.csv``, ``.tsv`` or ``.parquet``; in the form of CAFA ``.tsv`` or ``.txt``.
        Text may be compressed, ``.csv.gz``; ``"-"`` is the standard output.
    choices : PredictChoices, optional
    without : path-like, optional
        Annotations; ids that have a term there are left out.
    id_column : str, optional
        By default the one of training.
    ids : path-like, optional
        Of arrays, the ids of the rows; see :func:`~hilabel.datasets.read_features`.
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
    if str(output) != STANDARD_OUTPUT:
        check_target(output, CAFA_SUFFIXES if is_cafa else SUFFIXES)
    report("Loading the model", 0, 0)
    model = as_table_model(model)
    table = model.read(features, id_column, ids)
    n_read = len(table)
    if without is not None:
        table = _left_over(
            table, without, strip_version=model.summary.get("strip_version", False)
        )
    report(f"Predicting {len(table)} rows", 0, 0)
    frame = predict_table(model, table, choices)
    write_table(
        frame,
        output,
        header=not is_cafa,
        digits=PROBABILITY_DIGITS,
        separator="\t" if is_cafa else None,
    )
    n_roots = 0
    if not (choices.roots or choices.terms):
        n_roots = int((~informative(model.ontology, model.prior)).sum())
    n_unreliable = 0
    if choices.reliable_only and model.worth is not None:
        n_unreliable = int((~model.worth.reliable).sum()) - n_roots
    known = set(model.sample_ids)
    return {
        "rows": len(table),
        **({} if without is None else {"rows left out": n_read - len(table)}),
        **_about_columns(table),
        "rows of the training table": sum(row_id in known for row_id in table.ids),
        "labelled rows in training": model.summary["matching"]["n_labeled"],
        "rows without any term": _n_without_terms(frame, len(table), choices.form),
        "terms known": model.hierarchy.n_nodes,
        **({"root terms left out": n_roots} if n_roots else {}),
        **({"unreliable terms left out": n_unreliable} if n_unreliable else {}),
        "lines written": len(frame),
    }


def _about_columns(table: FeatureTable) -> dict[str, int]:
    """Return how many sparse columns say nothing to the model, and to which rows."""
    if table.sparse is None:
        return {}
    n_empty = int((np.diff(table.sparse.values.indptr) == 0).sum())
    return {
        "columns unknown to the model": table.n_unknown,
        "rows without a known column": n_empty,
    }


def _n_without_terms(frame: pd.DataFrame, n_rows: int, form: str) -> int:
    if form == "wide":
        return int((frame.iloc[:, 1:] == 0).all(axis=1).sum())
    return n_rows - frame["id"].nunique()


def _left_over(
    table: FeatureTable, labels: FilePath, *, strip_version: bool
) -> FeatureTable:
    """Return the rows of a table that a file of annotations says nothing of."""
    annotations = read_annotations(labels, table.ids, strip_version=strip_version)
    annotated = set(annotations.ids)
    rows = [row for row, row_id in enumerate(table.ids) if row_id not in annotated]
    if not rows:
        raise ParameterError(
            f"{table.source}: all {len(table)} rows are annotated in {labels}, so that "
            "none is left to predict.",
            parameter="without",
        )
    return table.rows(rows)


@dataclass(frozen=True, eq=False)
class _Grid:
    """The terms asked for: their probabilities, and which cells are shown."""

    model: TableModel
    table: FeatureTable
    nodes: IntArray
    scores: FloatArray
    shown: BoolArray
    marks: sp.csr_array

    def long(self, *, term_first: bool) -> pd.DataFrame:
        """Return a line per cell shown, the most probable of a row or term first."""
        hierarchy = self.model.hierarchy
        # Parents come first among equals.
        place = np.empty(hierarchy.n_nodes, dtype=np.int64)
        place[hierarchy.order] = np.arange(hierarchy.n_nodes)
        rows, columns = np.nonzero(self.shown)
        values = self.scores[rows, columns]
        if term_first:
            ranking = np.lexsort((rows, -values, columns))
        else:
            ranking = np.lexsort((place[self.nodes[columns]], -values, rows))
        rows, columns, values = rows[ranking], columns[ranking], values[ranking]
        nodes = self.nodes[columns]
        frame = {
            "id": _words(self.table.ids)[rows],
            "term": _words(hierarchy.names)[nodes],
            "name": _words(hierarchy.titles)[nodes],
            "probability": values,
            **self._worth(nodes, values),
            "frequency": self.model.prior[nodes],
            "information": _information(self.model.prior)[nodes],
        }
        aspects = self.model.ontology.aspects
        if any(aspects.values()):
            frame["aspect"] = _words([aspects[name] for name in hierarchy.names])[nodes]
        marks = np.asarray(self.marks[rows, columns]).reshape(-1)
        frame["status"] = _words(_STATUS)[marks] if len(rows) else _words(())
        return pd.DataFrame(frame)

    def _worth(self, nodes: IntArray, values: FloatArray) -> dict[str, Any]:
        """Return what predictions are worth, if that was measured in training."""
        worth = self.model.worth
        if worth is None:
            return {}
        return {
            "precision_from_here": worth.precision_from(values),
            "term_quality": worth.quality[nodes],
            "reliable": worth.reliable[nodes],
        }

    def wide(self, *, is_decided: bool) -> pd.DataFrame:
        """Return a row per row of the table and a column per term."""
        values: Any = np.where(self.shown, self.scores, 0)
        if is_decided:
            values = self.shown.astype(np.int8)
        hierarchy = self.model.hierarchy
        names = [hierarchy.names[node] for node in self.nodes]
        frame = pd.DataFrame(values, columns=names)
        frame.insert(0, "id" if "id" not in names else "row id", list(self.table.ids))
        return frame


def _grid(model: TableModel, table: FeatureTable, choices: PredictChoices) -> _Grid:
    nodes = _nodes(model, choices)
    scores = model.predict_proba(table)
    shown = _reached(model, scores, choices)[:, nodes]
    scores, marks = scores[:, nodes], model.marks_of(table)[:, nodes]
    if choices.new_only:
        shown[marks.nonzero()] = False
    if not choices.terms and (choices.top is not None or choices.most_specific):
        hierarchy = model.hierarchy.restrict(nodes)
        if choices.top is not None:
            shown &= _first_branches(scores, shown, hierarchy, choices.top)
        if choices.most_specific:
            shown = np.asarray(hierarchy.most_specific(shown), dtype=bool)
    return _Grid(model, table, nodes, scores, shown, marks)


def _nodes(model: TableModel, choices: PredictChoices) -> IntArray:
    """Return the nodes of the terms asked for, or of all that say something."""
    if choices.reliable_only and model.worth is None:
        raise ParameterError(
            "The model was fitted without measuring its terms; fit it again with "
            "thresholds, or leave this out.",
            parameter="reliable_only",
        )
    if not choices.terms:
        says = informative(model.ontology, model.prior) | choices.roots
        if choices.reliable_only and model.worth is not None:
            says &= model.worth.reliable
        return np.flatnonzero(says)
    nodes = []
    for term in dict.fromkeys(choices.terms):
        living = model.ontology.resolve(term)
        if living is None:
            meant = did_you_mean(closest(term, model.hierarchy.names))
            raise ParameterError(
                f"Expected one of the {model.hierarchy.n_nodes} terms that the model "
                f"knows, got {term!r}; rare ones are not learned.{meant}",
                parameter="terms",
            )
        nodes.append(model.hierarchy.node(living))
    return np.array(nodes)


def _reached(
    model: TableModel, scores: FloatArray, choices: PredictChoices
) -> BoolArray:
    if choices.per_node or choices.threshold == "model":
        if model.thresholds is None:
            raise ParameterError(
                "The model was fitted without thresholds; fit it again with some, or "
                "give a number.",
                parameter="per_node" if choices.per_node else "threshold",
            )
        chosen = model.thresholds
        return model.labels(
            scores, chosen.per_node if choices.per_node else chosen.overall
        )
    if choices.threshold is not None:
        return model.labels(scores, float(choices.threshold))
    if choices.form == "wide" and choices.top is None and not choices.most_specific:
        return np.ones(scores.shape, dtype=bool)
    reached: BoolArray = scores >= SMALLEST_SHOWN
    return reached


def _first_branches(
    scores: FloatArray, shown: BoolArray, hierarchy: Hierarchy, top: int
) -> BoolArray:
    """Return the most probable terms of each row, so that ``top`` are most specific.

    From the most probable term on, each is taken until one more would make more than
    ``top`` terms without a term below that is taken too.
    """
    kept = np.zeros(scores.shape, dtype=bool)
    for start in range(0, len(scores), _ROWS_AT_ONCE):
        block = slice(start, start + _ROWS_AT_ONCE)
        place, n_specific = _count_specific(scores[block], shown[block], hierarchy)
        too_many = n_specific > top
        n_nodes = hierarchy.n_nodes
        end = np.where(too_many.any(axis=1), too_many.argmax(axis=1), n_nodes)
        kept[block] = place < end[:, np.newaxis]
    return kept


def _count_specific(
    scores: FloatArray, shown: BoolArray, hierarchy: Hierarchy
) -> tuple[IntArray, IntArray]:
    """Return the rank of each term, and how many are most specific up to each rank."""
    n_nodes, order = hierarchy.n_nodes, hierarchy.order
    ranked = order[np.argsort(-scores[:, order], axis=1, kind="stable")]
    place = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(place, ranked, np.arange(n_nodes)[np.newaxis], axis=1)
    place[~shown] = n_nodes  # never
    # A term is no longer most specific from its first child on.
    until = np.full(scores.shape, n_nodes)
    if hierarchy.n_edges:
        parents, children = hierarchy.edges[hierarchy.edges[:, 0].argsort()].T
        starts = np.flatnonzero(np.diff(parents, prepend=-1))
        first_child = np.minimum.reduceat(place[:, children], starts, axis=1)
        until[:, parents[starts]] = first_child
    change = np.zeros((len(scores), n_nodes + 1), dtype=np.int64)
    rows, nodes = np.nonzero(shown)
    np.add.at(change, (rows, place[rows, nodes]), 1)
    np.subtract.at(change, (rows, until[rows, nodes]), 1)
    return place, np.cumsum(change[:, :n_nodes], axis=1)


def _information(prior: FloatArray) -> FloatArray:
    """Return the information content of terms in bits; NaN if no row has it."""
    unknown = np.full(prior.shape, np.nan)
    bits: FloatArray = np.log2(prior, out=unknown, where=prior > 0)
    return 0.0 - bits  # not -0 for a term that all rows have


def _words(values: Iterable[str]) -> Any:
    return np.array([*values], dtype=object)


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
    separator: str | None = None,
) -> Path:
    r"""Write a table as CSV, TSV or Parquet, by its suffix, complete or not at all.

    Text is compressed if the name ends in ``.gz``; ``"-"`` is the standard output.

    Parameters
    ----------
    frame : DataFrame
    path : path-like
    header : bool, default=True
        Whether the first line names the columns.
    digits : int, optional
        Digits of the numbers in CSV and TSV; by default all.
    separator : str, optional
        Between columns; by default what the suffix says, and a comma on the standard
        output.

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
    name = path.name.lower()
    is_compressed = name.endswith(".gz")
    has_commas = name.removesuffix(".gz").endswith((".csv", STANDARD_OUTPUT))
    text: dict[str, Any] = {
        "sep": separator or ("," if has_commas else "\t"),
        "index": False,
        "header": header,
        "lineterminator": "\n",
        "float_format": None if digits is None else f"%.{digits}g",
        # The same table gives the same bytes on any day.
        "compression": {"method": "gzip", "mtime": 0} if is_compressed else None,
    }
    if name == STANDARD_OUTPUT:
        frame.to_csv(sys.stdout, **text)
        return path
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
            frame.to_csv(aside, **text)
    return path
