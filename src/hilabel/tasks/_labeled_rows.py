"""Read rows from a user's files, with labels for the terms of a trained model."""

from typing import Any

from hilabel._typing import LabelArray
from hilabel.datasets import (
    FeatureTable,
    MatchReport,
    TableData,
    TablePreparation,
    load_table,
)
from hilabel.hierarchy import Ontology
from hilabel.persistence import TableModel
from hilabel.tasks._files import TableFiles


def labeled_rows(
    model: TableModel, files: TableFiles
) -> tuple[FeatureTable, LabelArray, MatchReport]:
    """Read rows and their labels, with one label column per term of the model.

    If a hierarchy is given, a label that is not a term of the model is replaced with
    its ancestors in the model. Otherwise, such labels are dropped, except for
    identifiers that have been replaced and for paths that start with a term of the
    model.
    """
    table = model.read(files.features, files.id_column, files.ids)
    more = {"strip_version": model.summary.get("strip_version", False)}
    data = labels_in(table, files, model.ontology, model.preparation, more)
    return table, data.labels_over(model.ontology), data.report


def labels_in(
    table: FeatureTable,
    files: TableFiles,
    ontology: Ontology,
    preparation: TablePreparation,
    more: dict[str, Any],
) -> TableData:
    """Return the rows of a table with their labels, in the hierarchy of the files.

    Without a hierarchy file, this is the given one; labels outside of it are dropped.
    ``more`` are options that replace those of the files.
    """
    hierarchy: Any = files.hierarchy
    options = {**files.options(), "min_count": 1, **more}
    if hierarchy is None:
        hierarchy, options["unknown_terms"] = ontology, "drop"
    return load_table(
        table, files.labels, hierarchy, preparation=preparation, **options
    )
