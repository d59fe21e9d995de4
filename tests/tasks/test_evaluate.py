"""Measures that agree with those of training, and rivals that are fair."""

import numpy as np
import pytest

from hilabel.classifiers import PriorClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import write_example
from hilabel.metrics import average_precision, fmax, hierarchical_f1
from hilabel.model_selection import out_of_fold_scores
from hilabel.tasks import (
    FitChoices,
    TableFiles,
    evaluate_model,
    evaluate_table,
    fit_table,
)
from hilabel.tasks._build import build_estimator, build_preparation

FEW_TREES = {"n_estimators": 10}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = write_example(tmp_path_factory.mktemp("genes"), "go")
    return TableFiles(paths["features"], paths["labels"], paths["hierarchy"])


def measures_of(result):
    return result.measures.set_index("measure")


def test_fmax_and_the_threshold_are_those_of_training(files):
    choices = FitChoices(parameters=FEW_TREES)
    model = fit_table(files, choices).model
    result = evaluate_table(files, choices)
    measures = measures_of(result)
    assert measures.loc["Fmax", "model"] == model.thresholds.value
    assert f"{model.thresholds.overall:.3f} for the model" in result.sentences[-1]
    assert (
        measures.loc["micro average precision", "model"]
        == model.summary["out_of_fold"]["average_precision"]
    )


def test_label_sets_are_those_of_the_threshold_named(files):
    result = evaluate_table(files, FitChoices(method="PriorClassifier"))
    dataset = files.load().dataset
    rows = dataset.labeled
    scores = out_of_fold_scores(
        PriorClassifier(dataset.hierarchy),
        dataset.X[rows],
        dataset.Y[rows],
        n_splits=3,
        random_state=0,
    )
    best = fmax(dataset.Y[rows], scores, thresholds="all")
    labels = labels_from_scores(scores, dataset.hierarchy, best.threshold)
    expected = hierarchical_f1(dataset.Y[rows], labels, dataset.hierarchy)
    assert list(measures_of(result).loc["hierarchical F1"][:2]) == [expected] * 2


def test_a_semi_supervised_method_stands_beside_itself_without_unlabelled_rows(files):
    choices = FitChoices(method="SSHMCBLI", base="naive-bayes")
    result = evaluate_table(files, choices)
    assert list(result.measures.columns) == [
        "measure",
        "model",
        "without_unlabelled",
        "constant",
        "better",
    ]
    data = files.load()
    dataset = data.dataset
    estimator, _ = build_estimator(choices, dataset)
    preparation, _ = build_preparation(choices, estimator, data)
    X, rows = preparation.transform(data.table), dataset.labeled
    alone = out_of_fold_scores(
        estimator, X[rows], dataset.Y[rows], n_splits=3, random_state=0
    )
    measures = measures_of(result)
    assert measures.loc[
        "micro average precision", "without_unlabelled"
    ] == average_precision(dataset.Y[rows], alone)
    assert not np.allclose(
        measures["model"].iloc[:2], measures["without_unlabelled"].iloc[:2]
    )


def test_the_folds_are_the_same_with_and_without_unlabelled_rows(files):
    dataset = files.load().dataset
    rows = dataset.labeled
    prior = PriorClassifier(dataset.hierarchy)
    folds = {"n_splits": 3, "random_state": 0}
    together = out_of_fold_scores(prior, dataset.X, dataset.Y, **folds)
    alone = out_of_fold_scores(prior, dataset.X[rows], dataset.Y[rows], **folds)
    np.testing.assert_array_equal(together[rows], alone)


def test_a_model_is_measured_at_its_own_threshold(files):
    model = fit_table(files, FitChoices(parameters=FEW_TREES)).model
    result = evaluate_model(model, files)
    dataset = files.load().dataset
    known = dataset.Y[dataset.labeled]
    labels = model.labels(model.predict_proba(model.read(files.features)))
    expected = hierarchical_f1(known, labels[dataset.labeled], dataset.hierarchy)
    assert measures_of(result).loc["hierarchical F1", "model"] == expected
