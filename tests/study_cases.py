"""Studies that tests run, and ways in which they end."""

import os
import signal

from hilabel.studies import run_study

# Small trees of scikit-learn, so that a run takes milliseconds.
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


def run_until_killed_at(n_calls, path, folder):
    """Run a study that is killed just before the n-th step that reaches the disk."""
    seen = 0

    def deadly(step):
        def call(*args):
            nonlocal seen
            seen += 1
            if seen == n_calls:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*args)

        return call

    os.fsync, os.replace = deadly(os.fsync), deadly(os.replace)
    run_study(path, folder)
