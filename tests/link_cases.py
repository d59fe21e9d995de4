"""Training data with links, for tests."""

from dataclasses import replace

import numpy as np

from hilabel._validation import check_labels
from hilabel.classifiers import PriorClassifier
from hilabel.links import Links


def data_of(Y, A, fold=None, hierarchy=None, X=None):
    """Return validated training data of rows with links, by default without columns."""
    X = np.zeros((len(Y), 1)) if X is None else X
    labels = check_labels(Y, hierarchy, close=True).table
    data = PriorClassifier(hierarchy).check_training_data(X, labels)
    fold = None if fold is None else np.asarray(fold)
    return replace(data.with_links(Links.of(A, len(Y))), fold=fold)


def capped(scores, hierarchy):
    """Return scores of which no child exceeds a parent."""
    scores = scores.copy()
    for node in hierarchy.order:
        for parent in hierarchy.parents(node):
            scores[:, node] = np.minimum(scores[:, node], scores[:, parent])
    return scores
