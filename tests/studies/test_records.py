"""Records and the tables made of them."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from hilabel.studies import TABLES, TIMING_COLUMNS, RunRecord, _records
from hilabel.studies._records import make_tables


def record(value=0.5, **changes):
    content = {
        "run": "r",
        "dataset": "d",
        "fraction": 0.1,
        "repetition": 1,
        "method": "m",
        "facts": {"error": "", "seed": 3, "n_passes": None, "seconds": 1.5},
        "measures": {"fmax": value, "violations": 0.0},
        "nodes": [],
        "depths": [],
        "passes": [],
        "grid": [],
    }
    return RunRecord(**{**content, **changes})


@given(st.floats())
def test_every_number_survives_the_file(value):
    read = RunRecord.from_bytes(record(value).to_bytes())
    back = read.measures["fmax"]
    assert back == value or (math.isnan(back) and math.isnan(value))
    assert math.copysign(1, back) == math.copysign(1, value) or math.isnan(value)


def test_a_measure_is_a_row():
    rows = make_tables([record()])["results"]
    assert rows["measure"].tolist() == ["fmax", "violations"]
    assert rows["value"].tolist() == [0.5, 0.0]
    assert rows["seed"].tolist() == [3, 3]
    assert rows["n_passes"].isna().all()


def test_a_failed_run_is_one_row_without_a_measure():
    failed = record(measures={}, facts={"error": "ValueError: no", "seed": 3})
    [row] = failed.rows
    assert (row["measure"], row["error"]) == ("", "ValueError: no")
    assert np.isnan(row["value"])


def test_passes_of_different_methods_share_a_table():
    one = record(passes=[{"iteration": 1, "n_accepted": 4, "n_dropped": 0}])
    other = record(passes=[{"iteration": 1, "n_nodes": 6, "n_accepted": 9}])
    table = make_tables([one, other])["passes"]
    assert table["n_accepted"].tolist() == [4, 9]
    assert table["n_nodes"].isna().tolist() == [True, False]


def test_tables_are_the_same_however_many_rows_wait(monkeypatch):
    records = [
        record(k / 10, passes=[{"iteration": i, "n_accepted": k} for i in range(k)])
        for k in range(6)
    ]
    at_once = make_tables(records)
    monkeypatch.setattr(_records, "_ROWS_AT_A_TIME", 4)
    for name, table in make_tables(records).items():
        pd.testing.assert_frame_equal(table, at_once[name])
        assert dict(table.dtypes) == dict(make_tables([])[name].dtypes)


def test_times_are_columns_of_the_results():
    assert set(TIMING_COLUMNS) <= set(TABLES["results"])


def test_what_is_no_record_is_refused():
    with pytest.raises(ValueError, match="unexpected keyword"):
        RunRecord.from_bytes(b'{"foo": 1}')
