"""A user's files, read, matched and prepared once, and the method to train on them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._progress import Report
from hilabel._typing import IntArray
from hilabel.classifiers import BaseHierarchicalClassifier, TrainingData
from hilabel.costs import judging_seconds
from hilabel.datasets import TableData, TablePreparation
from hilabel.exceptions import ParameterError
from hilabel.model_selection import (
    OutOfFold,
    draw_aside,
    draw_folds,
    rows_to_set_aside,
)
from hilabel.tasks._build import build_estimator, build_preparation
from hilabel.tasks._choices import FitChoices

# With fewer labelled rows, an estimate of quality would be mostly noise.
FEWEST_MEASURED = 10
# Of a time limit, for preparing columns and for writing the model.
_SHARE_FOR_THE_REST = 0.05


@dataclass(frozen=True, eq=False)
class Prepared:
    """A method and the rows that it is trained on.

    Attributes
    ----------
    choices : FitChoices
    tables : TableData
        The rows, their labels and the hierarchy.
    estimator : hierarchical classifier
        Not fitted.
    preparation : TablePreparation
    data : TrainingData
        The rows as numbers, with the fold of each labelled row.
    sentences : tuple of str
        The choices and their reasons, to be shown.
    """

    choices: FitChoices
    tables: TableData
    estimator: BaseHierarchicalClassifier
    preparation: TablePreparation
    data: TrainingData
    sentences: tuple[str, ...]

    @classmethod
    def of(
        cls,
        tables: TableData,
        choices: FitChoices,
        folds: "Folds",
        report: Report,
        clock: "Clock | None" = None,
    ) -> "Prepared":
        """Prepare rows that were read for a method."""
        report("Preparing the columns", 0, 0)
        seconds = None
        if clock is not None and choices.time is not None:
            seconds = clock.left_for_training(folds, tables)
        estimator, about_method = build_estimator(choices, tables, seconds)
        preparation, X, about_columns = build_preparation(choices, estimator, tables)
        labels, about_unknown = tables.labels, unknown_told(estimator, tables)
        if not estimator.method_tags.partial_labels:
            labels = labels.complete()
        data = estimator.check_training_data(X, labels)
        data = replace(data, fold=folds.of_rows[data.labeled_rows])
        if estimator.method_tags.links:
            data = data.with_links(tables.links)
        sentences = (
            *about_method,
            *about_unknown,
            *about_columns,
            *links_told(estimator, tables),
            *folds.sentences,
        )
        return cls(choices, tables, estimator, preparation, data, sentences)

    @property
    def method(self) -> str:
        """The name of the method."""
        return type(self.estimator).__name__

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        fold: Any = self.data.fold
        return int(fold.max()) + 1

    def truth_of(self, found: OutOfFold) -> LabelMatrix:
        """Return the known labels of scored rows, which measures compare with."""
        return self.tables.labels[self.rows_of(found)]

    def rows_of(self, found: OutOfFold) -> IntArray:
        """Return the numbers of scored rows in the table."""
        rows = self.data.labeled_rows
        return rows if found.rows is None else rows[found.rows]


class Clock:
    """What is left of the time for a whole command, from the start on."""

    def __init__(self, choices: FitChoices) -> None:
        self._start = time.perf_counter()
        self._limit = choices.time

    def left_for_training(self, folds: "Folds", tables: TableData) -> float:
        """Return the seconds for training: without preparation, judging and writing."""
        assert self._limit is not None  # only asked if the time is limited
        used = time.perf_counter() - self._start
        n_scored = int((folds.of_rows >= 0).sum())
        judging = judging_seconds(n_scored * tables.hierarchy.n_nodes)
        reserved = judging + _SHARE_FOR_THE_REST * self._limit
        return max(self._limit - used - reserved, 0.0)


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold of each row, drawn once for everything that needs folds.

    Attributes
    ----------
    of_rows : int array of shape (n_rows,)
        -1 for unlabelled rows and, if some labelled rows are set aside to be scored,
        for the other labelled rows.
    sentences : tuple of str
        Which rows are set aside, and why.
    """

    of_rows: IntArray
    sentences: tuple[str, ...] = ()

    @classmethod
    def draw(cls, tables: TableData, choices: FitChoices, report: Report) -> "Folds":
        """Divide the labelled rows of a table, or some of them if they are many."""
        n_labeled = int(tables.labels.labeled.sum())
        choices.check_folds(n_labeled)
        report(f"Dividing {n_labeled:,} labelled rows into folds", 0, 0)
        n_aside = rows_to_set_aside(n_labeled, tables.hierarchy.n_nodes)
        groups = tables.groups
        grouped = () if groups is None else (group_sentence(groups),)
        if choices.folds is not None or n_aside == n_labeled:
            of_rows = draw_folds(
                tables.labels, choices.folds, choices.seed, groups=groups
            )
            return cls(of_rows, grouped)
        of_rows = draw_aside(tables.labels, n_aside, choices.seed, groups)
        n_scored = int((of_rows >= 0).sum())
        told = (
            f"rows set aside: {n_scored:,} of {n_labeled:,} labelled rows choose and "
            "judge models that are trained without them, and then train the final "
            f"model; to score all rows instead, set folds to {of_rows.max() + 1}"
        )
        return cls(of_rows, (told, *grouped))


