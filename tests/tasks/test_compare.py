"""Several methods on the same folds: figures, verdicts, and what cannot be measured."""

from dataclasses import replace

import numpy as np
import pytest

from hilabel._progress import say_nothing
from hilabel.datasets import write_example
from hilabel.exceptions import ParameterError
from hilabel.tasks import FitChoices, TableFiles, compare_methods, evaluate_table
from hilabel.tasks._compare import CONSTANT, _why_too_long, read_method
from hilabel.tasks._prepared import Folds, Prepared

METHODS = ["PredictiveClusteringForest:n_estimators=10", "PredictiveClusteringTree"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = write_example(tmp_path_factory.mktemp("genes"), "go")
    return TableFiles(paths["features"], paths["labels"], paths["hierarchy"])


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def found(files, told):
    return compare_methods(files, METHODS, report=lambda *words: told.append(words))


def test_the_measures_are_those_of_evaluate(files, found):
    alone = evaluate_table(
        files, FitChoices(effort="fast", parameters={"n_estimators": 10})
    ).measures
    alone = alone.set_index("measure")
    table = found.frame().set_index("method")
    for theirs, ours in (("model", METHODS[0]), ("constant", CONSTANT)):
        assert list(table.loc[ours, ["micro_AP", "macro_AP", "Fmax"]]) == list(
            alone[theirs].iloc[:3]
        )


def test_the_best_stands_first_and_what_it_is_ahead_by_is_told(found):
    table = found.measures
    assert set(table["method"]) == {*METHODS, CONSTANT}
    assert table["micro_AP"].is_monotonic_decreasing
    assert found.best == table["method"][0]
    second = table.iloc[1]
    sentence = " ".join(found.sentences)
    assert f"ahead of {second['method']} by {second['behind']:.3f}" in sentence
    is_noise = second["behind"] <= 2 * second["error"]
    assert ("within the noise" in sentence) == is_noise
    assert (table["seconds"].dropna() >= 0).all()
    assert (table["peak_MB"].dropna() > 10).all()


def test_the_error_is_that_of_paired_differences_corrected_for_shared_rows(found):
    folds = found.display.frame().pivot_table(
        index="fold", columns="method", values="micro_average_precision"
    )
    table = found.measures.set_index("method")
    second = next(name for name in METHODS if name != found.best)
    differences = folds[found.best] - folds[second]
    expected = np.sqrt(differences.var(ddof=1) * (1 / 5 + 1 / 4))
    assert table.loc[second, "error"] == pytest.approx(expected)


def test_progress_names_the_method(found, told):
    messages = [message for message, _, _ in told]
    assert f"{METHODS[1]} (2 of 2): training without fold 3 of 5" in messages


def test_tables_and_a_figure_are_saved(found, tmp_path):
    names = [path.name for path in found.save(tmp_path)]
    assert names == ["comparison.csv", "folds.csv", "comparison.png"]


@pytest.mark.filterwarnings("ignore:.*constant probability")
def test_a_method_that_fails_does_not_cost_the_others(files):
    crowded = "LocalClassifierPerNode:knn:estimator__n_neighbors=1000"
    found = compare_methods(files, [crowded, "PriorClassifier"])
    assert list(found.failures) == [crowded]
    assert found.measures["micro_AP"].isna().tolist() == [False, False, True]
    assert found.best == "PriorClassifier"
    assert found.no_better == ("PriorClassifier",)
    with pytest.raises(ValueError, match="n_neighbors"):
        compare_methods(files, [crowded])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("default", {}),
        ("sshmc-bli:n_neighbors=5", ("SSHMCBLI", None, {"n_neighbors": 5})),
        ("LCN:knn", ("LCN", "knn", {})),
        ("HMCBR:tree:estimator__max_depth=2", ("HMCBR", "tree", None)),
        ("SSLPCT:w=[1, 2]", ("SSLPCT", None, {"w": [1, 2]})),
    ],
)
def test_a_text_names_method_base_and_settings(text, expected):
    choices = read_method(text, FitChoices(seed=3))
    assert choices.seed == 3
    if expected:
        assert (choices.method, choices.base) == expected[:2]
        assert expected[2] is None or choices.parameters == expected[2]
    assert read_method("paper", FitChoices()).preset == "paper"


@pytest.mark.parametrize(
    ("methods", "match"),
    [
        (["Forest:"], "Expected METHOD, METHOD:BASE"),
        (["HMCBR:tree:knn"], "got 'HMCBR:tree:knn'"),
        (["default:knn"], "The default is Blend, .* LocalClassifierPerNode:knn"),
        (["HMCRB"], "did you mean|Did you mean"),
        (["SSHCBLI"], "handles problems up to"),
        (["PriorClassifier:knn"], "has no base classifier"),
        ([], "Expected a method or more"),
    ],
)
def test_what_cannot_be_compared_is_said_before_anything_is_trained(
    files, methods, match
):
    told = []
    with pytest.raises(ParameterError, match=match):
        compare_methods(files, methods, report=lambda *words: told.append(words[0]))
    assert not any("training" in message for message in told)


def test_methods_are_named_in_one_place(files):
    with pytest.raises(ParameterError, match="all methods share"):
        compare_methods(files, ["SSLPCT"], FitChoices(method="SSHMCBLI"))


def test_tables_that_were_compared_are_not_written_over(tmp_path):
    paths = write_example(tmp_path, "shop")
    labels = paths["labels"].rename(tmp_path / "folds.csv")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    files = TableFiles(paths["features"], labels, paths["hierarchy"])
    found = compare_methods(files, ["PriorClassifier"])
    with pytest.raises(FileExistsError, match="folds.csv: this file is also an input"):
        found.save(tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


def test_words_of_the_paper_name_methods(files):
    methods = ["paper:estimator__n_estimators=5", "V1:naive-bayes:k=4", "PCT"]
    found = compare_methods(files, methods, FitChoices(folds=2))
    assert found.failures == {}
    assert any(
        "V1 is SSHMCBLI with variant='v1'; the paper's words: k is n_neighbors" in said
        for said in found.sentences
    )
    fits = {name: choices.resolved() for name, choices in found.choices.items()}
    assert fits["V1:naive-bayes:k=4"].parameters == {"variant": "v1", "n_neighbors": 4}
    assert fits["PCT"].method == "PredictiveClusteringTree"


def test_by_default_a_method_that_takes_longer_than_the_default_is_left_out(files):
    tables = files.read()
    choices = read_method("SSHMCBLI", FitChoices())
    folds = Folds.draw(tables, choices, say_nothing)
    prepared = Prepared.of(tables, choices, folds, say_nothing)
    assert _why_too_long(prepared) == ""
    data, n_more = prepared.data, 2_000_000
    rows = np.broadcast_to(data.X_unlabeled[:1], (n_more, data.X_labeled.shape[1]))
    many = replace(data, X_unlabeled=rows, unlabeled_rows=np.arange(n_more))
    told = _why_too_long(replace(prepared, data=many))
    assert "it would take about" in told
    assert "the default takes at most" in told
