"""The display of pseudo-labels against the models it was made from."""

import dataclasses
import sys
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.patches import Ellipse
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from hilabel import UNLABELED
from hilabel.datasets import make_artificial
from hilabel.exceptions import HierarchyError
from hilabel.report import PseudoLabelDisplay
from hilabel.report._pseudo_label_panel import KINDS
from hilabel.report._pseudo_labels import INITIAL
from hilabel.semi_supervised import SSHMCBLI

N_LABELED, N_UNLABELED = 12, 330


def unfitted(data, variant):
    tree = DecisionTreeClassifier(random_state=0)
    return SSHMCBLI(data.hierarchy, estimator=tree, variant=variant, profile="authors")


@pytest.fixture(scope="module")
def data():
    return make_artificial()


@pytest.fixture(scope="module")
def models(data):
    return {
        variant.upper(): unfitted(data, variant).fit(
            data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled
        )
        for variant in ("v1", "v2", "v3")
    }


@pytest.fixture(scope="module")
def display(data, models):
    return PseudoLabelDisplay.from_models(data, models, nodes=(1, 4))


def expected_kind(is_given, label):
    if label == UNLABELED:
        return "left out"
    how = "labelled" if is_given else "pseudo-labelled"
    return f"{how} with the node" if label else f"{how} without"


def test_kinds_say_what_the_transduction_says(display, models):
    frame = display.frame()
    for (node, name), shown in frame[frame.panel != INITIAL].groupby(["node", "panel"]):
        labels = models[name].transduction_[:, node]
        expected = [expected_kind(row < N_LABELED, x) for row, x in enumerate(labels)]
        assert shown.kind.tolist() == expected
        assert set(expected) == set(KINDS) - {"unlabelled"}


def test_the_initial_panel_shows_given_labels_and_hides_the_rest(display, data):
    frame = display.frame()
    shown = frame[(frame.node == 4) & (frame.panel == INITIAL)]
    assert (shown.kind[N_LABELED:] == "unlabelled").all()
    given = shown.kind[:N_LABELED] == "labelled with the node"
    np.testing.assert_array_equal(given, data.Y_labeled[:, 4] == 1)


def test_the_frame_has_every_point_once_per_panel(display, data):
    frame = display.frame()
    assert frame.columns.tolist() == [
        "node",
        "panel",
        "row",
        "x",
        "y",
        "kind",
        "has_node",
    ]
    sizes = frame.groupby(["node", "panel"]).size()
    assert len(sizes) == 2 * 4
    assert (sizes == N_LABELED + N_UNLABELED).all()
    points = np.concatenate([data.X_labeled, data.X_unlabeled])
    truth = np.concatenate([data.Y_labeled, data.Y_unlabeled])
    for (node, _), shown in frame.groupby(["node", "panel"]):
        np.testing.assert_array_equal(shown[["x", "y"]], points)
        np.testing.assert_array_equal(shown.has_node, truth[:, node] == 1)


def test_the_display_cannot_be_changed(display):
    with pytest.raises(dataclasses.FrozenInstanceError, match="panels"):
        display.panels = ()


def test_titles_count_what_the_frame_counts(display):
    frame = display.frame()
    for panel in display.panels[1][1:]:
        shown = frame[(frame.node == 4) & (frame.panel == panel.name)]
        with_node = shown[shown.kind == "pseudo-labelled with the node"]
        n_accepted = N_UNLABELED - (shown.kind == "left out").sum()
        assert panel.title == (
            f"{panel.name}: {n_accepted} accepted\n"
            f"{len(with_node)} with node 4, {(~with_node.has_node).sum()} wrongly"
        )


def test_the_initial_title_counts_the_unlabelled_rows_of_the_node(display):
    # Nodes 1, 4 and 5 have 55 unlabelled rows each, which are all rows of node 1.
    assert [row[0].title for row in display.panels] == [
        "node 1: 12 labelled\n165 of 330 unlabelled belong to it",
        "node 4: 12 labelled\n55 of 330 unlabelled belong to it",
    ]


def test_a_node_is_outlined_with_its_descendants(data):
    nodes = {1: [1, 4, 5], 4: [4], 2: [2]}
    display = PseudoLabelDisplay.from_models(data, {}, nodes=nodes)
    for (panel,), members in zip(display.panels, nodes.values(), strict=True):
        centers = [outline.center for outline in panel.outlines]
        assert centers == [tuple(data.centers[member]) for member in members]
    # Equal scales give a circle.
    [outline] = display.panels[1][0].outlines
    assert outline.half_axes[0] == outline.half_axes[1] == pytest.approx(2.4477, 1e-4)


