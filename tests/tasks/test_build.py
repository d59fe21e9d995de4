"""Choices made by the user, and those made for them."""

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import load_table, write_example
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import SSHMCBLI
from hilabel.tasks import FitChoices, TableFiles
from hilabel.tasks._build import build_estimator, build_preparation, preset_sentences_of
from hilabel.tasks._preset import PRESETS


@pytest.fixture(scope="module")
def genes(tmp_path_factory):
    files = write_example(tmp_path_factory.mktemp("genes"), "go")
    return load_table(files["features"], files["labels"], files["hierarchy"])


def prepared(choices, genes):
    estimator, _ = build_estimator(choices, genes)
    preparation, _, sentences = build_preparation(choices, estimator, genes)
    return preparation, sentences


def test_the_default_is_the_mean_of_the_best(genes):
    estimator, said = build_estimator(FitChoices(seed=7), genes)
    assert type(estimator).__name__ == "Blend"
    assert estimator.random_state == 7
    assert said == [
        "method: Blend (the default: the mean of the best of several models)"
    ]


def test_the_fast_choice_is_one_forest_for_all_terms(genes):
    estimator, said = build_estimator(FitChoices(effort="fast", seed=7), genes)
    assert type(estimator).__name__ == "PredictiveClusteringForest"
    assert estimator.random_state == 7
    assert "the fast choice" in said[0]
    assert (
        "250, not used for training (PredictiveClusteringForest is supervised"
        in said[-1]
    )
    for choices in (
        FitChoices(effort="fast", method="SSHMCBLI"),
        FitChoices(effort="fast", base="knn"),
        FitChoices(effort="fast", preset="paper"),
    ):
        with pytest.raises(ValueError, match="fast effort cannot be combined"):
            build_estimator(choices, genes)


@pytest.mark.parametrize(
    "choices",
    [
        FitChoices(base="forest", seed=7),
        FitChoices(parameters={"estimator__n_estimators": 5}, seed=7),
        FitChoices(tune={"estimator__n_estimators": [5, 9]}, seed=7),
    ],
)
def test_a_base_asks_for_a_calibrated_classifier_per_term(genes, choices):
    estimator, said = build_estimator(choices, genes)
    assert type(estimator).__name__ == "LocalClassifierPerNode"
    assert (estimator.calibration, estimator.random_state) == ("prior", 7)
    assert "the default with a base" in said[0]


def test_the_fast_choice_for_words_is_linear(tmp_path):
    files = write_example(tmp_path, "titles")
    titles = load_table(files["features"], files["labels"])
    estimator, said = build_estimator(FitChoices(effort="fast"), titles)
    assert type(estimator).__name__ == "LinearClassifier"
    assert (estimator.C, estimator.scale) == (50.0, "rows")
    preparation, said = prepared(FitChoices(effort="fast"), titles)
    assert (preparation.impute, preparation.scale) == (None, "standard")
    assert said[1].startswith("text: column 'title', encoded as 832 columns")
    # A method that is named wins.
    forest = FitChoices(method="PredictiveClusteringForest")
    estimator, _ = build_estimator(forest, titles)
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
        (FitChoices(method="SSHMCBLI", base="network"), "base: network"),
        (FitChoices(method="SSHMCBLI"), "base: the default of SSHMCBLI"),
    ],
)
def test_the_base_is_stated(genes, choices, sentence):
    assert sentence in build_estimator(choices, genes)[1]


def test_a_method_without_a_base_states_none(genes):
    _, said = build_estimator(FitChoices(), genes)
    assert not any(sentence.startswith("base") for sentence in said)


@pytest.mark.parametrize(
    ("method", "advice"),
    [("SSHCBLI", "use HMCSSBR or SSHMCBLI"), ("PCNB", "use HMCBR")],
)
def test_a_method_of_the_same_kind_is_advised_first(genes, method, advice):
    with pytest.raises(ValueError, match=advice):
        build_estimator(FitChoices(method=method), genes)


def test_the_preset_of_the_paper_can_be_varied(genes):
    choices = FitChoices(preset="paper", parameters={"n_neighbors": 5})
    estimator, said = build_estimator(choices, genes)
    assert (estimator.variant, estimator.n_neighbors) == ("v2", 5)
    assert "preset paper" in said[0]
    assert PRESETS["paper"].methods["SSHMCBLI"]["n_neighbors"] == 3


def test_the_preset_of_the_paper_explains_every_choice():
    choices = FitChoices(preset="paper", parameters={"k": 5})
    head, *lines = preset_sentences_of(choices, choices.counting(TableFiles("x", "y")))
    assert head == "preset paper, a line per choice:"
    explained = {line.partition(":")[0].strip() for line in lines}
    assert {"variant", "profile", "n_neighbors (k)", "max_iter (maxIterations)"} < (
        explained
    )
    assert "  minimum: 50 labelled rows per term; the paper: 50 rows" in "\n".join(
        lines
    )
    assert [line for line in lines if "your choice" in line] == [
        "  n_neighbors (k): 5 (your choice; the paper: 3 on its artificial data; on "
        "GO, it tunes 3, 4, 5)"
    ]
    assert preset_sentences_of(FitChoices(), TableFiles("x", "y")) == []


