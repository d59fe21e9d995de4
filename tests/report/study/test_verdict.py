"""Ranks and tests: those of the statistics, and the published ones."""

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from hilabel.report._critical_difference import similar_groups
from hilabel.report.study._results import StudyResults
from hilabel.report.study._verdict import (
    PUBLISHED_RANKS,
    compare_study,
    measure_ranks,
    published_verdict,
)
from hilabel.studies import block_scores, compare_ranks, mean_ranks

SIX = ["LCN", "V1", "V2", "V3", "STML", "STHC"]


def test_the_published_figures_are_those_of_the_paper():
    printed = {"LCN": 4.133, "V1": 2.0, "V2": 1.492}
    printed |= {"V3": 2.708, "STML": 5.958, "STHC": 4.708}
    assert {name: round(rank, 3) for name, rank in PUBLISHED_RANKS.items()} == printed


def test_the_six_methods_bring_the_published_tests(record, results_of):
    records = [record(name, 0.5) for name in SIX]
    published = published_verdict(results_of(records))
    assert round(published.friedman.chi_square, 2) == 253.97
    assert round(published.friedman.f_statistic, 1) == 325.5
    assert published.critical_difference == 0.9735


def test_five_of_the_six_methods_are_not_set_beside_the_published_ranks(
    record, results_of
):
    assert published_verdict(results_of([record(m, 0.5) for m in SIX[:5]])) is None


def test_the_tests_are_those_of_the_statistics(tiny_store):
    results = StudyResults.read(tiny_store)
    verdict = compare_study(results)
    expected = compare_ranks(block_scores(results.tables["results"]))
    pd.testing.assert_series_equal(verdict.comparison.mean_ranks, expected.mean_ranks)
    assert verdict.comparison.friedman == expected.friedman
    assert verdict.comparison.critical_difference == expected.critical_difference


def test_ranks_by_another_measure_keep_the_order_of_the_first(tiny_store):
    results = StudyResults.read(tiny_store)
    verdict = compare_study(results)
    table = measure_ranks(results, verdict)
    assert list(table.index) == list(verdict.comparison.mean_ranks.index)
    expected = mean_ranks(block_scores(results.tables["results"], "fmax"))
    assert table["fmax"].to_dict() == expected.to_dict()


def test_blocks_and_methods_with_holes_are_left_out_and_counted(record, results_of):
    records = []
    for number in range(4):
        name = f"d{number}"
        records += [record("a", 0.5, name), record("b", 0.4 + 0.1 * number, name)]
    records.append(record("rare", 0.9, "d0"))
    records.append(record("a", 0.5, "d4"))
    records.append(record("b", None, "d4", error="ValueError: no"))
    verdict = compare_study(results_of(records))
    assert verdict.methods_left_out == ("rare",)
    assert verdict.n_left_out == 1
    assert verdict.blocks.shape == (4, 2)


@pytest.mark.parametrize("methods", [["a"], ["a", "b"]])
def test_one_block_or_one_method_is_too_little(record, results_of, methods):
    assert compare_study(results_of([record(name, 0.5) for name in methods])) is None


@given(
    st.lists(st.floats(1, 9), min_size=1, max_size=9),
    st.floats(0.1, 5),
)
def test_methods_share_a_bar_exactly_if_they_are_not_told_apart(values, difference):
    ranks = pd.Series(values, index=[f"m{number}" for number in range(len(values))])
    groups = [set(group) for group in similar_groups(ranks, difference)]
    for first in ranks.index:
        for second in ranks.index.drop(first):
            low, high = sorted([ranks[first], ranks[second]])
            shared = any({first, second} <= group for group in groups)
            assert shared == (high < low + difference)
    assert not any(a < b for a in groups for b in groups)
