"""Self-training, slow and obvious: one node, or one classifier, after the other."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.semi_supervised import SelfTrainingClassifier


def self_train_node(estimator, X, positive, negative, X_unlabeled, **options):
    """Fit scikit-learn's self-training to the examples of one node."""
    rows = np.union1d(positive, negative)
    y = np.concatenate(
        [np.isin(rows, positive).astype(int), np.full(len(X_unlabeled), -1)]
    )
    model = SelfTrainingClassifier(clone(estimator), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # nothing unlabelled, few rows
        return model.fit(np.concatenate([X[rows], X_unlabeled]), y)


def cascade(estimator, X, examples, X_unlabeled, hierarchy, **options):
    """Return a model or a constant per node, children on their parent's positives."""
    models, pool = {}, {}
    for node in hierarchy.order:
        parents = hierarchy.parents(node)
        pool[node] = np.arange(len(X_unlabeled))
        if parents.size:
            above = pool[parents[0]]
            keep = [says_yes(models[parents[0]], X_unlabeled[[row]]) for row in above]
            pool[node] = above[np.array(keep, dtype=bool)]
        positive, negative = examples[node]
        models[node] = (
            self_train_node(
                estimator, X, positive, negative, X_unlabeled[pool[node]], **options
            )
            if positive.size and negative.size
            else float(positive.size > 0)
        )
    return models


def says_yes(model, row):
    if isinstance(model, float):
        return model == 1
    probability = model.predict_proba(row)[0]
    return probability[1] > probability[0]


def train_on_whole_paths(make_classifier, X, Y, X_unlabeled, threshold, max_iter):
    """Label rows with the paths of a top-down classifier; return (model, labels)."""
    labels = np.full((len(X_unlabeled), Y.shape[1]), -1)
    model = make_classifier().fit(X, Y)
    for _ in range(max_iter):
        changed = False
        for row in np.flatnonzero(labels[:, 0] == -1):
            path = model.predict(X_unlabeled[[row]])[0]
            local = model._local_scores(X_unlabeled[[row]])[0]
            if local[path == 1].min() > threshold:
                labels[row], changed = path, True
        if not changed:
            break
        known = labels[:, 0] >= 0
        model = make_classifier().fit(
            np.concatenate([X, X_unlabeled[known]]), np.concatenate([Y, labels[known]])
        )
    return model, labels
