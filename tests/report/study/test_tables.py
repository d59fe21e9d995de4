"""Rows that readers can trust: the numbers of the study, and no others."""

import io
import json

import pandas as pd
import pytest

from hilabel.datasets._exact_numbers import EXACT_NUMBERS
from hilabel.report.study._results import StudyResults
from hilabel.report.study._tables import (
    Column,
    Table,
    fraction_column,
    pass_rows,
    run_rows,
    score_rows,
)
from hilabel.report.study._verdict import compare_study
from hilabel.studies import block_scores, gap_closed


@pytest.fixture(scope="module")
def tiny(tiny_store):
    return StudyResults.read(tiny_store)


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("a", "a", "number", 3), 0.12345, "0.123"),
        (Column("a", "a", "number", 1), -2.0, "\N{MINUS SIGN}2.0"),
        (Column("a", "a", "percent"), 0.5, "50 %"),
        (Column("a", "a", "number", 3), None, "\N{EN DASH}"),
        (Column("a", "a"), "", "\N{EN DASH}"),
        (Column("a", "a"), "eisen", "eisen"),
    ],
)
def test_values_are_written_for_readers(column, value, text):
    assert column.text(value) == text


def test_rows_are_plain_and_safe_inside_a_page():
    hostile = "<!--<script></script>"
    frame = pd.DataFrame({"a": [1.0, float("nan")], "b": [hostile, "x"]})
    table = Table("t", "t", [Column("a", "a", "number"), Column("b", "b")], frame)
    text = table.to_json()
    assert "<" not in text
    assert json.loads(text)["rows"] == [[1, hostile], [None, "x"]]


@pytest.mark.parametrize(
    ("fractions", "texts"),
    [
        ([0.1, 0.5], ["10 %", "50 %"]),
        ([0.07, 0.29], ["7 %", "29 %"]),
        ([0.001, 0.004], ["0.1 %", "0.4 %"]),
    ],
)
def test_fractions_are_told_from_one_another(fractions, texts):
    column = fraction_column(pd.Series(fractions))
    assert [column.text(fraction) for fraction in fractions] == texts


def test_scores_are_the_block_scores_with_their_gaps_and_ranks(tiny):
    verdict = compare_study(tiny)
    frame = score_rows(tiny, verdict).frame.set_index(["dataset", "fraction", "method"])
    blocks = block_scores(tiny.tables["results"])
    for (dataset, fraction), row in blocks.iterrows():
        ranks = row.rank(ascending=False)
        for method, value in row.items():
            found = frame.loc[(dataset, fraction, method)]
            assert found["mean"] == pytest.approx(value, rel=1e-12)
            assert found["rank"] == ranks[method]
            assert found["n_runs"] == 2
    gaps = gap_closed(tiny.tables["results"], tiny.supervised)
    gaps = gaps.set_index(["dataset", "fraction", "method"])["gap_closed"]
    pd.testing.assert_series_equal(
        frame["gap_closed"].loc[gaps.index], gaps, check_exact=True
    )


def test_every_run_has_a_row_failed_ones_too(record, results_of):
    records = [record("a", 0.5), record("b", None, error="ValueError: no")]
    table = run_rows(results_of(records))
    assert table.frame["status"].to_list() == ["finished", "failed"]
    assert table.rows()[1][5] is None


def test_tuned_parameters_are_told_in_words(record, results_of):
    table = run_rows(results_of([record("a", 0.5, params='{"n_neighbors": 3}')]))
    assert table.frame["params"].to_list() == ["n_neighbors 3"]


def test_a_study_without_passes_has_no_rows_of_them(record, results_of):
    assert not pass_rows(results_of([record("a", 0.5)]))


def test_a_table_as_csv_has_full_precision(tiny):
    table = score_rows(tiny, None)
    read = pd.read_csv(io.StringIO(table.to_csv()), **EXACT_NUMBERS)
    assert read["mean"].to_list() == table.frame["mean"].to_list()
