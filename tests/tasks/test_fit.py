"""Training on files: thresholds and quality from scores of rows not seen."""

import numpy as np
import pytest
from sklearn.base import clone

from hilabel.calibration import calibrate_by_folds
from hilabel.datasets import write_example
from hilabel.metrics import average_precision, choose_thresholds
from hilabel.model_selection import LabeledKFold
from hilabel.persistence import load_model, save_model
from hilabel.tasks import FitChoices, TableFiles, fit_table
from hilabel.tasks._worth import fold_numbers

NETWORK = FitChoices(
    method="HierarchicalNetwork",
    parameters={"shape": "light", "n_members": 2, "max_steps": 20},
)
FOREST = FitChoices(fast=True, parameters={"n_estimators": 50})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = write_example(tmp_path_factory.mktemp("shop"), "shop")
    return TableFiles(paths["features"], paths["labels"], paths["hierarchy"])


@pytest.mark.parametrize("choices", [NETWORK, FOREST], ids=["network", "forest"])
def test_a_method_with_scores_of_its_own_is_trained_once(files, choices):
    told = []
    result = fit_table(files, choices, lambda message, *_: told.append(message))
    data = files.load()
    dataset = data.dataset
    known = dataset.Y[dataset.labeled]
    # The model does not keep them, as they may be larger than all the rest.
    assert not hasattr(result.model.estimator, "oof_decision_")
    again = clone(result.model.estimator).fit(
        result.model.matrix(data.table), dataset.Y
    )
    # Its scores are kept as they are, and calibrated in the folds of all methods.
    folds = LabeledKFold(3, random_state=0).split(None, known)
    fold = fold_numbers(folds, len(known))
    calibration, scores = calibrate_by_folds(
        dataset.hierarchy, known, again.oof_decision_, fold
    )
    np.testing.assert_array_equal(calibration.slope_, result.model.calibration.slope_)
    chosen = choose_thresholds(known, scores, dataset.hierarchy)
    assert result.model.thresholds.overall == chosen.overall
    estimate = result.model.summary["out_of_fold"]
    assert estimate["average_precision"] == average_precision(known, scores)
    assert "folds" not in estimate
    words = "labelled rows scored by models trained without them"
    assert any(words in sentence for sentence in result.sentences)
    assert not [message for message in told if "without fold" in message]
    if choices is NETWORK:
        start = "light, 20 steps: out-of-fold average precision 0."
        assert any(message.startswith(start) for message in told)


def test_the_constant_predictor_is_the_same_beside_every_method(files):
    forest = FitChoices(fast=True, parameters={"n_estimators": 2})
    constants = {
        fit_table(files, choices).model.summary["out_of_fold"][
            "constant_average_precision"
        ]
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
    assert "Training without fold 2 of 2" in told
    assert result.model.summary["out_of_fold"]["folds"] == 2
    assert result.model.thresholds is not None


@pytest.mark.usefixtures("every_candidate")
def test_what_the_budget_left_out_is_told_and_saved(tmp_path):
    paths = write_example(tmp_path, "shop")
    files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    choices = FitChoices(parameters={"budget": 0}, thresholds=None)
    result = fit_table(files, choices)
    tried = result.tried.set_index("candidate")
    assert tried.index[0] == "forest"
    assert tried["out_of_fold"].drop(["forest", "constant predictor"]).isna().all()
    save_model(result.model, tmp_path / "shop.hilabel")
    summary = load_model(tmp_path / "shop.hilabel").summary
    remarks = {one["name"]: one["remark"] for one in summary["tried"]}
    assert remarks["neighbours"] == "the budget was used up"


def test_a_model_that_predicts_nothing_says_so_and_can_be_saved(tmp_path):
    rows = range(60)
    paths = [tmp_path / "features.csv", tmp_path / "labels.csv"]
    paths[0].write_text("".join(["id,x\n", *(f"r{row},{row}\n" for row in rows)]))
    paths[1].write_text("".join(["id,term\n", *(f"r{row},t{row}\n" for row in rows)]))
    choices = FitChoices(method="PriorClassifier", folds=2)
    found = fit_table(TableFiles(*paths, min_count=1), choices)
    assert any("no probability reaches 0.1" in said for said in found.sentences)
    assert not any("nan" in said for said in found.sentences)
    save_model(found.model, tmp_path / "model.hilabel")
    loaded = load_model(tmp_path / "model.hilabel")
    assert loaded.summary["out_of_fold"]["calibration_error"] is None
