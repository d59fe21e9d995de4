"""Fixtures that every test may use."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# The networks of the tests are small: what the compiler optimises last does not pay.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=1 --xla_cpu_multi_thread_eigen=false",
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


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Return the folder of the real data sets; without it the test is skipped."""
    folder = os.environ.get("HILABEL_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the real data sets; set HILABEL_DATA to their folder")
    return Path(folder)
