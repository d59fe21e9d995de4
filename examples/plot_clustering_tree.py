"""
Reading a clustering tree
=========================

A predictive clustering tree is one decision tree for the whole hierarchy. Each
leaf contains the share of its rows that have each label. A single tree can be read from
top to bottom; a forest scores better, but is too large to read.
"""

from tempfile import TemporaryDirectory

import pandas as pd

from hilabel.classifiers import (
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    PriorClassifier,
)
from hilabel.datasets import load_table, write_example
from hilabel.metrics import average_precision
from hilabel.model_selection import out_of_fold_scores
from hilabel.report import ClusteringTreeDisplay

with TemporaryDirectory() as folder:
    files = write_example(folder, "shop")
    shop = load_table(files["features"], files["labels"], files["hierarchy"]).dataset
X = pd.DataFrame(shop.X, columns=shop.feature_names)

# %%
# As text and as a figure
# -----------------------

tree = PredictiveClusteringTree(shop.hierarchy, max_depth=3, min_samples_leaf=5)
tree.fit(X, shop.Y)
print(tree.describe(max_labels=2))

figure = ClusteringTreeDisplay.from_estimator(tree).plot()
figure.savefig("clustering_tree.png")

# %%
# The cost of a readable model
# ----------------------------
# The scores are out-of-fold micro average precision. A tree with three levels of splits
# scores below a forest.

methods = {
    "tree of depth 3": tree,
    "tree, any depth": PredictiveClusteringTree(shop.hierarchy, random_state=0),
    "forest": PredictiveClusteringForest(
        shop.hierarchy, n_estimators=50, random_state=0
    ),
    "constant predictor": PriorClassifier(shop.hierarchy),
}
labelled = (shop.Y != -1).any(axis=1)
for name, method in methods.items():
    scores = out_of_fold_scores(method, X, shop.Y, n_splits=3, random_state=0)
    score = average_precision(shop.Y[labelled], scores[labelled])
    print(f"{name:20} {score:.3f}")
