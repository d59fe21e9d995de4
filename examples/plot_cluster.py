"""
A model on a cluster
====================

All parallel work uses joblib, so it can run on a Dask cluster, with identical results.
Here, the cluster consists of two workers in this process; to use your own cluster,
replace ``LocalCluster`` with the address of its scheduler. Install Dask with ``pip
install 'hilabel[dask]'``.
"""

import joblib
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster
from sklearn.tree import DecisionTreeClassifier

from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.datasets import make_hierarchical_classification

data = make_hierarchical_classification(400, 10, n_nodes=15, random_state=0)
X, Y, X_test, Y_test = data.X[:300], data.Y[:300], data.X[300:], data.Y[300:]
tree = DecisionTreeClassifier(min_samples_leaf=5)
model = LocalClassifierPerNode(data.hierarchy, estimator=tree, random_state=0)
alone = model.fit(X, Y).predict_proba(X_test)

# %%
# The same fit on the workers
# ---------------------------
# There is one task for each group of nodes. Here, the workers are threads, which start
# immediately. On a real cluster, they are processes; in that case, put the code of a
# script under ``if __name__ == "__main__":``, because the workers import the script.

with (
    LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster,
    Client(cluster) as client,
    joblib.parallel_config(backend="dask"),
):
    together = model.fit(X, Y).predict_proba(X_test)
    print(len(client.scheduler_info()["workers"]), "workers")

print("identical:", np.array_equal(alone, together))
constant = PriorClassifier(data.hierarchy).fit(X, Y)
print(f"model              {model.score(X_test, Y_test):.3f}")
print(f"constant predictor {constant.score(X_test, Y_test):.3f}")

figure, ax = plt.subplots(figsize=(4, 4), layout="constrained")
ax.plot([0, 1], [0, 1], color="#8A8A8A", lw=0.8)
ax.plot(alone.ravel(), together.ravel(), ".", color="#0072B2")
ax.set(xlabel="score, one process", ylabel="score, on the cluster", aspect="equal")
figure.savefig("cluster.png")
