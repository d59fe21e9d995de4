"""Run a tiny study on import, so that forked processes start with everything loaded."""

import tempfile
import warnings
from pathlib import Path

from study_cases import TINY

from hilabel.studies import run_study

with tempfile.TemporaryDirectory() as _folder, warnings.catch_warnings():
    _path = Path(_folder) / "tiny.toml"
    _path.write_text(TINY)
    run_study(_path, Path(_folder) / "results")
