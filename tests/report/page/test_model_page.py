"""The page of a model: its numbers are those of its judgement, and its evidence."""

import json
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilabel import Hierarchy
from hilabel.classifiers import (
    LinearClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
)
from hilabel.exceptions import ParameterError
from hilabel.judgement import decision_sentence, measure_table
from hilabel.metrics import average_precision, per_node_table
from hilabel.model_selection import out_of_fold_scores
from hilabel.models import model_of_estimator
from hilabel.report import ModelPage, model_page
from hilabel.semi_supervised import SSHMCBLI, Blend

NASTY = "</script><b>'\"&amp;\u202e"
# a > b > d, a > c, and d below c too; e for itself
HIERARCHY = Hierarchy(
    list("abcde"),
    [(0, 1), (0, 2), (1, 3), (2, 3)],
    ["all", "left", "right", "both", NASTY],
)
N_ROWS, N_LABELED = 120, 80
NAMES = ["u", "v", "w", "<x>"]


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(N_ROWS, 4))
    noisy = X + random.normal(scale=0.5, size=X.shape)
    Y = np.zeros((N_ROWS, 5), dtype=np.int8)
    Y[:, 1:3] = noisy[:, :2] > 0.3
    Y[:, 3] = (noisy[:, 2] > 0) & (Y[:, 1:3] == 1).all(axis=1)
    Y[:, 4] = noisy[:, 3] > 1
    Y = HIERARCHY.close(Y)
    Y[N_LABELED:] = -1
    return X, Y


@pytest.fixture(scope="module")
def forest():
    return PredictiveClusteringForest(HIERARCHY, n_estimators=60, random_state=0)


@pytest.fixture(scope="module")
def scores(forest, rows):
    """Return the scores of the labelled rows by models trained without them."""
    return out_of_fold_scores(forest, *rows)[:N_LABELED]


@pytest.fixture(scope="module")
def model(forest, rows, scores):
    X, Y = rows
    every = np.full(Y.shape, np.nan)
    every[:N_LABELED] = scores
    ids = [f"row {number}" for number in range(N_ROWS)]
    return model_of_estimator(
        forest.fit(X, Y), X, Y, out_of_fold=every, ids=ids, feature_names=NAMES
    )


@pytest.fixture(scope="module")
def page(model, rows):
    return model_page(model, rows[0])


@pytest.fixture(scope="module")
def payload(page):
    return page.payload


def order_of(payload):
    return [HIERARCHY.names.index(name) for name in payload["terms"]["id"]]


# Figures ------------------------------------------------------------------------------


def test_terms_have_the_figures_of_rows_left_out(payload, model, rows, scores):
    terms, nodes = payload["terms"], order_of(payload)
    table = per_node_table(rows[1][:N_LABELED], scores, HIERARCHY).iloc[nodes]
    judgement = model.judgement
    assert payload["measured_on"] == "out of fold"
    assert terms["rows"].tolist() == table["n_positive"].tolist()
    np.testing.assert_allclose(terms["frequency"], table["prevalence"])
    np.testing.assert_allclose(terms["ap"], table["average_precision"], rtol=1e-6)
    assert terms["reliable"] == judgement.reliable[nodes].tolist()
    for name in ("precision", "recall"):
        of_node = getattr(judgement.decision, f"node_{name}")
        np.testing.assert_array_equal(terms[name], of_node[nodes])
    assert NASTY in terms["name"]
    for number, parents in enumerate(terms["parents"]):
        assert all(parent < number for parent in parents)
        named = {terms["id"][parent] for parent in parents}
        node = HIERARCHY.node(terms["id"][number])
        assert named == {HIERARCHY.names[above] for above in HIERARCHY.parents(node)}


def test_the_first_screen_has_the_judgement(payload, model):
    summary, judgement = payload["summary"], model.judgement
    expected = measure_table(judgement)
    for shown, line in zip(summary["scores"], expected.itertuples(), strict=True):
        assert shown["measure"] == line.measure
        assert shown["model"] == line.model
        assert shown["constant"] == line.constant
    curves = summary["curves"]["precision_recall"]
    assert [one["label"] for one in curves] == [one.label for one in judgement.groups]
    assert summary["decision"] == decision_sentence(judgement.decision)


def test_new_labelled_rows_are_what_is_measured_on(model, rows):
    X, Y = rows[0] + 0.01, rows[1]
    new = model_page(model, X[5:60], Y[5:60]).payload
    scores = model.estimator.predict_proba(X[5:60])
    assert new["measured_on"] == "on the rows given"
    assert set(new["rows"]["state"]) == {"new"}
    micro = new["summary"]["scores"][0]["model"]
    assert micro == pytest.approx(average_precision(Y[5:60], scores))


