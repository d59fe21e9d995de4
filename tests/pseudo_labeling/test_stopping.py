"""The reasons to stop, one by one."""

import numpy as np
import pytest

from hilabel.pseudo_labeling import StopRule


def labels(*positive):
    row = np.zeros((2, 3), dtype=bool)
    row.flat[list(positive)] = True
    return row


def reasons(rule, *sequence):
    return [rule.check(i, one) for i, one in enumerate(sequence, start=1)]


def test_labels_equal_to_the_last_pass_are_unchanged():
    rule = StopRule(max_passes=9, stop_on_cycle=False)
    assert reasons(rule, labels(1), labels(2), labels(2)) == [None, None, "unchanged"]


def test_no_labels_in_the_first_pass_are_unchanged():
    assert StopRule(9, True).check(1, labels()) == "unchanged"


def test_labels_equal_to_the_pass_before_the_last_are_a_cycle():
    sequence = labels(0), labels(1), labels(2), labels(1)
    assert reasons(StopRule(9, True), *sequence) == [None, None, None, "cycle"]
    assert reasons(StopRule(9, False), *sequence) == [None] * 4


def test_a_cycle_of_three_passes_is_not_seen():
    sequence = [labels(0), labels(1), labels(2)] * 2
    assert reasons(StopRule(9, True), *sequence) == [None] * 6


@pytest.mark.parametrize("max_passes", [1, 2, 5])
def test_passes_end_at_the_limit(max_passes):
    rule = StopRule(max_passes, True)
    sequence = [labels(*range(n)) for n in range(1, max_passes + 1)]
    assert reasons(rule, *sequence) == [None] * (max_passes - 1) + ["max_iter"]


def test_unchanged_at_the_limit_counts_as_unchanged():
    assert reasons(StopRule(2, True), labels(1), labels(1)) == [None, "unchanged"]
