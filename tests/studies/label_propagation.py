"""Label propagation over a neighbour graph: a method written by a user of hilabel."""

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsRegressor

from hilabel.classifiers import BaseHierarchicalClassifier, MethodTags


class LabelPropagation(BaseHierarchicalClassifier):
    """Rows repeatedly adopt the mean labels of their neighbours."""

    method_tags = MethodTags(semi_supervised=True)

    def __init__(self, hierarchy=None, *, n_neighbors=5, max_iter=30):
        self.hierarchy = hierarchy
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def _fit(self, data):
        stack = sp.vstack if sp.issparse(data.X_labeled) else np.vstack
        X = stack([data.X_labeled, data.X_unlabeled])
        given = data.Y_labeled.astype(float)
        scores = np.tile(given.mean(axis=0), (data.n_rows, 1))
        nearest = KNeighborsRegressor(min(self.n_neighbors, data.n_rows))
        graph = sp.csr_array(nearest.fit(X, scores).kneighbors_graph(X))
        graph = graph.maximum(graph.T)
        degrees = graph.sum(axis=1)[:, np.newaxis]
        for _ in range(self.max_iter):
            scores[: len(given)] = given
            scores = graph @ scores / degrees
        self.neighbors_ = nearest.fit(X, scores)

    def _predict_scores(self, X):
        return self.neighbors_.predict(X)
