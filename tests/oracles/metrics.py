"""Plain, slow versions of the measures: loops over cells, straight from definitions.

``Y`` holds 1, 0 and -1; ``scores`` and ``labels`` have its shape.
"""

import math

import numpy as np


def known_cells(Y):
    """Yield (row, node) of the cells that are labelled."""
    for row in range(Y.shape[0]):
        for node in range(Y.shape[1]):
            if Y[row, node] != -1:
                yield row, node


def average_precision(Y, scores):
    """Sum precision times gained recall over all distinct scores, from the top."""
    cells = list(known_cells(Y))
    n_positive = sum(Y[cell] == 1 for cell in cells)
    total, previous_recall = 0.0, 0.0
    for threshold in sorted({scores[cell] for cell in cells}, reverse=True):
        predicted = [cell for cell in cells if scores[cell] >= threshold]
        n_true = sum(Y[cell] == 1 for cell in predicted)
        recall = n_true / n_positive
        total += (recall - previous_recall) * n_true / len(predicted)
        previous_recall = recall
    return total


def precision_recall_f1(Y, labels, average):
    """Compare sets row by row; both sets must be closed already."""
    pairs = []
    for row in range(Y.shape[0]):
        known = [node for node in range(Y.shape[1]) if Y[row, node] != -1]
        if known:
            pairs.append(
                (
                    {(row, node) for node in known if Y[row, node] == 1},
                    {(row, node) for node in known if labels[row, node] == 1},
                )
            )
    if average == "micro":
        pairs = [
            (
                set().union(*(true for true, _ in pairs)),
                set().union(*(predicted for _, predicted in pairs)),
            )
        ]
    values = [_precision_recall_f1_of_sets(*pair) for pair in pairs]
    return tuple(np.mean(values, axis=0))


def _precision_recall_f1_of_sets(true, predicted):
    if not true and not predicted:
        return 1.0, 1.0, 1.0
    shared = len(true & predicted)
    precision = shared / len(predicted) if predicted else 0.0
    recall = shared / len(true) if true else 0.0
    return precision, recall, 2 * shared / (len(true) + len(predicted))


def f_at(Y, scores, threshold):
    """Return the protein-centric (F1, precision, recall, coverage) at a threshold."""
    precisions, recalls = [], []
    for row in range(Y.shape[0]):
        true = {n for n in range(Y.shape[1]) if Y[row, n] == 1}
        predicted = {
            n
            for n in range(Y.shape[1])
            if Y[row, n] != -1 and scores[row, n] >= threshold
        }
        if not true:
            continue
        recalls.append(len(true & predicted) / len(true))
        if predicted:
            precisions.append(len(true & predicted) / len(predicted))
    precision = sum(precisions) / len(precisions) if precisions else 0.0
    recall = sum(recalls) / len(recalls)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f1, precision, recall, len(precisions) / len(recalls)


def semantic_distance_at(Y, scores, information, threshold):
    """Return (distance, remaining uncertainty, misinformation) at a threshold."""
    rows = [row for row in range(Y.shape[0]) if (Y[row] == 1).any()]
    missed = wrong = 0.0
    for row in rows:
        for node in range(Y.shape[1]):
            is_predicted = scores[row, node] >= threshold
            if Y[row, node] == 1 and not is_predicted:
                missed += information[node]
            if Y[row, node] == 0 and is_predicted:
                wrong += information[node]
    missed, wrong = missed / len(rows), wrong / len(rows)
    return math.sqrt(missed**2 + wrong**2), missed, wrong


def information_accretion(Y, hierarchy, pseudo_count):
    """Count, for each node, the rows that have all its parents; Y must be closed."""
    result = []
    for node in range(hierarchy.n_nodes):
        parents = list(hierarchy.parents(node))
        n_given = n_seen = 0
        for row in Y:
            if row[node] == -1 or any(row[parent] == -1 for parent in parents):
                continue
            if all(row[parent] == 1 for parent in parents):
                n_given += 1
                n_seen += row[node] == 1
        extra = pseudo_count
        if pseudo_count == 0 and n_seen == 0:
            extra = 1
        result.append(-math.log2((n_seen + extra) / (n_given + extra)))
    return np.array(result)


def violations(scores, hierarchy):
    """Return (edges, cells, rows, largest, total) where a child is above a parent."""
    edges, cells, rows, excesses = 0, set(), set(), [0.0]
    for row in range(scores.shape[0]):
        for parent, child in hierarchy.edges:
            excess = float(scores[row, child]) - float(scores[row, parent])
            if excess > 0:
                edges += 1
                cells.add((row, int(child)))
                rows.add(row)
                excesses.append(excess)
    return edges, len(cells), len(rows), max(excesses), sum(excesses)


def best_thresholds(Y, scores, hierarchy, min_positives, overall):
    """Try every score of every node, children first; ancestors come along."""
    n_rows, n_nodes = Y.shape
    thresholds = [overall] * n_nodes
    predicted = np.zeros(Y.shape, dtype=bool)
    for node in reversed(list(hierarchy.order)):
        brought = [
            any(predicted[row, child] for child in hierarchy.children(node))
            for row in range(n_rows)
        ]
        known = [row for row in range(n_rows) if Y[row, node] != -1]
        if sum(Y[row, node] == 1 for row in known) >= max(min_positives, 1):
            best = -1.0
            for threshold in sorted({scores[row, node] for row in known}):
                chosen = {
                    row
                    for row in known
                    if brought[row] or scores[row, node] >= threshold
                }
                true = {row for row in known if Y[row, node] == 1}
                f1 = 2 * len(chosen & true) / (len(chosen) + len(true))
                if f1 > best:
                    best, thresholds[node] = f1, threshold
        for row in range(n_rows):
            predicted[row, node] = brought[row] or scores[row, node] >= thresholds[node]
    return np.array(thresholds), predicted


def best_pooled_f1(Y, scores):
    """Try every score of every cell; return the lowest of the best, and its F1."""
    cells = list(known_cells(Y))
    true = {cell for cell in cells if Y[cell] == 1}
    best, best_threshold = -1.0, None
    for threshold in sorted({scores[cell] for cell in cells}):
        chosen = {cell for cell in cells if scores[cell] >= threshold}
        f1 = 2 * len(chosen & true) / (len(chosen) + len(true))
        if f1 > best:
            best, best_threshold = f1, threshold
    return best_threshold, best
