"""``hilabel fit``: what it says, what it writes."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hilabel.cli._screen import Screen, plain
from hilabel.datasets import impute, load_table, make_artificial, write_example
from hilabel.persistence import load_model, read_manifest
from hilabel.semi_supervised import SSHMCBLI
from hilabel.tasks import list_methods

DATA = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
FIT = ["fit", *DATA, "-o", "out.hilabel", "--folds", "2", "--details"]
DATA_FIT = [word for word in FIT if word != "--details"]
FEW_TREES = ["--fast", "--set", "n_estimators=5"]
FEW_STEPS = {
    "HierarchicalNetwork": ["--set", "max_steps=20", "--set", "shape=light"],
    "CHMCNN": ["--set", "n_epochs=1", "--set", "n_hidden=20"],
}


def test_what_was_chosen_is_stated(shop, run):
    result = run(*FIT, *FEW_TREES)
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    for part in (
        "rows: 240, 120 labelled, 120 unlabelled",
        "method: PredictiveClusteringForest (the fast choice",
        "parameters: n_estimators=5",
        "unlabelled rows: 120, not used for training",
        "1 categorical column, encoded as 4 columns of 0 and 1",
        "constant predictor 0.",
        "decision: a row gets a term from",
        "model: out.hilabel",
    ):
        assert part in told
    assert result.stderr == ""


def test_without_details_three_lines_and_the_next_command_end_the_output(shop, run):
    lines = run(*DATA_FIT, *FEW_TREES).stdout
    words = " ".join(lines.split())
    for hidden in ("method:", "parameters:", "calibration:", "preprocessing:"):
        assert hidden not in words
    starts = ["quality: ", "unlabelled rows: ", "decision: ", "next: hilabel predict "]
    places = [words.index(start) for start in starts]
    assert places == sorted(places)
    assert words.index("model: out.hilabel") < places[0]
    last = lines.splitlines()[-1].removeprefix("next: ")
    assert last == "hilabel predict out.hilabel products.csv --threshold model"
    assert run(*last.split()[1:]).exit_code == 0


def test_what_pseudo_labelling_did_is_stated(shop, run):
    method = ["--method", "SSHMCBLI", "--base", "naive-bayes", "--no-measure"]
    told = " ".join(run(*FIT, *method).stdout.split())
    learned = load_model("out.hilabel").record.pseudo_labels
    assert f"pseudo-labels: {learned}" in told
    assert "pass k proposed accepted new dropped labels changed mean similarity" in told
    assert "hilabel inspect out.hilabel --pseudo-labels FILE" in told


def test_a_network_can_be_trained_on_pseudo_labels(shop, run):
    steps = {"max_steps": 15, "n_members": 2, "shape": "light"}
    given = [w for n, v in steps.items() for w in ("--set", f"estimator__{n}={v}")]
    method = ["--method", "SSHMCBLI", "--base", "network", "--no-measure"]
    result = run(*FIT, *method, *given)
    assert result.exit_code == 0
    assert "base: network" in result.stdout
    assert type(load_model("out.hilabel").estimator.estimator_).__name__ == (
        "HierarchicalNetwork"
    )
    result = run("predict", "out.hilabel", "products.csv", "-o", "scores.csv")
    assert result.exit_code == 0
    assert pd.read_csv("scores.csv")["probability"].between(0, 1).all()
    result = run(*FIT, "--base", "network")
    assert result.exit_code != 0
    assert "use SSHMCBLI" in " ".join(result.stderr.split())


def test_a_kind_of_columns_that_is_not_there_is_not_mentioned(shop, run):
    table = pd.read_csv("products.csv")
    assert "brand" in table
    table.drop(columns="brand").to_csv("products.csv", index=False)
    told = " ".join(run(*FIT, *FEW_TREES).stdout.split())
    assert "numeric columns" in told
    assert "categorical" not in told


def test_quiet_says_nothing(shop, run):
    result = run(*FIT, *FEW_TREES, "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert (shop / "out.hilabel").is_file()


def test_json_is_one_object(shop, run):
    result = run(*FIT, *FEW_TREES, "--json")
    told = json.loads(result.stdout)
    assert told["summary"]["method"] == "PredictiveClusteringForest"
    assert told["summary"]["matching"]["n_labeled"] == 120
    assert told["summary"] == plain(read_manifest("out.hilabel").summary)


def test_the_same_seed_gives_the_same_file(shop, run):
    assert run(*FIT, *FEW_TREES, "--seed", 5).exit_code == 0
    first = (shop / "out.hilabel").read_bytes()
    assert run(*FIT, *FEW_TREES, "--seed", 5, "--jobs", 1).exit_code == 0
    model = load_model("out.hilabel")
    assert run(*FIT, *FEW_TREES, "--seed", 5).exit_code == 0
    assert (shop / "out.hilabel").read_bytes() == first
    again = load_model("out.hilabel")
    table = model.read("products.csv")
    np.testing.assert_array_equal(
        model.predict_proba(table), again.predict_proba(table)
    )


def test_the_preset_of_the_paper(shop, run):
    result = run(*FIT, "--preset", "paper", "--set", "estimator__n_estimators=5")
    assert "minimum: 50 labelled rows per term" in result.stdout
    hierarchy = load_model("out.hilabel").hierarchy
    labels = load_table(DATA[0], DATA[2], DATA[4]).dataset
    counts = dict(zip(labels.hierarchy.names, (labels.Y > 0).sum(axis=0)))
    assert {name for name, n in counts.items() if n >= 50} == set(hierarchy.names)
    few = ["--min-count", 5, "--set", "estimator__n_estimators=5"]
    result = run(*FIT, "--preset", "paper", *few)
    told = " ".join(result.stdout.split())
    for part in (
        "method: SSHMCBLI (preset paper)",
        "n_neighbors (k): 3; as on the paper's artificial data",
        "minimum: 5 labelled rows per term; the paper: 50 rows of the training set",
        "calibration: none; the paper has none",
    ):
        assert part in told
    estimator = load_model("out.hilabel").estimator
    assert (estimator.variant, estimator.n_neighbors) == ("v2", 3)
    assert load_model("out.hilabel").preparation.scale is None
    assert run(*FIT, "--preset", "paper", *few, "--calibrate").exit_code == 0
    assert load_model("out.hilabel").calibration is not None


def test_the_preset_of_the_paper_gives_the_paper_s_scores(tmp_path, monkeypatch, run):
    """The scores in the file are those of the method in Python, to the last digit."""
    monkeypatch.chdir(tmp_path)
    data = make_artificial()
    names = [f"r{row}" for row in range(len(data.X_labeled) + len(data.X_unlabeled))]
    X = np.vstack([data.X_labeled, data.X_unlabeled])
    X[20, 1] = np.nan
    table = pd.DataFrame(X, columns=["x", "y"], index=pd.Index(names, name="id"))
    table.to_csv("rows.csv")
    rows, nodes = np.nonzero(data.Y_labeled)
    terms = [f"n{node}" for node in nodes]
    labels = pd.DataFrame({"id": [names[row] for row in rows], "term": terms})
    labels.to_csv("labels.csv", index=False)
    edges = [f"n{parent},n{child}" for parent, child in data.hierarchy.edges]
    (tmp_path / "edges.csv").write_text("\n".join(["parent,child", *edges, ",n2"]))
    files = ["rows.csv", "-l", "labels.csv", "-H", "edges.csv"]
    fitted = run("fit", *files, "--preset", "paper", "--min-count", 1, "--folds", 2)
    assert fitted.exit_code == 0, fitted.stderr
    predict = ["predict", "model.hilabel", "rows.csv", "--format", "wide", "--roots"]
    # The scores of the model itself, which knows the labels of its rows.
    predict.append("--no-out-of-fold")
    assert run(*predict, "-o", "scores.csv").exit_code == 0
    same = impute(load_table(*files[:1], "labels.csv", "edges.csv").dataset)
    model = SSHMCBLI(same.hierarchy, profile="paper", variant="v2", random_state=0)
    expected = model.fit(same.X, same.Y).predict_proba(same.X)
    scores = pd.read_csv("scores.csv", index_col="id", dtype={"id": str})
    scores = scores[list(same.hierarchy.names)].to_numpy(expected.dtype)
    np.testing.assert_array_equal(scores, expected)


def test_the_paper_s_words_are_translated(shop, run):
    words = ["--method", "v1", "--set", "k=4", "--set", "THR=.5"]
    few = ["--set", "estimator__n_estimators=5", "--no-measure"]
    told = " ".join(run(*FIT, *words, *few).stdout.split())
    assert "method: SSHMCBLI with variant='v1' (V1 in the paper)" in told
    assert "k is n_neighbors, THR is similarity_threshold" in told
    estimator = load_model("out.hilabel").estimator
    assert (estimator.variant, estimator.n_neighbors) == ("v1", 4)


@pytest.mark.parametrize("base", ["extra-trees", "tree", "naive-bayes", "knn"])
def test_bases_by_name(base, shop, run):
    args = [*FIT, "--base", base, "--no-measure"]
    if base in ("tree", "naive-bayes", "knn"):
        args += ["--set", "policy=siblings"]
    if base == "extra-trees":
        args += ["--set", "estimator__n_estimators=5"]
    assert run(*args).exit_code == 0
    assert run("predict", "out.hilabel", "products.csv").exit_code == 0


@pytest.mark.parametrize("method", list(list_methods()))
def test_every_method_trains_predicts_and_explains(method, shop, run):
    args = [*FIT, "--method", method, "--no-measure"]
    if "estimator" in list_methods()[method]().get_params():
        args += ["--base", "naive-bayes"]
    result = run(*args, *FEW_STEPS.get(method, []))
    assert result.exit_code == 0, result.stderr
    assert run("predict", "out.hilabel", "products.csv").exit_code == 0
    result = run("explain", "out.hilabel", "P0001", "--features", "products.csv")
    assert result.exit_code == 0, result.stderr


def test_a_network_takes_thresholds_from_its_own_folds(shop, run):
    network = ["--method", "HierarchicalNetwork", *FEW_STEPS["HierarchicalNetwork"]]
    result = run(*FIT, *network, "--set", "n_members=2")
    told = " ".join(result.stdout.split())
    assert result.exit_code == 0, result.stderr
    assert "parameters: max_steps=20, shape='light', n_members=2" in told
    assert "120 labelled rows scored by models trained without them" in told
    estimator = load_model("out.hilabel").estimator
    assert estimator.curve_[-1][1] == 20
    result = run("inspect", "out.hilabel")
    assert "quality, average precision" in result.stdout


@pytest.mark.parametrize("method", list(FEW_STEPS))
def test_networks_without_jax_take_one_line(method, shop, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    result = run(*FIT, "--method", method)
    assert result.exit_code == 2
    assert result.stderr == (
        "hilabel: Networks need jax: pip install 'hilabel[networks]'.\n"
    )
    assert not (shop / "out.hilabel").exists()


def test_order_of_rows_does_not_matter(shop, run):
    assert run(*FIT, *FEW_TREES).exit_code == 0
    first = load_model("out.hilabel")
    lines = (shop / "labels.csv").read_text().splitlines(keepends=True)
    (shop / "labels.csv").write_text("".join([lines[0], *reversed(lines[1:])]))
    assert run(*FIT, *FEW_TREES).exit_code == 0
    again = load_model("out.hilabel")
    table = first.read("products.csv")
    np.testing.assert_array_equal(
        first.predict_proba(table), again.predict_proba(table)
    )


def test_without_a_hierarchy_the_terms_have_no_edges(shop, run):
    args = ["fit", "products.csv", "-l", "labels.csv", "--no-measure"]
    assert run(*args, *FEW_TREES).exit_code == 0
    assert load_model("model.hilabel").hierarchy.n_edges == 0


def test_warnings_become_notes(shop, run):
    # One branch of the taxonomy alone: its root has no negative rows.
    lines = (shop / "labels.csv").read_text().splitlines(keepends=True)
    kept = [line for line in lines[1:] if line.split(",")[1].strip() in ("tea", "cake")]
    (shop / "labels.csv").write_text("".join(lines[:1] + kept))
    few_trees = ["--set", "estimator__n_estimators=5"]
    result = run(*FIT, *few_trees, "--set", "policy=less_inclusive")
    assert result.exit_code == 0
    assert "note: " in result.stderr
    assert "constant probability" in " ".join(result.stderr.split())


def test_too_few_labelled_rows_for_folds_are_said(shop, run):
    (shop / "labels.csv").write_text("id,term\nP0001,tea\nP0002,cake\nP0003,tea\n")
    result = run(*FIT, *FEW_TREES, "--min-count", 1)
    assert result.exit_code == 0
    assert "3 labelled rows are too few" in " ".join(result.stdout.split())


def test_progress_is_shown_in_a_terminal_alone(monkeypatch, capsys):
    screen = Screen()
    with screen.working() as report:
        report("Training", 0, 3)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    screen = Screen()
    with screen.working() as report:
        report("Training", 1, 3)
    assert "Training" in capsys.readouterr().err


def test_the_names_of_methods_are_listed_whole(run):
    listed = run("fit", "--method", "list").stdout
    assert set(list_methods()) <= set(listed.split())
    lines = listed.splitlines()
    assert len(lines) <= len(list_methods()) + 6  # a line each
    assert max(map(len, lines)) <= 80
    assert "..." not in listed


# Titles -----------------------------------------------------------------------------

TITLES = ["products.csv", "-l", "labels.csv"]


@pytest.fixture
def titles(tmp_path, monkeypatch):
    """Stand in a shop whose products have titles and whose labels are paths."""
    monkeypatch.chdir(tmp_path)
    write_example(".", "titles")
    return tmp_path


def test_titles_are_learned_out_of_the_box(titles, run):
    result = run("fit", *TITLES, "--details", "--fast")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "taken from the labels, which are paths" in told
    assert "LinearClassifier" in told
    assert "text: column 'title', encoded as 832 columns of words and pairs" in told
    quality = read_manifest("model.hilabel").summary["quality"]
    assert quality["average_precision"] > 0.95
    # Of rows that the model has never seen, since it has no labels of them.
    hidden = pd.read_csv("truth.csv").iloc[450:]
    hidden.to_csv("hidden.csv", index=False)
    args = ["products.csv", "-l", "hidden.csv", "-m", "model.hilabel", "--json"]
    measures = json.loads(run("evaluate", *args).stdout)["measures"]
    assert measures[0]["measure"] == "micro average precision"
    assert measures[0]["model"] > 0.95 > 3 * measures[0]["constant"]


def test_titles_taken_for_names_tell_nothing(titles, run):
    run("fit", *TITLES, "--categorical", "title", "--folds", "2", "--fast")
    summary = read_manifest("model.hilabel").summary
    assert any("900 columns of 0 and 1" in said for said in summary["statements"])
    assert summary["quality"]["average_precision"] < 0.4


def test_a_model_no_better_than_the_constant_predictor_says_so(titles, run):
    # The price alone has nothing to do with the category.
    args = [
        "fit",
        *TITLES,
        "--drop",
        "title",
        "--folds",
        "2",
        "--fast",
        "--set",
        "n_estimators=9",
    ]
    result = run(*args)
    assert result.exit_code == 3
    assert "no better than the constant predictor" in " ".join(result.stderr.split())
    assert load_model("model.hilabel").feature_names == ("price",)
    quiet = run(*args, "--quiet")
    assert (quiet.exit_code, quiet.stdout) == (3, "")
    assert quiet.stderr == result.stderr
    as_json = run(*args, "--json")
    assert (as_json.exit_code, as_json.stderr) == (3, "")
    assert "no better" in json.loads(as_json.stdout)["notes"][0]
    # Nothing was measured, so nothing is said.
    assert run(*args, "--no-measure").exit_code == 0


def test_text_can_be_said_to_be_text(titles, run):
    table = pd.read_csv("products.csv")
    table["sort"] = ["sweet", "sour"] * 450
    table.to_csv("products.csv", index=False)
    assert (
        run("fit", *TITLES, "--text", "sort", "--no-measure", "--fast").exit_code == 0
    )
    assert load_model("model.hilabel").preparation.text_ == ("title", "sort")


def test_a_file_that_unpacks_to_too_much_needs_an_option(shop, run):
    rows = Path("products.csv").read_bytes()
    Path("products.csv.gz").write_bytes(gzip.compress(rows))
    fit = ["fit", "products.csv.gz", *DATA[1:], "--fast", "--no-measure"]
    fit += ["-o", "out.hilabel"]
    result = run(*fit, "--most-unpacked", "0.001M")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert "products.csv.gz: the file unpacks to more than" in told
    assert "--most-unpacked" in told
    assert run(*fit, "--most-unpacked", "1M").exit_code == 0
    assert load_model("out.hilabel").reading.most_unpacked == 1_000_000
    # New rows have the same limit.
    Path("new.csv.gz").write_bytes(gzip.compress(rows + b" " * 1_000_000))
    result = run("predict", "out.hilabel", "new.csv.gz")
    assert result.exit_code == 2
    assert "new.csv.gz: the file unpacks to more than 1 MB" in result.stderr
