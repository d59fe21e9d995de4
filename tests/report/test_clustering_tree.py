"""The figure of a predictive clustering tree."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers import PredictiveClusteringForest, PredictiveClusteringTree
from hilabel.report import ClusteringTreeDisplay, Display

ABC = Hierarchy.from_edges([("A", "B")], nodes=["A", "B", "C"])
X = np.array([[0.0], [1], [10], [11]])
Y = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])


def test_the_frame_has_a_row_for_every_node_with_names():
    display = ClusteringTreeDisplay.from_estimator(
        PredictiveClusteringTree(ABC).fit(X, Y)
    )
    assert isinstance(display, Display)
    frame = display.frame()
    assert frame["condition"].tolist() == ["", "x0 <= 5.5", "x0 > 5.5"]
    assert frame["labels"].tolist() == ["", "A 1, B 0.5", "C 1"]
    assert frame["parent"].tolist() == [-1, 0, 0]
    assert frame["weight"].tolist() == [4, 2, 2]


def test_deep_trees_are_cut_and_say_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = PredictiveClusteringForest(n_estimators=2, random_state=0)
    model.fit(X, rng.random((60, 4)) > 0.5)
    frame = ClusteringTreeDisplay.from_estimator(model, 1, max_depth=2).frame()
    assert frame["depth"].max() == 2
    assert (frame["labels"] == "...").any()
    with pytest.raises(ValueError, match="Expected a tree from 0 to 1, got 2"):
        ClusteringTreeDisplay.from_estimator(model, 2)


def test_the_figure_shows_every_condition_and_leaf():
    pytest.importorskip("matplotlib")
    display = ClusteringTreeDisplay.from_estimator(
        PredictiveClusteringTree(ABC).fit(X, Y)
    )
    (axes,) = display.plot().axes
    texts = [text.get_text() for text in axes.texts]
    assert {"4 rows", "x0 <= 5.5", "A 1\nB 0.5\n2 rows", "x0 > 5.5"} <= set(texts)
    # The children stand side by side below their parent.
    places = {text.get_text(): text.get_position() for text in axes.texts}
    assert places["4 rows"] == (0.5, 0)
    assert places["A 1\nB 0.5\n2 rows"] == (0, -1)


def test_dollar_signs_in_names_are_no_formulas(tmp_path):
    pytest.importorskip("matplotlib")
    names = Hierarchy.from_edges([("A$_$", "B")], nodes=["A$_$", "B", "C"])
    tree = PredictiveClusteringTree(names).fit(X, Y)
    figure = ClusteringTreeDisplay.from_estimator(tree).plot()
    figure.savefig(tmp_path / "figure.svg")
