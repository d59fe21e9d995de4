"""From a model and a table to predicted terms, in the forms that people use."""

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

# By the marks that a model has of a term: 0, 1 and 2.
_STATUS: Final = ("new", "implied", "annotated")
# Bound the memory of probabilities, 64 MB in single precision, and of counting.
_CELLS_AT_ONCE: Final = 2**24
_CELLS_TO_COUNT: Final = 2**21
# Parts of the lines of terms that wait for the best of them to be picked.
_PARTS_AT_ONCE: Final = 10
SMALLEST_SHOWN: Final = 0.01
# CAFA takes scores above 0 with two or three digits after the point.
CAFA_DIGITS: Final = 3


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
    """Return for how many rows the probabilities of all terms are held in memory."""
    return max(1, _CELLS_AT_ONCE // model.hierarchy.n_nodes)


def predicted_frames(
    model: TableModel, blocks: FeatureBlocks, choices: PredictChoices
) -> Iterator[tuple[pd.DataFrame, int]]:
    """Yield the lines of :func:`predict_table` in parts, and how many rows are done.

    The lines of a term are only known once all rows have been seen, so that they come
    in one part at the end.
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
    """Return the lines of all rows, by term and the most probable first."""
    filled = [part for part in parts if len(part)]
    frame = pd.concat(filled or parts[:1], ignore_index=True)
    # Terms in the order asked for; those of equal probability in that of the rows.
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
    """Probabilities, and which cells are shown.

    Columns are all nodes or, where terms are asked for, ``nodes``.
    """

    model: TableModel
    table: FeatureTable
    nodes: IntArray
    scores: FloatArray
    shown: BoolArray
    marks: sp.csr_array

    def long(self, *, term_first: bool) -> pd.DataFrame:
        """Return a line per cell shown, the most probable of a row or term first."""
        hierarchy = self.model.hierarchy
        rows, columns = np.divmod(np.flatnonzero(self.shown), self.shown.shape[1])
        values = self.scores[rows, columns]
        if term_first:
            ranking = np.lexsort((rows, -values, columns))
        else:
            # Parents come first among equals.
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
        # Where they are: of most terms a copy would take as much memory again.
        shown[:, np.setdiff1d(np.arange(hierarchy.n_nodes), nodes)] = False
    if choices.new_only:
        shown[marks.nonzero()] = False
    if not choices.terms and choices.top is not None:
        shown = _first_branches(scores, shown, hierarchy, choices.top)
    if not choices.terms and choices.most_specific:
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
    return np.array([*dict.fromkeys(nodes)])


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
    kept = np.zeros(shown.shape, dtype=bool)
    order = hierarchy.order
    for part in gen_batches(len(shown), max(1, _CELLS_TO_COUNT // hierarchy.n_nodes)):
        # Few of all terms are shown: lists of them, parents first among equals.
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
    """Return rows, ranks and nodes of cells, the most probable of each row first."""
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
    """Return how many terms of a row are most specific, up to each of its terms."""
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
    """Return the parents of all nodes, one after the other, and where each begins."""
    edges = hierarchy.edges[hierarchy.edges[:, 1].argsort(kind="stable")]
    return edges[:, 0], np.searchsorted(edges[:, 1], np.arange(hierarchy.n_nodes + 1))


def _places(hierarchy: Hierarchy) -> IntArray:
    """Return where each node stands in an order in which parents come first."""
    place = np.empty(hierarchy.n_nodes, dtype=np.int64)
    place[hierarchy.order] = np.arange(hierarchy.n_nodes)
    return place


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
