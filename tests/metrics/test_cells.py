"""Cells of matrices: the same blocks, and the same measures, as cells of arrays."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from strategies import hierarchies

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.exceptions import LabelError, ScoreError
from hilabel.metrics import (
    average_precision,
    choose_thresholds,
    fmax,
    information_accretion,
    per_depth_table,
    per_node_table,
    precision_recall_curve,
    smin,
)
from hilabel.metrics._inputs import cells_of


@st.composite
def problems(draw):
    """Draw a hierarchy, labels of 1, 0 and -1 with a 1, and scores with ties."""
    hierarchy = draw(hierarchies(max_nodes=6))
    shape = draw(st.integers(1, 8)), hierarchy.n_nodes
    Y = draw(hnp.arrays(np.int8, shape, elements=st.integers(-1, 1)))
    Y[0, 0] = 1
    grid = st.integers(0, 8).map(lambda step: step / 8)
    return hierarchy, Y, draw(hnp.arrays(np.float64, shape, elements=grid))


def measured(hierarchy, Y, scores):
    """Return everything that is measured of scores, by name."""
    bits = information_accretion(Y, hierarchy)
    chosen = choose_thresholds(
        Y, scores, hierarchy, objective="f1", min_positives=1, shrinkage=2
    )
    curve = precision_recall_curve(Y, scores)
    return {
        **vars(fmax(Y, scores)),
        **{
            f"all {name}": value for name, value in vars(fmax(Y, scores, "all")).items()
        },
        **{f"S {name}": value for name, value in vars(smin(Y, scores, bits)).items()},
        "bits": bits,
        "micro": average_precision(Y, scores),
        "nodes": average_precision(Y, scores, None),
        "areas": per_node_table(Y, scores, hierarchy)["roc_auc"].to_numpy(),
        "depths": per_depth_table(Y, scores, hierarchy).to_numpy(),
        "overall": chosen.overall,
        "thresholds": chosen.per_node,
        "precision": curve[0],
        "recall": curve[1],
    }


@given(problems())
def test_stored_scores_have_exactly_the_measures_of_arrays(problem):
    hierarchy, Y, scores = problem
    expected = measured(hierarchy, Y, scores)
    found = measured(hierarchy, LabelMatrix.of(Y), ScoreMatrix.of(scores))
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("seed", range(3))
def test_compact_scores_have_the_measures_of_arrays_within_a_ten_thousandth(seed):
    random = np.random.default_rng(seed)
    hierarchy = Hierarchy([str(node) for node in range(40)], [(0, 1), (1, 2), (0, 3)])
    scores = random.random((2_000, 40)) ** random.integers(1, 12, 40)
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    Y[random.random(2_000) < 0.2, 10:] = -1
    compact = ScoreMatrix(scores.shape, exact=False)
    compact.write(slice(None), scores)
    found = measured(hierarchy, LabelMatrix.of(Y), compact)
    expected = measured(hierarchy, Y, scores)
    for measures in (found, expected):
        measures["macro"] = np.mean(measures["nodes"])
    for name in ("micro", "macro", "areas", "value", "all value", "bits"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-4, err_msg=name)
    # A score next to a threshold may fall on its other side: some bits of one row.
    assert found["S value"] == pytest.approx(expected["S value"], rel=1e-3)


@given(problems(), st.data())
def test_parts_of_stored_cells_are_those_of_arrays(problem, data):
    _, Y, scores = problem
    stored = cells_of(LabelMatrix.of(Y), ScoreMatrix.of(scores))
    arrays = cells_of(np.where(Y == 1, 1, Y), scores)
    nodes = data.draw(hnp.arrays(bool, Y.shape[1]))
    rows = data.draw(hnp.arrays(bool, len(Y)))
    for change in (
        lambda cells: cells,
        lambda cells: cells.of_nodes(nodes),
        lambda cells: cells.of_rows(slice(0, 2)),
        lambda cells: cells.without_rows(rows),
        lambda cells: cells.of_nodes(nodes).without_rows(rows),
    ):
        one, other = change(stored), change(arrays)
        assert one.shape == other.shape
        for name in ("n_positive", "n_known", "n_positive_of_rows", "n_known_of_rows"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(one.found(), other.found())
        for ours, theirs in zip(one.columns(), other.columns(), strict=True):
            for part, wanted in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(part, wanted)


def test_matrices_of_other_shapes_are_refused():
    labels = LabelMatrix.of(np.array([[1, 0]]))
    with pytest.raises(ScoreError, match=r"shape \(1, 2\), got \(1, 3\)"):
        average_precision(labels, ScoreMatrix((1, 3)))
    with pytest.raises(LabelError, match="Expected Y with 1 columns, one for each"):
        per_node_table(labels, ScoreMatrix((1, 2)), Hierarchy(["a"]))
