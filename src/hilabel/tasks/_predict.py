"""Predict terms for the rows of a table, and return them in common formats."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.utils import gen_batches

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray
from hilabel.datasets import FeatureBlocks, FeatureTable
from hilabel.exceptions import ModelFileError, ParameterError
from hilabel.hierarchy import Hierarchy
from hilabel.persistence import TableModel, load_model
from hilabel.tasks._roots import informative

# Indexed by the marks of a model: 0, 1 and 2.
_STATUS: Final = ("new", "implied", "annotated")
# Bound the memory of probabilities (64 MB in single precision) and of counting.
_CELLS_AT_ONCE: Final = 2**24
_CELLS_TO_COUNT: Final = 2**21
# With terms, lines are collected for this many blocks before the best are selected.
_PARTS_AT_ONCE: Final = 10
SMALLEST_SHOWN: Final = 0.01
# CAFA accepts scores above 0 with two or three decimal places.
CAFA_DIGITS: Final = 3


@dataclass(frozen=True)
class PredictChoices:
    """Which predictions to return, and in which format.

    Attributes
    ----------
    form : {"long", "wide", "cafa"}
        One row per id and term; one row per id and one column per term; or the three
        columns of CAFA, without a header.
    top : int or None
        Only the most probable terms of an id, until this many of them are most
        specific; terms with a selected descendant are not counted. With ``terms``, the
        number of ids per term.
    threshold : float, "model" or None
        Only terms with at least this probability; ``"model"`` is the threshold chosen
        in training. None shows probabilities from 0.01, and all in the wide format.
    per_node : bool
        Only terms that reach their own threshold, chosen in training, and their
        ancestors.
    most_specific : bool
        Only selected terms without a selected descendant.
    roots : bool
        Whether to also show the roots of an ontology, which only name its aspects, and
        roots that all labelled rows have.
    new_only : bool
        Only terms that the id did not have in training, annotated or implied.
    reliable_only : bool
        Only terms that were predicted better than by chance in training.
    terms : sequence of str
        Only these terms, each with the ids most likely to have it.

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
        """Raise an error if choices contradict each other."""
        if self.form not in ("long", "wide", "cafa"):
            raise ParameterError(
                f"Expected the format 'long', 'wide' or 'cafa', got {self.form!r}.",
                parameter="form",
            )
        if self.per_node and self.threshold is not None:
            raise ParameterError(
                "A threshold cannot be combined with per-node thresholds; remove one.",
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
                f"Expected at least 1 term, got {self.top}.", parameter="top"
            )
        if self.terms and self.reliable_only:
            raise ParameterError(
                "Named terms are shown even if unreliable; remove one of the two.",
                parameter=("terms", "reliable_only"),
            )
        if self.terms and (self.form == "wide" or self.most_specific):
            raise ParameterError(
                "The ids of given terms are written one per line; this cannot be "
                "combined with the wide format or the most specific terms.",
                parameter=("form",) if self.form == "wide" else ("most_specific",),
            )


def predict_table(
    model: TableModel, table: FeatureTable, choices: PredictChoices | None = None
) -> pd.DataFrame:
    """Return the terms predicted for the rows of a table.

    Parameters
    ----------
    model : TableModel
    table : FeatureTable
        As returned by ``model.read``.
    choices : PredictChoices, optional

    Returns
    -------
    DataFrame
        Long: ids in the order of the table, most probable term first; with ``terms``,
        terms in the given order, most probable id first. The columns are ``id, term,
        name, probability``; ``precision_from_here``, the out-of-fold share of correct
        predictions among all that are at least as probable; ``term_quality``, the
        term's out-of-fold average precision, and ``reliable``, whether it is better
        than chance; ``frequency``, the share of the labelled training rows that have
        the term, and ``information``, the same in bits; ``aspect`` if the hierarchy has
        aspects; ``status``, whether the term of the id was ``annotated`` in training,
        ``implied`` by an annotation, or is ``new``. Wide: ``id`` and one column per
        term; with a threshold, 1 and 0 instead of probabilities. CAFA: ``id, term,
        probability``.

    Raises
    ------
    ValueError
        If the choices need thresholds that the model does not have.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, PredictChoices, TableFiles
    >>> from hilabel.tasks import fit_table, predict_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree", thresholds=None)
    ...     model = fit_table(files, choices).model
    ...     table = model.read(files.features)
    >>> terms = predict_table(model, table, PredictChoices(top=1))
    >>> terms.columns.tolist()[:4]
    ['id', 'term', 'name', 'probability']
    """
    choices = PredictChoices() if choices is None else choices
    choices.check()
    blocks = FeatureBlocks.of_table(table, rows_at_once(model))
    frames = [frame for frame, _ in predicted_frames(model, blocks, choices)]
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled or frames[:1], ignore_index=True)


