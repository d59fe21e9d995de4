"""Whole studies: interrupted in every way, they end in the same tables."""

import errno
import importlib
import multiprocessing
import os
import signal
import sys

import pytest
from study_cases import TINY, run_until_killed_at

from hilabel.exceptions import StudyConfigError, StudyStoreError
from hilabel.studies import (
    ResultsStore,
    make_plan,
    read_results,
    read_study,
    run_study,
    stale_results,
    study_status,
)

N_RUNS = 36


@pytest.fixture(scope="module")
def forked():
    """Return a way to start processes that have everything loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["study_warm_up"])
    paths = [path for path in sys.path if path]
    with pytest.MonkeyPatch.context() as patch:
        # The server is told neither the path of this process nor of failed imports.
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        check = context.Process(target=importlib.import_module, args=("study_cases",))
        check.start()
        check.join()
    assert check.exitcode == 0
    return context


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the tables of a study that nothing happened to."""
    folder = tmp_path_factory.mktemp("undisturbed")
    path = folder / "tiny.toml"
    path.write_text(TINY)
    run_study(path, folder / "results")
    return read_results(folder / "results")


def test_a_study_runs_to_its_end_and_is_not_done_twice(tiny, tmp_path):
    folder = tmp_path / "results"
    assert run_study(tiny, folder).n_done == N_RUNS
    stamps = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    status = run_study(tiny, folder)
    assert (status.n_done, status.failed) == (N_RUNS, ())
    assert stamps == {p: p.stat().st_mtime_ns for p in (folder / "runs").iterdir()}
    assert (folder / "study.toml").read_text() == tiny.read_text()


def test_killed_twenty_times_the_results_are_the_same_bit_for_bit(
    tiny, tmp_path, forked, undisturbed, assert_same_results
):
    folder = tmp_path / "killed"
    # A file takes three steps: its content, its name, its folder. The first attempts
    # write the study file, and the others a few runs each.
    for n_calls in (*range(1, 11), *range(1, 11)):
        process = forked.Process(
            target=run_until_killed_at, args=(n_calls, tiny, folder)
        )
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        run_files = list((folder / "runs").glob("*.json"))
        assert study_status(tiny, folder).n_done == len(run_files)
    assert 0 < len(run_files) < N_RUNS
    n_left = len(list(folder.rglob(".unfinished*")))
    assert n_left > 0
    assert run_study(tiny, folder).n_removed == n_left
    assert_same_results(read_results(folder), undisturbed)
    assert not list(folder.rglob(".unfinished*"))
    assert not list((folder / "claims").iterdir())


def test_two_processes_on_one_folder_lose_and_double_nothing(
    tiny, tmp_path, forked, undisturbed, assert_same_results
):
    folder = tmp_path / "shared"
    processes = [
        forked.Process(target=run_study, args=(tiny, folder)) for _ in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert len(list((folder / "runs").iterdir())) == N_RUNS
    # Who ended last has seen the runs of both.
    assert_same_results(read_results(folder), undisturbed)


def test_results_do_not_depend_on_the_number_of_jobs(
    tiny, tmp_path, undisturbed, assert_same_results
):
    run_study(tiny, tmp_path / "parallel", n_jobs=2)
    assert_same_results(read_results(tmp_path / "parallel"), undisturbed)


def test_a_full_disk_ends_the_study_and_spoils_nothing(
    tiny, tmp_path, monkeypatch, undisturbed, assert_same_results
):
    folder = tmp_path / "full"
    real, n_calls = os.fsync, 0

    def fsync(handle):
        nonlocal n_calls
        n_calls += 1
        # Two calls per file: its content and its folder. The sixth file fails.
        if n_calls == 11:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="No space left"):
        run_study(tiny, folder)
    monkeypatch.undo()
    # The study file and four runs were written; the fifth is unrecorded.
    assert study_status(tiny, folder).n_done == 4
    plan = make_plan(read_study(tiny))
    assert ResultsStore(folder).tables(plan)["results"]["run"].nunique() == 4
    assert not list(folder.rglob(".unfinished*"))
    run_study(tiny, folder)
    assert_same_results(read_results(folder), undisturbed)


