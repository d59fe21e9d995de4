"""Read rows from a user's files, with labels for the terms of a trained model."""

from typing import Any

from hilabel._typing import LabelArray
from hilabel.datasets import FeatureTable, MatchReport, load_table
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
    hierarchy: Any = files.hierarchy
    strip_version = model.summary.get("strip_version", False)
    options = {**files.options(), "min_count": 1, "strip_version": strip_version}
    if hierarchy is None:
        hierarchy, options["unknown_terms"] = model.ontology, "drop"
    data = load_table(
        table, files.labels, hierarchy, preparation=model.preparation, **options
    )
    return table, data.labels_over(model.ontology), data.report
