"""What users import, and what importing costs."""

import importlib
import subprocess
import sys

import pytest

import hilabel

PACKAGES = [
    "hierarchy",
    "datasets",
    "model_selection",
    "constraints",
    "metrics",
    "forests",
    "neighbors",
    "classifiers",
    "pseudo_labeling",
    "semi_supervised",
    "studies",
    "report",
    "persistence",
    "tasks",
    "report.study",
    "testing",
]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_name_exists_and_is_documented(name):
    package = importlib.import_module(f"hilabel.{name}")
    for public in package.__all__:
        assert getattr(package, public).__doc__, public


def test_unlabeled_is_minus_one():
    assert hilabel.UNLABELED == -1


def test_importing_hilabel_loads_no_heavy_package():
    code = "import sys, hilabel; print(*sys.modules)"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {module.split(".")[0] for module in out.stdout.split()}
    assert not loaded & {"pandas", "sklearn", "matplotlib", "rich", "pooch"}
