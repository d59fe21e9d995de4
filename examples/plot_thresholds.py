"""
Choosing thresholds
===================

By default, ``predict`` returns the labels with a probability of at least 0.5. With many
rare labels, this is far too strict. Choose better thresholds on rows that the model was
not trained on.
"""

import matplotlib.pyplot as plt
import numpy as np

from hilabel.classifiers import PredictiveClusteringForest, PriorClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import make_hierarchical_classification
from hilabel.metrics import choose_thresholds, hierarchical_f1
from hilabel.model_selection import out_of_fold_scores

data = make_hierarchical_classification(
    600, 10, n_nodes=30, labels_per_row=3, noise=0.3, random_state=0
)
X, Y, hierarchy = data.X[:400], data.Y[:400], data.hierarchy
X_test, Y_test = data.X[400:], data.Y[400:]

# %%
# Choosing out of fold
# --------------------
# We choose one threshold for all nodes, and one for each node. ``shrinkage`` keeps the
# thresholds of nodes with few positives close to the overall threshold.

model = PredictiveClusteringForest(hierarchy, n_estimators=50, random_state=0)
scores = out_of_fold_scores(model, X, Y, n_splits=3, random_state=0)
chosen = choose_thresholds(Y, scores, hierarchy, shrinkage=50)
print(f"for all nodes {chosen.overall:.2f}")
print(f"for each node from {chosen.per_node.min():.2f} to {chosen.per_node.max():.2f}")

# %%
# Evaluation on other rows
# ------------------------
# F1 on the rows used for the choice would be biased upwards, so we use other rows.

test_scores = model.fit(X, Y).predict_proba(X_test)
constant = PriorClassifier(hierarchy).fit(X, Y).predict_proba(X_test)


def f1(scores, threshold):
    """Return the hierarchical F1 of the labels at a threshold."""
    labels = labels_from_scores(scores, hierarchy, threshold, on_conflict="close")
    return hierarchical_f1(Y_test, labels, hierarchy)


print(f"0.5           {f1(test_scores, 0.5):.3f}")
print(f"for all nodes {f1(test_scores, chosen.overall):.3f}")
print(f"for each node {f1(test_scores, chosen.per_node):.3f}")

grid = np.linspace(0.02, 0.9, 45)
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(grid, [f1(test_scores, t) for t in grid], color="#0072B2", label="forest")
ax.plot(grid, [f1(constant, t) for t in grid], color="#8A8A8A", label="constant")
ax.axvline(chosen.overall, color="#CC3311", ls="--", label="chosen out of fold")
ax.axvline(0.5, color="black", lw=0.8, ls=":", label="0.5")
ax.set(xlabel="threshold", ylabel="hierarchical F1, test rows", ylim=(0, 1))
ax.legend()
figure.savefig("thresholds.png")
