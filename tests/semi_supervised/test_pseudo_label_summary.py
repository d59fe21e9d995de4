"""What pseudo-labelling did, in a sentence and a table."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.semi_supervised import (
    HMCSSBR,
    SSHMCBLI,
    STHC,
    PseudoLabelingSummary,
    summarize_pseudo_labels,
)

PLAIN = {
    "step": "round",
    "n_unlabeled": 4,
    "n_received": 4,
    "n_labels": 6,
    "reason": "every unlabelled row was used",
    "cycle": None,
    "history": [{"round": 1, "accepted": 6}],
}


@pytest.fixture(scope="module")
def data():
    return make_artificial()


@pytest.fixture(scope="module")
def model(data):
    model = SSHMCBLI(
        data.hierarchy, estimator=PriorClassifier(), variant="v1", profile="authors"
    )
    return model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)


def test_the_sentence_says_who_received_labels_and_why_it_ended(model):
    assert str(summarize_pseudo_labels(model)) == (
        "327 of 330 unlabelled rows received labels in 5 passes, 3 stayed unlabelled; "
        "the labels stopped changing"
    )


def test_the_table_has_the_passes_of_the_history(model):
    table = summarize_pseudo_labels(model).frame()
    assert table.columns.tolist() == [
        *("pass", "k", "proposed", "accepted", "new", "dropped", "labels", "changed"),
        "mean_similarity",
    ]
    means = [done.mean_similarity for done in model.history_]
    assert table["mean_similarity"].tolist() == means
    assert table["accepted"].tolist() == [291, 317, 324, 327, 327]
    for record, n_labels in zip(model.passes_, table["labels"], strict=True):
        assert n_labels == record.proposed[record.accepted].sum()


@pytest.mark.parametrize(
    "method",
    [
        SSHMCBLI(estimator=PriorClassifier(), max_iter=4),
        STHC(estimator=LogisticRegression()),
        HMCSSBR(estimator=LogisticRegression(), random_state=0),
    ],
)
def test_counts_are_those_of_the_pseudo_labels(method, data):
    method.set_params(hierarchy=data.hierarchy)
    method.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    summary, table = summarize_pseudo_labels(method), method.pseudo_labels()
    assert summary.n_unlabeled == 330
    assert summary.n_labels == len(table)
    assert summary.n_received == table["row"].nunique()
    assert len(summary.frame()) == np.max(method.n_iter_)
    assert summary.step == summary.frame().columns[0] == table.columns[-1]


def test_nodes_that_stop_for_different_reasons_are_counted(data):
    method = STHC(data.hierarchy, estimator=LogisticRegression(), max_iter=1)
    method.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    method.termination_condition_ = np.array(
        ["unchanged"] * 4 + ["constant", "max_iter"], dtype=object
    )
    assert summarize_pseudo_labels(method).reason == (
        "of the classifiers of 6 nodes, 4 stopped because they accepted no other row, "
        "1 had labelled rows of a single class, 1 stopped at max_iter"
    )


@pytest.mark.parametrize(
    ("n_received", "beginning"),
    [
        (4, "all 4 unlabelled rows received labels in 1 round; every"),
        (0, "none of 4 unlabelled rows received labels in 1 round; every"),
        (1, "1 of 4 unlabelled rows received labels in 1 round, 3 stayed unlabelled;"),
    ],
)
def test_all_and_none_are_said_in_words(n_received, beginning):
    summary = PseudoLabelingSummary.from_plain({**PLAIN, "n_received": n_received})
    assert str(summary).startswith(beginning)


def test_a_cycle_ends_the_sentence(data):
    model = SSHMCBLI(data.hierarchy, estimator=PriorClassifier())
    model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    assert model.cycle_.length >= 2
    said = str(summarize_pseudo_labels(model))
    assert said.endswith(f"before the labels stopped changing; {model.cycle_}")


def test_without_unlabelled_rows_there_is_nothing_to_tell(data):
    model = SSHMCBLI(data.hierarchy, estimator=PriorClassifier())
    model.fit(data.X_labeled, data.Y_labeled)
    summary = summarize_pseudo_labels(model)
    assert str(summary) == "there were no unlabelled rows"
    assert len(summary.frame()) == 0


def test_methods_that_do_not_pseudo_label_have_no_summary(data):
    model = PriorClassifier(data.hierarchy).fit(data.X_labeled, data.Y_labeled)
    assert summarize_pseudo_labels(model) is None


def test_plain_values_go_through_json_unchanged(model):
    summary = summarize_pseudo_labels(model)
    values = json.loads(json.dumps(summary.plain()))
    assert PseudoLabelingSummary.from_plain(values) == summary


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"step": "turn"}, "other values for 'step'"),
        ({"n_labels": -1}, "other values for 'n_labels'"),
        ({"n_received": "4"}, "other values for 'n_received'"),
        ({"history": [{"round": "1"}]}, "other values for 'history'"),
        ({"more": 1}, "Expected the entries step, "),
    ],
)
def test_plain_values_of_another_form_are_refused(change, match):
    with pytest.raises(ValueError, match=match):
        PseudoLabelingSummary.from_plain({**PLAIN, **change})
