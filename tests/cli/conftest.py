"""Small files to run commands on, and the command itself."""

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from hilabel.cli import app
from hilabel.datasets import write_example

FEW_TREES = "estimator__n_estimators=5"


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs the command in this process."""
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*args):
        return CliRunner().invoke(app, [str(arg) for arg in args], prog_name="hilabel")

    return invoke


@pytest.fixture
def command():
    """Return a function that runs the command in a process of its own."""

    def execute(*args, cwd, **environment):
        return subprocess.run(
            [sys.executable, "-m", "hilabel", *map(str, args)],
            capture_output=True,
            encoding="utf-8",
            cwd=cwd,
            env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", **environment},
        )

    return execute


@pytest.fixture(scope="session")
def shop_source(tmp_path_factory):
    """Return a folder with the shop example and two models trained on it."""
    folder = tmp_path_factory.mktemp("shop")
    write_example(folder, "shop")
    write_example(folder, "go")
    for name, options in {
        "model": [],
        "plain": ["--no-measure"],
        "neighbors": ["--method", "SSHMCBLI"],
    }.items():
        args = ["fit", "products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
        args += ["-o", f"{name}.hilabel", "--set", FEW_TREES, "--folds", "2", *options]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            result = CliRunner().invoke(app, args, prog_name="hilabel")
        assert result.exit_code == 0, result.stderr
    return folder


@pytest.fixture
def shop(shop_source, tmp_path, monkeypatch):
    """Stand in a fresh copy of the shop folder."""
    folder = tmp_path / "shop"
    shutil.copytree(shop_source, folder)
    monkeypatch.chdir(folder)
    return folder
