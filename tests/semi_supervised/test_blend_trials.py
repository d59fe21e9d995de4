"""Candidates tried within a budget of seconds, on a clock that only they move."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers import HierarchicalNetwork, LinearClassifier
from hilabel.semi_supervised import Blend, LabelSpreading, _blend_trials
from hilabel.testing import make_problem


class Clock:
    """Time that goes on when it is told to."""

    now = 0.0

    def perf_counter(self):
        return self.now


@dataclass(eq=False, repr=False, kw_only=True)
class Slow(LinearClassifier):
    """A model that takes some seconds of a clock, and counts how often it did."""

    seconds: float = 0.0
    name: str = ""

    clock: ClassVar[Clock] = Clock()
    fits: ClassVar[dict[str, int]] = {}

    def _fit(self, data):
        self.fits[self.name] = self.fits.get(self.name, 0) + 1
        self.clock.now += self.seconds
        super()._fit(data)


@pytest.fixture
def tried(monkeypatch):
    """Give a function that tries models which take so many seconds a fit."""
    monkeypatch.setattr(_blend_trials, "time", Slow.clock)
    Slow.fits.clear()
    problem = make_problem("T", "MPL", "PD")

    def candidates_tried(budget, **seconds):
        models = {name: Slow(seconds=s, name=name) for name, s in seconds.items()}
        model = Blend(
            problem.hierarchy, candidates=models, budget=budget, random_state=0
        )
        return model.fit(problem.X, problem.Y).candidates_

    return candidates_tried


def test_a_spent_budget_leaves_out_all_but_the_first_and_label_frequencies(tried):
    first, *left_out, constant = tried(0, first=1, second=1, third=1)
    assert first.reason == constant.reason == ""
    assert np.isfinite(first.score)
    assert np.isfinite(constant.score)
    assert {one.reason for one in left_out} == {"the budget was used up"}
    assert all(np.isnan(one.score) and one.share == 0 for one in left_out)


def test_a_candidate_that_would_outlast_the_budget_is_not_started(tried):
    # Five folds take 5 s, and training once more about 1: so the next would end at 11.
    _, second, _ = tried(9, first=1, second=1)
    assert second.reason == "expected to take 5 s, with 2.8 s of the budget left"
    assert "second" not in Slow.fits


def test_a_candidate_is_given_up_if_its_first_fold_shows_that_it_takes_too_long(tried):
    _, second, _ = tried(40, first=1, second=10)
    assert second.reason == "expected to take 50 s, with 24 s of the budget left"
    assert np.isnan(second.score)
    assert Slow.fits["second"] == 1


def test_a_budget_that_suffices_changes_nothing(tried):
    within, unbounded = tried(100, first=1, second=1), tried(None, first=1, second=1)
    assert within == unbounded
    assert {one.reason for one in within} == {""}


def test_networks_are_not_tried_where_others_are_nearly_perfect():
    X = np.linspace(-1, 1, 60)[:, None]
    Y = np.hstack([X > 0, X > 0]).astype(int)
    candidates = {"easy": LinearClassifier(), "network": HierarchicalNetwork()}
    model = Blend(Hierarchy.from_edges([("a", "b")]), candidates=candidates)
    _, network, _ = model.fit(X, Y).candidates_
    assert network.reason.startswith("others already score ")


def test_a_model_without_unlabelled_rows_is_tried_whatever_others_gain(monkeypatch):
    monkeypatch.setattr(
        _blend_trials, "is_expensive", lambda one: isinstance(one, LinearClassifier)
    )
    X = np.repeat([[0.0], [10.0]], 100, axis=0) + np.linspace(0, 1, 200)[:, None] % 0.5
    Y = np.full((200, 1), -1)
    Y[::3] = X[::3] > 5
    candidates = {"spreading": LabelSpreading(), "logistic": LinearClassifier()}
    model = Blend(Hierarchy(["a"]), candidates=candidates, random_state=0).fit(X, Y)
    spreading, logistic, _ = model.candidates_
    assert spreading.score > 0.995
    assert logistic.reason == ""
