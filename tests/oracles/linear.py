"""Linear models by a general optimiser, one node after the other."""

import numpy as np
from scipy.optimize import minimize

from hilabel.linear import LinearSettings


def examples(Y, hierarchy, node, of_parents):
    """Return the rows in which a node is known and, if asked, has all its parents."""
    rows = Y[:, node] >= 0
    if of_parents:
        rows &= (Y[:, hierarchy.parents(node)] == 1).all(axis=1)
    return np.flatnonzero(rows)


def mean_loss(name, margin):
    """Return the losses and their slopes."""
    if name == "logistic":
        return np.logaddexp(0, -margin), -1 / (1 + np.exp(margin))
    missing = np.maximum(1 - margin, 0)
    return missing**2, -2 * missing


def train_one(X, has_node, settings: LinearSettings, weight, begin, bias_square):
    """Minimise the penalised loss; return the weights and the bias."""
    sign = np.where(has_node, 1.0, -1.0)

    def objective(parameters):
        w, b = parameters[:-1], parameters[-1]
        losses, slopes = mean_loss(settings.loss, sign * (X @ w + b))
        value = settings.cost * (weight @ losses) + w @ w / 2
        value += (b - begin) ** 2 / bias_square / 2
        slope = settings.cost * weight * slopes * sign
        return value, np.append(
            X.T @ slope + w, slope.sum() + (b - begin) / bias_square
        )

    start = np.append(np.zeros(X.shape[1]), begin)
    how = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9}
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options=how).x
    return found[:-1], found[-1]


def train(X, Y, hierarchy, settings: LinearSettings, weight=None):
    """Return the weights and biases of all nodes, without pruning or mining."""
    weight = np.ones(len(X)) if weight is None else weight
    bias_square = max(1.0, (X**2).sum() / len(X))
    models = []
    for node in range(hierarchy.n_nodes):
        rows = examples(Y, hierarchy, node, settings.negatives == "parents")
        has_node, costs = Y[rows, node] == 1, weight[rows]
        share = (costs @ has_node + 0.5) / (costs.sum() + 1)
        begin = np.log(share / (1 - share)) if settings.loss == "logistic" else 0.0
        models.append(train_one(X[rows], has_node, settings, costs, begin, bias_square))
    return np.array([w for w, _ in models]), np.array([b for _, b in models])


def multiply_by_parents(scores, hierarchy):
    """Return each score times the lowest product of the parents."""
    found = scores.copy()
    for node in hierarchy.order:
        parents = hierarchy.parents(node)
        if parents.size:
            found[:, node] *= found[:, parents].min(axis=1)
    return found