def test_a_failing_method_is_recorded_and_stops_nobody(tiny, tmp_path):
    text = tiny.read_text() + (
        '\n[methods.bad]\nclass = "SSHMCBLI"\nparams = { n_neighbors = 50 }\n'
    )
    tiny.write_text(text)
    status = run_study(tiny, tmp_path / "results")
    assert status.n_done == status.n_runs == N_RUNS + 8
    assert len(status.failed) == 8
    title, error = status.failed[0]
    assert title == "bad on tree 20% #1"
    assert "n_neighbors=50" in error
    results = read_results(tmp_path / "results")["results"]
    assert results.loc[results["method"] == "bad", "value"].isna().all()
    assert results.loc[results["method"] != "bad", "value"].notna().all()


def test_failed_runs_are_done_again_only_if_asked_for(tiny, tmp_path):
    folder = tmp_path / "results"
    entry = '{ name = "mine", source = "arff", train = "a", valid = "a", test = "a" }'
    text = f"fractions = [0.5]\ndatasets = [{entry}]\n"
    text += '[methods.constant]\nclass = "PriorClassifier"\n'
    tiny.write_text(text)
    data = tiny.with_name("a")
    data.write_text("no data")
    assert len(run_study(tiny, folder).failed) == 1
    data.write_text(
        "@RELATION r\n@ATTRIBUTE x numeric\n"
        "@ATTRIBUTE class hierarchical root/a,root/b\n@DATA\n1,a\n2,b\n3,a\n4,b\n"
    )
    assert len(run_study(tiny, folder).failed) == 1
    assert len(run_study(tiny, folder, retry_failed=True).failed) == 0


def test_a_method_that_joins_later_is_all_that_is_run(tiny, tmp_path):
    folder = tmp_path / "results"
    run_study(tiny, folder)
    before = {path.name for path in (folder / "runs").iterdir()}
    tiny.write_text(tiny.read_text() + '\n[methods.again]\nclass = "PriorClassifier"\n')
    assert study_status(tiny, folder).n_done == N_RUNS
    run_study(tiny, folder)
    after = {path.name for path in (folder / "runs").iterdir()}
    assert before < after
    assert len(after - before) == 8


