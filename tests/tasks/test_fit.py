"""Training on files: what is measured on rows that the models have not seen."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from hilabel.calibration import calibrate_by_folds
from hilabel.datasets import write_example
from hilabel.judgement import choose_decision
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds
from hilabel.persistence import load_model, save_model
from hilabel.tasks import FitChoices, TableFiles, fit_table

NETWORK = FitChoices(
    method="HierarchicalNetwork",
    parameters={"shape": "light", "n_members": 2, "max_steps": 20},
)
FOREST = FitChoices(effort="fast", parameters={"n_estimators": 50})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = write_example(tmp_path_factory.mktemp("shop"), "shop")
    return TableFiles(paths["features"], paths["labels"], paths["hierarchy"])


@pytest.mark.parametrize("choices", [NETWORK, FOREST], ids=["network", "forest"])
def test_a_method_with_scores_of_its_own_is_trained_once(files, choices):
    told = []
    result = fit_table(files, choices, lambda message, *_: told.append(message))
    model, judgement = result.model, result.judgement
    assert judgement.is_own
    assert not [message for message in told if "without fold" in message]
    # The model does not keep its scores, as they may be larger than all the rest.
    assert not [name for name in vars(model.estimator) if name.startswith("oof")]
    tables = files.read()
    labels = tables.labels.complete()
    again = clone(model.estimator)
    X = model.matrix(tables.table)
    data = again.check_training_data(X, labels)
    data = replace(data, fold=draw_folds(labels)[labels.labeled])
    scores = again.fit_scoring(data)
    known = labels[labels.labeled]
    calibration, probabilities = calibrate_by_folds(
        known, scores, data.fold, model.hierarchy
    )
    np.testing.assert_array_equal(calibration.slope_, model.calibration.slope_)
    decision = choose_decision(known, probabilities, data.fold, model.hierarchy)
    assert model.decision.overall == decision.overall
    np.testing.assert_array_equal(model.decision.threshold, decision.threshold)
    assert judgement.quality.micro == average_precision(known, probabilities)
    assert judgement.raw.micro == average_precision(known, scores)
    words = "labelled rows scored by models trained without them"
    assert words in result.verdict[0]
    if choices is NETWORK:
        start = "light, 20 steps: out-of-fold average precision 0."
        assert any(start in message for message in told)


def test_the_constant_predictor_is_the_same_beside_every_method(files):
    forest = FitChoices(effort="fast", parameters={"n_estimators": 2})
    constants = {
        fit_table(files, choices).judgement.constant.micro
        for choices in (forest, NETWORK)
    }
    assert len(constants) == 1


def test_without_scores_of_its_own_a_method_is_trained_once_per_fold(files):
    alone = FitChoices(
        method="HierarchicalNetwork",
        parameters={"shape": "light", "n_members": 1, "max_steps": 5},
        folds=2,
    )
    told = []
    result = fit_table(files, alone, lambda message, *_: told.append(message))
    assert any(message.startswith("Training without fold 2 of 2") for message in told)
    assert (result.judgement.is_own, result.judgement.n_folds) == (False, 2)
    assert "cross-validated in 2 folds" in result.verdict[0]
    assert result.model.decision.is_measured


def test_without_measuring_nothing_is_said_to_be_known(files):
    result = fit_table(files, FitChoices(method="PriorClassifier", measure=False))
    assert result.judgement is None
    assert result.verdict[0] == "quality: not measured, since it was disabled"
    assert not result.model.decision.is_measured
    assert (result.model.decision.threshold == 0.5).all()


def test_a_model_that_predicts_nothing_says_so_and_can_be_saved(tmp_path):
    rows = range(60)
    paths = [tmp_path / "features.csv", tmp_path / "labels.csv"]
    paths[0].write_text("".join(["id,x\n", *(f"r{row},{row}\n" for row in rows)]))
    paths[1].write_text("".join(["id,term\n", *(f"r{row},t{row}\n" for row in rows)]))
    choices = FitChoices(method="PriorClassifier", folds=2)
    found = fit_table(TableFiles(*paths, min_count=1), choices)
    told = [*found.verdict, *found.details]
    assert "calibration: none, since it does not help" in " ".join(told)
    assert not any("nan" in said for said in told)
    save_model(found.model, tmp_path / "model.hilabel")
    loaded = load_model(tmp_path / "model.hilabel")
    assert loaded.summary["quality"]["calibration_error"] is None
