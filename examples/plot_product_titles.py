"""
A product taxonomy with titles
==============================

Products have titles, and their labels are paths such as ``Home > Kitchen > Pans``. The
paths define the hierarchy. Half of the products have no label yet.
"""

from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import pandas as pd

from hilabel.classifiers import LinearClassifier, PriorClassifier
from hilabel.datasets import load_table, write_example
from hilabel.metrics import per_depth_table
from hilabel.model_selection import out_of_fold_scores

with TemporaryDirectory() as folder:
    files = write_example(folder, "titles")
    print(pd.read_csv(files["features"]).head(3).to_string(index=False))
    print(pd.read_csv(files["labels"]).head(3).to_string(index=False))
    table = load_table(files["features"], files["labels"])

# %%
# Words become columns
# --------------------
# Each word, and each pair of adjacent words, is a column of a sparse matrix.

data = table.dataset
print(table.table.text, data.X.shape, data.hierarchy)

# %%
# Scores by depth
# ---------------
# Linear models are well suited to words. Their average precision is measured out of
# fold, at each depth of the taxonomy. The constant predictor gets worse with depth,
# because each shelf is rarer than its department. In these synthetic titles, every
# shelf has its own words, so they are nearly perfect at each depth; real titles are
# harder.

methods = {
    "linear models": LinearClassifier(data.hierarchy, scale=False, random_state=0),
    "constant predictor": PriorClassifier(data.hierarchy),
}
labelled = (data.Y != -1).any(axis=1)
by_depth = {}
for name, method in methods.items():
    scores = out_of_fold_scores(method, data.X, data.Y, n_splits=3, random_state=0)
    depths = per_depth_table(data.Y[labelled], scores[labelled], data.hierarchy)
    by_depth[name] = depths.set_index("depth")["micro_average_precision"]
by_depth = pd.DataFrame(by_depth)
print(by_depth.round(3))

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
by_depth.plot.bar(ax=axes, rot=0, color=["#0072B2", "#8A8A8A"])
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
axes.set(ylim=(0, 1), ylabel="micro average precision", xlabel="depth in the taxonomy")
figure.savefig("product_titles.png")

# %%
# Shelves for new products
# ------------------------

model = LinearClassifier(data.hierarchy, scale=False, random_state=0).fit(
    data.X, data.Y
)
unlabelled = (~labelled).nonzero()[0][:3]
for row, path in zip(
    unlabelled, model.predict_names(data.X[unlabelled], decode="path")
):
    print(data.sample_ids[row], "->", path[-1])
