"""A method from outside: through the checks, into a study, onto the page."""

import shutil
from pathlib import Path

from hilabel.report.study import write_study_report
from hilabel.studies import read_results, run_study
from hilabel.studies._user_code import find_class
from hilabel.testing import parametrize_with_checks

FILE = Path(__file__).with_name("label_propagation.py")
PAGE = Path(__file__).parents[2] / "docs" / "own_method.md"
STUDY = """
fractions = [0.2, 0.5]
measures = ["fmax"]
datasets = [{ name = "tree", source = "synthetic", n_samples = 200, n_nodes = 6 }]
[methods.constant]
class = "PriorClassifier"
[methods."by file"]
class = "label_propagation.py:LabelPropagation"
grid = { n_neighbors = [3, 5] }
[methods."by import path"]
class = "label_propagation.LabelPropagation"
grid = { n_neighbors = [3, 5] }
"""
LabelPropagation = find_class(f"{FILE.name}:LabelPropagation", FILE.parent)


@parametrize_with_checks([LabelPropagation()])
def test_it_passes_the_checks(estimator, check):
    check(estimator)


def test_it_is_short_and_stands_in_the_documents():
    source = FILE.read_text()
    assert len(source.splitlines()) < 40
    assert source.partition("\n\n")[2] in PAGE.read_text()


def test_a_study_runs_it_and_the_report_shows_it(tmp_path, monkeypatch):
    shutil.copy(FILE, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    assert not run_study(path, tmp_path / "results", n_jobs=1).failed
    results = read_results(tmp_path / "results")["results"]
    scores = results.groupby("method")["value"].mean()
    assert scores["by file"] == scores["by import path"] > scores["constant"]
    # The file is not beside the results, and need not be.
    page = write_study_report(tmp_path / "results", tmp_path / "report").read_text()
    assert page.count(">LabelPropagation</td>") == 2
    assert "n_neighbors = [3, 5]" in page
