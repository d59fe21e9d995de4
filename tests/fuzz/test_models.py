"""Changed model files: refused, or models like others. See also ``make fuzz``."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

from fuzz import models
from hilabel.exceptions import ModelFileError
from hilabel.persistence import load_model

KEPT = sorted(models.FAILURES.glob("*.hilabel"))


def test_changed_files_are_refused_or_predict():
    assert models.run(500, 0, networks=False, keep=False) == []


@pytest.mark.skipif(not KEPT, reason="no file has failed since the last was mended")
def test_files_that_failed_before_do_not_fail_again(tmp_path):
    command = [sys.executable, "-m", "fuzz.models", "--replay", *map(str, KEPT)]
    done = subprocess.run(command, cwd=models.FAILURES.parents[1], capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
