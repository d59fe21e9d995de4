"""The benchmark at real size: its small parts, on rows made here."""

import sys
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from benchmarks._real_files import (
    copy_gaf_without,
    copy_lines,
    copy_rows,
    read_rows,
    write_lines,
    write_rows,
)
from benchmarks._real_jobs import Job, Wanted, all_jobs
from benchmarks._real_process import run_measured
from benchmarks._real_proteins import write_mers
from benchmarks._real_quality import Truth, quality_of, scores_in
from benchmarks._real_rivals import logistic, near_rows
from benchmarks._real_sets import SETS, few_of
from benchmarks._real_table import missed
from benchmarks._real_trees import scores_of_lists
from benchmarks.real import run

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.datasets import read_features

H = Hierarchy.from_edges([("a", "b")])


def measured(tmp_path, code, **limits):
    limits = {"most_seconds": 30, "most_gigabytes": 2} | limits
    return run_measured([sys.executable, "-c", code], tmp_path / "log", **limits)


# Commands ---------------------------------------------------------------------------


def test_a_command_has_its_output_time_and_memory(tmp_path):
    found = measured(
        tmp_path, "import time; x = b'1' * 10**8; time.sleep(.5); print(7)"
    )
    assert (found.output, found.failure) == ("7\n", "")
    assert 0.5 <= found.seconds < 30
    assert found.cpu_seconds > 0
    if sys.platform == "linux":
        assert 0.1 <= found.gigabytes < 0.3


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("raise ValueError('wrong file')", "ValueError: wrong file"),
        ("import os; os._exit(2)", "ended with code 2"),
        ("import os, signal; os.kill(os.getpid(), 11)", "ended by SIGSEGV"),
    ],
)
def test_a_command_that_fails_says_why(tmp_path, code, failure):
    assert measured(tmp_path, code).failure == failure


def test_a_command_is_stopped_at_its_limits(tmp_path):
    start = time.perf_counter()
    slow = measured(tmp_path, "import time; time.sleep(60)", most_seconds=0.5)
    assert slow.failure == "stopped after 0 s"
    assert time.perf_counter() - start < 30
    if sys.platform == "linux":
        code = "import time; x = b'1' * 4 * 10**8; time.sleep(60)"
        assert (
            "stopped at 0.2 GB" in measured(tmp_path, code, most_gigabytes=0.2).failure
        )


def test_an_allowed_exit_code_is_no_failure(tmp_path):
    assert not measured(tmp_path, "import os; os._exit(3)", allowed=(0, 3)).failure


# Files ------------------------------------------------------------------------------


def test_lines_and_rows_are_copied_by_id(tmp_path):
    source, target = tmp_path / "all.csv", tmp_path / "some.csv"
    write_lines(source, ("id", "text"), [("r1", "a, b"), ("r2", "c"), ("r3", "")])
    copy_lines(source, {"r1", "r3"}, target)
    assert target.read_text() == 'id,text\nr1,"a, b"\nr3,\n'
    gaf = tmp_path / "all.gaf"
    gaf.write_text("!gaf-version: 2.1\nX\tp1\tGO:1\nX\tp2\tGO:1\n")
    copy_gaf_without(gaf, ["p1"], target)
    assert target.read_text() == "!gaf-version: 2.1\nX\tp2\tGO:1\n"


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_are_read_as_they_were_written(tmp_path, form):
    X = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 3.0]])
    write_rows(tmp_path / "all.npz", ["p", "q", "r"], form(X), ["one", "two"])
    copy_rows(tmp_path / "all.npz", {"r", "p"}, tmp_path / "some.npz")
    ids, found, names = read_rows(tmp_path / "some.npz")
    assert (ids, names) == (["p", "r"], ["one", "two"])
    assert sp.issparse(found) == sp.issparse(form(X))
    np.testing.assert_array_equal(sp.csr_array(found).toarray(), X[[0, 2]])


def test_a_tenth_of_the_ids_is_always_the_same():
    ids = [f"r{row}" for row in range(200)]
    assert few_of(ids) == few_of(ids)
    assert len(set(few_of(ids))) == 20
    assert set(few_of(ids)) <= set(ids)


def test_proteins_are_written_as_they_are_read(tmp_path):
    fasta = tmp_path / "some.fasta"
    fasta.write_text(">p1 first\nAC\nAC\n\n>p2\nAX\n")
    write_mers(fasta, tmp_path / "some.npz")
    ids, X, names = read_rows(tmp_path / "some.npz")
    table = read_features(fasta)
    assert (tuple(ids), tuple(names)) == (table.ids, table.columns)
    np.testing.assert_array_equal(X.toarray(), table.sparse.values.toarray())


# Quality ----------------------------------------------------------------------------


