"""Studies that tests run."""

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
