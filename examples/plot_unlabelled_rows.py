"""
The value of unlabelled rows
============================

Images of the same digit are close together, so unlabelled images help if few images are
labelled. If many images are labelled, unlabelled images no longer help, and a method
that relies on them scores below others. If the features are unrelated to the labels,
unlabelled rows do not help at all.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from hilabel import Hierarchy
from hilabel.classifiers import NeighborsClassifier, PriorClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import mask_labels
from hilabel.semi_supervised import LabelSpreading

shapes = {"round": "0689", "straight": "147", "open": "235"}
hierarchy = Hierarchy.from_dict({shape: list(ds) for shape, ds in shapes.items()})
X, digit = load_digits(return_X_y=True)
own = np.array([[str(d) == name for name in hierarchy.names] for d in digit])
Y = hierarchy.close(own).astype(int)
X_train, Y_train, X_test, Y_test = X[:600], Y[:600], X[-400:], Y[-400:]

# %%
# Increasing numbers of labels
# ----------------------------
# ``mask_labels`` hides labels and preserves the frequencies of the nodes. Each score is
# the mean over three choices of the labelled rows.

methods = {
    "label spreading, all rows": LabelSpreading(hierarchy),
    "nearest neighbours, labelled rows": NeighborsClassifier(hierarchy),
    "constant predictor": PriorClassifier(hierarchy),
}


def compare(X_train, X_test):
    """Return the score of each method, by the number of labelled rows."""
    found = {}
    for n_labeled in (20, 40, 100, 300):
        means = dict.fromkeys(methods, 0.0)
        for seed in range(3):
            Y = mask_labels(Y_train, n_labeled / 600, random_state=seed)
            for name, method in methods.items():
                scores = method.fit(X_train, Y).predict_proba(X_test)
                means[name] += average_precision(Y_test, scores) / 3
        found[n_labeled] = means
    return pd.DataFrame(found).T


digits = compare(X_train, X_test)
print(digits.round(3).to_string())

# %%
# Uninformative features
# ----------------------
# Here, the rows of the features are shuffled, so that features and labels are
# unrelated. The remaining differences from the constant predictor are due to chance and
# to ties: for each node, the scores of the constant predictor are all tied, and average
# precision assumes the worst order of tied scores.

shuffled = np.random.default_rng(0).permutation(X)
noise = compare(shuffled[:600], shuffled[-400:])
print(noise.round(3).to_string())

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
colors = ["#0072B2", "#E69F00", "#8A8A8A"]
for ax, table, title in zip(axes, (digits, noise), ("digits", "shuffled digits")):
    table.plot(ax=ax, marker="o", color=colors, legend=ax is axes[0], title=title)
    ax.set(xscale="log", xlabel="labelled rows of 600", ylim=(0, 1.02))
    ax.set_xticks(table.index, table.index)
    ax.minorticks_off()
axes[0].set_ylabel("micro average precision")
figure.savefig("unlabelled_rows.png")