def test_an_outline_holds_95_percent_of_fresh_points(data):
    display = PseudoLabelDisplay.from_models(data, {}, nodes=[1])
    generator = np.random.default_rng(0)
    for node, outline in zip((1, 4, 5), display.panels[0][0].outlines):
        points = generator.normal(
            data.centers[node], data.scales[node], size=(100_000, 2)
        )
        scaled = (points - outline.center) / outline.half_axes
        inside = np.linalg.norm(scaled, axis=1) <= 1
        # Four standard errors of a share of 95 % are 0.0028.
        assert inside.mean() == pytest.approx(0.95, abs=0.0028)


def test_the_figure_draws_every_panel_point_and_outline(display):
    panels = [panel for row in display.panels for panel in row]
    for axes, panel in zip(display.plot().axes, panels, strict=True):
        assert axes.get_title() == panel.title
        assert axes.get_aspect() == 1
        drawn = sum(line.get_xdata().size for line in axes.lines)
        assert drawn == N_LABELED + N_UNLABELED
        ellipses = [patch for patch in axes.patches if isinstance(patch, Ellipse)]
        for ellipse, outline in zip(ellipses, panel.outlines, strict=True):
            assert ellipse.center == outline.center
            assert (ellipse.width / 2, ellipse.height / 2) == outline.half_axes


def test_the_legend_names_the_kinds_that_occur_and_the_outline(data, display):
    def entries(figure):
        return [text.get_text() for text in figure.legends[0].get_texts()]

    assert entries(display.plot())[:-1] == list(KINDS)
    before = PseudoLabelDisplay.from_models(data, {}, nodes=[4]).plot()
    assert entries(before)[:-1] == [
        "labelled with the node",
        "labelled without",
        "unlabelled",
    ]
    assert entries(before)[-1].startswith("95%")


def test_titles_and_legend_stay_inside_the_figure_and_off_the_panels(display):
    figure = display.plot()
    figure.draw_without_rendering()
    page = figure.bbox
    legend = figure.legends[0].get_window_extent()
    assert page.x0 <= legend.x0
    assert legend.x1 <= page.x1
    for axes in figure.axes:
        title = axes.title.get_window_extent()
        assert title.y1 <= page.y1
        assert not axes.get_window_extent().overlaps(legend)
    tops = [axes.title.get_window_extent() for axes in figure.axes[:4]]
    assert all(left.x1 < right.x0 for left, right in pairwise(tops))


def test_drawing_leaves_no_figure_in_pyplot(display):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    display.plot()
    assert plt.get_fignums() == before


def test_the_frame_needs_no_matplotlib(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert len(display.frame()) == 2 * 4 * (N_LABELED + N_UNLABELED)
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[plot\]'"):
        display.plot()


def test_a_model_fitted_on_one_matrix_gives_the_same_display(data, models):
    X = np.concatenate([data.X_labeled, data.X_unlabeled])
    unknown = np.full_like(data.Y_unlabeled, UNLABELED)
    model = unfitted(data, "v2").fit(X, np.concatenate([data.Y_labeled, unknown]))
    one = PseudoLabelDisplay.from_models(data, {"V2": model}).frame()
    two = PseudoLabelDisplay.from_models(data, {"V2": models["V2"]}).frame()
    assert one.equals(two)


def test_a_model_of_other_rows_is_refused(data):
    model = unfitted(data, "v1")
    model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled[::-1])
    with pytest.raises(ValueError, match=r"'mine' was fitted on 342 rows that differ"):
        PseudoLabelDisplay.from_models(data, {"mine": model})


def test_an_unfitted_model_is_refused(data):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        PseudoLabelDisplay.from_models(data, {"V1": unfitted(data, "v1")})


def test_nodes_go_by_name_too_and_unknown_ones_are_refused(data):
    by_name = PseudoLabelDisplay.from_models(data, {}, nodes=["4"])
    assert by_name.panels[0][0].node == 4
    with pytest.raises(HierarchyError, match="0 to 5, got 6"):
        PseudoLabelDisplay.from_models(data, {}, nodes=[6])
    with pytest.raises(ValueError, match="at least one node"):
        PseudoLabelDisplay.from_models(data, {}, nodes=[])
