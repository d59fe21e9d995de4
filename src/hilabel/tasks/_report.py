"""Create a report page about a trained model and about rows in a user's files."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._progress import Report, say_nothing
from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray, LabelArray
from hilabel.datasets import FeatureTable
from hilabel.exceptions import ParameterError
from hilabel.persistence import TableModel
from hilabel.report.page import (
    ON_ROWS_GIVEN,
    OUT_OF_FOLD,
    ROWS_LOOKED_AT,
    AboutModel,
    AboutRows,
    Evidence,
    ModelPage,
    Picture,
    Quality,
    TellingFeatures,
    TrainingRows,
    has_pseudo_labels,
    macro_average_precision,
    measured_quality,
    pseudo_label_picture,
    said_to_lack,
    telling_features,
)
from hilabel.tasks._explain import reading_of
from hilabel.tasks._files import TableFiles
from hilabel.tasks._labeled_rows import labeled_rows
from hilabel.tasks._predict import as_table_model
from hilabel.tasks._roots import informative
from hilabel.tasks._worth import is_no_better

_NO_BETTER = (
    "The model is no better than the constant predictor, which predicts the "
    "label frequencies for every row."
)


def report_model(
    model: TableModel | FilePath,
    features: FilePath | None = None,
    files: TableFiles | None = None,
    *,
    id_column: str | None = None,
    ids: FilePath | None = None,
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
    ...     model = fit_table(files, FitChoices(fast=True)).model
    ...     page = report_model(model, paths["features"])
    >>> page.payload["measured_on"]
    'out of fold'
    """
    report("Loading the model", 0, 0)
    name = "" if isinstance(model, TableModel) else Path(model).name
    model = as_table_model(model)
    report("Reading the files", 0, 0)
    rows = None
    if files is not None:
        if features is not None:
            raise ParameterError(
                "Expected features or files with labels, got both; remove one of them.",
                parameter="features",
            )
        table, labels, _ = labeled_rows(model, files)
        rows = _GivenRows(model, table, labels)
    elif features is not None:
        rows = _GivenRows(model, model.read(features, id_column, ids), None)
    report("Making the page", 0, 0)
    about = _about(model, name, rows)
    shown = rows.about() if rows is not None else _rows_kept(model)
    return ModelPage.of(about, shown)


# Rows ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _GivenRows:
    """Rows of a table, and the information stored about them in the model."""

    model: TableModel
    table: FeatureTable
    labels: LabelArray | None

    @cached_property
    def numbers(self) -> IntArray:
        """The index of each row among the training rows, or -1."""
        place = {name: row for row, name in enumerate(self.model.sample_ids)}
        return np.array([place.get(name, -1) for name in self.table.ids])

    @cached_property
    def was_labeled(self) -> BoolArray:
        """Mask of the rows that had labels in training."""
        return (self.numbers >= 0) & np.append(self.model.labeled, False)[self.numbers]

    @cached_property
    def is_held_out(self) -> BoolArray:
        """Mask of the rows whose out-of-fold probabilities are stored in the model."""
        return self.was_labeled & (self.model.held_out is not None)

    @property
    def training_rows(self) -> Any:
        """The matrix of all training rows, or None if not all of them are given."""
        place = np.full(len(self.model.sample_ids), -1)
        given = np.flatnonzero(self.numbers >= 0)
        place[self.numbers[given]] = given
        return self.X[place] if (place >= 0).all() else None

    @cached_property
    def X(self) -> Any:
        """The feature matrix that is passed to the classifier."""
        return self.model.matrix(self.table)

    @cached_property
    def known(self) -> sp.csr_array:
        """The known labels of the rows, from training or from the given files."""
        known = sp.csr_array(self.model.marks_of(self.table) > 0)
        if self.labels is not None:
            known = sp.csr_array(known + sp.csr_array(self.labels == 1))
        return known

    @cached_property
    def has_labels(self) -> BoolArray:
        """Mask of the rows that have labels in the given files."""
        if self.labels is None:
            return np.zeros(len(self.table.ids), dtype=bool)
        return np.asarray((self.labels >= 0).any(axis=1))

    @cached_property
    def unseen(self) -> IntArray:
        """Indices of the given labelled rows that were not labelled in training."""
        return np.flatnonzero(self.has_labels & ~self.was_labeled)

    def predict(self, rows: IntArray) -> FloatArray:
        """Return the probabilities for these rows, out of fold where available."""
        model = self.model
        found = np.empty((len(rows), model.hierarchy.n_nodes), np.float32)
        kept = self.is_held_out[rows]
        if kept.any():
            assert model.held_out is not None  # otherwise, no row is held out
            numbers = self.numbers[rows[kept]]
            found[kept] = model.held_out.scores[numbers].toarray()
        if not kept.all():
            others = rows[~kept]
            scores = model.estimator.predict_proba(self.X[others])
            ids = [self.table.ids[row] for row in others]
            found[~kept] = model.calibrated(scores, ids)
        return found

    def about(self) -> AboutRows:
        """Return the description of the rows for the page."""
        model, n_rows = self.model, min(len(self.table.ids), ROWS_LOOKED_AT)
        some = slice(0, n_rows)
        in_training = np.where(self.was_labeled, "labelled", "unlabelled")
        states = np.where(self.numbers < 0, "new", in_training)
        evidence = Evidence(model.estimator, reading_of(model), self._training())

        def explain(rows: IntArray, nodes: Sequence[IntArray]) -> list[Any]:
            return evidence.of(self.X[rows], [self.table.ids[r] for r in rows], nodes)

        lacking = {}
        if self.labels is not None:
            lacking = said_to_lack(self.labels[some], model.hierarchy)
        return AboutRows(
            ids=self.table.ids[some],
            states=states[some].tolist(),
            known=self.known[some],
            is_labeled=(self.was_labeled | self.has_labels)[some],
            lacking=lacking,
            is_held_out=self.is_held_out[some],
            is_seen=(self.was_labeled & ~self.is_held_out)[some],
            predict=self.predict,
            explain=explain,
            n_given=len(self.table.ids),
        )

    def _training(self) -> TrainingRows:
        model, rows = self.model, np.flatnonzero(self.was_labeled)
        return TrainingRows(
            model.sample_ids,
            model.labeled,
            model.marks,
            self.numbers[rows] if rows.size else None,
            self.X[rows] if rows.size else None,
        )


