"""What is kept of the scores of rows: enough to decide on their nodes again."""

import numpy as np
from hypothesis import given, strategies as st
from strategies import hierarchies_with_scores

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.calibration import best_cells
from hilabel.constraints import cap_by_parents, labels_from_scores


def test_of_many_terms_the_most_probable_are_kept_and_all_labels():
    flat = Hierarchy([str(node) for node in range(100)])
    scores = np.linspace(0, 0.99, 100)[None].repeat(2, axis=0)
    Y = np.zeros((2, 100), dtype=np.int8)
    Y[0, 3] = 1
    found = best_cells(
        LabelMatrix.of(Y), ScoreMatrix.of(scores), flat, np.full(100, 0.5)
    )
    assert found[[0]].indices.tolist() == [3, *range(36, 100)]
    assert found[[1]].indices.tolist() == [*range(36, 100)]
    low = best_cells(LabelMatrix.of(Y), ScoreMatrix.of(scores), flat, np.full(100, 0.3))
    assert low[[1]].indices.tolist() == [*range(30, 100)]


@given(hierarchies_with_scores(), st.integers(0, 8))
def test_a_row_gets_the_same_nodes_from_what_is_kept(problem, step):
    hierarchy, scores = problem
    scores = cap_by_parents(scores / 200, hierarchy)  # most are below 0.01
    threshold = np.linspace(0, step, hierarchy.n_nodes) / 1600
    labels = LabelMatrix.of(np.zeros(scores.shape, dtype=np.int8))
    kept = best_cells(labels, ScoreMatrix.of(scores), hierarchy, threshold).toarray()
    exactly = scores.astype(np.float32)
    np.testing.assert_array_equal(
        labels_from_scores(kept, hierarchy, threshold, on_conflict="close"),
        labels_from_scores(exactly, hierarchy, threshold, on_conflict="close"),
    )
