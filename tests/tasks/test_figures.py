"""Figures from files: the units of the table, and the rows of the model."""

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import write_example
from hilabel.exceptions import DatasetFormatError, ParameterError
from hilabel.tasks import (
    FitChoices,
    TableFiles,
    critical_difference_display,
    fit_table,
    label_fraction_display,
    pseudo_label_display,
    report_model,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = write_example(tmp_path_factory.mktemp("shop"), "shop")
    return TableFiles(paths["features"], paths["labels"], paths["hierarchy"])


@pytest.fixture(scope="module")
def model(files):
    choices = FitChoices(method="SSHMCBLI", base="tree", measure=False)
    return fit_table(files, choices).model


def test_columns_are_in_the_units_of_the_table(files, model):
    table = pd.read_csv(files.features)
    first, second = table.select_dtypes("number").columns[:2]
    found = pseudo_label_display(model, columns=[first, second])
    expected = table[[first, second]].to_numpy(dtype=float)
    known = np.isfinite(expected)
    np.testing.assert_allclose(found.X[known], expected[known])
    number = str(model.feature_names.index(first))
    np.testing.assert_allclose(
        pseudo_label_display(model, columns=[number, second]).X, found.X
    )


def test_a_given_table_may_have_another_order(files, model, tmp_path):
    shuffled = pd.read_csv(files.features).sample(frac=1, random_state=0)
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False)
    stored = pseudo_label_display(model)
    given = pseudo_label_display(model, tmp_path / "shuffled.csv")
    np.testing.assert_allclose(given.X, stored.X, atol=1e-9)


def test_a_method_that_stores_no_rows_needs_the_table(files):
    choices = FitChoices(
        method="STHC", base="logistic", parameters={"max_iter": 1}, measure=False
    )
    model = fit_table(files, choices).model
    with pytest.raises(ParameterError, match="STHC does not store its training rows"):
        pseudo_label_display(model)
    display = pseudo_label_display(model, files.features)
    assert len(display.X) == len(model.sample_ids)


def test_the_preset_of_the_paper_is_used_and_stated(files):
    choices = FitChoices(
        preset="paper", method="LCN", parameters={"estimator__n_estimators": 1}
    )
    _, sentences = label_fraction_display(files, choices, fractions=[1], repetitions=1)
    assert "preset paper, a line per choice:" in sentences
    assert any("minimum: 50 labelled rows per term" in one for one in sentences)


def test_parameters_are_not_tuned_for_a_figure(files):
    choices = FitChoices(method="V2", tune={"k": [3, 4]}, valid_share=0.2)
    with pytest.raises(ParameterError, match="only tuned by fit_table"):
        label_fraction_display(files, choices)


def test_a_method_without_pseudo_labels_is_refused_before_its_table_is_read(files):
    parameters = {"w": 0.5, "max_depth": 2}
    choices = FitChoices(method="SSLPCT", parameters=parameters, measure=False)
    model = fit_table(files, choices).model
    for features in (None, files.labels):
        with pytest.raises(ParameterError, match="SSLPCT has no pseudo-labels to show"):
            pseudo_label_display(model, features)
    page = report_model(model, files.features)
    assert page.payload["summary"]["pseudo_labels"] is None


@pytest.mark.parametrize(
    "content",
    [
        ",forest,tree\n0,0.7,0.6\n1,0.9,0.8\n",
        ",,forest,tree\nyeast,1,0.7,0.6\nshop,1,0.9,0.8\n",
        "forest,tree\n\n0.7,0.6\n0.9,0.8\n",
        "data;forest;tree\nyeast;0.7;0.6\nshop;0.9;0.8\n",
        "forest\ttree\n0.7\t0.6\n0.9\t0.8\n",
        '"data, all";forest;tree\n"yeast, old";0.7;0.6\nshop;0.9;0.8\n',
    ],
)
def test_scores_are_ranked_whatever_names_and_separates_the_cells(tmp_path, content):
    path = tmp_path / "scores.csv"
    path.write_text(content)
    display = critical_difference_display(path)
    assert display.ranks.to_dict() == {"forest": 1, "tree": 2}


@pytest.mark.parametrize("line", ["shop,0.9,0.8", "shop"])
def test_a_line_that_is_longer_or_shorter_than_the_header_is_refused(tmp_path, line):
    path = tmp_path / "scores.csv"
    path.write_text(f"forest,tree\n0.7,0.6\n{line}\n")
    n_cells = line.count(",") + 1
    with pytest.raises(
        DatasetFormatError,
        match=f"2 cells .* as in the header, .* line 3 has {n_cells}",
    ):
        critical_difference_display(path)


def test_roots_that_all_rows_have_are_not_measured(tmp_path):
    rows = 40
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(rows, 3)), columns=list("xyz"))
    X.insert(0, "id", [f"r{row}" for row in range(rows)])
    X.to_csv(tmp_path / "x.csv", index=False)
    terms = np.where(X.x > 0, "up", "down")
    pd.DataFrame({"id": X.id, "term": terms}).to_csv(tmp_path / "y.csv", index=False)
    (tmp_path / "h.csv").write_text("parent,child\nroot,up\nroot,down\n")
    files = TableFiles(*(tmp_path / name for name in ("x.csv", "y.csv", "h.csv")))
    display, sentences = label_fraction_display(
        files, FitChoices(effort="fast"), fractions=[1], repetitions=1
    )
    scores = display.frame().set_index("trained_on")["micro_average_precision"]
    # With the root, which every row has, it would be above two thirds.
    assert scores["constant predictor"] < 0.66
    assert sentences[0].startswith("method: PredictiveClusteringForest")
