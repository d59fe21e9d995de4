"""
A study in ten lines
====================

A study runs methods on data sets at several labelled fractions, with several
repetitions. It is defined in one file, and can be interrupted and resumed at any time.
Install the requirements with ``pip install 'hilabel[study]'``.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt

from hilabel.studies import block_scores, mean_ranks, read_results, run_study

STUDY = """
fractions = [0.1, 0.3, 0.9]
repetitions = 2
measures = ["micro_average_precision"]
datasets = [
  { name = "tree", source = "synthetic", n_samples = 300 },
  { name = "DAG", source = "synthetic", n_samples = 300, structure = "dag" },
]
methods.constant = { class = "PriorClassifier" }
methods.forest = { class = "PredictiveClusteringForest" }
methods.spreading = { class = "LabelSpreading" }
"""

with TemporaryDirectory() as folder:
    path = Path(folder, "study.toml")
    path.write_text(STUDY, encoding="utf-8")
    print(run_study(path, Path(folder, "results")))
    results = read_results(Path(folder, "results"))["results"]

# %%
# Scores
# ------
# A block is a data set at a labelled fraction; its score is the mean over repetitions.
# ``hilabel study report`` writes a page with these scores, statistical tests and all
# results.

blocks = block_scores(results)
print(blocks.round(3))
print(mean_ranks(blocks))

names = list(blocks.index.unique("dataset"))
colors = {"constant": "#8A8A8A", "forest": "#0072B2", "spreading": "#E69F00"}
figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True, layout="constrained")
for ax, name in zip(axes, names):
    blocks.loc[name].plot(ax=ax, marker="o", title=name, color=colors)
    ax.set(xlabel="labelled fraction", ylim=(0, 1))
axes[0].set_ylabel("micro average precision")
figure.savefig("study.png")

# %%
# Six blocks of two synthetic data sets are not enough for a conclusion. Friedman's test
# and critical differences (:func:`hilabel.studies.compare_ranks`) need more data
# sets.
