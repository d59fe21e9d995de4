"""Scores at each labelled fraction, against trainings done by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from hilabel import UNLABELED
from hilabel.classifiers import LinearClassifier, PriorClassifier
from hilabel.datasets import make_hierarchical_classification
from hilabel.exceptions import ParameterError
from hilabel.metrics import average_precision
from hilabel.model_selection import mask_labels_nested, split_labeled
from hilabel.report import LabelFractionDisplay
from hilabel.report._label_fraction import CONSTANT, GIVEN, WITHHELD
from hilabel.semi_supervised import SSHMCBLI

SCORE = "micro_average_precision"
pytestmark = pytest.mark.filterwarnings("ignore::hilabel.exceptions.HilabelWarning")


@pytest.fixture(scope="module")
def data():
    return make_hierarchical_classification(150, 5, n_nodes=6, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return SSHMCBLI(data.hierarchy, estimator=tree)


@pytest.fixture(scope="module")
def display(data, model):
    return LabelFractionDisplay.from_estimator(
        model, data.X, data.Y, fractions=(0.2, 1.0), repetitions=2
    )


def score_of(model, X, Y, X_test, Y_test):
    return average_precision(Y_test, clone(model).fit(X, Y).predict_proba(X_test))


def test_scores_are_those_of_trainings_by_hand(data, model, display):
    train, test = split_labeled(data.Y, 0.3, random_state=1)
    X, rest = data.X[train], (data.X[test], data.Y[test])
    known = mask_labels_nested(data.Y[train], [0.2, 1.0], random_state=1)[0.2]
    rows = (known != UNLABELED).all(axis=1)
    prior = PriorClassifier(data.hierarchy)
    expected = {
        GIVEN: score_of(model, X, known, *rest),
        WITHHELD: score_of(model, X[rows], known[rows], *rest),
        CONSTANT: score_of(prior, X[rows], known[rows], *rest),
    }
    frame = display.frame()
    found = frame[(frame.fraction == 0.2) & (frame.repetition == 2)]
    assert dict(zip(found.trained_on, found[SCORE])) == pytest.approx(expected)
    assert (found.n_labeled == rows.sum()).all()


def test_lines_meet_where_no_row_is_unlabelled(display):
    frame = display.frame().query("fraction == 1")
    wide = frame.pivot(index="repetition", columns="trained_on", values=SCORE)
    assert (wide[GIVEN] == wide[WITHHELD]).all()


def test_rows_without_labels_stay_unlabelled_at_all_fractions(data, model):
    Y = data.Y.copy()
    Y[:50] = UNLABELED
    display = LabelFractionDisplay.from_estimator(
        model, data.X, Y, fractions=[1], repetitions=1
    )
    frame = display.frame()
    assert frame.n_labeled.unique().tolist() == [70]
    scores = frame.set_index("trained_on")[SCORE]
    assert scores[GIVEN] != scores[WITHHELD]


def test_separate_test_rows_and_chosen_nodes(data):
    model = LinearClassifier(data.hierarchy, random_state=0)
    frame = LabelFractionDisplay.from_estimator(
        model,
        data.X[:100],
        data.Y[:100],
        test=(data.X[100:], data.Y[100:]),
        fractions=[1],
        repetitions=1,
        nodes=[0, data.hierarchy.names[3]],
    ).frame()
    scores = model.fit(data.X[:100], data.Y[:100]).predict_proba(data.X[100:])
    assert frame.trained_on.tolist() == [WITHHELD, CONSTANT]
    expected = average_precision(data.Y[100:, [0, 3]], scores[:, [0, 3]])
    assert frame[SCORE][0] == pytest.approx(expected)


def test_pipelines_and_frames_are_taken(data, model):
    pipeline = make_pipeline(StandardScaler(), model)
    display = LabelFractionDisplay.from_estimator(
        pipeline, pd.DataFrame(data.X), data.Y, fractions=[0.5], repetitions=1
    )
    assert display.method == "SSHMCBLI"
    assert set(display.frame().trained_on) == {GIVEN, WITHHELD, CONSTANT}


def test_progress_counts_to_the_number_of_trainings(data):
    told = []
    LabelFractionDisplay.from_estimator(
        PriorClassifier(data.hierarchy),
        data.X,
        data.Y,
        fractions=[0.5, 1],
        repetitions=2,
        report=lambda *step: told.append(step),
    )
    assert [step[1:] for step in told] == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_the_figure_shows_means_and_ranges(display):
    figure = display.plot()
    [axes] = figure.axes
    frame = display.frame()
    for (name, part), drawn in zip(
        frame.groupby("trained_on", sort=False), axes.containers, strict=True
    ):
        scores = part.groupby("fraction")[SCORE]
        assert drawn.get_label() == name
        np.testing.assert_allclose(drawn[0].get_ydata(), scores.mean().to_numpy())
        for segment, (_, each) in zip(drawn[2][0].get_segments(), scores, strict=True):
            np.testing.assert_allclose(segment[:, 1], [each.min(), each.max()])
    ticks = [tick.get_text().split("\n")[0] for tick in axes.get_xticklabels()]
    assert ticks == ["20 %", "100 %"]
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= box.x0
    assert box.x1 <= figure.bbox.x1


def test_wrong_settings_are_refused(data, model):
    show = LabelFractionDisplay.from_estimator
    with pytest.raises(ValueError, match=r"labeled_fraction in \(0, 1\], got 2"):
        show(model, data.X, data.Y, fractions=[2])
    with pytest.raises(ValueError, match="at least one labelled fraction"):
        show(model, data.X, data.Y, fractions=[])
    with pytest.raises(ValueError, match=r"test_fraction in \(0, 1\), got 1"):
        show(model, data.X, data.Y, test=1)
    with pytest.raises(ValueError, match="repetitions"):
        show(model, data.X, data.Y, repetitions=0)
    with pytest.raises(ParameterError, match=r"test rows as \(X, y\), got 1 part"):
        show(model, data.X, data.Y, test=(data.X,))
