"""Terms that say something: all but the roots that only stand for their aspect."""

from typing import Any

import numpy as np

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.hierarchy import Ontology
from hilabel.metrics import Thresholds, choose_thresholds


def informative(ontology: Ontology, prior: FloatArray) -> BoolArray:
    """Return which nodes say something of a row.

    The roots of an OBO file name its aspects, such as ``biological_process``, and a
    root that every labelled row has tells none from another. The roots of other
    hierarchies, such as the departments of a shop, are terms like any other.
    """
    hierarchy = ontology.hierarchy
    says = np.ones(hierarchy.n_nodes, dtype=bool)
    if hierarchy.n_edges:
        roots = hierarchy.roots
        says[roots if ontology.aspects else roots[prior[roots] == 1]] = False
    return says


def thresholds_of(
    known: LabelArray, scores: FloatArray, ontology: Ontology, says: BoolArray, how: Any
) -> Thresholds:
    """Choose thresholds on the terms that say something; others get the overall."""
    return choose_thresholds(
        telling(known, says), scores, ontology.hierarchy, objective=how
    )


def telling(known: LabelArray, says: BoolArray) -> LabelArray:
    """Return labels that leave out, as unknown, the nodes that say nothing.

    Measures then take scores as they are: a copy of those of the other nodes would
    need as much memory again.
    """
    if says.all():
        return known
    labels = known.astype(np.int8)
    labels[:, ~says] = UNLABELED
    return labels
