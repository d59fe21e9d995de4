"""Small tables, checked against what they are about."""

import pytest

from hilabel.report.study._results import StudyResults
from hilabel.report.study._summaries import Summaries
from hilabel.report.study._verdict import (
    PUBLISHED_RANKS,
    compare_study,
    published_verdict,
)
from hilabel.studies import nemenyi_test, wilcoxon_holm

SIX = list(PUBLISHED_RANKS)


@pytest.fixture
def paper(record, results_of):
    """A study with the paper's methods, in the paper's order, and a better one."""
    order = ["new", *sorted(SIX, key=PUBLISHED_RANKS.get)]
    records = [
        record(name, 0.9 - 0.1 * place - 0.002 * number, f"d{number}")
        for number in range(4)
        for place, name in enumerate(order)
    ]
    results = results_of(records)
    return Summaries(
        results,
        compare_study(results),
        compare_study(results, SIX),
        published_verdict(results),
    )


def test_published_ranks_stand_beside_ranks_among_the_same_methods(paper):
    table = paper.ranks()
    rows = {row[0][1]: [text for _, text in row] for row in table.cells()}
    assert rows["V2"] == ["V2", "2.000", "0.797", "1.000", "1.492"]
    assert rows["new"] == ["new", "1.000", "0.897", "\N{EN DASH}", "\N{EN DASH}"]


def test_the_published_tests_stand_beside_ours(paper):
    frame = paper.tests().frame.set_index("test")
    assert frame.loc["Friedman χ²", "published"] == "253.97 (p < 0.001)"
    assert frame.loc["Iman-Davenport F", "published"] == "325.5 (p < 0.001)"
    assert frame.loc["methods, blocks"].to_list() == ["7, 4", "6, 4", "6, 60"]
    [difference] = frame.filter(like="critical", axis=0)["published"]
    assert difference == "0.9735"


def test_pairs_have_the_p_values_of_the_tests(tiny_store):
    results = StudyResults.read(tiny_store)
    verdict = compare_study(results)
    frame = Summaries(results, verdict, None, None).pairs().frame
    assert len(frame) == 6
    nemenyi, wilcoxon = nemenyi_test(verdict.blocks), wilcoxon_holm(verdict.blocks)
    for row in frame.to_dict("records"):
        pair = row["better"], row["worse"]
        assert row["nemenyi"] == nemenyi.loc[pair]
        assert row["wilcoxon"] == wilcoxon.loc[pair]
        is_apart = row["difference"] >= verdict.comparison.critical_difference
        assert row["verdict"] == ("significant" if is_apart else "not significant")


def test_the_methods_are_described_as_the_study_file_has_them(tiny_store):
    results = StudyResults.read(tiny_store)
    frame = Summaries(results, None, None, None).methods().frame.set_index("method")
    assert frame.loc["V1", "class_name"] == "SSHMCBLI"
    assert "n_neighbors = [2, 3]" in frame.loc["V1", "grid"]
    assert frame.loc["V1", "supervised"] == "LCN"


def test_warnings_are_counted_by_method(record, results_of):
    records = [record("a", 0.5, repetition=n, warnings="W: x\nW: y") for n in (1, 2)]
    table = Summaries(results_of(records), None, None, None).warnings()
    assert table.rows() == [["a", 2, "W: x"], ["a", 2, "W: y"]]


def test_failed_grid_points_are_counted_with_their_first_error(record, results_of):
    facts = {"n_passes": None, "stop_reason": "", "n_pseudo_labeled": None}
    grid = [
        {"params": '{"k": 1}', "value": float("nan"), "error": "E: few", **facts},
        {"params": '{"k": 2}', "value": 0.5, "error": "", **facts},
    ]
    records = [record("a", 0.5, repetition=n, grid=grid) for n in (1, 2)]
    table = Summaries(results_of(records), None, None, None).grid_failures()
    assert table.rows() == [["a", "k 1", 2, "E: few"]]


def test_missing_runs_are_counted_by_data_set_and_method(record, results_of):
    # Two fractions of one data set; the records are not those of the plan.
    table = Summaries(results_of([record("a", 0.5)], ["a", "b"]), None, None, None)
    assert table.missing().rows() == [["d", "2 of 2", "2 of 2"]]
    assert not Summaries(results_of([record("a", 0.5)]), None, None, None).missing()


def test_pairs_are_compared_only_if_friedman_s_test_finds_a_difference(
    record, results_of
):
    def summaries(n_datasets):
        records = [
            record(name, value, f"d{number}")
            for number in range(n_datasets)
            for name, value in (("a", 0.5), ("b", 0.4))
        ]
        results = results_of(records)
        return Summaries(results, compare_study(results), None, None)

    few, many = summaries(2), summaries(8)
    # 2 blocks, chi-square 2, p = .157; 8 blocks, chi-square 8, p = .005.
    assert [few.verdict.is_different, many.verdict.is_different] == [False, True]
    assert [column.key for column in few.pairs().columns][3:] == ["wilcoxon"]
    keys = [column.key for column in many.pairs().columns]
    assert keys[3:] == ["verdict", "nemenyi", "wilcoxon"]
    tests = few.tests().frame.set_index("test")["all methods"]
    assert tests["Friedman χ²"] == "2.00 (p = 0.157)"
    assert tests["Iman-Davenport F"] == "undefined: all blocks rank the methods alike"
