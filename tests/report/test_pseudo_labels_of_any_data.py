"""Pseudo-labels of any method on any data, against the labels of the method."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from hilabel import UNLABELED, Hierarchy
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.datasets import make_hierarchical_classification
from hilabel.exceptions import HierarchyError, ParameterError
from hilabel.model_selection import mask_labels
from hilabel.report import PseudoLabelDisplay
from hilabel.report._pseudo_labels import INITIAL
from hilabel.semi_supervised import SSHCBLI, SSHMCBLI, STHC, BatchSelfTraining

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.fixture(scope="module")
def data():
    return make_hierarchical_classification(120, 6, n_nodes=12, random_state=0)


@pytest.fixture(scope="module")
def masked(data):
    return mask_labels(data.Y, 0.3, random_state=0)


@pytest.fixture(scope="module")
def model(data, masked):
    return SSHMCBLI(data.hierarchy, estimator=TREE).fit(data.X, masked)


@pytest.fixture(scope="module")
def display(data, model):
    return PseudoLabelDisplay.from_estimator(model, data.X, data.Y)


METHODS = {
    "SSHMCBLI": lambda h: SSHMCBLI(h, estimator=TREE),
    "STHC": lambda h: STHC(h, estimator=LogisticRegression(), max_iter=2),
    "BatchSelfTraining": lambda h: BatchSelfTraining(
        h, estimator=LocalClassifierPerNode(h, estimator=TREE)
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_kinds_are_the_labels_of_every_method(data, masked, name):
    model = METHODS[name](data.hierarchy).fit(data.X, masked)
    display = PseudoLabelDisplay.from_estimator(model, data.X)
    frame = display.frame()
    shown = frame[frame.panel == name]
    labels = model.transduction_[shown.row, shown.node]
    is_given = (masked >= 0).all(axis=1)[shown.row]
    np.testing.assert_array_equal(shown.kind.str.startswith("labelled"), is_given)
    np.testing.assert_array_equal(shown.kind == "left out", labels == UNLABELED)
    np.testing.assert_array_equal(shown.kind.str.endswith("with the node"), labels == 1)
    assert (
        frame[frame.panel == INITIAL]
        .kind.isin(["labelled with the node", "labelled without", "unlabelled"])
        .all()
    )


def test_single_paths_are_shown_too():
    hierarchy = Hierarchy(["b", "c"])
    X = [[0.0], [0.2], [5.0], [5.2], [0.1], [5.1]]
    y = [{"b"}] * 2 + [{"c"}] * 2 + [None] * 2
    model = SSHCBLI(hierarchy, estimator=TREE, n_neighbors=2).fit(X, y)
    frame = PseudoLabelDisplay.from_estimator(model, nodes=["b"]).frame()
    assert frame.kind[frame.panel == "SSHCBLI"].tolist()[4:] == [
        "pseudo-labelled with the node",
        "pseudo-labelled without",
    ]


def test_stored_rows_are_used_unless_others_are_given(data, masked, model, display):
    stored = PseudoLabelDisplay.from_estimator(model, y=data.Y)
    np.testing.assert_allclose(stored.X, display.X)
    sparse = SSHMCBLI(data.hierarchy, estimator=TREE)
    sparse.fit(sp.csr_array(data.X), masked)
    found = PseudoLabelDisplay.from_estimator(sparse, columns=[2, 0])
    np.testing.assert_array_equal(found.X, data.X[:, [2, 0]])


def test_columns_of_a_frame_go_by_name(data, model):
    names = [f"gene {number}" for number in range(6)]
    X = pd.DataFrame(data.X, columns=names)
    found = PseudoLabelDisplay.from_estimator(model, X, columns=["gene 2", "gene 0"])
    assert found.axis_names == ("gene 2", "gene 0")
    axes = found.plot().axes
    assert axes[0].get_ylabel() == "gene 0"
    assert axes[-1].get_xlabel() == "gene 2"


def test_wrong_pseudo_labels_are_counted_and_ringed(data, model, display):
    labels, unlabeled = model.transduction_, model.labeled_iter_ != 0
    axes = iter(display.plot().axes)
    for panels in display.panels:
        next(axes)
        node, panel = panels[1].node, panels[1]
        is_wrong = unlabeled & (labels[:, node] >= 0)
        is_wrong &= labels[:, node] != data.Y[:, node]
        np.testing.assert_array_equal(panel.is_wrong, is_wrong)
        with_node = unlabeled & (labels[:, node] == 1)
        told = f"{with_node.sum()} with the node, {(with_node & is_wrong).sum()} wrong"
        assert told in panel.title
        rings = next(axes).lines[-1].get_xdata()
        assert rings.size == is_wrong.sum()
    assert any(panels[1].is_wrong.any() for panels in display.panels)


def test_unknown_truth_is_missing_and_never_wrong(data, model):
    hidden = PseudoLabelDisplay.from_estimator(model, data.X)
    assert hidden.frame().has_node.isna().all()
    assert not any(panel.is_wrong.any() for row in hidden.panels for panel in row)
    y = data.Y.astype(float)
    y[:60] = np.nan
    partial = PseudoLabelDisplay.from_estimator(model, data.X, y).frame()
    np.testing.assert_array_equal(partial.has_node.isna(), partial.row < 60)


def test_default_nodes_divide_the_rows_and_differ_from_each_other(model, display):
    assert len(display.panels) == 3
    found = model.transduction_[model.labeled_iter_ != 0]
    nodes = [panels[0].node for panels in display.panels]
    fewer = np.minimum((found == 1).sum(axis=0), (found == 0).sum(axis=0))
    assert fewer[nodes[0]] == fewer.max()
    for one in nodes:
        for other in set(nodes) - {one}:
            assert (found[:, one] == found[:, other]).mean() <= 0.9


def test_titles_name_the_nodes_in_words(data, masked):
    names = data.hierarchy.names
    titles = [f"the meaning of the node called {name}, at length" for name in names]
    hierarchy = Hierarchy.from_edges(
        [(names[p], names[c]) for p, c in data.hierarchy.edges],
        nodes=names,
        titles=titles,
    )
    model = SSHMCBLI(hierarchy, estimator=TREE).fit(data.X, masked)
    [[panel, _]] = PseudoLabelDisplay.from_estimator(model, nodes=[names[3]]).panels
    assert f"node {names[3]} {titles[3]}" in panel.title.replace("\n", " ")
    assert max(map(len, panel.title.split("\n"))) < 50


def test_a_figure_of_many_rows_is_a_sample_that_says_so(data, model):
    display = PseudoLabelDisplay.from_estimator(model, data.X, max_points=50)
    assert display.drawn.sum() == 50
    assert display.drawn[model.labeled_iter_ == 0].all()
    assert len(display.frame()) == 2 * 3 * 120
    figure = display.plot()
    assert figure.legends[0].get_title().get_text() == "50 of 120 rows are drawn"
    for axes in figure.axes:
        assert sum(line.get_xdata().size for line in axes.lines) == 50


def test_titles_and_labels_stay_inside_the_figure(display):
    figure = display.plot()
    figure.draw_without_rendering()
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert not box.overlaps(figure.legends[0].get_window_extent())


def test_what_cannot_be_shown_is_refused(data, masked, model):
    show = PseudoLabelDisplay.from_estimator
    prior = PriorClassifier(data.hierarchy).fit(data.X, data.Y)
    with pytest.raises(ParameterError, match="PriorClassifier has no pseudo-labels"):
        show(prior, data.X)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        show(SSHMCBLI(data.hierarchy), data.X)
    with pytest.raises(ParameterError, match="the 120 rows .* got 20 rows"):
        show(model, data.X[:20])
    with pytest.raises(HierarchyError, match="unknown"):
        show(model, data.X, nodes=["unknown"])
    with pytest.raises(ValueError, match="at least one node"):
        show(model, data.X, nodes=[])
    trained = STHC(data.hierarchy, estimator=LogisticRegression(), max_iter=1)
    with pytest.raises(ParameterError, match="STHC does not store its training rows"):
        show(trained.fit(data.X, masked))
