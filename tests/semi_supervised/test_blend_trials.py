"""Candidates tried within a budget of seconds."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hilabel.classifiers import LogisticClassifier
from hilabel.semi_supervised import Blend
from hilabel.testing import make_problem


@dataclass(eq=False, repr=False, kw_only=True)
class Slow(LogisticClassifier):
    """A model that sleeps before it learns, and counts how often it did."""

    seconds: float = 0.0
    name: str = ""

    fits: ClassVar[dict[str, int]] = {}

    def _fit(self, data):
        self.fits[self.name] = self.fits.get(self.name, 0) + 1
        time.sleep(self.seconds)
        super()._fit(data)


@pytest.fixture
def tried():
    """Give a function that tries models which take so many seconds a fit."""
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
    first, *left_out, constant = tried(0, first=0, second=0, third=0)
    assert first.remark == constant.remark == ""
    assert np.isfinite(first.score)
    assert np.isfinite(constant.score)
    assert {one.remark for one in left_out} == {"the budget was spent"}
    assert all(np.isnan(one.score) and one.share == 0 for one in left_out)


def test_a_candidate_that_would_outlast_the_budget_is_not_started(tried):
    # Five folds take half a second, and the next is expected to take as long.
    _, second, _ = tried(0.7, first=0.1, second=0)
    assert second.remark != ""
    assert "second" not in Slow.fits


def test_a_candidate_is_given_up_if_its_first_fold_shows_that_it_takes_too_long(tried):
    _, second, _ = tried(0.8, first=0, second=0.3)
    assert second.remark != ""
    assert np.isnan(second.score)
    assert Slow.fits["second"] == 1


def test_a_budget_that_suffices_changes_nothing(tried):
    within, unbounded = tried(1000, first=0, second=0), tried(None, first=0, second=0)
    assert [one.score for one in within] == [one.score for one in unbounded]
    assert {one.remark for one in within} == {""}
