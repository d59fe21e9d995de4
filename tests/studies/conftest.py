"""A tiny study, and ways to compare what it leaves behind."""

import pandas as pd
import pytest

from hilabel.studies import TIMING_COLUMNS

# Trees of scikit-learn need no compiled kernels, so that a run takes milliseconds.
TINY = """\
seed = 0
fractions = [0.2, 0.5]
repetitions = 2
supervised = "LCN"
measures = ["micro_average_precision", "fmax"]
datasets = [
  { name = "tree", source = "synthetic", n_samples = 120, n_nodes = 6 },
  { name = "dag", source = "synthetic", n_samples = 120, n_nodes = 6, structure = "dag" },
]

[methods.constant]
class = "PriorClassifier"

[methods.LCN]
class = "LocalClassifierPerNode"
params = { estimator = { class = "sklearn.tree.DecisionTreeClassifier", max_depth = 3 } }

[methods.V1]
class = "SSHMCBLI"
params = { variant = "v1", estimator = { class = "sklearn.tree.DecisionTreeClassifier", max_depth = 3 } }
grid = { n_neighbors = [2, 3], similarity_threshold = [0.3, 0.7] }

[methods.V2]
class = "SSHMCBLI"
params = { variant = "v2", max_iter = 10, estimator = { class = "sklearn.tree.DecisionTreeClassifier", max_depth = 3 } }
grid = { n_neighbors = [2, 3], similarity_threshold = [0.3, 0.7] }
"""  # noqa: E501


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