def rows_at_once(model: TableModel) -> int:
    """Return the number of rows whose probabilities are kept in memory at a time."""
    return max(1, _CELLS_AT_ONCE // model.hierarchy.n_nodes)


def predicted_frames(
    model: TableModel, blocks: FeatureBlocks, choices: PredictChoices
) -> Iterator[tuple[pd.DataFrame, int]]:
    """Yield blocks of the output of :func:`predict_table`, with the row count so far.

    If terms are given, the output is only known after all rows have been scored, so it
    is yielded as one block at the end.
    """
    n_done = 0
    of_terms: list[pd.DataFrame] = []
    for table in blocks:
        grid = _grid(model, table, choices)
        n_done += len(table)
        if choices.form == "wide":
            is_decided = choices.per_node or choices.threshold is not None
            yield grid.wide(is_decided=is_decided), n_done
        elif choices.terms:
            of_terms.append(grid.long(term_first=True))
            if len(of_terms) > _PARTS_AT_ONCE and choices.top is not None:
                of_terms = [_merged(model, of_terms, choices)]
            yield _finished(of_terms[0][:0], choices), n_done
        else:
            yield _finished(grid.long(term_first=False), choices), n_done
    if of_terms:
        yield _finished(_merged(model, of_terms, choices), choices), n_done


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
            ranking = np.lexsort((_places(hierarchy)[columns], -values, rows))
        rows, columns, values = rows[ranking], columns[ranking], values[ranking]
        nodes = self.nodes[columns] if term_first else columns
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
        """Return the reliability of the predictions, if measured during training."""
        worth = self.model.worth
        if worth is None:
            return {}
        return {
            "precision_from_here": worth.precision_from(values),
            "term_quality": worth.quality[nodes],
            "reliable": worth.reliable[nodes],
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


def _grid(model: TableModel, table: FeatureTable, choices: PredictChoices) -> _Grid:
    nodes, hierarchy = _nodes(model, choices), model.hierarchy
    scores = model.predict_proba(table)
    shown, marks = _reached(model, scores, choices), model.marks_of(table)
    if choices.terms:
        shown, scores, marks = shown[:, nodes], scores[:, nodes], marks[:, nodes]
    else:
        # In place, because a copy of most terms would need as much memory again.
        shown[:, np.setdiff1d(np.arange(hierarchy.n_nodes), nodes)] = False
    if choices.new_only:
        shown[marks.nonzero()] = False
    if not choices.terms and choices.top is not None:
        shown = _first_branches(scores, shown, hierarchy, choices.top)
    if not choices.terms and choices.most_specific:
        shown = np.asarray(hierarchy.most_specific(shown), dtype=bool)
    return _Grid(model, table, nodes, scores, shown, marks)


def _nodes(model: TableModel, choices: PredictChoices) -> IntArray:
    """Return the nodes of the given terms, or all informative nodes."""
    if choices.reliable_only and model.worth is None:
        raise ParameterError(
            "The reliability of terms was not measured in training; fit the model "
            "again with thresholds, or remove this option.",
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
                f"knows, got {term!r}; rare terms are not learned.{meant}",
                parameter="terms",
            )
        nodes.append(model.hierarchy.node(living))
    return np.array([*dict.fromkeys(nodes)])


def _reached(
    model: TableModel, scores: FloatArray, choices: PredictChoices
) -> BoolArray:
    if choices.per_node or choices.threshold == "model":
        if model.thresholds is None:
            raise ParameterError(
                "The model was fitted without thresholds; fit it again with "
                "thresholds, or pass a number.",
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
    """Select the most probable terms, with at most ``top`` most specific ones per row.

    Terms are selected in order of probability until the next one would result in more
    than ``top`` terms without a selected descendant.
    """
    kept = np.zeros(shown.shape, dtype=bool)
    order = hierarchy.order
    for part in gen_batches(len(shown), max(1, _CELLS_TO_COUNT // hierarchy.n_nodes)):
        # Lists, since few terms are shown; parents first among ties.
        rows, places = np.divmod(np.flatnonzero(shown[part][:, order]), order.size)
        if not rows.size:
            continue
        rows, rank, nodes = _ranked(rows, order[places], scores[part])
        n_specific = _count_specific(rows, rank, nodes, hierarchy)
        too_many = np.flatnonzero(n_specific > top)[::-1]
        end = np.full(rows[-1] + 1, hierarchy.n_nodes)
        end[rows[too_many]] = rank[too_many]  # the first of a row is written last
        is_kept = rank < end[rows]
        kept[part][rows[is_kept], nodes[is_kept]] = True
    return kept


def _ranked(
    rows: IntArray, nodes: IntArray, scores: FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the rows, ranks and nodes of cells, ranked by score within each row."""
    n_cells = np.bincount(rows)
    rank = np.arange(rows.size) - (np.cumsum(n_cells) - n_cells)[rows]
    lowest_first = np.full((n_cells.size, n_cells.max()), np.inf, dtype=scores.dtype)
    lowest_first[rows, rank] = -scores[rows, nodes]
    listed = np.zeros(lowest_first.shape, dtype=nodes.dtype)
    listed[rows, rank] = nodes
    ranking = lowest_first.argsort(axis=1, kind="stable")
    return rows, rank, np.take_along_axis(listed, ranking, axis=1)[rows, rank]


def _count_specific(
    rows: IntArray, rank: IntArray, nodes: IntArray, hierarchy: Hierarchy
) -> IntArray:
    """Count the most specific terms among the most probable terms of each row.

    The count for a cell covers the cells of its row up to and including this cell.
    """
    n_nodes, cells = hierarchy.n_nodes, np.arange(nodes.size)
    # A term is no longer most specific from its first child on.
    parents, start = _parent_lists(hierarchy)
    n_parents = np.diff(start)[nodes]
    children = np.repeat(cells, n_parents)
    step = np.arange(children.size) - (np.cumsum(n_parents) - n_parents)[children]
    above = parents[start[nodes[children]] + step]
    until = np.full((rows[-1] + 1, n_nodes), n_nodes, dtype=np.int32)
    # The first child is written last.
    until[rows[children[::-1]], above[::-1]] = rank[children[::-1]]
    end = until[rows, nodes]
    ended = (cells - rank + end)[end < n_nodes]
    total = np.cumsum(1 - np.bincount(ended, minlength=cells.size))
    before = np.concatenate([[0], total])[cells - rank]
    counted: IntArray = total - before
    return counted


def _parent_lists(hierarchy: Hierarchy) -> tuple[IntArray, IntArray]:
    """Return an array of all nodes' parents, and where those of each node start."""
    edges = hierarchy.edges[hierarchy.edges[:, 1].argsort(kind="stable")]
    return edges[:, 0], np.searchsorted(edges[:, 1], np.arange(hierarchy.n_nodes + 1))


def _places(hierarchy: Hierarchy) -> IntArray:
    """Return the position of each node in a topological order, parents first."""
    place = np.empty(hierarchy.n_nodes, dtype=np.int64)
    place[hierarchy.order] = np.arange(hierarchy.n_nodes)
    return place


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
