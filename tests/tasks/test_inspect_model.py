"""A model file tells what was tried and measured, without loading the model."""

import pytest

from hilabel.classifiers import NeighborsClassifier, PredictiveClusteringForest
from hilabel.datasets import TableFiles, write_example
from hilabel.persistence import save_model
from hilabel.tasks import FitChoices, fit_table, inspect_file


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a blend whose second candidate has no time left, and its file."""
    folder = tmp_path_factory.mktemp("shop")
    files = write_example(folder, "shop")
    candidates = {
        "forest": PredictiveClusteringForest(n_estimators=5),
        "neighbours": NeighborsClassifier(),
    }
    choices = FitChoices(
        method="Blend", parameters={"candidates": candidates, "budget": 0.0}
    )
    model = fit_table(TableFiles(*files.values()), choices).model
    save_model(model, folder / "model.hilabel")
    return model, folder / "model.hilabel"


def test_candidates_that_were_not_tried_are_listed_with_the_reason(trained):
    model, path = trained
    table = inspect_file(path).tables["candidates"]
    assert table["name"].tolist() == [one.name for one in model.estimator.candidates_]
    [skipped] = table[table["name"] == "neighbours"].to_dict("records")
    assert skipped["status"] == "skipped"
    [told] = [one for one in model.estimator.candidates_ if one.name == "neighbours"]
    assert skipped["reason"] == told.reason != ""


def test_the_numbers_are_those_of_the_judgement(trained):
    model, path = trained
    facts = inspect_file(path).facts
    assert facts["quality, average precision"] == model.judgement.quality.micro
    assert facts["quality, threshold"] == model.judgement.decision.overall
    assert facts["quality, rows"] == facts["labelled rows"] == 120
