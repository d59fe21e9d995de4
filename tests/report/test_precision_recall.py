"""Precision-recall curves, the constant predictor beside the model."""

import numpy as np
import pytest
from judgement_cases import HIERARCHY, out_of_fold, scored_rows
from sklearn.metrics import average_precision_score

from hilabel.judgement import judge
from hilabel.report import Display, PrecisionRecallDisplay


@pytest.fixture(scope="module")
def display():
    random = np.random.default_rng(0)
    Y = (random.random((300, 4)) < 0.3).astype(np.int8)
    scores = {"model": random.random(Y.shape) + Y, "constant": np.full(Y.shape, 0.3)}
    return Y, scores, PrecisionRecallDisplay.from_scores(Y, scores)


def test_areas_are_those_of_scikit_learn(display):
    Y, scores, shown = display
    for title, values in scores.items():
        expected = average_precision_score(Y, values, average="micro")
        assert shown.average_precision[title] == pytest.approx(expected)


def test_points_lie_on_the_curve(display):
    Y, scores, shown = display
    frame = shown.frame()
    model = frame[frame["scores"] == "model"]
    assert len(model) <= 500
    for row in model.sample(5, random_state=0).itertuples():
        chosen = scores["model"] >= row.threshold
        assert row.precision == pytest.approx(Y[chosen].mean())
        assert row.recall == pytest.approx(Y[chosen].sum() / Y.sum())


def test_a_line_per_scores_with_its_area_in_the_legend(display):
    shown = display[2]
    assert isinstance(shown, Display)
    (axes,) = shown.plot().axes
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(axes.lines) == 2
    assert texts[1].startswith("constant (AP 0.")


def test_a_judgement_has_measured_the_same_curves():
    Y, scores = scored_rows(400)
    judged = judge(out_of_fold(Y, scores), HIERARCHY, method="m", calibrate=False)
    found = judged.judgement
    display = PrecisionRecallDisplay.from_judgement(found)
    assert display.average_precision == {
        "model": pytest.approx(found.quality.micro),
        "constant predictor": pytest.approx(found.constant.micro),
    }
    nodes = found.informative
    recall, precision, threshold = display.curves["model"]
    for place in (0, 20, -1):
        chosen = scores[:, nodes] >= threshold[place] - 1e-4
        labels = Y[:, nodes]
        assert precision[place] == pytest.approx(labels[chosen].mean(), abs=0.01)
        assert recall[place] == pytest.approx(
            labels[chosen].sum() / labels.sum(), abs=0.01
        )


def test_a_judgement_without_a_label_has_no_curves():
    Y, scores = scored_rows(30)
    judged = judge(out_of_fold(0 * Y, scores), HIERARCHY, method="m")
    display = PrecisionRecallDisplay.from_judgement(judged.judgement)
    assert display.curves == {}
    assert display.frame().empty
    display.plot()
