import dataclasses

import numpy as np
import pytest

from hilabel.datasets import make_artificial

NODE_OF_ROW = {
    "labeled": np.repeat(np.arange(6), 2),
    "unlabeled": np.repeat(np.arange(6), 55),
    "test": np.repeat(np.arange(6), 50),
}


@pytest.mark.parametrize(
    ("part", "total"),
    [
        ("labeled", 109.222406),
        ("unlabeled", 2809.061438),
        ("test", 2510.236862),
    ],
)
def test_points_are_those_of_the_paper(part, total):
    X = getattr(make_artificial(), f"X_{part}")
    assert X.shape == (NODE_OF_ROW[part].size, 2)
    assert X.sum() == pytest.approx(total, abs=1e-6)


def test_hierarchy_is_that_of_the_paper():
    hierarchy = make_artificial().hierarchy
    assert hierarchy.edges.tolist() == [[0, 3], [0, 4], [1, 4], [1, 5]]
    assert 2 in hierarchy.roots
    assert 2 in hierarchy.leaves


@pytest.mark.parametrize("part", NODE_OF_ROW)
def test_every_row_has_its_node_and_the_ancestors_of_it(part):
    data = make_artificial()
    Y = getattr(data, f"Y_{part}")
    assert Y.dtype == np.int8
    for row, node in enumerate(NODE_OF_ROW[part]):
        expected = {node, *data.hierarchy.ancestors(node)}
        assert set(np.flatnonzero(Y[row])) == expected


def test_unclosed_test_rows_have_their_own_node_only():
    data = make_artificial(closed_test=False)
    np.testing.assert_array_equal(data.Y_test, np.eye(6)[NODE_OF_ROW["test"]])
    np.testing.assert_array_equal(data.Y_labeled, make_artificial().Y_labeled)


def test_problem_is_a_dag_with_many_paths_of_partial_depth():
    data = make_artificial()
    for Y in (data.Y_labeled, data.Y_unlabeled, data.Y_test):
        assert str(data.hierarchy.problem_type(Y)) == "(DAG, MPL, PD)"


def test_points_lie_around_the_centre_of_their_node():
    data = make_artificial()
    deviations = (
        data.X_unlabeled - data.centers[NODE_OF_ROW["unlabeled"]]
    ) / data.scales[NODE_OF_ROW["unlabeled"]]
    # 5 % of 330 points, 16.5 +- 4, are expected outside the 95 % ellipses.
    outside = np.hypot(*deviations.T) > np.sqrt(-2 * np.log(0.05))
    assert 4 <= outside.sum() <= 32


def test_data_cannot_be_reassigned():
    with pytest.raises(dataclasses.FrozenInstanceError, match="X_test"):
        make_artificial().X_test = None
