"""Predict terms for the rows of a table, and return them in common formats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray
from hilabel.constraints import most_probable, places_of
from hilabel.datasets import FeatureBlocks, FeatureTable
from hilabel.exceptions import ModelFileError, ParameterError
from hilabel.links import Links
from hilabel.models import TableModel
from hilabel.persistence import load_model
from hilabel.tasks._best_terms import first_branches
from hilabel.tasks._predict_choices import PredictChoices

# Indexed by the marks of a model: 0, 1 and 2.
_STATUS: Final = ("new", "implied", "annotated")
# Labelled training rows are scored by models that have not seen their labels.
_SCORED: Final = ("by the model", "out of fold")
# Bounds the memory of probabilities: 64 MB in single precision.
CELLS_AT_ONCE: Final = 2**24
# With terms, lines are collected for this many blocks before the best are selected.
_PARTS_AT_ONCE: Final = 10
SMALLEST_SHOWN: Final = 0.01
# CAFA accepts scores above 0 with two or three decimal places.
CAFA_DIGITS: Final = 3


def predict_table(
    model: TableModel,
    table: FeatureTable,
    choices: PredictChoices | None = None,
    *,
    links: Any = None,
) -> pd.DataFrame:
    """Return the terms predicted for the rows of a table.

    Parameters
    ----------
    model : TableModel
    table : FeatureTable
        As returned by ``model.read``.
    choices : PredictChoices, optional
    links : LinkTable, path-like, mapping of str to path-like, or (kind, path) pairs
        Links between ids, or files with them: from these rows to training rows, if
        the model was trained with links.

    Returns
    -------
    DataFrame
        Long: ids in the order of the table, most probable term first; with ``terms``,
        terms in the given order, most probable id first. The columns are ``id, term,
        name, probability``; ``threshold``, the probability from which the model's own
        rule gives the term to a row; ``precision_from_here``, the out-of-fold share of
        correct predictions among all that are at least as probable; ``term_quality``,
        the term's out-of-fold average precision, and ``reliable``, whether it is better
        than chance; ``frequency``, the share of the labelled training rows that have
        the term, and ``information``, the same in bits; ``aspect`` if the hierarchy has
        aspects; ``status``, whether the term of the id was ``annotated`` in training,
        ``implied`` by an annotation, or is ``new``; ``scored``, whether the probability
        is that of the model or, for labelled training rows, ``out of fold``. Wide:
        ``id`` and one column per term; with a threshold, 1 and 0 instead of
        probabilities. CAFA: ``id, term, probability``.

    Raises
    ------
    ValueError
        If the choices contradict each other, or need what was not measured.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, PredictChoices, TableFiles
    >>> from hilabel.tasks import fit_table, predict_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree", measure=False)
    ...     model = fit_table(files, choices).model
    ...     table = model.read(files.features)
    >>> terms = predict_table(model, table, PredictChoices(top=1))
    >>> terms.columns.tolist()[:4]
    ['id', 'term', 'name', 'probability']
    """
    choices = PredictChoices() if choices is None else choices
    choices.check()
    blocks = FeatureBlocks.of_table(table, rows_at_once(model))
    found = None
    if links is not None and model.uses_links:
        found = model.link(table.ids, links).to_training
    frames = [block.frame for block in predicted_blocks(model, blocks, choices, found)]
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled or frames[:1], ignore_index=True)


def rows_at_once(model: TableModel) -> int:
    """Return the number of rows whose probabilities are kept in memory at a time."""
    return max(1, CELLS_AT_ONCE // model.hierarchy.n_nodes)


class PredictedBlock(NamedTuple):
    """Lines of the output, and the numbers of rows that were scored for them."""

    frame: pd.DataFrame
    n_rows: int
    n_out_of_fold: int


def predicted_blocks(
    model: TableModel,
    blocks: FeatureBlocks,
    choices: PredictChoices,
    links: Links | None = None,
) -> Iterator[PredictedBlock]:
    """Yield blocks of the output of :func:`predict_table`.

    ``links`` are those of all rows, in the order of the blocks, to training rows.
    If terms are given, the output is only known after all rows have been scored, so it
    is yielded as one block at the end.
    """
    of_terms: list[pd.DataFrame] = []
    n_done = 0
    for table in blocks:
        own = None if links is None else links[n_done : n_done + len(table)]
        n_done += len(table)
        grid = _grid(model, table, choices, own)
        if choices.form == "wide":
            frame = grid.wide(is_decided=choices.threshold is not None)
        elif choices.terms:
            of_terms.append(grid.long(term_first=True))
            if len(of_terms) > _PARTS_AT_ONCE and choices.top is not None:
                of_terms = [_merged(model, of_terms, choices)]
            frame = _finished(of_terms[0][:0], choices)
        else:
            frame = _finished(grid.long(term_first=False), choices)
        yield PredictedBlock(frame, len(table), int(grid.is_left_out.sum()))
    if of_terms:
        yield PredictedBlock(
            _finished(_merged(model, of_terms, choices), choices), 0, 0
        )


def _merged(
    model: TableModel, parts: list[pd.DataFrame], choices: PredictChoices
) -> pd.DataFrame:
    """Merge the lines of all rows, sorting by term, then by decreasing probability."""
    filled = [part for part in parts if len(part)]
    frame = pd.concat(filled or parts[:1], ignore_index=True)
    # Terms in the given order; ties in the order of the rows.
    names = [model.hierarchy.names[node] for node in _nodes(model, choices)]
    asked = frame["term"].map({name: at for at, name in enumerate(names)})
    frame = frame.iloc[np.lexsort((-frame["probability"], asked))]
    if choices.top is not None:
        frame = frame.groupby("term", sort=False).head(choices.top)
    return frame


def _finished(frame: pd.DataFrame, choices: PredictChoices) -> pd.DataFrame:
    if choices.form == "cafa":
        frame = frame[["id", "term", "probability"]]
        frame = frame.assign(probability=frame["probability"].round(CAFA_DIGITS))
        frame = frame[frame["probability"] > 0]
    return frame


@dataclass(frozen=True, eq=False)
class _Grid:
    """The probabilities for a block of rows, and the cells to show.

    There is one column per node or, if terms are given, one per element of ``nodes``.
    """

    model: TableModel
    table: FeatureTable
    nodes: IntArray
    scores: FloatArray
    shown: BoolArray
    marks: sp.csr_array
    is_left_out: BoolArray

    def long(self, *, term_first: bool) -> pd.DataFrame:
        """Return one line per shown cell.

        The lines of each row, or of each term if ``term_first``, are sorted by
        decreasing probability.
        """
        hierarchy = self.model.hierarchy
        rows, columns = np.divmod(np.flatnonzero(self.shown), self.shown.shape[1])
        values = self.scores[rows, columns]
        if term_first:
            ranking = np.lexsort((rows, -values, columns))
        else:
            # Parents come first among ties.
            ranking = np.lexsort((places_of(hierarchy)[columns], -values, rows))
        rows, columns, values = rows[ranking], columns[ranking], values[ranking]
        nodes = self.nodes[columns] if term_first else columns
        frame: dict[str, Any] = {
            "id": _words(self.table.ids)[rows],
            "term": _words(hierarchy.names)[nodes],
            "name": _words(hierarchy.titles)[nodes],
            "probability": values,
            "threshold": self.model.decision.threshold[nodes],
            **self._reliability(nodes, values),
            "frequency": self.model.prior[nodes],
            "information": _information(self.model.prior)[nodes],
        }
        aspects = self.model.ontology.aspects
        if any(aspects.values()):
            frame["aspect"] = _words([aspects[name] for name in hierarchy.names])[nodes]
        marks = np.asarray(self.marks[rows, columns]).reshape(-1)
        frame["status"] = _words(_STATUS)[marks] if len(rows) else _words(())
        if self.model.left_out is not None:
            frame["scored"] = _words(_SCORED)[self.is_left_out[rows].astype(np.int64)]
        # Strings stay objects: pandas would convert them to Arrow's, and back for CSV.
        stored = {
            name: pd.Series(column, dtype=object if column.dtype == object else None)
            for name, column in frame.items()
        }
        return pd.DataFrame(stored)

    def _reliability(self, nodes: IntArray, values: FloatArray) -> dict[str, Any]:
        """Return the reliability of the predictions, if measured during training."""
        judgement = self.model.judgement
        if judgement is None:
            return {}
        return {
            "precision_from_here": judgement.precision.precision_from(values),
            "term_quality": judgement.node_quality[nodes],
            "reliable": judgement.reliable[nodes],
        }

    def wide(self, *, is_decided: bool) -> pd.DataFrame:
        """Return a data frame with one line per row and one column per term."""
        shown = self.shown[:, self.nodes]
        values: Any = np.where(shown, self.scores[:, self.nodes], 0)
        if is_decided:
            values = shown.astype(np.int8)
        hierarchy = self.model.hierarchy
        names = [hierarchy.names[node] for node in self.nodes]
        frame = pd.DataFrame(values, columns=names)
        frame.insert(0, "id" if "id" not in names else "row id", list(self.table.ids))
        return frame


def _grid(
    model: TableModel,
    table: FeatureTable,
    choices: PredictChoices,
    links: Links | None,
) -> _Grid:
    nodes, hierarchy = _nodes(model, choices), model.hierarchy
    X = model.matrix(table, links)
    is_left_out = model.left_out_rows(X, table.ids) >= 0
    is_left_out &= choices.out_of_fold
    scores = model.probabilities_of(X, table.ids, out_of_fold=choices.out_of_fold)
    shown, marks = _reached(model, scores, choices), model.marks_of(table)
    if choices.terms:
        shown, scores, marks = shown[:, nodes], scores[:, nodes], marks[:, nodes]
    else:
        # In place, because a copy of most terms would need as much memory again.
        shown[:, np.setdiff1d(np.arange(hierarchy.n_nodes), nodes)] = False
    if choices.new_only:
        shown[marks.nonzero()] = False
    if choices.branches is not None:
        shown = first_branches(scores, shown, hierarchy, choices.branches)
    if choices.most_specific:
        shown = np.asarray(hierarchy.most_specific(shown), dtype=bool)
    if choices.top is not None and not choices.terms:
        shown = most_probable(scores, hierarchy, choices.top, shown)
    return _Grid(model, table, nodes, scores, shown, marks, is_left_out)


def _nodes(model: TableModel, choices: PredictChoices) -> IntArray:
    """Return the nodes of the given terms, or all informative nodes."""
    if choices.reliable_only and model.judgement is None:
        raise ParameterError(
            "The reliability of terms was not measured in training; fit the model "
            "again and measure it, or remove this option.",
            parameter="reliable_only",
        )
    if not choices.terms:
        asked = model.informative | choices.roots
        if choices.reliable_only and model.judgement is not None:
            asked = asked & model.judgement.reliable
        return np.flatnonzero(asked)
    nodes = []
    for term in dict.fromkeys(choices.terms):
        living = model.ontology.resolve(term)
        if living is None:
            meant = did_you_mean(closest(term, model.hierarchy.names))
            raise ParameterError(
                f"Expected one of the {model.hierarchy.n_nodes} terms that the model "
                f"knows, got {term!r}; rare terms are not learned.{meant}",
                parameter="terms",
            )
        nodes.append(model.hierarchy.node(living))
    return np.array([*dict.fromkeys(nodes)])


def _reached(
    model: TableModel, scores: FloatArray, choices: PredictChoices
) -> BoolArray:
    if choices.threshold == "model":
        return model.labels(scores)
    if choices.threshold is not None:
        return model.labels(scores, float(choices.threshold))
    few = choices.top is not None or choices.branches is not None
    if choices.form == "wide" and not few and not choices.most_specific:
        return np.ones(scores.shape, dtype=bool)
    reached: BoolArray = scores >= SMALLEST_SHOWN
    return reached


def _information(prior: FloatArray) -> FloatArray:
    """Return the information content of terms in bits; NaN if no row has the term."""
    unknown = np.full(prior.shape, np.nan)
    bits: FloatArray = np.log2(prior, out=unknown, where=prior > 0)
    return 0.0 - bits  # 0 instead of -0 for a term that all rows have


def _words(values: Iterable[str]) -> Any:
    return np.array([*values], dtype=object)


def as_table_model(model: TableModel | FilePath) -> TableModel:
    """Return a table model, loaded from a file if necessary."""
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