@pytest.mark.parametrize(
    ("method", "parameters", "line"),
    [
        ("V3", {}, "variant: v3 (your choice; the paper's best is v2)"),
        (
            None,
            {"profile": "authors"},
            "profile: authors (your choice; 'paper' follows the text, 'authors' "
            "reproduces the published scores)",
        ),
        (
            None,
            {"metric": "cosine"},
            "metric: cosine (your choice; the paper: euclidean)",
        ),
        (None, {"metric": "euclidean"}, "metric: euclidean; as in the paper"),
        (None, {"k_step": 5}, "k_step: 5 (your choice; the paper: 10)"),
        (
            "LCN",
            {"constraint": None},
            "constraint: None (your choice; the paper: no score above a parent's)",
        ),
        (
            None,
            {"estimator__n_estimators": 5},
            "estimator__n_estimators: 5 (your choice; the paper: scikit-learn's "
            "defaults)",
        ),
    ],
)
def test_a_choice_is_not_said_to_be_the_paper_s(method, parameters, line):
    choices = FitChoices(preset="paper", method=method, parameters=parameters)
    assert f"  {line}" in preset_sentences_of(choices, TableFiles("x", "y"))


def test_a_tuned_value_is_not_said_to_be_the_paper_s():
    choices = FitChoices(preset="paper", tune={"k": [3, 9]})
    about = "the paper: 3 on its artificial data; on GO, it tunes 3, 4, 5"
    for best in (3, 9):
        told = preset_sentences_of(choices, TableFiles("x", "y"), {"n_neighbors": best})
        assert f"  n_neighbors (k): {best} (tuned; {about})" in told


def test_the_preset_of_the_paper_has_a_baseline(genes):
    baseline, said = build_estimator(FitChoices(preset="paper", method="LCN"), genes)
    assert type(baseline).__name__ == "LocalClassifierPerNode"
    own = SSHMCBLI()._own_base(None)
    assert (baseline.policy, baseline.negatives_order) == (
        own.policy,
        own.negatives_order,
    )
    assert "LCN in the paper" in said[0]


@pytest.mark.parametrize("word", ["V1", "v2", "V3"])
def test_a_variant_of_the_paper_is_a_method(genes, word):
    estimator, said = build_estimator(
        FitChoices(method=word, parameters={"K": 5, "thr": 0.7, "maxIterations": 9}),
        genes,
    )
    assert estimator.variant == word.lower()
    assert (estimator.n_neighbors, estimator.similarity_threshold) == (5, 0.7)
    assert said[0] == (
        f"method: SSHMCBLI with variant={word.lower()!r} ({word.upper()} in the paper)"
    )
    assert (
        "the paper's words: K is n_neighbors, thr is similarity_threshold, "
        "maxIterations is max_iter" in said
    )


def test_choices_are_resolved_once():
    choices = FitChoices(preset="paper", method="V3", parameters={"n": 4})
    once = choices.resolved()
    assert (once.method, once.calibrate) == ("SSHMCBLI", False)
    assert once.parameters["similarity_span"] == 4
    assert once.resolved() == once


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            FitChoices(method="V2", parameters={"variant": "v1"}),
            "V2 is SSHMCBLI with variant='v2', not variant='v1'",
        ),
        (
            FitChoices(method="V2", parameters={"k": 3, "n_neighbors": 3}),
            "n_neighbors and k are the same parameter of SSHMCBLI",
        ),
    ],
)
def test_words_that_contradict_each_other_are_named(choices, message):
    with pytest.raises(ParameterError, match=message):
        choices.resolved()


def test_the_minimum_count_is_the_preset_s_unless_given():
    files = TableFiles("x", "y")
    assert FitChoices().counting(files).min_count == 5
    assert FitChoices(preset="paper").counting(files).min_count == 50
    given = TableFiles("x", "y", min_count=7)
    assert FitChoices(preset="paper").counting(given).min_count == 7


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
    assert f"scaling: to [0, 1], since {method} needs non-negative values" in said


def test_counts_with_missing_values_are_filled_and_not_scaled(shop_words):
    counts, load = shop_words
    preparation, _ = prepared(FitChoices(method="PCEM"), load(counts.where(counts < 9)))
    assert (preparation.impute, preparation.scale) == ("mean", None)


def test_the_fast_choice_for_linked_rows_spreads_labels(tmp_path):
    paths = write_example(tmp_path, "proteins")
    files = paths["features"], paths["labels"], paths["hierarchy"]
    tables = load_table(*files, links=paths["links"])
    estimator, said = build_estimator(FitChoices(effort="fast"), tables)
    assert type(estimator).__name__ == "LinkSpreading"
    assert said[0] == "method: LinkSpreading (the fast choice)"
    with_base = FitChoices(base="logistic")
    estimator, _ = build_estimator(with_base, tables)
    assert type(estimator).__name__ == "LocalClassifierPerNode"
