"""Terms that say something: all but the roots that only stand for their aspect."""

from typing import Any, Final

import numpy as np

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.hierarchy import Ontology
from hilabel.metrics import Thresholds, choose_thresholds

# So many positives of all terms count beside a term's own when its threshold is chosen.
# With fewer, precision falls far below that of one threshold; see docs/evaluation.md.
SHRINKAGE: Final = 50
# A term with fewer positive rows has no threshold of its own.
MIN_POSITIVES: Final = 5


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
    known: LabelArray,
    scores: FloatArray,
    ontology: Ontology,
    says: BoolArray,
    how: Any,
    *,
    per_node: bool = True,
) -> Thresholds:
    """Choose thresholds on the terms that say something; others get the overall.

    If not ``per_node``, all do.
    """
    return choose_thresholds(
        telling(known, says),
        scores,
        ontology.hierarchy,
        objective=how,
        min_positives=MIN_POSITIVES if per_node else len(known) + 1,
        shrinkage=SHRINKAGE if per_node else 0,
    )


def telling(known: LabelArray, says: BoolArray) -> LabelArray:
    """Return labels that leave out, as unknown, the nodes that say nothing.

    Measures then take scores as they are: a copy of those of the other nodes would
    need as much memory again.
    """
    if (known[:, ~says] == UNLABELED).all():
        return known
    labels = known.astype(np.int8)
    labels[:, ~says] = UNLABELED
    return labels
