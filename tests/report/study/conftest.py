"""Studies small enough to check by hand, and one that was really run."""

import pytest
from study_cases import TINY

from hilabel.report.study import write_study_report
from hilabel.report.study._results import StudyResults
from hilabel.studies import TABLES, RunRecord, read_study, run_study
from hilabel.studies._records import make_tables

FACTS = {
    "n_labeled": 10,
    "n_unlabeled": 100,
    "n_passes": None,
    "stop_reason": "",
    "n_pseudo_labeled": None,
    "params": "",
    "seed": 0,
    "dataset_hash": "",
    "started": "2026-01-01T00:00:00+00:00",
    "seconds": 1.0,
    "seconds_saved": 0.0,
    "peak_memory": 2**20,
    "hilabel": "0",
    "commit": "",
    "python": "3",
    "numpy": "2",
    "scipy": "1",
    "scikit_learn": "1",
    "joblib": "1",
    "warnings": "",
    "error": "",
}


@pytest.fixture
def record():
    """Return a maker of records of which only the interesting parts need saying."""

    def make(method, value, dataset="d", fraction=0.1, repetition=1, **rest):
        first = {} if value is None else {"micro_average_precision": value}
        measures = {**first, **rest.pop("measures", {})}
        tables = {name: rest.pop(name, []) for name in TABLES if name != "results"}
        name = f"{dataset} {fraction} {repetition} {method}"
        facts = {**FACTS, **rest}
        return RunRecord(
            name, dataset, fraction, repetition, method, facts, measures, **tables
        )

    return make


@pytest.fixture
def results_of(tmp_path):
    """Return a maker of results from records, with or without a study file."""

    def make(records, methods=None, supervised=None):
        study = None
        if methods is not None:
            path = tmp_path / "made.toml"
            path.write_text(_study_text(methods, supervised))
            study = read_study(path)
        return StudyResults("made", make_tables(records), study)

    return make


def _study_text(methods, supervised):
    lines = ["fractions = [0.1, 0.5]"]
    lines.append('datasets = [{ name = "d", source = "synthetic" }]')
    if supervised:
        lines.append(f'supervised = "{supervised}"')
    for method in methods:
        cls = {"constant": "PriorClassifier", "Blend": "Blend"}.get(
            method, "LocalClassifierPerNode"
        )
        lines += [f'[methods."{method}"]', f'class = "{cls}"']
    return "\n".join(lines)


@pytest.fixture(scope="session")
def tiny_store(tmp_path_factory):
    """Return the folder of a study that was run, two data sets and four methods."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.toml").write_text(TINY)
    run_study(folder / "tiny.toml", folder / "results")
    return folder / "results"


@pytest.fixture(scope="session")
def tiny_report(tiny_store, tmp_path_factory):
    """Return the page of that study."""
    return write_study_report(tiny_store, tmp_path_factory.mktemp("report"))