def test_missing_data_end_the_study_before_it_begins(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("HILABEL_DATA", str(tmp_path))
    tiny.write_text(tiny.read_text().replace("datasets = [", 'datasets = ["GO/spo",'))
    with pytest.raises(StudyConfigError, match="GO/spo"):
        run_study(tiny, tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_progress_tells_cells_failures_and_the_time_left(tiny, tmp_path, capsys):
    tiny.write_text(
        tiny.read_text()
        + '\n[methods.bad]\nclass = "SSHMCBLI"\nparams = { n_neighbors = 50 }\n'
    )
    run_study(tiny, tmp_path / "results", verbose=2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("0 of 44 runs are already done")
    assert any("bad on tree 20% #1 failed: ValueError" in line for line in lines)
    assert any(
        "tree 20% #1: " in line and "39 of 44 runs left" in line for line in lines
    )


def test_missing_pyarrow_is_noticed_before_any_run(tiny, tmp_path, monkeypatch):
    for engine in ("pyarrow", "fastparquet"):
        monkeypatch.setitem(sys.modules, engine, None)
    with pytest.raises(
        ImportError, match=r"need pyarrow.* pip install 'hilabel\[study"
    ):
        run_study(tiny, tmp_path / "store")
    assert not list((tmp_path / "store" / "runs").iterdir())


def test_a_study_run_in_parts_ends_in_the_same_tables(
    tiny, tmp_path, undisturbed, assert_same_results
):
    folder = tmp_path / "parts"
    status = run_study(tiny, folder, methods=["V2"], fractions=0.2)
    assert (status.n_runs, status.n_done, status.n_planned) == (4, 4, N_RUNS)
    results = read_results(folder)["results"]
    assert set(results["method"]) == {"V2"}
    assert set(results["fraction"]) == {0.2}
    assert study_status(tiny, folder).n_done == 4
    assert study_status(tiny, folder, repetitions=1, methods="V2").n_done == 2
    run_study(tiny, folder, datasets="dag")
    run_study(tiny, folder)
    assert_same_results(read_results(folder), undisturbed)


def test_processes_that_run_different_methods_of_the_same_cells_miss_none(
    tiny, tmp_path, forked, undisturbed, assert_same_results
):
    folder = tmp_path / "shared"
    processes = [
        forked.Process(
            target=run_study, args=(tiny, folder), kwargs={"methods": methods}
        )
        for methods in (["constant", "V1"], ["LCN", "V2"])
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert study_status(tiny, folder).n_done == N_RUNS
    assert_same_results(read_results(folder), undisturbed)


def test_data_that_are_not_selected_may_be_missing(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("HILABEL_DATA", str(tmp_path))
    tiny.write_text(tiny.read_text().replace("datasets = [", 'datasets = ["GO/spo",'))
    status = run_study(tiny, tmp_path / "r", datasets="tree", methods="constant")
    assert status.n_done == status.n_runs == 4


OWN = """\
fractions = [0.5]
repetitions = 2
datasets = [{ name = "tree", source = "synthetic", n_samples = 60, n_nodes = 4 }]
methods.constant = { class = "PriorClassifier" }
methods.mine = { class = "mine.py:Mine" }
methods.tree.class = "LocalClassifierPerNode"
methods.tree.params.estimator = { class = "trees.py:Tree", max_depth = 2 }
"""
MINE = """\
from hilabel.classifiers import PriorClassifier
class Mine(PriorClassifier):
    def predict_proba(self, X):
        return SHARE * super().predict_proba(X)
"""
TREE = "from sklearn.tree import DecisionTreeClassifier as Tree"


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "mine.py").write_text(MINE.replace("SHARE", "0.5"))
    (tmp_path / "trees.py").write_text(TREE)
    return tmp_path / "own.toml"


def test_results_of_an_edited_class_are_stale_and_computed_again(own, tmp_path, capsys):
    folder = tmp_path / "results"
    assert run_study(own, folder).repeated == {}
    before = read_results(folder)
    assert stale_results(folder, before["results"]) == {}
    (tmp_path / "mine.py").write_text(MINE.replace("SHARE", "0.4"))
    status = study_status(own, folder)
    assert (status.n_runs, status.n_done, status.stale) == (6, 4, {"mine": 2})
    assert stale_results(folder, before["results"]) == {"mine": 2}
    # A part of them, and then the rest.
    status = run_study(own, folder, repetitions=1, verbose=1)
    assert (status.repeated, status.stale) == ({"mine": 1}, {})
    assert "1 result of method mine is stale: its code" in capsys.readouterr().err
    assert stale_results(folder, read_results(folder)["results"]) == {"mine": 1}
    assert run_study(own, folder).repeated == {"mine": 1}
    after = read_results(folder)
    assert stale_results(folder, after["results"]) == {}
    old, new = (
        tables["results"].query("method == 'mine' and measure == 'fmax'")
        for tables in (before, after)
    )
    assert old["run"].tolist() == new["run"].tolist()
    assert (old["code"] != new["code"]).all()
    # Smaller scores in the same order.
    assert old["value"].tolist() == new["value"].tolist()
    constant = after["results"].query("method == 'constant'")
    assert set(constant["code"]) == {""}


def test_a_class_inside_the_parameters_counts_as_own_code(own, tmp_path):
    folder = tmp_path / "results"
    run_study(own, folder, methods="tree")
    (tmp_path / "trees.py").write_text(TREE + "  # edited")
    assert study_status(own, folder).stale == {"tree": 2}
    assert run_study(own, folder, methods=["tree", "constant"]).repeated == {"tree": 2}


def test_a_failed_run_of_an_edited_class_is_repeated_without_being_asked_for(
    own, tmp_path
):
    (tmp_path / "mine.py").write_text(MINE.replace("SHARE", "missing"))
    folder = tmp_path / "results"
    assert len(run_study(own, folder, methods="mine").failed) == 2
    (tmp_path / "mine.py").write_text(MINE.replace("SHARE", "0.5"))
    assert run_study(own, folder, methods="mine").failed == ()


def test_a_damaged_list_of_code_is_named(own, tmp_path):
    folder = tmp_path / "results"
    run_study(own, folder, methods="mine")
    results = read_results(folder)["results"]
    for content in ("{", "[1]", '{"mine": 3}'):
        (folder / "code.json").write_text(content)
        with pytest.raises(StudyStoreError, match=r"code.json: .*remove the file"):
            stale_results(folder, results)
