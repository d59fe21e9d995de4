"""Set rows aside, or read them from a table of their own, to choose parameters on."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hilabel._typing import LabelArray
from hilabel.datasets import (
    FeatureTable,
    TableData,
    TablePreparation,
    load_table,
    read_features,
)
from hilabel.exceptions import DatasetFormatError, ParameterError
from hilabel.model_selection import split_labeled
from hilabel.tasks._build import FitChoices
from hilabel.tasks._files import TableFiles
from hilabel.tasks._labeled_rows import labels_in


@dataclass(frozen=True, eq=False)
class ValidationRows:
    """Labelled rows that never train a model.

    Attributes
    ----------
    X : array or csr_array of shape (n_rows, n_features)
    Y : ndarray of shape (n_rows, n_nodes)
    source : str
        Where the rows come from, to be shown.
    """

    X: Any
    Y: LabelArray
    source: str


def check_tuning(files: TableFiles, choices: FitChoices) -> None:
    """Raise an error for values to try without rows to try them on, or vice versa."""
    sources = [files.valid is not None, choices.valid_share is not None]
    if choices.tune and not any(sources):
        raise ParameterError(
            "Expected validation rows to tune on, got none; name a table of them, or "
            "the share of the labelled rows to set aside.",
            parameter=("valid", "valid_share"),
        )
    if all(sources):
        raise ParameterError(
            "Expected a table of validation rows or a share of the labelled rows, got "
            "both; remove one of them.",
            parameter=("valid", "valid_share"),
        )
    if any(sources) and not choices.tune:
        raise ParameterError(
            "Validation rows are only used to choose parameters, and there are none to "
            "choose; give values to try, or remove the validation rows.",
            parameter="tune",
        )
    if choices.valid_share is not None and not 0 < choices.valid_share < 1:
        raise ParameterError(
            f"Expected a share between 0 and 1, got {choices.valid_share:g}; 0.2 sets "
            "aside a fifth of the labelled rows.",
            parameter="valid_share",
        )
    if files.valid_labels is not None and files.valid is None:
        raise ParameterError(
            "Expected a table of validation rows with their labels, got only labels; "
            "name the table, or remove the labels.",
            parameter=("valid", "valid_labels"),
        )


def load_apart(
    files: TableFiles, choices: FitChoices
) -> tuple[TableData, FeatureTable | None]:
    """Return the training data and the table of the validation rows, if there are any.

    Labels of the validation rows do not count for the minimum count of a term.
    """
    if choices.valid_share is not None:
        everything = replace(files, min_count=1).load()
        train, valid = split_labeled(
            everything.dataset.Y, choices.valid_share, random_state=choices.seed
        )
        data = load_table(
            everything.table.rows(train),
            files.labels,
            files.hierarchy,
            **files.options(),
        )
        table = everything.table.rows(valid)
    else:
        data = files.load()
        if files.valid is None:
            return data, None
        table = _read(files, data)
        _refuse_common_rows(data, table)
    # Their annotations have rows, although not in the training table.
    known = set(table.ids)
    left = tuple(one for one in data.report.unmatched_ids if one not in known)
    return replace(data, report=replace(data.report, unmatched_ids=left)), table


def validation_rows(
    table: FeatureTable,
    files: TableFiles,
    data: TableData,
    preparation: TablePreparation,
) -> ValidationRows:
    """Return the labelled rows of a validation table.

    The labels are those of ``files.valid_labels`` or, by default, of the file with the
    labels of the training rows.
    """
    labels = files.valid_labels or files.labels
    source = "set aside from the labelled rows"
    if files.valid is not None:
        source = Path(files.valid).name
        if files.valid_labels is None and os.path.samefile(
            files.features, files.labels
        ):
            labels = files.valid  # like the training table, it contains its labels
    files = replace(files, labels=labels)
    found = labels_in(table, files, data.ontology, preparation, {})
    Y = found.labels_over(data.ontology)
    rows = np.flatnonzero(Y.max(axis=1) >= 0)
    X = preparation.transform(table.rows(rows))
    return ValidationRows(X, Y[rows], source)


def _read(files: TableFiles, data: TableData) -> FeatureTable:
    how = data.preparation
    return read_features(
        files.valid,  # type: ignore[arg-type]  # load_apart checks it
        id_column=files.id_column,
        usual_id_column=data.table.frame.index.name,
        categorical=how.categories_,
        text=how.text_,
        columns=how.feature_names_in_,
        strip_version=files.strip_version,
        merge_duplicates=files.merge_duplicates,
    )


def _refuse_common_rows(data: TableData, table: FeatureTable) -> None:
    both = set(data.table.ids) & set(table.ids)
    if both:
        raise DatasetFormatError(
            f"{table.source}: expected rows that are not used for training, got "
            f"{len(both)} rows of the training table, such as {min(both)!r}; remove "
            "them from one of the tables.",
            parameter="valid",
        )
