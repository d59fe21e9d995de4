"""Results are read whatever state their folder is in."""

import shutil

import pandas as pd
import pytest

from hilabel.exceptions import StudyStoreError
from hilabel.report.study._results import StudyResults
from hilabel.studies import ResultsStore, gap_closed, read_results


@pytest.fixture
def folder(tiny_store, tmp_path):
    """Return a copy of the results, to be changed."""
    return shutil.copytree(tiny_store, tmp_path / "copy")


def test_a_study_that_was_run_is_read_with_its_file(tiny_store):
    results = StudyResults.read(tiny_store)
    assert results.methods == ("constant", "LCN", "V1", "V2")
    assert results.datasets == ("tree", "dag")
    assert results.constant == "constant"
    assert results.measure == "micro_average_precision"
    assert results.n_planned == len(results.runs) == 36
    assert "LCN" not in results.supervised
    expected = gap_closed(results.tables["results"], results.supervised)
    pd.testing.assert_frame_equal(results.gaps, expected)


def test_a_store_is_as_good_as_its_folder(tiny_store):
    results = StudyResults.read(ResultsStore(tiny_store))
    pd.testing.assert_frame_equal(
        results.tables["results"], read_results(tiny_store)["results"]
    )


@pytest.mark.parametrize("is_written", [False, True])
def test_runs_that_ended_after_the_tables_were_made_count(folder, is_written):
    expected = read_results(folder)["results"]
    for path in folder.glob("*.parquet"):
        if is_written:
            frame = pd.read_parquet(path)
            frame[frame["dataset"] == "tree"].to_parquet(path, index=False)
        else:
            path.unlink()
    found = StudyResults.read(folder).tables["results"]
    pd.testing.assert_frame_equal(found, expected)


def test_tables_alone_are_enough(tiny_store, tmp_path):
    for path in tiny_store.glob("*.parquet"):
        shutil.copy(path, tmp_path)
    results = StudyResults.read(tmp_path)
    assert results.study is None
    assert results.title == tmp_path.name
    assert results.methods == ("constant", "LCN", "V1", "V2")
    assert results.constant == "constant"
    assert results.gaps.empty
    assert not (tmp_path / "runs").exists()


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(StudyStoreError, match="this table of results does not exist"):
        StudyResults.read(tmp_path)


def test_failed_runs_are_told_from_the_others(record, results_of):
    records = [record("a", 0.5), record("b", None, error="ValueError: no")]
    results = results_of(records)
    assert results.failed["method"].to_list() == ["b"]
    assert list(results.blocks().columns) == ["a"]


def test_a_gap_in_a_loss_is_closed_downward(record, results_of):
    losses = {("LCN", 0.1): 0.4, ("V", 0.1): 0.3, ("LCN", 1.0): 0.2}
    records = [record(method, None, fraction=fraction) for method, fraction in losses]
    for made in records:
        made.measures["hamming_loss"] = losses[made.method, made.fraction]
    results = results_of(records, ["LCN", "V"], supervised="LCN")
    assert results.gaps["gap_closed"].to_list() == [pytest.approx(0.5)]


def test_runs_of_an_earlier_form_of_the_study_do_not_count(folder):
    one = next((folder / "runs").glob("*.json"))
    shutil.copy(one, folder / "runs" / "0123456789abcdef.json")
    results = StudyResults.read(folder)
    assert len(results.runs) == 36


def test_tables_of_an_earlier_form_of_the_study_do_not_count(folder):
    path = folder / "study.toml"
    path.write_text(path.read_text().replace("seed = 0", "seed = 1"))
    with pytest.raises(StudyStoreError, match="at least one run, got none"):
        StudyResults.read(folder)


def test_a_run_that_was_done_again_replaces_what_the_tables_say(folder):
    store = ResultsStore(folder)
    run = read_results(folder)["results"]["run"].iloc[0]
    record = store.read(run)
    record.measures["fmax"] = 0.125
    store.write(record)
    results = StudyResults.read(folder)
    is_it = (results.values["run"] == run) & (results.values["measure"] == "fmax")
    assert results.values.loc[is_it, "value"].to_list() == [0.125]


def test_a_table_that_was_not_written_any_more_is_made_anew(folder, tiny_store):
    (folder / "nodes.parquet").unlink()
    found = StudyResults.read(folder).tables["nodes"]
    pd.testing.assert_frame_equal(found, read_results(tiny_store)["nodes"])
