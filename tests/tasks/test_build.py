"""Choices made by the user, and those made for them."""

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import load_table, write_example
from hilabel.tasks import FitChoices
from hilabel.tasks._build import PRESETS, build_estimator, build_preparation


@pytest.fixture(scope="module")
def genes(tmp_path_factory):
    files = write_example(tmp_path_factory.mktemp("genes"), "go")
    return load_table(files["features"], files["labels"], files["hierarchy"])


def prepared(choices, genes):
    estimator, _ = build_estimator(choices, genes.dataset)
    return build_preparation(choices, estimator, genes)


def test_the_default_is_the_mean_of_the_best(genes):
    estimator, said = build_estimator(FitChoices(seed=7), genes.dataset)
    assert type(estimator).__name__ == "Blend"
    assert estimator.random_state == 7
    assert said == [
        "method: Blend (the default: the mean of the best of several models)"
    ]


def test_the_fast_choice_is_one_forest_for_all_terms(genes):
    estimator, said = build_estimator(FitChoices(fast=True, seed=7), genes.dataset)
    assert type(estimator).__name__ == "PredictiveClusteringForest"
    assert estimator.random_state == 7
    assert "the fast choice" in said[0]
    assert (
        "250, not used for training (PredictiveClusteringForest is supervised"
        in said[-1]
    )
    for choices in (
        FitChoices(fast=True, method="SSHMCBLI"),
        FitChoices(fast=True, base="knn"),
        FitChoices(fast=True, preset="paper"),
    ):
        with pytest.raises(ValueError, match="fast choice cannot be combined"):
            build_estimator(choices, genes.dataset)


@pytest.mark.parametrize(
    "choices",
    [
        FitChoices(base="forest", seed=7),
        FitChoices(parameters={"estimator__n_estimators": 5}, seed=7),
    ],
)
def test_a_base_asks_for_a_calibrated_classifier_per_term(genes, choices):
    estimator, said = build_estimator(choices, genes.dataset)
    assert type(estimator).__name__ == "LocalClassifierPerNode"
    assert (estimator.calibration, estimator.random_state) == ("prior", 7)
    assert "the default with a base" in said[0]


def test_the_fast_choice_for_words_is_linear(tmp_path):
    files = write_example(tmp_path, "titles")
    titles = load_table(files["features"], files["labels"])
    estimator, said = build_estimator(FitChoices(fast=True), titles.dataset)
    assert type(estimator).__name__ == "LogisticClassifier"
    assert (estimator.C, estimator.scale) == (30, False)
    preparation, said = prepared(FitChoices(fast=True), titles)
    assert (preparation.impute, preparation.scale) == (None, "standard")
    assert said[1].startswith("text: column 'title', encoded as 832 columns")
    # A method that is named wins.
    forest = FitChoices(method="PredictiveClusteringForest")
    estimator, _ = build_estimator(forest, titles.dataset)
    assert type(estimator).__name__ == "PredictiveClusteringForest"


def test_a_missing_number_beside_words_is_named(tmp_path):
    files = write_example(tmp_path, "titles")
    text = files["features"].read_text().replace(",4.61", ",")
    files["features"].write_text(text)
    titles = load_table(files["features"], files["labels"])
    with pytest.raises(ValueError, match="column 'price' has missing values"):
        prepared(FitChoices(base="logistic", impute=None), titles)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (FitChoices(base="logistic"), "base: logistic"),
        (FitChoices(parameters={"estimator__n_estimators": 5}), "base: forest"),
        (FitChoices(method="SSHMCBLI", base="knn"), "base: knn"),
        (FitChoices(method="SSHMCBLI"), "base: the default of SSHMCBLI"),
    ],
)
def test_the_base_is_stated(genes, choices, sentence):
    assert sentence in build_estimator(choices, genes.dataset)[1]


def test_a_method_without_a_base_states_none(genes):
    _, said = build_estimator(FitChoices(), genes.dataset)
    assert not any(sentence.startswith("base") for sentence in said)


