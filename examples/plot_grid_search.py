"""
A grid search with unlabelled rows
==================================

``GridSearchCV`` works with unlabelled rows: ``LabeledKFold`` splits the labelled rows,
and the unlabelled rows are in the training set of every fold and never in the test set.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_hierarchical_classification
from hilabel.forests import ForestClassifier
from hilabel.model_selection import LabeledKFold, mask_labels
from hilabel.semi_supervised import SSHMCBLI

data = make_hierarchical_classification(300, 8, n_nodes=10, random_state=0)
Y = mask_labels(data.Y, 0.3, random_state=0)  # 70 % of the rows become unlabelled

# %%
# The search
# ----------
# A pipeline scales the features first, because distances depend on their scale.

local = ForestClassifier(n_estimators=10)
model = make_pipeline(
    StandardScaler(), SSHMCBLI(data.hierarchy, estimator=local, random_state=0)
)
grid = {
    "sshmcbli__n_neighbors": [3, 5, 9],
    "sshmcbli__similarity_threshold": [0.3, 0.5, 0.7],
}
search = GridSearchCV(model, grid, cv=LabeledKFold(3)).fit(data.X, Y)
print(search.best_params_)
print(f"best               {search.best_score_:.3f}")

# %%
# Comparison with the constant predictor
# --------------------------------------
# The best of nine scores is biased upwards, since it was chosen on the same folds. If
# the other scores are about as good, the parameters hardly matter.

constant = PriorClassifier(data.hierarchy)
score = cross_val_score(constant, data.X, Y, cv=LabeledKFold(3)).mean()
print(f"constant predictor {score:.3f}")

results = pd.DataFrame(search.cv_results_)
table = results.pivot_table(
    "mean_test_score",
    "param_sshmcbli__n_neighbors",
    "param_sshmcbli__similarity_threshold",
)
figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
# The colours start at the constant predictor.
shown = ax.imshow(table, cmap="Blues", vmin=score, vmax=1)
ax.set_xticks(range(3), table.columns)
ax.set_yticks(range(3), table.index)
for row in range(3):
    for column in range(3):
        ax.text(column, row, f"{table.iat[row, column]:.3f}", ha="center", va="center")
ax.set(xlabel="similarity_threshold", ylabel="n_neighbors")
figure.colorbar(shown, label="micro average precision")
figure.savefig("grid_search.png")