def test_a_model_is_not_measured_on_rows_that_it_knows(rows):
    X, Y = rows
    estimator = SSHMCBLI(HIERARCHY, n_neighbors=3, random_state=0).fit(X, Y)
    payload = model_page(model_of_estimator(estimator, X, Y), X, Y).payload
    assert payload["measured_on"] is None
    assert payload["summary"]["scores"] == []
    assert "quality of this model is unknown" in payload["summary"]["warnings"][0]
    assert payload["to_check"]["surprising"] == []
    assert any(str(N_LABELED) in said for said in payload["left_out"])
    trained_on = "by the model, which was trained on its labels"
    assert payload["rows"]["scored"][0] == trained_on
    # Its evidence is neighbours and their votes, none of them the row itself.
    for name, one in zip(payload["rows"]["id"], payload["rows"]["evidence"]):
        assert name not in {near["id"] for near in one["neighbors"]}
        assert len(one["neighbors"]) == 3
        assert all(0 < share <= 1 for _, share in one["votes"])


def test_without_rows_there_are_terms_and_it_is_said_that_nothing_is_measured(
    forest, rows
):
    payload = model_page(model_of_estimator(forest.fit(*rows))).payload
    assert payload["rows"]["id"] == []
    assert len(payload["terms"]["id"]) == 5
    assert payload["terms"]["frequency"] == [None] * 5
    assert "No counts or frequencies of terms" in payload["left_out"][0]
    assert "No quality measures" in payload["left_out"][1]
    assert payload["summary"]["settings"] == {"n_estimators": 60, "random_state": 0}


# Rows ---------------------------------------------------------------------------------


def test_rows_have_the_probabilities_of_models_without_them(payload, model, rows):
    X, Y = rows
    shown, nodes = payload["rows"], np.array(order_of(payload))
    scores = model.probabilities_of(X, model.sample_ids)
    decided = model.labels(scores) & model.informative
    assert shown["id"][7] == "row 7"
    assert shown["scored"] == ["out of fold"] * N_LABELED + ["by the model"] * 40
    assert shown["state"] == ["labelled"] * N_LABELED + ["unlabelled"] * 40
    specific = HIERARCHY.most_specific(np.maximum(Y, 0))
    for row in range(N_ROWS):
        predicted = {int(nodes[term]) for term, *_ in shown["predicted"][row]}
        assert predicted == set(np.flatnonzero(decided[row]))
        every = [*shown["predicted"][row], *shown["others"][row]]
        found = {int(nodes[term]): value for term, value, _ in every}
        for node, value in found.items():
            assert value == pytest.approx(scores[row, node], abs=2e-6)
            assert set(HIERARCHY.ancestors(node)) <= set(found)
        left = sorted(set(range(5)) - set(found))
        assert (scores[row, left] < 0.01).all()
        assert set(nodes[shown["known"][row]]) == set(np.flatnonzero(specific[row]))


def test_precision_is_that_of_predictions_as_probable(payload, model):
    for _, value, precision in payload["rows"]["predicted"][100]:
        expected = model.judgement.precision.precision_from(value)
        assert precision == pytest.approx(expected)


def test_lists_of_what_to_check_have_what_they_promise(payload, rows):
    Y, shown, nodes = rows[1], payload["rows"], order_of(payload)
    lists = payload["to_check"]
    assert all(lists.values())
    for row, term, value, *_ in lists["new"]:
        assert Y[row, nodes[term]] != 1
        assert [term, value] in [one[:2] for one in shown["predicted"][row]]
    for row, term, value, *_ in lists["surprising"]:
        assert Y[row, nodes[term]] == 1
        assert [term, value] in [one[:2] for one in shown["others"][row]]
        assert shown["scored"][row] == "out of fold"
    bits = [value for _, value in lists["label_next"]]
    assert bits == sorted(bits, reverse=True)
    assert {shown["state"][row] for row, _ in lists["label_next"]} == {"unlabelled"}


def test_rows_behind_a_forest_share_its_leaves_and_trees_say_what_they_test(payload):
    shown = payload["rows"]
    for name, one in zip(shown["id"], shown["evidence"], strict=True):
        near = one["neighbors"]
        assert 0 < len(near) <= 5
        assert name not in {each["id"] for each in near}
        assert all(each["labels_given"] and each["shares_leaves"] for each in near)
        assert {each["feature"] for each in one["tests"]} <= set(NAMES)
        assert one["splits"] == []


def test_a_single_tree_tells_its_way(rows):
    X, Y = rows
    tree = PredictiveClusteringTree(HIERARCHY, random_state=0).fit(X, Y)
    page = model_page(model_of_estimator(tree, X, Y), X[:1], ids=["0"])
    (one,) = page.payload["rows"]["evidence"]
    assert one["splits"][0]["rows"] == N_LABELED
    assert one["neighbors"] == []  # it is the only training row at hand


