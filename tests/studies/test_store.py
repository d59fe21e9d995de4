"""The results folder."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from hilabel.exceptions import StudyStoreError
from hilabel.studies import (
    ResultsStore,
    RunRecord,
    make_plan,
    read_results,
    read_study,
    run_one,
)

HOLD = """
import sys
from hilabel.studies import ResultsStore, make_plan, read_study
with ResultsStore(sys.argv[2]).claim(make_plan(read_study(sys.argv[1]))) as is_mine:
    print(is_mine, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def runs(tiny):
    return make_plan(read_study(tiny))[:4]


@pytest.fixture
def store(tmp_path, runs):
    store = ResultsStore(tmp_path / "results")
    for run in runs[:2]:
        store.write(run_one(run))
    return store


def test_a_record_comes_back_to_the_last_bit(store, runs):
    record = run_one(runs[2])
    store.write(record)
    assert store.read(record.run) == record
    assert RunRecord.from_bytes(record.to_bytes()).to_bytes() == record.to_bytes()


def test_what_is_pending_is_what_has_no_record(store, runs):
    assert store.pending(runs) == runs[2:]
    again = ResultsStore(store.folder)
    assert again.pending(runs) == runs[2:]


def test_tables_come_back_from_parquet_as_they_were(store, runs):
    written = store.write_tables(runs)
    read = read_results(store.folder)
    assert read.keys() == written.keys()
    for name in read:
        pd.testing.assert_frame_equal(read[name], written[name], check_exact=True)
    assert len(read["results"]) == 2 * 2
    # Rows follow the plan, not the order in which runs ended.
    assert list(store.tables(runs[1::-1])["results"]["run"].unique()) == [
        runs[1].id,
        runs[0].id,
    ]


def test_tables_hold_the_runs_of_the_plan_alone(store, runs):
    # As after a method was changed: its old record stays, but is not counted.
    tables = store.write_tables(runs[1:])
    assert set(tables["results"]["run"]) == {runs[1].id}
    assert store.has(runs[0].id)


def test_a_file_half_written_by_a_killed_process_is_no_run(store, runs):
    torn = store.folder / "runs" / f".unfinished-{runs[2].id}.json-99"
    torn.mkdir()
    (torn / f"{runs[2].id}.json").write_bytes(b'{"run"')
    assert store.pending(runs) == runs[2:]
    assert len(store.tables(runs)["results"]) == 4
    unknown = store.folder / "runs" / ".unfinished-no_longer_planned.json-99"
    unknown.mkdir()
    assert store.clean_up(runs) == 1
    assert not torn.exists()
    os.utime(unknown, (0, 0))  # nobody can be at it still
    assert store.clean_up(runs) == 1
    assert not unknown.exists()


def test_a_damaged_record_is_named(store, runs):
    path = store.folder / "runs" / f"{runs[0].id}.json"
    for content in (b"{", b'{"run": 1}', b"\xff\xff"):
        path.write_bytes(content)
        with pytest.raises(StudyStoreError, match=f"{runs[0].id}.json: .*remove the"):
            store.tables(runs)


def test_missing_and_damaged_tables_are_named(store, runs):
    with pytest.raises(StudyStoreError, match="results.parquet: this table"):
        read_results(store.folder)
    store.write_tables(runs)
    (store.folder / "nodes.parquet").write_bytes(b"none of it")
    with pytest.raises(
        StudyStoreError, match="nodes.parquet: this is not a valid Parquet file"
    ):
        read_results(store.folder)


def test_a_store_without_runs_has_empty_tables_of_the_same_form(tmp_path, store, runs):
    empty = ResultsStore(tmp_path / "empty").write_tables(runs)
    full = store.tables(runs)
    for name in full:
        assert len(empty[name]) == 0
        assert (empty[name].dtypes == full[name].dtypes).all()


def test_rows_hold_where_they_come_from(store, runs):
    row = store.tables(runs)["results"].iloc[0]
    assert row["dataset"] == "tree"
    assert row["method"] == "constant"
    assert (row["n_labeled"], row["n_unlabeled"]) == (12, 48)
    assert len(row["dataset_hash"]) == 16
    assert row["seconds"] > 0
    assert row["peak_memory"] > 2**20
    assert row["numpy"] == np.__version__
    assert row["error"] == ""


def test_a_claim_is_had_by_one_process_at_a_time_and_dies_with_it(tiny, store, runs):
    command = [sys.executable, "-c", HOLD, str(tiny), str(store.folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline() == "True\n"
        with store.claim(runs) as is_mine:
            assert not is_mine
        process.kill()
    for _ in range(2):  # it can be given back, too
        with store.claim(runs) as is_mine:
            assert is_mine


def test_tables_without_newer_columns_are_read_with_empty_ones(store, runs):
    store.write(run_one(runs[2]))
    written = store.write_tables(runs)["grid"]
    assert len(written) == 4
    written.drop(columns="error").to_parquet(store.folder / "grid.parquet")
    read = read_results(store.folder)["grid"]
    pd.testing.assert_frame_equal(read, written, check_exact=True)


def test_a_record_without_newer_fields_has_empty_ones(store, runs):
    record = run_one(runs[2])
    record.facts.pop("warnings")
    store.write(record)
    assert store.tables(runs[2:3])["results"]["warnings"].tolist() == ["", ""]
