"""The default method with all its candidates, through everything that a user does."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hilabel.cli import app
from hilabel.datasets import TableFiles, make_hierarchical_classification
from hilabel.judgement import OUT_OF_FOLD
from hilabel.persistence import load_model, save_model
from hilabel.tasks import (
    FitChoices,
    PredictChoices,
    compare_methods,
    evaluate_table,
    explain_row,
    fit_table,
    predict_table,
    report_model,
)

# Small data, so that candidates train in seconds; no limit differs from the default.
N_ROWS, N_LABELED = 130, 100
CHOICES = FitChoices(seed=1, folds=3)
SEMI_SUPERVISED = {"spreading", "SSHMC-BLI, forest", "network, views"}


def write_rows(folder):
    """Write rows, of which the first may have labels, and a hierarchy."""
    rows = make_hierarchical_classification(N_ROWS, 5, n_nodes=9, random_state=3)
    names = np.asarray(rows.hierarchy.names, dtype=object)
    ids = [f"r{number:03d}" for number in range(N_ROWS)]
    X = pd.DataFrame(rows.X, index=pd.Index(ids, name="id")).add_prefix("x")
    X.to_csv(folder / "features.csv")
    labels = [(ids[row], ";".join(names[rows.Y[row] == 1])) for row in range(N_LABELED)]
    table = pd.DataFrame([pair for pair in labels if pair[1]], columns=["id", "labels"])
    table.to_csv(folder / "labels.csv", index=False)
    edges = pd.DataFrame(names[rows.hierarchy.edges], columns=["parent", "child"])
    edges.to_csv(folder / "hierarchy.csv", index=False)
    return TableFiles(
        *(folder / f"{name}.csv" for name in ("features", "labels", "hierarchy"))
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def fitted(files, told):
    return fit_table(files, CHOICES, lambda *words: told.append(words))


@pytest.fixture(scope="module")
def path(fitted, tmp_path_factory):
    return save_model(fitted.model, tmp_path_factory.mktemp("model") / "m.hilabel")


@pytest.fixture(scope="module")
def model(path):
    """The model as it comes out of its file, which all other tests use."""
    return load_model(path)


def test_candidates_of_all_kinds_are_tried_and_several_are_kept(fitted):
    pytest.importorskip("jax")
    table = fitted.tried.set_index("candidate")
    assert set(table.index) >= SEMI_SUPERVISED
    tried = table[table["status"].isin(["kept", "tried"])]
    assert {"forest", "linear", "neighbours", "spreading"} <= set(tried.index)
    assert any(name.startswith("network") for name in tried.index)
    assert (table["status"] == "kept").sum() > 1
    skipped = table[table["status"] == "skipped"]
    assert len(tried) + len(skipped) == len(table)
    for name, reason in skipped["reason"].items():
        assert reason
        assert reason in fitted.skipped
        assert f"'{name}'" in fitted.skipped


def test_progress_fills_over_all_candidates(fitted, told):
    steps = [
        (message, done, total)
        for message, done, total in told
        if message.startswith("Training Blend: trying")
    ]
    n_tried = int((fitted.tried["status"] != "skipped").sum())
    assert {total for _, _, total in steps} == {n_tried}
    done = [done for _, done, _ in steps]
    assert done == sorted(done)
    assert set(done) == set(range(n_tried))
    assert any("network" in message for message, _, _ in steps)


def test_the_numbers_of_one_fit_agree(fitted):
    judgement, gain = fitted.judgement, fitted.judgement.gain
    measured = gain.score_with if gain.helps else gain.score_without
    assert judgement.raw.micro == pytest.approx(measured, abs=1e-6)
    tried = fitted.tried.set_index("candidate")["out_of_fold"]
    # The same folds, rows and terms.
    assert tried["constant predictor"] == pytest.approx(
        judgement.constant.micro, abs=1e-6
    )
    assert f"micro average precision {judgement.quality.micro:.3f}" in fitted.verdict[0]
    assert len(fitted.verdict) == 3


def test_the_file_keeps_all_that_was_measured(fitted, model):
    assert model.summary == fitted.model.summary
    assert model.summary["quality"]["average_precision"] == (
        fitted.judgement.quality.micro
    )
    names = [one["name"] for one in model.summary["candidates"]]
    assert set(names) == set(fitted.tried["candidate"])
    assert [one.name for one in model.judgement.candidates] == names


def test_evaluate_measures_what_fit_measured_and_trains_once(files, fitted):
    steps = []
    found = evaluate_table(files, CHOICES, lambda *words: steps.append(words))
    done = [step for message, step, _ in steps if "Blend: trying" in message]
    assert done == sorted(done)
    ours, theirs = fitted.judgement, found.judgement
    assert found.verdict == fitted.verdict
    assert theirs.quality.measures() == ours.quality.measures()
    assert theirs.constant.measures() == ours.constant.measures()
    np.testing.assert_array_equal(theirs.decision.threshold, ours.decision.threshold)
    scores = {one.name: one.score for one in ours.candidates}
    assert {one.name: one.score for one in theirs.candidates} == scores


def test_compare_runs_the_same_default(files, fitted):
    found = compare_methods(files, ["default"], CHOICES)
    ours, theirs = fitted.judgement, found.judgements["default"]
    assert theirs.quality.measures() == ours.quality.measures()
    best, constant = found.measures["micro_AP"]
    assert (best, constant) == (ours.quality.micro, ours.constant.micro)
    assert found.choices["default"] == CHOICES


def test_all_decide_on_the_same_terms(files, model):
    table = model.read(files.features)
    names = np.array(model.hierarchy.names)
    decided = model.labels(model.predict_proba(table)) & model.informative
    expected = {
        row_id: set(names[row]) for row_id, row in zip(table.ids, decided, strict=True)
    }
    written = predict_table(model, table, PredictChoices(threshold="model"))
    by_id = written.groupby("id")["term"].agg(set)
    assert by_id.to_dict() == {row: terms for row, terms in expected.items() if terms}
    payload = report_model(model, files.features).payload
    terms, rows = payload["terms"]["id"], payload["rows"]
    on_page = {
        row_id: {terms[term] for term, *_ in predicted}
        for row_id, predicted in zip(rows["id"], rows["predicted"], strict=True)
    }
    assert on_page == expected
    for row_id in table.ids[:: len(table) // 10]:
        decisions = explain_row(model, row_id, files.features).decisions
        shown = set(decisions.loc[decisions["predicted"], "term"])
        assert shown & set(names[model.informative]) == expected[row_id]


def test_labelled_rows_are_scored_by_models_without_their_labels(files, model):
    assert model.judgement.measured_on == OUT_OF_FOLD
    table = model.read(files.features)
    rows = np.flatnonzero(model.labeled)
    labeled = table.rows(rows)
    np.testing.assert_array_equal(
        model.predict_proba(labeled), model.left_out[rows].toarray()
    )


def test_the_command_line_shows_it(files, path, tmp_path):
    def run(*args):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        assert result.exit_code == 0, result.stderr
        return result.stdout

    out = tmp_path / "terms.csv"
    told = json.loads(run("predict", path, files.features, "-o", out, "--json"))
    assert told["rows"] == N_ROWS
    found = json.loads(
        run("explain", path, "r100", "--features", files.features, "--json")
    )
    assert found["id"] == "r100"
    assert found["members"]
    run("report", path, "-f", files.features, "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000
    facts = run("inspect", path)
    assert "Blend" in facts
