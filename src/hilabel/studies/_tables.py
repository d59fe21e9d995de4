"""Use your own tables as a data set in a study: read, join and split them."""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from hilabel._table_options import MIN_COUNT_TO_TRAIN, TableOptions
from hilabel._typing import FilePath
from hilabel.datasets import HMCDataset, HMCSplits, TableData, load_table
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
    "valid_features",
    "valid_labels",
    "valid_ids",
)
"""The options that are file paths."""

CONTENTS_FILE: Final = "contents.json"
"""Hashes of the files of each data set, stored with a copy of the study file."""

_TEST_FRACTION = 0.25
_VALID_FRACTION = 1 / 3


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
    valid_features, valid_labels, valid_ids : str or None
        Files of the validation rows, on which parameters are chosen; their labels may
        also be in ``labels``.
    valid_fraction : float or None
        Without such files, the share of the labelled training rows to use for this; a
        third by default.
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
    valid_features: str | None = None
    valid_labels: str | None = None
    valid_ids: str | None = None
    valid_fraction: float | None = None
    min_count: int = field(default=MIN_COUNT_TO_TRAIN, kw_only=True)

    def load(self, folder: Path, fold: int | None) -> HMCSplits:
        """Return the training rows, labelled or not, and the labelled other rows."""
        hierarchy: Any = self.hierarchy and folder / self.hierarchy
        data = load_table(
            folder / self.features,
            folder / self.labels,
            hierarchy,
            **self._options(folder, self.ids),
        )
        train = data.dataset
        valid, test = (self._apart(folder, kind, data) for kind in ("valid", "test"))
        for kind, apart in (("valid", valid), ("test", test)):
            _refuse_common_rows(kind, train, apart)
        _refuse_common_rows("valid", test, valid)
        if test is None:
            train, test = self._divided(train, fold)
        if valid is None:
            train, valid = set_rows_aside(train, self.valid_fraction)
        return HMCSplits(train, valid, test)

    def _options(self, folder: Path, ids: FilePath | None) -> dict[str, Any]:
        options = {part.name: getattr(self, part.name) for part in fields(TableOptions)}
        return {**options, "ids": ids and folder / ids}

    def _apart(self, folder: Path, kind: str, data: TableData) -> HMCDataset | None:
        """Return the labelled rows of a table of their own, if there is one."""
        features, labels, ids = (
            getattr(self, f"{kind}_{part}") for part in ("features", "labels", "ids")
        )
        if features is None:
            return None
        hierarchy: Any = self.hierarchy and folder / self.hierarchy
        options = {**self._options(folder, ids), "min_count": 1}
        if hierarchy is None:
            hierarchy, options["unknown_terms"] = data.dataset.hierarchy, "drop"
        apart = load_table(
            folder / features,
            folder / (labels or self.labels),
            hierarchy,
            preparation=data.preparation,
            **options,
        )
        over = replace(
            apart.dataset,
            Y=apart.labels_over(data.ontology),
            hierarchy=data.dataset.hierarchy,
        )
        return over.rows(over.labeled)

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


def set_rows_aside(
    train: HMCDataset, share: float | None = None
) -> tuple[HMCDataset, HMCDataset]:
    """Set aside some training rows for validation, the same ones in every run."""
    kept, aside = split_labeled(train.Y, share or _VALID_FRACTION, random_state=0)
    return train.rows(kept), train.rows(aside)


def _refuse_common_rows(
    kind: str, others: HMCDataset | None, apart: HMCDataset | None
) -> None:
    if others is None or apart is None:
        return
    both = set(others.sample_ids or ()) & set(apart.sample_ids or ())
    if both:
        raise DatasetFormatError(
            f"Expected separate tables of training, validation and test rows, got "
            f"{len(both)} rows in two of them, such as {min(both)!r}; remove them from "
            "one.",
            parameter=f"{kind}_features",
        )
