"""The display of training curves against the model it was made from."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hilabel.classifiers import CHMCNN, HierarchicalNetwork
from hilabel.datasets import make_hierarchical_classification
from hilabel.report import Display, TrainingCurveDisplay

FEW = {"shape": {"layers": (8,)}, "n_members": 2, "max_steps": 20, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return make_hierarchical_classification(60, 6, n_nodes=5, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return HierarchicalNetwork(data.hierarchy, **FEW).fit(data.X, data.Y)


def test_the_frame_is_the_curve_and_says_what_was_kept(model):
    display = TrainingCurveDisplay.from_estimator(model)
    assert isinstance(display, Display)
    frame = display.frame()
    columns = ["shape", "steps", "average_precision"]
    assert list(frame[columns].itertuples(index=False, name=None)) == model.curve_
    kept = frame[frame.kept]
    assert set(kept["shape"]) == set(model.shapes_)
    best = frame.groupby("shape").average_precision.max()
    np.testing.assert_array_equal(kept.average_precision, best[kept["shape"]])


def test_the_figure_has_a_line_per_shape_the_points_kept_and_the_constant(model):
    display = TrainingCurveDisplay.from_estimator(model, constant=0.25)
    [axes] = display.plot().axes
    frame = display.frame()
    by_label = {line.get_label(): line for line in axes.lines}
    for shape, points in frame.groupby("shape"):
        np.testing.assert_array_equal(
            by_label[shape].get_ydata(), points.average_precision
        )
    np.testing.assert_array_equal(by_label["kept"].get_xdata(), frame.steps[frame.kept])
    assert by_label["constant predictor, 0.250"].get_linestyle() == "--"
    assert axes.get_xscale() == "log"


def test_the_mean_is_drawn_where_several_shapes_were_kept():
    curve = (("deep", 15, 0.5), ("deep", 30, 0.6), ("mid", 15, 0.4), ("mid", 30, 0.5))
    display = TrainingCurveDisplay(curve, {"deep": 30, "mid": 30}, score=0.65)
    [legend] = display.plot().legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["deep", "mid", "kept", "mean of those kept, 0.650"]


def test_models_without_a_curve_are_refused(data):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        TrainingCurveDisplay.from_estimator(HierarchicalNetwork(data.hierarchy))
    with pytest.raises(TypeError, match="Expected a HierarchicalNetwork, .* CHMCNN"):
        TrainingCurveDisplay.from_estimator(CHMCNN(data.hierarchy))
    alone = HierarchicalNetwork(
        data.hierarchy, shape={"layers": ()}, n_members=1, max_steps=1
    )
    alone.fit(data.X, data.Y)
    with pytest.raises(ValueError, match="this one has none"):
        TrainingCurveDisplay.from_estimator(alone)