def _rows_kept(model: TableModel) -> AboutRows | None:
    """Return the labelled training rows, if their probabilities are stored."""
    held_out = model.held_out
    if held_out is None:
        return None
    rows = np.flatnonzero(model.labeled)
    some = rows[:ROWS_LOOKED_AT]
    return AboutRows(
        ids=[model.sample_ids[row] for row in some],
        states=["labelled"] * len(some),
        known=sp.csr_array(model.marks[some] > 0),
        is_labeled=np.ones(len(some), dtype=bool),
        is_held_out=np.ones(len(some), dtype=bool),
        is_seen=np.zeros(len(some), dtype=bool),
        predict=lambda numbers: held_out.scores[some[numbers]].toarray(),
        n_given=len(rows),
    )


# The model ----------------------------------------------------------------------------


def _about(model: TableModel, name: str, rows: _GivenRows | None) -> AboutModel:
    summary, hierarchy, ontology = model.summary, model.hierarchy, model.ontology
    method = str(summary.get("method") or type(model.estimator).__name__)
    says = informative(ontology, model.prior)
    quality = _quality(model, rows, says)
    gain = getattr(model.estimator, "unlabeled_gain_", None)
    thresholds, overall = np.full(hierarchy.n_nodes, 0.5), 0.5
    if model.thresholds is not None:
        thresholds, overall = model.thresholds.per_node, model.thresholds.overall
    source = (summary.get("files") or {}).get("features")
    aspects = ontology.aspects
    return AboutModel(
        title=name or (f"{method} on {source}" if source else method),
        method=method,
        settings=_settings(summary),
        hierarchy=hierarchy,
        aspects=[aspects[term] for term in hierarchy.names] if aspects else None,
        n_positive=_n_positive(model),
        frequency=model.prior,
        says=says,
        thresholds=thresholds,
        overall_threshold=overall,
        predicts=_predicts(model),
        facts=_facts(model, says, None if gain is None else str(gain)),
        warnings=_warnings(model, quality, says),
        unlabeled_worth=None if gain is None else str(gain),
        pseudo_labeling=model.pseudo_labeling,
        pseudo_label_picture=_picture(model, rows),
        candidates=summary.get("tried") or (),
        quality=quality,
        features=_features(model, rows),
    )


