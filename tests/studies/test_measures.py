"""The measures of studies are those of hilabel.metrics."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score

from hilabel import Hierarchy
from hilabel.metrics import fmax, hierarchy_violations
from hilabel.studies import MEASURES
from hilabel.studies._measures import ScoredRows


@pytest.fixture
def evaluation():
    generator = np.random.RandomState(0)
    hierarchy = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d")])
    Y = hierarchy.close(generator.randint(0, 2, (40, 4)).astype(np.int8))
    return ScoredRows(Y, generator.uniform(size=(40, 4)), hierarchy)


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_a_number_between_0_and_1(evaluation, name):
    value = MEASURES[name].compute(evaluation)
    assert -1 <= value <= 1


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_average_precisions_are_scikit_learn_s(evaluation, average):
    value = MEASURES[f"{average}_average_precision"].compute(evaluation)
    expected = average_precision_score(evaluation.Y, evaluation.scores, average=average)
    assert value == pytest.approx(expected)


def test_label_sets_are_made_consistent_before_they_are_counted(evaluation):
    assert evaluation.hierarchy.is_consistent(evaluation.labels)
    assert MEASURES["hierarchical_f1"].compute(evaluation) == pytest.approx(
        f1_score(evaluation.Y, evaluation.labels, average="micro")
    )
    assert MEASURES["hamming_loss"].compute(evaluation) == pytest.approx(
        (evaluation.labels != evaluation.Y).mean()
    )


def test_scores_are_judged_as_they_are(evaluation):
    violations = hierarchy_violations(evaluation.scores, evaluation.hierarchy)
    assert MEASURES["violations"].compute(evaluation) == violations.share > 0
    expected = fmax(evaluation.Y, evaluation.scores).value
    assert MEASURES["fmax"].compute(evaluation) == expected


def test_losses_are_better_when_lower():
    lower = {name for name, measure in MEASURES.items() if not measure.higher_is_better}
    assert lower == {"hamming_loss", "violations"}
