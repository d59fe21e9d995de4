"""What methods tell of their unlabelled rows."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from hilabel.datasets import make_artificial
from hilabel.semi_supervised import SSHMCBLI
from hilabel.studies._history import read_history

NO_CYCLE = {"cycle_length": None, "cycle_rows": None, "cycle_labels": None}


def test_a_method_that_labels_rows_tells_its_passes():
    data = make_artificial()
    model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    model.pseudo_label(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    history = read_history(model)
    assert history.facts == {
        "n_passes": 5,
        "stop_reason": "unchanged",
        "n_pseudo_labeled": 328,
        **NO_CYCLE,
    }
    accepted = [row["n_accepted"] for row in history.passes]
    assert accepted == [320, 324, 326, 328, 328]
    assert history.passes[-1]["repeats"] == 4


def test_a_method_whose_labels_alternate_tells_the_cycle():
    data = make_artificial()
    model = SSHMCBLI(data.hierarchy, variant="v2")
    model.pseudo_label(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    facts = read_history(model).facts
    assert facts["cycle_length"] == 2
    assert (facts["cycle_rows"], facts["cycle_labels"]) == (
        model.history_[-1].n_changed_rows,
        model.history_[-1].n_changed_labels,
    )


def test_a_method_whose_nodes_go_their_own_way_is_summed_up():
    @dataclass
    class Round:
        iteration: int
        n_accepted: int

    model = SimpleNamespace(
        n_iter_=np.array([3, 1, 2]),
        termination_condition_=np.array(["max_iter", "unchanged", "max_iter"]),
        labeled_iter_=np.array([[0, 0, 0], [-1, 2, 1], [-1, -1, -1]]),
        history_=[Round(1, 7)],
    )
    history = read_history(model)
    assert history.facts == {
        "n_passes": 3,
        "stop_reason": "max_iter 2, unchanged 1",
        "n_pseudo_labeled": 1,
        **NO_CYCLE,
    }
    assert history.passes == [{"iteration": 1, "n_accepted": 7}]


def test_a_supervised_method_has_nothing_to_tell():
    history = read_history(object())
    assert history.facts == {
        "n_passes": None,
        "stop_reason": "",
        "n_pseudo_labeled": None,
        **NO_CYCLE,
    }
    assert history.passes == []


def test_of_a_method_from_elsewhere_only_what_tables_have_is_kept():
    @dataclass
    class Round:
        iteration: object
        n_accepted: object = None
        note: str = "no column"

    model = SimpleNamespace(
        history_=[Round(np.int64(1), np.int64(7)), Round(None, 3), Round(2, "many")]
    )
    passes = read_history(model).passes
    assert passes == [
        {"iteration": 1, "n_accepted": 7},
        {"iteration": 2, "n_accepted": None},
    ]
    assert type(passes[0]["n_accepted"]) is int
