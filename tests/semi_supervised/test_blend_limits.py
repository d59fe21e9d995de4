"""Candidates are planned within limits of time and memory, and say what is skipped."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
)
from hilabel.costs import DataShape
from hilabel.semi_supervised._blend_candidates import most_promising_first
from hilabel.semi_supervised._blend_limits import Limits, Proposal, plan, whole_cost

SHAPE = DataShape(2_000, 500, 80, 80.0, 160, 12.5, is_sparse=False)


class _Unknown(BaseHierarchicalClassifier):
    """A method of which no cost is known."""

    def _fit(self, data):
        pass

    def _predict_scores(self, X):
        return np.zeros((len(X), 1))


def proposals():
    return {
        "few trees": Proposal(PredictiveClusteringForest(n_estimators=10)),
        "many trees": Proposal(PredictiveClusteringForest(n_estimators=1_000)),
        "neighbours": Proposal(NeighborsClassifier()),
        "own": Proposal(_Unknown()),
        "unsuited": Proposal(PredictiveClusteringForest(), "it needs complete rows"),
    }


def planned(seconds, memory=np.inf, candidates=None):
    limits = Limits(seconds, memory, is_given=False)
    given = candidates or proposals()
    return plan(given, lambda model: whole_cost(model, SHAPE, 5, 2_000), limits)


def test_without_limits_all_are_tried_but_the_unsuited():
    found = planned(np.inf)
    assert [name for name, one in found.items() if one.why_not] == ["unsuited"]
    assert found["own"].seconds is None  # nothing is known, so it is tried


def test_what_does_not_fit_says_what_it_takes_and_what_is_left():
    needed = planned(np.inf)
    few, many = needed["few trees"].seconds, needed["many trees"].seconds
    found = planned(few + many / 2)
    assert not found["few trees"].why_not
    assert found["many trees"].why_not.startswith("it does not fit into the ")
    assert found["many trees"].seconds == many


def test_what_needs_too_much_memory_says_so():
    found = planned(np.inf, memory=10.0)
    assert "GB" in found["many trees"].why_not


def test_if_none_fits_the_fastest_is_tried():
    known = {name: one for name, one in proposals().items() if name != "own"}
    found = planned(0.0, candidates=known)
    tried = [name for name, one in found.items() if not one.why_not]
    fastest = min(
        (name for name in known if name != "unsuited"),
        key=lambda name: found[name].seconds,
    )
    assert tried == [fastest]


def test_time_that_is_left_goes_to_longer_trainings():
    def trees(number):
        return PredictiveClusteringForest(n_estimators=number)

    given = {
        "trees": Proposal(trees(10), longer=(trees(100), trees(1_000))),
        "neighbours": Proposal(NeighborsClassifier()),
    }
    needed = planned(np.inf, candidates=given)
    assert needed["trees"].model.n_estimators == 1_000
    short = planned(0.0, candidates=given)
    of_trees, of_others = short["trees"].seconds, short["neighbours"].seconds
    # What others need is not taken from them.
    some = planned(of_trees + of_others, candidates=given)
    assert (some["trees"].model.n_estimators, some["trees"].seconds) == (10, of_trees)
    more = planned(needed["trees"].seconds / 2 + of_others, candidates=given)
    assert more["trees"].model.n_estimators == 100
    assert not more["neighbours"].why_not


@given(st.floats(0, 1e4), st.floats(0, 1e4))
def test_more_time_never_plans_less_work(one, other):
    def work(seconds):
        found = planned(seconds).values()
        return sum(each.seconds or 0 for each in found if not each.why_not)

    less, more = sorted([one, other])
    # Greedy: a larger candidate may displace smaller ones, but not more than itself.
    assert work(more) >= min(work(less), more) / 2


def test_time_grows_with_the_labels_to_learn_up_to_minutes():
    small, large = DataShape(150, 250, 8, 8.0, 16, 4.0, False), SHAPE
    assert Limits.of(small).seconds == pytest.approx(8 + 2.4)
    assert Limits.of(large).seconds == 300
    assert Limits.of(large, "best").seconds == np.inf
    given = Limits.of(large, seconds=30.0, memory=1e9)
    assert (given.seconds, given.memory, given.is_given) == (30.0, 1e9, True)


def test_promising_candidates_are_given_time_first():
    names = ["forest", "linear, C=50", "neighbours", "linear, mined", "other"]
    given = {name: Proposal(PredictiveClusteringForest()) for name in names}
    ordered = [*most_promising_first(given, is_sparse=True)]
    assert ordered == ["linear, mined", "linear, C=50", "neighbours", "forest", "other"]
