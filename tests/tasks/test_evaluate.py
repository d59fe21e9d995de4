"""Measures that agree with those of training, and rivals that are fair."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hilabel.classifiers import PriorClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import write_example
from hilabel.metrics import (
    average_precision,
    choose_thresholds,
    hierarchical_f1,
    hierarchical_precision_recall_f1,
)
from hilabel.model_selection import LabeledKFold, out_of_fold_scores
from hilabel.persistence import save_model
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


def without_roots(hierarchy, *matrices):
    """Return the columns of all nodes but the roots, and their hierarchy."""
    nodes = np.setdiff1d(np.arange(hierarchy.n_nodes), hierarchy.roots)
    return *(matrix[:, nodes] for matrix in matrices), hierarchy.restrict(nodes)


def measures_of(result):
    return result.measures.set_index("measure")


def test_measures_are_those_of_training(files):
    choices = FitChoices(fast=True, parameters=FEW_TREES)
    model = fit_table(files, choices).model
    result = evaluate_table(files, choices)
    measures = measures_of(result)
    estimate = model.summary["out_of_fold"]
    assert measures.loc["Fmax", "model"] == model.thresholds.value
    assert (
        measures.loc["micro average precision", "model"]
        == estimate["average_precision"]
    )
    assert result.calibration.error == estimate["calibration_error"]
    uncalibrated = evaluate_table(files, replace(choices, calibrate=False))
    assert result.calibration.error < uncalibrated.calibration.error
    assert "are not calibrated" in uncalibrated.sentences[-1]


def test_thresholds_of_a_fold_come_from_the_others(files):
    choices = FitChoices(method="PriorClassifier", calibrate=False)
    result = evaluate_table(files, choices)
    data = files.load()
    dataset, rows = data.dataset, data.dataset.labeled
    known, prior = dataset.Y[rows], PriorClassifier(dataset.hierarchy)
    folds = list(LabeledKFold(3, random_state=0).split(None, known))
    scores = out_of_fold_scores(prior, dataset.X[rows], known, folds=folds)
    known, scores, hierarchy = without_roots(dataset.hierarchy, known, scores)
    kinds = {"one for all terms": "overall", "one for each term": "per_node"}
    found = result.thresholds.set_index("thresholds")
    for kind, name in kinds.items():
        labels = np.zeros(known.shape, dtype=bool)
        for train, test in folds:
            chosen = choose_thresholds(
                known[train], scores[train], hierarchy, shrinkage=50
            )
            labels[test] = labels_from_scores(
                scores[test], hierarchy, getattr(chosen, name), on_conflict="close"
            )
        expected = hierarchical_precision_recall_f1(known, labels, hierarchy)
        assert tuple(found.loc[kind][:3]) == tuple(expected)
    assert measures_of(result).loc["hierarchical F1", "model"] == found["f1"].iloc[0]


def test_a_semi_supervised_method_stands_beside_itself_without_unlabelled_rows(files):
    choices = FitChoices(method="SSHMCBLI", base="naive-bayes", calibrate=False)
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
    known, alone, _ = without_roots(dataset.hierarchy, dataset.Y[rows], alone)
    assert measures.loc[
        "micro average precision", "without_unlabelled"
    ] == average_precision(known, alone)
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
    model = fit_table(files, FitChoices(fast=True, parameters=FEW_TREES)).model
    result = evaluate_model(model, files)
    dataset = files.load().dataset
    labels = model.labels(model.predict_proba(model.read(files.features)))
    rows = dataset.labeled
    expected = hierarchical_f1(
        *without_roots(dataset.hierarchy, dataset.Y[rows], labels[rows])
    )
    assert measures_of(result).loc["hierarchical F1", "model"] == expected


def test_roots_do_not_flatter(files):
    choices = FitChoices(fast=True, parameters=FEW_TREES)
    result = evaluate_table(files, choices)
    dataset = files.load().dataset
    rows = dataset.labeled
    scores = out_of_fold_scores(
        PriorClassifier(dataset.hierarchy),
        dataset.X[rows],
        dataset.Y[rows],
        n_splits=3,
        random_state=0,
    )
    measured = measures_of(result).loc["micro average precision"]
    known, alone, _ = without_roots(dataset.hierarchy, dataset.Y[rows], scores)
    assert measured["constant"] == average_precision(known, alone)
    assert measured["constant"] < average_precision(dataset.Y[rows], scores)
    assert "omit 3 uninformative root terms" in result.sentences[0]
    fitted = fit_table(files, choices)
    estimate = fitted.model.summary["out_of_fold"]
    assert estimate["average_precision"] < estimate["average_precision_with_roots"]
    assert "3 root terms left out; with them" in fitted.sentences[-1]


def test_departments_of_a_shop_are_no_mere_roots(tmp_path):
    paths = write_example(tmp_path, "shop")
    files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    result = evaluate_table(files, FitChoices(method="PriorClassifier"))
    assert not any("root" in sentence for sentence in result.sentences)
    # A root that all have says nothing, wherever it comes from.
    text = paths["hierarchy"].read_text()
    tops = "".join(f"everything,{name}\n" for name in ("food", "home", "books"))
    paths["hierarchy"].write_text(text + tops)
    result = evaluate_table(files, FitChoices(method="PriorClassifier"))
    assert "omit 1 uninformative root terms" in result.sentences[0]


def test_a_model_knows_retired_terms_without_the_hierarchy(files):
    model = fit_table(files, FitChoices(method="PriorClassifier")).model
    with_it = evaluate_model(model, files)
    without_it = evaluate_model(model, replace(files, hierarchy=None))
    assert without_it.report.replaced_terms == (("GO:9000001", "GO:0000001"),)
    assert without_it.report.unknown_terms == ()
    assert without_it.measures.equals(with_it.measures)


@pytest.mark.parametrize("method", ["PriorClassifier", "SSHMCBLI"])
def test_rows_that_trained_without_labels_are_not_called_seen(files, method, tmp_path):
    lines = Path(files.labels).read_text().splitlines(keepends=True)
    ids = sorted({line.split("\t")[1] for line in lines[1:]})
    half = set(ids[: len(ids) // 2])
    parts = {"train": half, "test": set(ids) - half}
    for name, part in parts.items():
        rows = (line for line in lines[1:] if line.split("\t")[1] in part)
        (tmp_path / f"{name}.gaf").write_text("".join(rows))
    choices = FitChoices(method=method, thresholds=None)
    if method == "SSHMCBLI":
        choices = replace(choices, base="naive-bayes")
    train, test = (replace(files, labels=tmp_path / f"{name}.gaf") for name in parts)
    model = fit_table(train, choices).model
    sentences = " ".join(evaluate_model(model, test).sentences)
    assert "caution" not in sentences
    assert ("for training without their labels" in sentences) == (method == "SSHMCBLI")
    assert "caution" in " ".join(evaluate_model(model, train).sentences)


def test_a_path_deeper_than_any_in_training_counts_for_its_ancestors(tmp_path):
    paths = write_example(tmp_path, "titles")
    files = TableFiles(paths["features"], paths["labels"])
    model = fit_table(files, FitChoices(method="PriorClassifier")).model
    known = Path(files.labels).read_text().splitlines()
    product, path = known[1].split(",")
    labels = {
        "known": path,
        "deeper": f"{path} > Small>Blue",
        "strange": "Sport > Bats",
    }
    found = {}
    for name, label in labels.items():
        lines = [known[0], f"{product},{label}", *known[2:]]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
        found[name] = evaluate_model(
            model, replace(files, labels=tmp_path / f"{name}.csv")
        )
    assert found["deeper"].measures.equals(found["known"].measures)
    assert found["deeper"].report.replaced_terms == ((labels["deeper"], path),)
    assert found["deeper"].report.unknown_terms == ()
    assert found["strange"].report.unknown_terms == (labels["strange"],)


def test_files_that_were_read_are_not_written_over(tmp_path):
    paths = write_example(tmp_path, "shop")
    labels = paths["labels"].rename(tmp_path / "per_node.csv")
    files = TableFiles(paths["features"], labels, paths["hierarchy"])
    choices = FitChoices(method="PriorClassifier", folds=2)
    model = tmp_path / "measures.csv"
    save_model(fit_table(files, choices).model, model)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert evaluate_table(files, choices).inputs == files.paths()
    with pytest.raises(FileExistsError, match="this file is also an input"):
        evaluate_model(model, files).save(tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}
