"""Versions and commit."""

import subprocess
from pathlib import Path

import numpy as np

from hilabel import __version__
from hilabel.studies._environment import versions


def test_versions_are_those_that_compute():
    found = versions()
    assert found["hilabel"] == __version__
    assert found["numpy"] == np.__version__


def test_the_commit_is_that_of_the_source_tree():
    root = Path(__file__).parents[2]
    done = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True
    )
    # A copy of the files outside of git has no commit to name.
    expected = done.stdout.strip() if done.returncode == 0 else ""
    assert versions()["commit"].removesuffix("-changed") == expected