def truth(counted=(True, True)):
    labels = LabelMatrix.of(np.array([[1, 1], [1, 0]], dtype=np.int8))
    ids, learned = (("r1", "r2"), ("t1", "t2")), np.array([True, False])
    return Truth(H, *ids, labels, labels, learned, np.array(counted))


def test_quality_is_that_of_the_measures():
    found = quality_of(truth(), np.array([[0.9, 0.2], [0.8, 0.3]]))
    # The positives have ranks 1, 2 and 4.
    assert found.micro == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert found.macro == pytest.approx((1 + 1 / 2) / 2)
    assert found.learned_micro == 1
    without_root = quality_of(truth((False, True)), np.array([[0.9, 0.2], [0.8, 0.3]]))
    assert without_root.micro == 1 / 2
    np.testing.assert_array_equal(truth().prior, [1, 0.5])


def test_predictions_are_matched_by_row_and_term(tmp_path):
    path = tmp_path / "predictions.parquet"
    lines = [("t2", "a", 0.5), ("t1", "b", 0.25), ("other", "a", 1.0), ("t1", "z", 1.0)]
    pd.DataFrame(lines, columns=["id", "term", "probability"]).to_parquet(path)
    np.testing.assert_array_equal(scores_in(path, truth()), [[0, 0.25], [0.5, 0]])


# Rivals -----------------------------------------------------------------------------


def rows():
    random = np.random.default_rng(0)
    X = sp.random_array((60, 12), density=0.4, rng=random, format="csr") + 0
    above = np.asarray(X[:, [0]].toarray() > 0).ravel()
    below = above & np.asarray(X[:, [1]].toarray() > 0).ravel()
    return X, sp.csr_array(np.column_stack([above, below]).astype(np.float32))


def test_votes_are_weighted_by_squared_similarity():
    X = sp.csr_array(np.eye(2))
    Y = sp.csr_array(np.array([[1.0, 0.0], [1.0, 1.0]]))
    _, found = near_rows(X, Y, sp.csr_array([[0.6, 0.8], [1.0, 0.0]]), H)
    np.testing.assert_allclose(found.toarray(), [[1, 0.64], [1, 0]])


def test_logistic_regressions_respect_the_hierarchy():
    X, Y = rows()
    seconds, found = logistic(X, Y, X, H)
    scores = found.toarray()
    assert (scores[:, 1] <= scores[:, 0]).all()
    assert ((scores > 0.5) == Y.toarray()).mean() > 0.9
    assert set(seconds) == {"fit", "predict"}


def test_lists_of_scores_become_a_matrix():
    found = scores_of_lists([[(1, 0.5), (0, 0.25)], [], [(2, 1.0)]], 3).toarray()
    np.testing.assert_array_equal(found, [[0.25, 0.5, 0], [0, 0, 0], [0, 0, 1]])


# Jobs -------------------------------------------------------------------------------


def test_a_job_runs_the_command_and_says_what_fit_expects(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = "--method", "PriorClassifier", "--jobs", "1"
    row = run(Job("prior", "demo/shop", options), sys.executable)
    assert "failure" not in row
    assert row["expected_micro"] == pytest.approx(row["expected_constant"], abs=0.05)
    assert row["fit_seconds"] > 0
    unknown = run(Job("unknown", "demo/shop", ("--sloow",)), sys.executable)
    assert "--sloow" in unknown["failure"]


# Table ------------------------------------------------------------------------------


def test_every_job_has_a_set_and_known_rivals():
    jobs = all_jobs()
    for job in jobs.values():
        assert job.of in SETS
        assert set(job.wanted.above) <= set(jobs)


def test_what_a_job_misses_is_named():
    wanted = Wanted(60, 4, 0.8, above=("x/plt",), within=0.01)
    job = Job("x", "wordnet", wanted=wanted)
    good = {
        "fit_seconds": 59,
        "fit_gigabytes": 3,
        "micro": 0.81,
        "learned_micro": 0.81,
        "expected_micro": 0.815,
        "calibration_error": 0.03,
        "expected_calibration_error": 0.02,
    }
    assert not [*missed(job, good, {"x/plt": {"micro": 0.815}})]
    assert [*missed(job, good, {})] == ["x/plt has no result"]
    bad = good | {
        "fit_seconds": 61,
        "fit_gigabytes": 5,
        "micro": 0.79,
        "learned_micro": 0.79,
        "calibration_error": 0.05,
    }
    assert [*missed(job, bad, {"x/plt": {"micro": 0.815}})] == [
        "fit in 60 s",
        "4 GB",
        "micro AP 0.800",
        "0.815 of x/plt",
        "expected quality: true is 0.790",
        "calibration error within 0.02",
    ]
