"""Use your own tables as a data set in a study: read, join and split them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from hilabel._table_options import MIN_COUNT_TO_TRAIN, TableOptions
from hilabel.datasets import (
    FeatureTable,
    HMCDataset,
    HMCSplits,
    LinkFiles,
    TableData,
    TableFiles,
    parse_links_option,
    read_labels_over,
)
from hilabel.exceptions import DatasetFormatError
from hilabel.model_selection import draw_folds, split_labeled

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
    links : tuple of str
        Files with links between rows, ``FILE`` or ``KIND=FILE``; rows are only linked
        to training rows.
    links_both_ways : bool, default=True
        Whether a link also leads from its target to its source.
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
    links: tuple[str, ...] = ()
    links_both_ways: bool = True
    min_count: int = field(default=MIN_COUNT_TO_TRAIN, kw_only=True)

    def load(self, folder: Path, fold: int | None) -> HMCSplits:
        """Return the training rows, labelled or not, and the labelled other rows."""
        return self._linked(folder, self._splits(folder, fold))

    def _linked(self, folder: Path, splits: HMCSplits) -> HMCSplits:
        """Add the links of all rows to training rows."""
        if not self.links:
            return splits
        ids: Any = splits.train.sample_ids
        files = LinkFiles.of(link_files(self.links, folder), self.strip_version)
        table, both_ways = files.read(ids), self.links_both_ways
        train, _ = table.over(ids, both_ways=both_ways)
        others = []
        for part in (splits.valid, splits.test):
            own: Any = part.sample_ids
            links, _ = table.over(own, ids, both_ways=both_ways)
            others.append(replace(part, links=links))
        return HMCSplits(replace(splits.train, links=train), *others)

    def _splits(self, folder: Path, fold: int | None) -> HMCSplits:
        files = self._files(folder)
        data = files.read()
        valid, test = (self._apart(folder, kind, data) for kind in ("valid", "test"))
        for kind, apart in (("valid", valid), ("test", test)):
            if apart is not None:
                data.table.refuse_rows_of(apart, f"{kind}_features")
        if valid is not None and test is not None:
            test.refuse_rows_of(valid, "valid_features")
        train = data.dataset
        if test is None:
            train, tested = self._divided(data, fold)
        else:
            tested = self._labeled(folder, "test", test, data)
        if valid is None:
            return HMCSplits(*set_rows_aside(train, self.valid_fraction), tested)
        return HMCSplits(train, self._labeled(folder, "valid", valid, data), tested)

    def _files(self, folder: Path) -> TableFiles:
        """Return the training files."""
        given = {part.name: getattr(self, part.name) for part in fields(TableOptions)}
        return TableFiles(
            folder / self.features,
            folder / self.labels,
            None if self.hierarchy is None else folder / self.hierarchy,
            links=link_files(self.links, folder),
            links_both_ways=self.links_both_ways,
            **{**given, "ids": self.ids and folder / self.ids},
        )

    def _apart(self, folder: Path, kind: str, data: TableData) -> FeatureTable | None:
        """Read test or validation rows from a table of their own, if there is one."""
        features, ids = getattr(self, f"{kind}_features"), getattr(self, f"{kind}_ids")
        if features is None:
            return None
        return data.read_alike(
            folder / features, id_column=self.id_column, ids=ids and folder / ids
        )

    def _labeled(
        self, folder: Path, kind: str, table: FeatureTable, data: TableData
    ) -> HMCDataset:
        """Return the labelled rows of a table with the terms of the training rows."""
        files, own = self._files(folder), getattr(self, f"{kind}_labels")
        found = files.labels_of(table.source) if own is None else folder / own
        labels, _ = read_labels_over(table, replace(files, labels=found), data.ontology)
        rows = np.flatnonzero(labels.labeled)
        known = table.rows(rows)
        return replace(
            data.dataset,
            X=data.preparation.transform(known),
            Y=labels.to_array(rows),
            sample_ids=known.ids,
        )

    def _divided(
        self, data: TableData, fold: int | None
    ) -> tuple[HMCDataset, HMCDataset]:
        """Return the training rows and the test rows of one table."""
        if self.folds is None or fold is None:
            share = self.test_fraction or _TEST_FRACTION
            train, test = split_labeled(data.labels, share, random_state=0)
        else:
            n_labeled = data.report.n_labeled
            if n_labeled < self.folds:
                raise DatasetFormatError(
                    f"expected at least one labelled row for each of {self.folds} "
                    f"folds, got {n_labeled}; use fewer folds.",
                    source=data.table.source,
                    parameter="folds",
                )
            is_test = draw_folds(data.labels, self.folds) == fold
            train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
        return data.dataset.rows(train), data.dataset.rows(test)


def link_files(links: Iterable[str], folder: Path) -> list[tuple[str | None, Path]]:
    """Return the kind and the path of each file of links."""
    named = (parse_links_option(text) for text in links)
    return [(kind, folder / path) for kind, path in named]


def set_rows_aside(
    train: HMCDataset, share: float | None = None
) -> tuple[HMCDataset, HMCDataset]:
    """Set aside some training rows for validation, the same ones in every run."""
    kept, aside = split_labeled(train.Y, share or _VALID_FRACTION, random_state=0)
    return train.rows(kept), train.rows(aside)
