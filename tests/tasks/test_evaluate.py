"""Measures that agree with those of training, and rivals that are fair."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hilabel.classifiers import PriorClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import write_example
from hilabel.exceptions import ParameterError
from hilabel.judgement import OUT_OF_FOLD, TEST_ROWS
from hilabel.metrics import average_precision, hierarchical_precision_recall_f1
from hilabel.model_selection import draw_folds, out_of_fold_scores
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


def with_a_root_of_all(files, folder):
    """Return the same files with a root above all others, which every row has."""
    text = Path(files.hierarchy).read_text()
    for number in (1, 2, 3):
        line = f"id: GO:000000{number}\n"
        text = text.replace(f"\n{line}", f"\n{line}is_a: GO:9999999\n", 1)
    path = Path(folder) / "rooted.obo"
    path.write_text(f"{text}\n[Term]\nid: GO:9999999\nname: everything\n")
    return replace(files, hierarchy=path)


def measures_of(result):
    return result.measures.set_index("measure")


def test_measures_are_those_of_training(files):
    choices = FitChoices(effort="fast", parameters=FEW_TREES)
    model = fit_table(files, choices).model
    result = evaluate_table(files, choices)
    pd.testing.assert_frame_equal(
        result.per_node, evaluate_model(model, files).per_node
    )
    assert result.judgement.quality.measures() == model.judgement.quality.measures()
    assert result.calibration.error == model.judgement.error
    uncalibrated = evaluate_table(files, replace(choices, calibrate=False))
    assert result.calibration.error < uncalibrated.calibration.error
    assert "calibration: none, since it was disabled" in uncalibrated.details


def test_thresholds_of_a_fold_come_from_the_others(files):
    choices = FitChoices(method="PriorClassifier", calibrate=False)
    judgement = evaluate_table(files, choices).judgement
    tables = files.read()
    hierarchy, rows = tables.hierarchy, tables.labels.labeled
    fold = draw_folds(tables.labels)[rows]
    known = tables.labels.complete().to_array()[rows]
    scores = out_of_fold_scores(
        PriorClassifier(hierarchy), np.zeros((len(known), 1)), known, fold=fold
    )
    labels = np.zeros(known.shape, dtype=bool)
    for test in (fold == number for number in range(fold.max() + 1)):
        best, at = -1.0, 0.0
        for threshold in np.unique(scores[~test]):
            decided = labels_from_scores(
                scores[~test], hierarchy, threshold, on_conflict="close"
            )
            f1 = (
                2
                * (decided & (known[~test] == 1)).sum()
                / (decided.sum() + (known[~test] == 1).sum())
            )
            if f1 > best:
                best, at = f1, threshold
        labels[test] = labels_from_scores(
            scores[test], hierarchy, at, on_conflict="close"
        )
    expected = hierarchical_precision_recall_f1(known, labels, hierarchy)
    decision = judgement.decision
    assert decision.n_own == 0
    found = decision.precision, decision.recall, decision.f1
    assert found == pytest.approx(tuple(expected))


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
    tables = files.read()
    estimator, _ = build_estimator(choices, tables)
    _, X, _ = build_preparation(choices, estimator, tables)
    rows = tables.labels.labeled
    known = tables.labels.complete().to_array()[rows]
    fold = draw_folds(tables.labels)[rows]
    alone = out_of_fold_scores(estimator, X[rows], known, fold=fold)
    measures = measures_of(result)
    assert measures.loc[
        "micro average precision", "without_unlabelled"
    ] == pytest.approx(average_precision(known, alone))
    assert not np.allclose(
        measures["model"].iloc[:2], measures["without_unlabelled"].iloc[:2]
    )


def test_a_model_is_measured_with_its_own_decisions(files, tmp_path):
    paths = write_example(tmp_path, "go")
    choices = FitChoices(effort="fast", parameters=FEW_TREES)
    lines = paths["labels"].read_text().splitlines(keepends=True)
    ids = sorted({line.split("\t")[1] for line in lines if "\t" in line})[::2]
    half = [line for line in lines if "\t" not in line or line.split("\t")[1] in ids]
    (tmp_path / "half.gaf").write_text("".join(half))
    model = fit_table(replace(files, labels=tmp_path / "half.gaf"), choices).model
    judgement = evaluate_model(model, files).judgement
    table, labels, _ = model.read_labeled(files)
    new = labels.labeled & ~np.isin(table.ids, ids)
    assert judgement.n_rows == new.sum()
    decided = model.labels(model.predict_proba(table))[new]
    true = labels.to_array()[new]
    right = (decided & (true == 1)).sum()
    expected = (right / (decided & (true >= 0)).sum(), right / (true == 1).sum())
    found = judgement.decision.precision, judgement.decision.recall
    assert found == pytest.approx(expected)


def test_a_root_that_all_rows_have_does_not_flatter(files, tmp_path):
    choices = FitChoices(method="PriorClassifier", calibrate=False)
    before = evaluate_table(files, choices)
    rooted = evaluate_table(with_a_root_of_all(files, tmp_path), choices)
    assert rooted.judgement.n_informative == before.judgement.n_informative
    # The folds differ a little, since they are drawn for all labels.
    assert rooted.judgement.quality.micro == pytest.approx(
        before.judgement.quality.micro, abs=0.01
    )
    assert "left out of all measures: 1 root that nearly all rows have" in (
        rooted.details
    )
    assert not any("root" in line for line in before.details)


def test_departments_of_a_shop_are_measured(tmp_path):
    paths = write_example(tmp_path, "shop")
    files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    result = evaluate_table(files, FitChoices(method="PriorClassifier"))
    assert {"food", "home", "books"} <= set(result.per_node["name"])


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
    choices = FitChoices(method=method, measure=False)
    if method == "SSHMCBLI":
        choices = replace(choices, base="naive-bayes")
    train, test = (replace(files, labels=tmp_path / f"{name}.gaf") for name in parts)
    model = fit_table(train, choices).model
    told = " ".join(evaluate_model(model, test).verdict)
    assert ("for training without their labels" in told) == (method == "SSHMCBLI")
    with pytest.raises(ParameterError, match="quality was not measured then"):
        evaluate_model(model, train)
    measured = replace(choices, measure=True, folds=2)
    model = fit_table(train, measured).model
    seen = evaluate_model(model, train)
    assert seen.judgement.measured_on == OUT_OF_FOLD
    assert "the model was trained on these rows" in " ".join(seen.verdict)
    both = evaluate_model(model, files)
    assert both.judgement.measured_on == TEST_ROWS
    assert f"left out: {len(half)} more rows" in " ".join(both.verdict).replace(",", "")


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
