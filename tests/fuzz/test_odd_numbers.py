"""Odd numbers for two quick methods. ``make fuzz`` tries all."""

import pytest

from fuzz.odd_numbers import KINDS, failure_of


@pytest.mark.parametrize("name", ["PCNB", "NeighborsClassifier"])
def test_scores_are_probabilities_or_an_error_says_why(name):
    failures = [failure_of(name, kind) for kind in KINDS]
    assert failures == [None] * len(KINDS)