def can_measure(tables: TableData, choices: FitChoices) -> bool:
    """Return whether there are enough labelled rows to measure the quality."""
    n_labeled = int(np.sum(tables.labels.labeled))
    least = FEWEST_MEASURED if choices.folds is None else 2 * choices.folds
    return choices.measure and n_labeled >= least


def refuse_too_few(tables: TableData) -> None:
    """Raise an error unless there are at least two labelled rows."""
    n_labeled = int(np.sum(tables.labels.labeled))
    if n_labeled < 2:
        raise ParameterError(
            f"Expected at least two labelled rows, got {n_labeled}: one is scored by a "
            "model that is trained on the others.",
            parameter="labels",
        )


def links_told(
    estimator: BaseHierarchicalClassifier, tables: TableData
) -> Iterator[str]:
    """Yield how many links the method learns from, or that it does not."""
    links, found = tables.links, tables.report.links
    if links is None or found is None:
        return
    name = type(estimator).__name__
    if not estimator.method_tags.links:
        yield (
            f"links: {found.n_used:,}, not used ({name} learns from columns alone; "
            "Blend, LinkVotes, LinkSpreading and ResidualSpreading learn from links)"
        )
        return
    kinds = "" if len(links.names) == 1 else f" of the kinds {', '.join(links.names)}"
    yield (
        f"links: {found.n_used:,} between rows{kinds}; "
        f"{found.n_rows_without:,} of {found.n_rows:,} rows have none"
    )


def group_sentence(groups: IntArray) -> str:
    """Say how rows are grouped, so that linked rows are in one fold."""
    sizes = np.bincount(groups)
    several = sizes[sizes > 1]
    if not several.size:
        return "groups: no row is linked strongly enough to another"
    return (
        f"groups: {several.sum():,} of {groups.size:,} rows are in {several.size:,} "
        f"groups of strongly linked rows, each in one fold; the largest has "
        f"{several.max():,} rows"
    )


def unknown_told(estimator: BaseHierarchicalClassifier, tables: TableData) -> list[str]:
    """Return what the method does with labels that annotations leave unknown."""
    if not tables.labels.is_partly_known:
        return []
    told = ", ".join(
        f"{count} labelled rows in {aspect or 'some terms'}"
        for aspect, count in tables.report.unknown_rows.items()
    )
    if estimator.method_tags.partial_labels:
        return [f"unknown: {told}, where they are ignored"]
    return [
        f"unknown: {told}, which {type(estimator).__name__} treats as absent; measures "
        "ignore them"
    ]
