"""A tiny study, and ways to compare what it leaves behind."""

import pandas as pd
import pytest
from study_cases import TINY

from hilabel.studies import TIMING_COLUMNS


@pytest.fixture
def tiny(tmp_path):
    """Return the path of a study of 36 runs that takes about a second."""
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


def without_times(tables):
    """Return the tables without the columns that no two runs share."""
    return {
        name: frame.drop(columns=[c for c in TIMING_COLUMNS if c in frame])
        for name, frame in tables.items()
    }


@pytest.fixture
def assert_same_results():
    """Return a check that two stores hold the same, bit for bit but for times."""

    def check(left, right):
        left, right = without_times(left), without_times(right)
        assert left.keys() == right.keys()
        for name in left:
            pd.testing.assert_frame_equal(left[name], right[name], check_exact=True)

    return check