@pytest.mark.parametrize(
    ("method", "advice"),
    [("SSHCBLI", "use HMCSSBR or SSHMCBLI"), ("PCNB", "use HMCBR")],
)
def test_a_method_of_the_same_kind_is_advised_first(genes, method, advice):
    with pytest.raises(ValueError, match=advice):
        build_estimator(FitChoices(method=method), genes.dataset)


def test_the_preset_of_the_paper_can_be_varied(genes):
    choices = FitChoices(preset="paper", parameters={"n_neighbors": 5})
    estimator, said = build_estimator(choices, genes.dataset)
    assert (estimator.variant, estimator.n_neighbors) == ("v2", 5)
    assert "preset paper" in said[0]
    assert PRESETS["paper"]["parameters"]["n_neighbors"] == 3


def test_what_measures_distances_is_filled_and_scaled(genes):
    preparation, said = prepared(FitChoices(method="SSHMCBLI"), genes)
    assert (preparation.impute, preparation.scale) == ("mean", "standard")
    assert "replaced with the column's mean" in said[0]
    X = preparation.transform(genes.table)
    assert not np.isnan(X).any()
    np.testing.assert_allclose(X[:, :7].mean(axis=0), 0, atol=1e-12)
    assert set(np.unique(X[:, 7])) == {0, 1}  # a word stays 0 and 1


def test_what_takes_missing_values_gets_them(genes):
    preparation, said = prepared(FitChoices(), genes)
    assert (preparation.impute, preparation.scale) == (None, None)
    assert "handled by the model" in said[0]
    np.testing.assert_array_equal(preparation.transform(genes.table), genes.dataset.X)


def test_given_choices_win(genes):
    choices = FitChoices(method="SSHMCBLI", impute="median", scale="range")
    preparation, _ = prepared(choices, genes)
    assert (preparation.impute, preparation.scale) == ("median", "range")


def test_linear_bases_are_scaled(genes):
    preparation, _ = prepared(FitChoices(base="logistic"), genes)
    assert (preparation.impute, preparation.scale) == ("mean", "standard")


@pytest.fixture
def shop_words(tmp_path):
    """Write word counts of rows with one path to a leaf, and return a loader."""
    generator = np.random.default_rng(0)
    leaves = generator.integers(3, size=60)
    rates = 0.4 + 4 * np.eye(3, 9)[leaves] + 2 * np.eye(3, 9, 3)[leaves]
    counts = pd.DataFrame(generator.poisson(rates)).add_prefix("word_")
    counts["word_0"] *= 50  # one word is far more frequent than the others

    def load(counts=counts):
        counts.rename_axis("id").to_csv(tmp_path / "words.csv")
        names = np.array(["shoe", "boot", "sock"])[leaves]
        labels = pd.DataFrame({"id": counts.index, "label": names})
        labels[:30].to_csv(tmp_path / "labels.csv", index=False)
        edges = "parent,child\nfeet,shoe\nfeet,boot\nlegs,sock\n"
        (tmp_path / "tree.csv").write_text(edges)
        return load_table(*(tmp_path / f"{n}.csv" for n in ("words", "labels", "tree")))

    return counts, load


@pytest.mark.parametrize("method", ["PCNB", "PCEM"])
def test_counts_are_used_as_they_are(shop_words, method):
    counts, load = shop_words
    preparation, said = prepared(FitChoices(method=method), load())
    assert preparation.scale is None
    assert "9 numeric columns, not scaled" in said[0]
    np.testing.assert_array_equal(preparation.transform(load().table), counts)


@pytest.mark.parametrize("method", ["PCNB", "PCEM"])
def test_negative_values_are_scaled_for_a_method_that_needs_others(shop_words, method):
    counts, load = shop_words
    preparation, said = prepared(FitChoices(method=method), load(counts - 1))
    assert preparation.scale == "range"
    assert f"scaled to [0, 1], since {method} needs non-negative values" in said[0]


def test_counts_with_missing_values_are_filled_and_not_scaled(shop_words):
    counts, load = shop_words
    preparation, _ = prepared(FitChoices(method="PCEM"), load(counts.where(counts < 9)))
    assert (preparation.impute, preparation.scale) == ("mean", None)
