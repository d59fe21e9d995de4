"""Fixtures that every test may use."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from hilabel.semi_supervised._blend_candidates import MOST_CELLS

# The networks of the tests are so small that programs compiled well do not pay.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_cpu_multi_thread_eigen=false",
)

# Time limits per example would fail on a loaded machine, not on a wrong program.
settings.register_profile("hilabel", deadline=None, derandomize=True)
# For `make nightly`, which tells the seed; a failure shows how to repeat it.
settings.register_profile(
    "nightly", deadline=None, derandomize=False, max_examples=500, print_blob=True
)
settings.load_profile("hilabel")


# The files that take longest come first, so that both processes end at the same time.
SLOW_FILES = ("test_docs.py", "test_walk.py", "test_examples.py", "test_common.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in SLOW_FILES)


def pytest_runtest_setup() -> None:
    """Let estimators without a ``random_state`` draw the same in every run."""
    np.random.seed(0)  # noqa: NPY002, the source that scikit-learn draws from


@pytest.fixture(scope="session", autouse=True)
def _blend_of_one_forest():
    """Let the default method try what it tries on very many labels: a forest alone.

    All candidates would take seconds in every test of a command. Tests of what is tried
    ask for ``every_candidate``.
    """
    usual, MOST_CELLS["quick"] = MOST_CELLS["quick"], 0
    yield usual
    MOST_CELLS["quick"] = usual


@pytest.fixture
def every_candidate(_blend_of_one_forest, monkeypatch):
    """Try all candidates but networks, which are compiled for long."""
    monkeypatch.setitem(MOST_CELLS, "quick", _blend_of_one_forest)
    monkeypatch.setitem(MOST_CELLS, "network", 0)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Return the folder of the real data sets; without it the test is skipped."""
    folder = os.environ.get("HILABEL_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the real data sets; set HILABEL_DATA to their folder")
    return Path(folder)
