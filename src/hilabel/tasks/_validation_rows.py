"""Set rows aside, or read them from a table of their own, to choose parameters on."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel.datasets import (
    FeatureTable,
    TableData,
    TableFiles,
    TablePreparation,
    link_new_rows,
    load_table,
    read_labels_over,
)
from hilabel.exceptions import ParameterError
from hilabel.links import Links
from hilabel.model_selection import split_labeled
from hilabel.tasks._choices import FitChoices


@dataclass(frozen=True, eq=False)
class ValidationRows:
    """Labelled rows that never train a model.

    Attributes
    ----------
    X : array or csr_array of shape (n_rows, n_features)
    labels : LabelMatrix of shape (n_rows, n_nodes)
    source : str
        Where the rows come from, to be shown.
    links : Links or None
        Their links to training rows.
    """

    X: Any
    labels: LabelMatrix
    source: str
    links: Links | None = None


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


def read_apart(
    files: TableFiles, choices: FitChoices
) -> tuple[TableData, FeatureTable | None]:
    """Return the training data and the table of the validation rows, if there are any.

    Labels of the validation rows do not count for the minimum count of a term.
    """
    if choices.valid_share is not None:
        everything = replace(files, min_count=1).read()
        train, valid = split_labeled(
            everything.labels, choices.valid_share, random_state=choices.seed
        )
        tables = load_table(
            everything.table.rows(train),
            files.labels,
            files.hierarchy,
            links=files.links or None,
            links_both_ways=files.links_both_ways,
            **files.options(),
        )
        table = everything.table.rows(valid)
    else:
        tables = files.read()
        if files.valid is None:
            return tables, None
        table = tables.read_alike(files.valid, id_column=files.id_column)
        tables.table.refuse_rows_of(table, "valid")
    # Their annotations have rows, although not in the training table.
    known = set(table.ids)
    left = tuple(one for one in tables.report.unmatched_ids if one not in known)
    return replace(tables, report=replace(tables.report, unmatched_ids=left)), table


def validation_rows(
    table: FeatureTable,
    files: TableFiles,
    tables: TableData,
    preparation: TablePreparation,
) -> ValidationRows:
    """Return the labelled rows of a validation table.

    The labels are those of ``files.valid_labels`` or, by default, of the file with the
    labels of the training rows.
    """
    source = "set aside from the labelled rows"
    if files.valid is not None:
        source = Path(files.valid).name
        labels_file = files.valid_labels or files.labels_of(files.valid)
        files = replace(files, labels=labels_file)
    labels, _ = read_labels_over(table, files, tables.ontology)
    rows = np.flatnonzero(labels.labeled)
    links = None
    if tables.links is not None:
        links = link_new_rows(
            files.links,
            [table.ids[row] for row in rows],
            tables.table.ids,
            kinds=tables.links.names,
            both_ways=files.links_both_ways,
            strip_version=files.strip_version,
        ).to_training
    X = preparation.transform(table.rows(rows))
    return ValidationRows(X, labels[rows], source, links)
