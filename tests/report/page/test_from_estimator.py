"""The page of a fitted estimator: its numbers are those of the measures."""

import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilabel import Hierarchy
from hilabel.calibration import PredictionWorth
from hilabel.classifiers import (
    LogisticClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
)
from hilabel.exceptions import ParameterError
from hilabel.metrics import average_precision, fmax, per_depth_table, per_node_table
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
def forest(rows):
    forest = PredictiveClusteringForest(
        HIERARCHY, n_estimators=60, oob_score=True, random_state=0
    )
    return forest.fit(*rows)


@pytest.fixture(scope="module")
def page(forest, rows):
    ids = [f"row {number}" for number in range(N_ROWS)]
    return model_page(forest, *rows, ids=ids, feature_names=NAMES)


@pytest.fixture(scope="module")
def payload(page):
    return page.payload


def order_of(payload):
    return [HIERARCHY.names.index(name) for name in payload["terms"]["id"]]


# Figures ------------------------------------------------------------------------------


def test_terms_have_the_figures_of_rows_left_out(payload, forest, rows):
    terms, nodes = payload["terms"], order_of(payload)
    known = rows[1][:N_LABELED]
    table = per_node_table(known, forest.oof_decision_, HIERARCHY).iloc[nodes]
    assert payload["measured_on"] == "out of fold"
    assert terms["rows"].tolist() == table["n_positive"].tolist()
    np.testing.assert_allclose(terms["frequency"], table["prevalence"])
    np.testing.assert_allclose(terms["ap"], table["average_precision"])
    worth = PredictionWorth.measure(known, forest.oof_decision_, table.sort_index())
    assert terms["reliable"] == worth.reliable[nodes].tolist()
    assert terms["name"][-1] == NASTY or NASTY in terms["name"]
    for number, parents in enumerate(terms["parents"]):
        assert all(parent < number for parent in parents)
        named = {terms["id"][parent] for parent in parents}
        node = HIERARCHY.node(terms["id"][number])
        assert named == {HIERARCHY.names[above] for above in HIERARCHY.parents(node)}


def test_scores_stand_beside_those_of_the_constant_predictor(payload, forest, rows):
    known, scores = rows[1][:N_LABELED], forest.oof_decision_
    prior = np.broadcast_to(known.mean(axis=0), scores.shape)
    table = per_node_table(known, scores, HIERARCHY)
    found = {
        one["measure"]: (one["model"], one["constant"])
        for one in payload["summary"]["scores"]
    }
    assert found == {
        "micro average precision": pytest.approx(
            (average_precision(known, scores), average_precision(known, prior))
        ),
        "macro average precision": pytest.approx(
            (table["average_precision"].mean(), table["prevalence"].mean())
        ),
        "Fmax": pytest.approx(
            tuple(fmax(known, one, thresholds="all").value for one in (scores, prior))
        ),
    }
    by_depth = per_depth_table(known, scores, HIERARCHY, prior[0])
    curves = payload["summary"]["curves"]["precision_recall"][1:]
    for name, column in (
        ("average_precision", "micro_average_precision"),
        ("constant", "constant_average_precision"),
    ):
        assert [one[name] for one in curves] == pytest.approx(by_depth[column].tolist())


def test_new_labelled_rows_are_what_is_measured_on(forest, rows):
    X, Y = rows[0] + 0.01, rows[1]
    new = model_page(forest, X[5:60], Y[5:60]).payload
    scores = forest.predict_proba(X[5:60])
    assert new["measured_on"] == "on the rows given"
    assert set(new["rows"]["state"]) == {"new"}
    assert "too optimistic" in new["summary"]["warnings"][0]
    micro = new["summary"]["scores"][0]["model"]
    assert micro == pytest.approx(average_precision(Y[5:60], scores))


def test_a_model_is_not_measured_on_rows_that_it_knows(rows):
    X, Y = rows
    model = SSHMCBLI(HIERARCHY, n_neighbors=3, random_state=0).fit(X, Y)
    payload = model_page(model, X, Y).payload
    assert payload["measured_on"] is None
    assert payload["summary"]["scores"] == []
    assert payload["summary"]["warnings"][0].startswith("Not measured")
    assert payload["to_check"]["surprising"] == []
    assert any(str(N_LABELED) in said for said in payload["left_out"])
    # Its evidence is neighbours and their votes, none of them the row itself.
    for name, one in zip(payload["rows"]["id"], payload["rows"]["evidence"]):
        assert name not in {near["id"] for near in one["neighbours"]}
        assert len(one["neighbours"]) == 3
        assert all(0 < share <= 1 for _, share in one["votes"])


def test_without_rows_there_are_terms_and_it_is_said_that_nothing_is_measured(forest):
    payload = model_page(forest).payload
    assert payload["rows"]["id"] == []
    assert len(payload["terms"]["id"]) == 5
    assert payload["terms"]["frequency"] == [None] * 5
    assert "No counts or frequencies of terms" in payload["left_out"][0]
    assert "No quality measures" in payload["left_out"][1]
    assert payload["summary"]["settings"] == (
        "n_estimators=60, oob_score=True, random_state=0"
    )


# Rows ---------------------------------------------------------------------------------


