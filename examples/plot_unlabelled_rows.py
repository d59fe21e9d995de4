"""
What unlabelled rows are worth
==============================

Two interlocked moons, each cut into two halves: four leaves under two parents. The more
rows are labelled, the less unlabelled rows add. And where features have nothing to do
with the labels, they add nothing at all.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_moons

from hilabel import Hierarchy
from hilabel.classifiers import NeighborsClassifier, PriorClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import mask_labels
from hilabel.semi_supervised import LabelSpreading

hierarchy = Hierarchy.from_dict(
    {"upper": ["upper left", "upper right"], "lower": ["lower left", "lower right"]}
)
X, moon = make_moons(1000, noise=0.15, random_state=0)
right = X[:, 0] > np.where(moon == 0, 0, 1)
leaf = hierarchy.leaves[2 * moon + right]  # in the order of the names above
Y = hierarchy.close(np.arange(hierarchy.n_nodes) == leaf[:, np.newaxis]).astype(int)
X_train, Y_train, X_test, Y_test = X[:600], Y[:600], X[600:], Y[600:]

# %%
# More and more labels
# --------------------
# ``mask_labels`` hides labels and keeps the frequencies of the nodes. Each figure is
# the mean of three choices of the labelled rows.

methods = {
    "label spreading, all rows": LabelSpreading(hierarchy),
    "nearest neighbours, labelled rows": NeighborsClassifier(hierarchy),
    "constant predictor": PriorClassifier(hierarchy),
}


def compare(X_train, X_test):
    """Return the score of each method, by the number of labelled rows."""
    found = {}
    for n_labeled in (8, 16, 40, 200):
        means = dict.fromkeys(methods, 0.0)
        for seed in range(3):
            Y = mask_labels(Y_train, n_labeled / 600, random_state=seed)
            for name, method in methods.items():
                scores = method.fit(X_train, Y).predict_proba(X_test)
                means[name] += average_precision(Y_test, scores) / 3
        found[n_labeled] = means
    return pd.DataFrame(found).T


moons = compare(X_train, X_test)
print(moons.round(3).to_string())

# %%
# The same without any information
# --------------------------------
# Rows are shuffled, so that features no longer belong to their labels. What is left
# around the constant predictor is chance, and ties: its scores are nothing but ties,
# which average precision counts at their worst.

shuffled = np.random.default_rng(0).permutation(X)
noise = compare(shuffled[:600], shuffled[600:])
print(noise.round(3).to_string())

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
colors = ["#0072B2", "#E69F00", "#8A8A8A"]
for ax, table, title in zip(axes, (moons, noise), ("two moons", "shuffled features")):
    table.plot(ax=ax, marker="o", color=colors, legend=ax is axes[0], title=title)
    ax.set(xscale="log", xlabel="labelled rows of 600", ylim=(0, 1.02))
axes[0].set_ylabel("micro average precision")
figure.savefig("unlabelled_rows.png")
