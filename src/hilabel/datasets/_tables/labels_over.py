"""Labels in another hierarchy than that of the files, such as that of a model."""

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import IntArray
from hilabel.datasets._tables.coverage import Coverage
from hilabel.datasets._tables.known_cells import with_certain_cells
from hilabel.hierarchy import Hierarchy, Ontology, spread_labels


def labels_over(
    labels: LabelMatrix, own: Hierarchy, coverage: Coverage, ontology: Ontology
) -> LabelMatrix:
    """Return the labels in another hierarchy, whose nodes are matched by name.

    A node that is not in the hierarchy of the labels is absent from rows that are known
    in its aspect, and unknown in other rows.

    Parameters
    ----------
    labels : LabelMatrix
    own : Hierarchy
        The hierarchy of the labels.
    coverage : Coverage
        The aspects in which each row is annotated.
    ontology : Ontology
        The other hierarchy.
    """
    hierarchy = ontology.hierarchy
    number = {name: node for node, name in enumerate(own.names)}
    source = np.array([number.get(name, -1) for name in hierarchy.names])
    shared = source >= 0
    n_rows, n_groups = len(labels), labels.knows.shape
    first = np.zeros(n_groups[0], dtype=np.int64)
    first[labels.row_group] = np.arange(n_rows)  # all rows of a group share aspects
    by_aspect = n_groups[1] + coverage.numbers(hierarchy.names, ontology)
    positive = spread_labels(
        _moved(labels.positive, source), hierarchy.parents_ptr, hierarchy.parents_idx
    )
    found = LabelMatrix(
        positive,
        labels.row_group,
        np.where(shared, labels.node_group[source], by_aspect),
        np.hstack([labels.knows, coverage.knows[first]]),
    )
    return with_certain_cells(found, hierarchy)


def _moved(positive: sp.csr_array, source: IntArray) -> sp.csr_array:
    """Return the columns with the given numbers; -1 stands for an empty one."""
    goes_to = np.full(positive.shape[1], -1)
    goes_to[source[source >= 0]] = np.flatnonzero(source >= 0)
    node = goes_to[positive.indices]
    row = np.repeat(np.arange(positive.shape[0]), np.diff(positive.indptr))
    kept = node >= 0
    cells = positive.data[kept], (row[kept], node[kept])
    return sp.csr_array(cells, shape=(positive.shape[0], source.size))
