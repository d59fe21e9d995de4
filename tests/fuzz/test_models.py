"""Changed model files: refused, or models like others. ``make fuzz`` makes more."""

from fuzz import models


def test_changed_files_are_refused_or_predict():
    assert models.run(250, 0, slow=False, keep=False) == []