def test_a_linear_model_says_what_adds_most(rows):
    X, Y = rows
    estimator = LinearClassifier(HIERARCHY, C=0.1, pruning=0).fit(X, Y)
    model = model_of_estimator(estimator, X, Y, feature_names=NAMES)
    payload = model_page(model, X[:3]).payload
    term, parts = payload["rows"]["evidence"][0]["contributions"][0]
    expected = estimator.contributions(X[:1], [order_of(payload)[term]])[0, 0]
    assert dict(parts) == dict(zip(NAMES, expected.tolist()))


def test_members_of_a_blend_tell_their_scores_unless_they_know_the_labels(rows):
    X, Y = rows
    candidates = {
        "forest": PredictiveClusteringForest(n_estimators=5),
        "near": NeighborsClassifier(),
    }
    blend = Blend(HIERARCHY, candidates=candidates, random_state=0)
    every = np.full(Y.shape, np.nan)
    every[:N_LABELED] = out_of_fold_scores(blend, X, Y)[:N_LABELED]
    blend.fit(X, Y)
    page = model_page(model_of_estimator(blend, X, Y, out_of_fold=every), X)
    payload, nodes = page.payload, order_of(page.payload)
    said = blend.member_scores(X[[100]])
    shares = {one.name: one.share for one in blend.candidates_}
    one = payload["rows"]["evidence"][100]
    assert {member["name"] for member in one["members"]} == set(blend.members_)
    for member in one["members"]:
        assert member["share"] == shares[member["name"]]
        for term, value in member["scores"]:
            assert value == pytest.approx(said[member["name"]][0, nodes[term]])
    assert one["path_of"] == "forest"
    assert {near["found_by"] for near in one["neighbors"]} == {"near", "forest"}
    trained_on = payload["rows"]["evidence"][3]
    assert payload["rows"]["scored"][3] == "out of fold"
    assert trained_on["members"] == []
    assert trained_on["neighbors"]
    listed = payload["summary"]["candidates"]
    assert [each["name"] for each in listed] == ["forest", "near", "constant predictor"]
    assert sum(each["share"] for each in listed) == pytest.approx(1)


# In a file, in a notebook -------------------------------------------------------------


class Scripts(HTMLParser):
    """Collect the text of scripts."""

    def __init__(self):
        super().__init__()
        self.found, self.inside = [], False

    def handle_starttag(self, tag, attributes):
        self.inside = tag == "script"
        if self.inside:
            self.found.append([dict(attributes), ""])

    def handle_data(self, data):
        if self.inside:
            self.found[-1][1] += data

    def handle_endtag(self, tag):
        self.inside = False


def test_names_of_all_kinds_come_through_the_page_as_they_are(page, tmp_path):
    path = page.write(tmp_path / "page.html")
    scripts = Scripts()
    scripts.feed(path.read_text(encoding="utf-8"))
    (text,) = [
        text for attributes, text in scripts.found if attributes.get("id") == "payload"
    ]
    found = json.loads(text)
    assert NASTY in found["terms"]["name"]
    features = {name for each in found["terms"]["features"] for name, _ in each}
    assert "<x>" in features
    assert len(scripts.found) == 2  # and no script of a name


def test_a_notebook_shows_it_in_a_frame_of_its_own(page):
    frames = []

    class Frames(HTMLParser):
        def handle_starttag(self, tag, attributes):
            frames.append((tag, dict(attributes)))

    Frames().feed(page._repr_html_())
    ((tag, attributes),) = frames
    assert tag == "iframe"
    assert attributes["srcdoc"] == page.html


def test_a_page_is_written_whole_or_not_at_all(page, tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.html or \.htm"):
        page.write(tmp_path / "page.txt")
    assert list(tmp_path.iterdir()) == []


def test_data_frames_bring_the_names_of_their_columns(rows):
    X = pd.DataFrame(rows[0], columns=["u", "v", "w", "x"])
    tree = PredictiveClusteringTree(HIERARCHY, random_state=0).fit(X, rows[1])
    payload = model_page(model_of_estimator(tree, X, rows[1]), X[:1]).payload
    decision = payload["rows"]["evidence"][0]["splits"][0]["decision"]
    assert decision.startswith("x ")


def test_without_jinja_it_is_said_what_to_install(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[page\]'"):
        ModelPage(page.payload)._repr_html_()


# What is refused ----------------------------------------------------------------------


def test_what_is_no_model_is_told_what_to_give_instead(forest):
    pipeline = make_pipeline(StandardScaler(), forest)
    with pytest.raises(TypeError, match="For a pipeline, pass its last step"):
        model_of_estimator(pipeline)
    with pytest.raises(TypeError, match="make one with .*model_of_estimator"):
        model_page(forest)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": [[0] * 5]}, "Expected rows for the given labels"),
        ({"X": [[0.0] * 4], "ids": ["a", "b"]}, "an id for each of 1 rows, got 2"),
    ],
)
def test_labels_and_ids_that_do_not_fit_are_refused(given, message, model):
    with pytest.raises(ParameterError, match=message):
        model_page(model, **given)