def test_rows_have_the_probabilities_of_models_without_them(payload, forest, rows):
    X, Y = rows
    shown, nodes = payload["rows"], np.array(order_of(payload))
    scores = forest.predict_proba(X)
    scores[:N_LABELED] = forest.oof_decision_
    assert shown["id"][7] == "row 7"
    assert shown["oof"].tolist() == [True] * N_LABELED + [False] * 40
    assert shown["state"] == ["labelled"] * N_LABELED + ["unlabelled"] * 40
    specific = HIERARCHY.most_specific(np.maximum(Y, 0))
    for row in range(N_ROWS):
        predicted = {nodes[term]: value for term, value, _ in shown["predicted"][row]}
        for node, value in predicted.items():
            assert value == pytest.approx(scores[row, node], abs=2e-6)
            assert set(HIERARCHY.ancestors(int(node))) <= set(predicted)
        left = sorted(set(range(5)) - set(predicted))
        assert (scores[row, left] < 0.01).all()
        assert set(nodes[shown["known"][row]]) == set(np.flatnonzero(specific[row]))


def test_precision_is_what_predictions_as_probable_were_worth(payload, forest, rows):
    known = rows[1][:N_LABELED]
    table = per_node_table(known, forest.oof_decision_, HIERARCHY)
    worth = PredictionWorth.measure(known, forest.oof_decision_, table)
    for _, value, precision in payload["rows"]["predicted"][100]:
        assert precision == pytest.approx(worth.precision_from(value))


def test_lists_of_what_to_check_have_what_they_promise(payload, rows):
    Y, shown, nodes = rows[1], payload["rows"], order_of(payload)
    lists = payload["to_check"]
    assert all(lists.values())
    for row, term, value, *_ in lists["new"]:
        assert Y[row, nodes[term]] != 1
        assert value >= 0.5
        assert [term, value] in [one[:2] for one in shown["predicted"][row]]
    for row, term, value, *_ in lists["surprising"]:
        assert Y[row, nodes[term]] == 1
        assert value < 0.5
        assert shown["oof"][row]
    bits = [value for _, value in lists["label_next"]]
    assert bits == sorted(bits, reverse=True)
    assert {shown["state"][row] for row, _ in lists["label_next"]} == {"unlabelled"}


def test_rows_behind_a_forest_share_its_leaves_and_trees_say_what_they_ask(payload):
    shown = payload["rows"]
    for name, one in zip(shown["id"], shown["evidence"], strict=True):
        near = one["neighbours"]
        assert 0 < len(near) <= 5
        assert name not in {each["id"] for each in near}
        assert all(each["labelled"] for each in near)
        first = one["decisions"][0]
        assert any(f" % of trees test {name} (here" in first for name in NAMES)


def test_a_single_tree_tells_its_way(rows):
    X, Y = rows
    tree = PredictiveClusteringTree(HIERARCHY, random_state=0).fit(X, Y)
    one = model_page(tree, X[:1]).payload["rows"]["evidence"][0]
    assert " training rows came this far)" in one["decisions"][0]


def test_a_linear_model_says_what_adds_most(rows):
    X, Y = rows
    model = LogisticClassifier(HIERARCHY).fit(X, Y)
    payload = model_page(model, X[:3], feature_names=NAMES).payload
    term, first = payload["rows"]["evidence"][0]["sums"][0]
    (parts,) = re.fullmatch(r"added to the log odds: (.*)", first).groups()
    node = order_of(payload)[term]
    parts = parts.replace("\N{MINUS SIGN}", "-")
    found = dict(part.rsplit(" ", 1) for part in parts.split(", "))
    expected = model.contributions(X[:1], [node])[0, 0]
    assert {name: f"{value:+.2g}" for name, value in zip(NAMES, expected)} == found


def test_members_of_a_blend_speak_for_themselves(rows):
    X, Y = rows
    candidates = {
        "forest": PredictiveClusteringForest(n_estimators=5),
        "near": NeighborsClassifier(),
    }
    model = Blend(HIERARCHY, candidates=candidates, random_state=0).fit(X, Y)
    payload = model_page(model, X, Y).payload
    nodes = order_of(payload)
    said = model.member_scores(X[[100]])
    one = payload["rows"]["evidence"][100]
    assert {member["name"] for member in one["candidates"]} == set(model.members_)
    for member in one["candidates"]:
        for term, value in member["scores"]:
            assert value == pytest.approx(said[member["name"]][0, nodes[term]])
    assert " % of trees test" in one["decisions"][0]
    assert {near["seen_by"] for near in one["neighbours"]} == {
        "near",
        "leaves of forest",
    }
    listed = payload["summary"]["candidates"]
    assert [each["name"] for each in listed] == ["forest", "near", "constant predictor"]
    assert sum(each["weight"] for each in listed) == pytest.approx(1)
    assert (
        payload["summary"]["worth"] is None
        or "unlabelled" in (payload["summary"]["worth"])
    )


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
    tree = PredictiveClusteringTree(HIERARCHY, random_state=0)
    payload = model_page(tree.fit(X, rows[1]), X[:1]).payload
    assert payload["rows"]["evidence"][0]["decisions"][0][:4] == "x <="


def test_without_jinja_it_is_said_what_to_install(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[page\]'"):
        ModelPage(page.payload)._repr_html_()


# What is refused ----------------------------------------------------------------------


def test_what_is_no_classifier_is_told_what_to_give_instead(forest):
    pipeline = make_pipeline(StandardScaler(), forest)
    with pytest.raises(TypeError, match="For a pipeline, pass its last step"):
        model_page(pipeline)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Y": [[0] * 5]}, "Expected rows for the given labels"),
        ({"X": [[0.0] * 4], "ids": ["a", "b"]}, "an id for each of 1 rows, got 2"),
        ({"feature_names": ["u"]}, "a name for each of 4 features, got 1"),
    ],
)
def test_names_and_labels_that_do_not_fit_are_refused(given, message, forest):
    with pytest.raises(ParameterError, match=message):
        model_page(forest, **given)
