"""Use your own tables as a data set in a study: read, join and split them."""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from hilabel._table_options import MIN_COUNT_TO_TRAIN, TableOptions
from hilabel.datasets import HMCDataset, load_table
from hilabel.exceptions import DatasetFormatError
from hilabel.model_selection import LabeledKFold, split_labeled

FILES: Final = (
    "features",
    "labels",
    "hierarchy",
    "ids",
    "test_features",
    "test_labels",
    "test_ids",
)
"""The options that are file paths."""

CONTENTS_FILE: Final = "contents.json"
"""Hashes of the files of each data set, stored with a copy of the study file."""

_TEST_FRACTION = 0.25


@dataclass(frozen=True)
class StudyTables(TableOptions):
    """The files of a data set, how to read them, and which rows are test rows.

    Attributes
    ----------
    features, labels, hierarchy : str
        See :func:`~hilabel.datasets.load_table`; without a hierarchy, the terms have no
        edges.
    ids : str or None
        If features are arrays, the file with the ids of the rows.
    test_features, test_labels, test_ids : str or None
        Files of the test rows; their labels may also be in ``labels``.
    test_fraction : float or None
        Without such files, the share of the labelled rows to test on; 0.25 if neither
        this nor ``folds`` is given.
    folds : int or None
        Number of folds of the labelled rows; each repetition tests on one of them.
    min_count : int, default=5
        As for ``hilabel fit``. All other options are described in
        :class:`~hilabel.datasets.TableOptions`.
    """

    features: str
    labels: str
    hierarchy: str | None = None
    test_features: str | None = None
    test_labels: str | None = None
    test_ids: str | None = None
    test_fraction: float | None = None
    folds: int | None = None
    min_count: int = field(default=MIN_COUNT_TO_TRAIN, kw_only=True)

    def load(self, folder: Path, fold: int | None) -> tuple[HMCDataset, HMCDataset]:
        """Return the training rows, labelled or not, and the labelled test rows."""
        options = {part.name: getattr(self, part.name) for part in fields(TableOptions)}
        options["ids"] = self.ids and folder / self.ids
        hierarchy: Any = self.hierarchy and folder / self.hierarchy
        data = load_table(
            folder / self.features, folder / self.labels, hierarchy, **options
        )
        train = data.dataset
        if self.test_features is None:
            return self._divided(train, fold)
        if hierarchy is None:
            hierarchy, options["unknown_terms"] = train.hierarchy, "drop"
        test = load_table(
            folder / self.test_features,
            folder / (self.test_labels or self.labels),
            hierarchy,
            preparation=data.preparation,
            **options
            | {"min_count": 1, "ids": self.test_ids and folder / self.test_ids},
        )
        _refuse_common_rows(train, test.dataset)
        over = replace(
            test.dataset, Y=test.labels_over(data.ontology), hierarchy=train.hierarchy
        )
        return train, over.rows(over.labeled)

    def _divided(
        self, data: HMCDataset, fold: int | None
    ) -> tuple[HMCDataset, HMCDataset]:
        if self.folds is None or fold is None:
            share = self.test_fraction or _TEST_FRACTION
            train, test = split_labeled(data.Y, share, random_state=0)
        else:
            folds = LabeledKFold(self.folds, random_state=0).split(None, data.Y)
            train, test = list(folds)[fold]
        return data.rows(train), data.rows(test)


def _refuse_common_rows(train: HMCDataset, test: HMCDataset) -> None:
    both = set(train.sample_ids or ()) & set(test.sample_ids or ())
    if both:
        raise DatasetFormatError(
            f"Expected separate training and test rows, got {len(both)} rows in both "
            f"tables, such as {min(both)!r}; remove them from one.",
            parameter="test_features",
        )
