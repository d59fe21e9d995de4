"""The informative terms: all terms except uninformative roots."""

from typing import Any, Final

import numpy as np

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.hierarchy import Ontology
from hilabel.metrics import Thresholds, choose_thresholds

# The threshold of a term is chosen on its own positives and on this many positives of
# all terms. With fewer, precision is far below that of a single threshold; see
# docs/evaluation.md.
SHRINKAGE: Final = 50
# A term with fewer positive rows has no threshold of its own.
MIN_POSITIVES: Final = 5


def informative(ontology: Ontology, prior: FloatArray) -> BoolArray:
    """Return a mask of the informative nodes.

    The roots of an OBO file only name its aspects, such as ``biological_process``, and
    a root that all labelled rows have does not distinguish between rows. The roots of
    other hierarchies, such as the departments of a shop, are ordinary terms.
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
    """Choose thresholds based only on the informative terms.

    All other terms get the overall threshold; if ``per_node`` is False, so do the
    informative terms.
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
    """Return the labels, with those of uninformative nodes set to unknown.

    Measures then ignore these nodes. Copying the scores without these nodes instead
    would take as much memory again.
    """
    if (known[:, ~says] == UNLABELED).all():
        return known
    labels = known.astype(np.int8)
    labels[:, ~says] = UNLABELED
    return labels