def _picture(model: TableModel, rows: _GivenRows | None) -> Picture | None:
    """Return the picture of the pseudo-labels, if the training rows are known."""
    estimator = model.estimator
    if not has_pseudo_labels(estimator):
        return None
    # Some methods store their training rows; for others, they may be among those given.
    if rows is None or hasattr(estimator, "training_data_"):
        return pseudo_label_picture(estimator)
    return pseudo_label_picture(estimator, rows.training_rows)


def _n_positive(model: TableModel) -> IntArray:
    """Return how many training rows have each term."""
    return np.bincount(model.marks.indices, minlength=model.hierarchy.n_nodes)


def _quality(
    model: TableModel, rows: _GivenRows | None, says: BoolArray
) -> Quality | None:
    """Return the quality on the given labelled rows, if any, or else from training."""
    is_kept = model.worth is not None and model.held_out is not None
    if rows is not None and rows.labels is not None:
        has_seen_some = (rows.has_labels & rows.was_labeled).any()
        labels = rows.labels[rows.unseen]
        if (labels[:, says] == 1).any() and not (has_seen_some and is_kept):
            scores = rows.predict(rows.unseen)
            return measured_quality(
                ON_ROWS_GIVEN, labels, scores, model.hierarchy, model.prior, says
            )
    if model.worth is None or model.held_out is None:
        return None
    found = model.summary.get("out_of_fold") or {}
    micro = found["average_precision"], found["constant_average_precision"]
    return Quality(
        measured_on=OUT_OF_FOLD,
        measures=[
            ("micro average precision", *micro),
            macro_average_precision(model.worth, model.prior, says),
        ],
        worth=model.worth,
        term_error=model.held_out.term_error,
        groups=model.held_out.groups,
    )


def _features(model: TableModel, rows: _GivenRows | None) -> TellingFeatures | None:
    names, n_positive = model.feature_names, _n_positive(model)
    X, labels = None, None
    if rows is not None and rows.was_labeled.any():
        labeled = np.flatnonzero(rows.was_labeled)
        X = rows.X[labeled]
        labels = np.asarray(rows.known[labeled].toarray(), dtype=np.int8)
    return telling_features(model.estimator, names, n_positive, X, labels)


def _settings(summary: dict[str, Any]) -> str:
    """Return the settings reported by ``fit``; all others are the method's defaults."""
    for statement in summary.get("statements") or ():
        if statement.startswith("parameters: "):
            return str(statement.removeprefix("parameters: "))
    return "all defaults"


def _predicts(model: TableModel) -> str:
    """Describe what the model predicts, and name the files used."""
    files = model.summary.get("files") or {}
    terms = files.get("hierarchy") or files.get("labels")
    source = files.get("features")
    return (
        f"predicts {model.hierarchy.n_nodes:,} terms{f' of {terms}' if terms else ''} "
        f"from {len(model.feature_names):,} features{f' of {source}' if source else ''}"
    )


def _facts(
    model: TableModel, says: BoolArray, unlabeled_worth: str | None
) -> list[tuple[str, str]]:
    hierarchy = model.hierarchy
    n_rows, n_labeled = len(model.sample_ids), int(model.labeled.sum())
    kind = "tree" if hierarchy.is_tree else "DAG"
    facts = [
        (
            "rows in training",
            f"{n_rows:,}: {n_labeled:,} labelled, {n_rows - n_labeled:,} unlabelled",
        ),
        (
            "terms",
            f"{hierarchy.n_nodes:,} in a {kind} of depth {hierarchy.max_depth}"
            + (
                ""
                if says.all()
                else f", {int((~says).sum())} of them roots that are not measured"
            ),
        ),
        ("features", f"{len(model.feature_names):,}"),
    ]
    files = model.summary.get("files") or {}
    if files:
        facts.append(("files", ", ".join(str(name) for name in files.values())))
    for statement in model.summary.get("statements") or ():
        label, _, text = str(statement).partition(": ")
        # These are shown elsewhere, as is the gain from unlabelled rows.
        is_shown = label in ("parameters", "pseudo-labels")
        if text and not is_shown and statement != unlabeled_worth:
            facts.append((label, text))
    return facts


def _warnings(model: TableModel, quality: Quality | None, says: BoolArray) -> list[str]:
    if quality is None:
        return [
            "The quality of this model is unknown, because it was not measured in "
            "training. Fit it again with thresholds, or pass labelled rows that it "
            "was not trained on."
        ]
    (_, of_model, of_constant), *_ = quality.measures
    n_reliable = int(quality.worth.reliable[says].sum())
    return [_NO_BETTER] if is_no_better(of_model, of_constant, n_reliable) else []
