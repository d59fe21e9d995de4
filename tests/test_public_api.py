"""What users import, and what importing costs."""

import subprocess
import sys

import hilabel


def test_unlabeled_is_minus_one():
    assert hilabel.UNLABELED == -1


def test_importing_hilabel_loads_no_heavy_package():
    code = "import sys, hilabel; print(*sys.modules)"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {module.split(".")[0] for module in out.stdout.split()}
    assert not loaded & {"pandas", "sklearn", "matplotlib", "rich", "pooch"}
