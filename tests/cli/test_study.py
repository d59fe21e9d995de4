"""``hilabel study``: run, stop, go on, ask, report."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hilabel.cli.study import study
from hilabel.studies import block_scores, gap_closed, read_results, read_study

SMOKE = Path(__file__).parents[2] / "studies" / "smoke.toml"
BAD = """\
fractions = [1.2]
datasets = ["GO/pheno"]
[methods.a]
class = "PriorClassifier"
"""


def invoke(*arguments):
    arguments = [str(argument) for argument in arguments]
    return CliRunner().invoke(study, arguments, catch_exceptions=False)


def test_the_smoke_study_runs_and_tells_something(tmp_path):
    folder = tmp_path / "smoke"
    result = invoke("run", SMOKE, "-o", folder, "--quiet")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "48 of 48 runs done"
    assert lines[1] in ("Warnings, with the number of runs:", lines[-2])
    assert lines[-2:] == [
        f"Results: {folder / 'results.parquet'}",
        f"For a report: hilabel study report {folder}",
    ]
    results = read_results(folder)["results"]
    blocks = block_scores(results)
    assert blocks.shape == (4, 5)
    # Problems with so little noise can be learned: features beat frequencies.
    assert (blocks["LCN prior"] > blocks["constant"]).all()
    gaps = gap_closed(results, read_study(SMOKE).supervised)
    assert len(gaps) == 4 * 5
    assert gaps["full_score"].notna().all()
    report = invoke("report", folder, "-o", tmp_path / "page")
    assert report.output == f"Report: {tmp_path / 'page' / 'index.html'}\n"
    assert "Two made-up problems, small forests" in (
        tmp_path / "page" / "index.html"
    ).read_text(encoding="utf-8")
    status = invoke("status", SMOKE, "--output", folder)
    assert status.output == "48 of 48 runs done\n"
    outcome = json.loads(invoke("status", SMOKE, "-o", folder, "--json").output)
    outcome.pop("warnings")
    assert outcome == {
        "folder": str(folder),
        "n_runs": 48,
        "n_done": 48,
        "n_planned": 48,
        "stale": {},
        "repeated": {},
        "n_removed": 0,
        "failed": [],
    }


def test_studies_that_come_with_hilabel_are_listed_and_found_by_name(tmp_path):
    result = invoke("list")
    assert result.exit_code == 0
    assert "smoke         Two made-up problems, small forests\n" in result.output
    status = invoke("status", "smoke", "--output", tmp_path)
    assert (
        status.output == "0 of 48 runs done\n48 left, or running in another process\n"
    )


def test_a_study_that_is_nowhere_is_answered_with_those_that_come_with_hilabel():
    result = invoke("run", "smoky")
    assert result.exit_code == 2
    assert (
        "expected a study file or one of paper_go, profiles, smoke, unlabelled, "
        "unstratified, got 'smoky'"
    ) in " ".join(result.output.split())


def test_a_status_needs_a_folder(tmp_path):
    result = invoke("status", SMOKE, "--output", tmp_path / "none")
    assert result.exit_code == 2
    assert "this results folder does not exist" in " ".join(result.output.split())


def test_a_report_needs_results(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "hilabel", "study", "report", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "this table of results does not exist" in line
    assert list(tmp_path.iterdir()) == []


def test_failures_are_listed_and_change_the_exit_code(tiny_with_failures, tmp_path):
    result = invoke("run", tiny_with_failures, "--output", tmp_path / "r", "--quiet")
    assert result.exit_code == 4
    assert "repeat them with --retry-failed" in result.output
    assert "6 failed (see them all with 'hilabel study report'" in result.output
    assert "  bad on made 50% #1: ValueError: Expected at least" in result.output
    assert "  and 1 more" in result.output


@pytest.fixture
def tiny_with_failures(tmp_path):
    path = tmp_path / "failing.toml"
    path.write_text(
        "fractions = [0.5]\nrepetitions = 6\n"
        'datasets = [{ name = "made", source = "synthetic", n_samples = 40 }]\n'
        '[methods.bad]\nclass = "SSHMCBLI"\nparams = { n_neighbors = 50 }\n'
    )
    return path


def test_a_bad_file_ends_in_one_line_and_code_2(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(BAD)
    done = subprocess.run(
        [sys.executable, "-m", "hilabel", "study", "run", str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith(f"hilabel: {path}, line 1: fractions.0: expected a fraction")
    assert not (tmp_path / "study_results").exists()


def test_a_part_of_a_study_is_run_and_reported_with_what_is_missing(tmp_path):
    folder = tmp_path / "part"
    part = ("--dataset", "tree", "--fraction", "0.1", "--method", "constant")
    result = invoke("run", SMOKE, "-o", folder, *part, "--repetition", 1, "--quiet")
    assert result.exit_code == 0
    assert (
        result.output.splitlines()[0]
        == "1 of 1 selected runs done; the whole study has 48"
    )
    status = invoke("status", SMOKE, "-o", folder, "--method", "constant")
    assert status.output.splitlines()[0] == (
        "1 of 8 selected runs done; the whole study has 48"
    )
    invoke("report", folder, "-o", tmp_path / "page")
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "47 of 48 runs have not finished yet (all methods on all data sets)" in page
    assert "Runs that are missing" in page


def test_an_unknown_part_is_answered_with_the_parts_there_are(tmp_path):
    command = ["study", "run", str(SMOKE), "-o", str(tmp_path / "r"), "--method", "V9"]
    done = subprocess.run(
        [sys.executable, "-m", "hilabel", *command], capture_output=True, text=True
    )
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "one of constant, LCN, LCN prior, V2, V2 scaled" in line
    assert not (tmp_path / "r").exists()


def test_a_class_that_was_edited_makes_results_stale(tmp_path):
    code = "from hilabel.classifiers import PriorClassifier as Mine\n"
    (tmp_path / "mine.py").write_text(code)
    path = tmp_path / "own.toml"
    path.write_text(
        "fractions = [0.5]\nrepetitions = 3\n"
        'datasets = [{ name = "made", source = "synthetic", n_samples = 40 }]\n'
        'methods.mine = { class = "mine.py:Mine" }\n'
    )
    folder = tmp_path / "r"
    invoke("run", path, "-o", folder, "--quiet")
    (tmp_path / "mine.py").write_text(code + "# edited\n")
    status = invoke("status", path, "-o", folder).output
    assert "0 of 3 runs done\n" in status
    assert "3 results of method mine are stale: its code has changed\n" in status
    invoke("report", folder, "-o", tmp_path / "page")
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "3 results of method mine are stale: its code has changed. " in page
    again = invoke("run", path, "-o", folder)
    assert "3 results of method mine are stale: its code has changed" in again.stderr
    assert "3 stale result(s) of method mine were computed again\n" in again.stdout


def test_a_warning_of_many_runs_is_shown_once(tmp_path):
    path = tmp_path / "few.toml"
    path.write_text(
        "fractions = [0.3]\nrepetitions = 3\n"
        "datasets = [{ name = 'made', source = 'synthetic', n_samples = 80 }]\n"
        '[methods.few]\nclass = "SSHMCBLI"\n'
        'params = { max_iter = 1, profile = "authors", '
        'estimator = { class = "sklearn.naive_bayes.GaussianNB" } }\n'
    )
    result = invoke("run", path, "-o", tmp_path / "r", "--quiet")
    lines = result.output.splitlines()
    assert "Warnings, with the number of runs:" in lines
    [line] = [line for line in lines if "max_iter=1 stops in the first pass" in line]
    assert line.startswith("  3: HilabelWarning: ")
    status = invoke("status", path, "-o", tmp_path / "r", "--json").stdout
    assert 3 in json.loads(status)["warnings"].values()
