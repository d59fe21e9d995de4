"""The pseudo-labelling loop, row by row, as its description reads."""

import numpy as np


def similarity(to_members, between_members, span, average):
    """SISI of one row with one set."""
    size = len(to_members)
    if size < 2:
        return 0.0
    total = sum(between_members[i][j] for i in range(size) for j in range(i))
    l = total / (size * (size - 1) / 2 if average == "pairs" else size)  # noqa: E741
    u = sum(to_members) / size
    if u <= l:
        return 1.0
    if u >= span * l:
        return 0.0
    return 1 + (l - u) / ((span - 1) * l)


def _vote(labels, threshold):
    """Return 1 or 0, as those who know have it, -1 if nobody knows."""
    if threshold == 0:
        return 1
    known = [label for label in labels if label != -1]
    return int(sum(known) / len(known) >= threshold) if known else -1


def pseudo_label(X_labeled, Y_labeled, X_unlabeled, settings):
    """Return (labels by row, number accepted per pass, reason to stop).

    Labels are 1, 0, and -1 where unknown.
    """
    n_labeled = len(X_labeled)
    points = np.vstack([X_labeled, X_unlabeled])
    distance = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    known = {row: Y_labeled[row] for row in range(n_labeled)}
    nothing = np.zeros((len(X_unlabeled), Y_labeled.shape[1]), dtype=int)
    compared = [nothing]
    counts = []
    k = settings.n_neighbors
    iteration = 0
    while True:
        iteration += 1
        if settings.k_step and iteration >= 2:
            passed = iteration - (settings.growth == "after")
            k += passed % settings.k_step == 0
        proposed, kept, accepted = nothing.copy(), nothing.copy(), {}
        for row in range(len(X_unlabeled)):
            own = n_labeled + row
            candidates = [p for p in known if p != own or not settings.exclude_self]
            nearest = sorted(candidates, key=lambda p: (distance[own, p], p))[:k]
            voted = [
                _vote([known[p][node] for p in nearest], settings.label_threshold)
                for node in range(Y_labeled.shape[1])
            ]
            if 1 in voted:
                proposed[row] = voted
            members = nearest
            if settings.similarity_set == "contributors":
                members = [
                    p for p in nearest if ((known[p] == 1) & (proposed[row] == 1)).any()
                ]
            score = similarity(
                [distance[own, p] for p in members],
                [[distance[p, q] for q in members] for p in members],
                settings.similarity_span,
                settings.similarity_average,
            )
            threshold = settings.similarity_threshold
            enough = (
                score >= threshold
                if settings.acceptance == "at_least"
                else score > threshold
            )
            if enough and 1 in voted:
                kept[row] = proposed[row]
                accepted[own] = proposed[row]
        counts.append(len(accepted))
        compared.append(kept if settings.convergence == "accepted" else proposed)
        reason = _reason(compared, iteration, settings)
        if reason:
            return known, counts, reason
        known = {row: Y_labeled[row] for row in range(n_labeled)} | accepted


def _reason(compared, iteration, settings):
    if (compared[-1] == compared[-2]).all():
        return "unchanged"
    if (
        iteration >= 2
        and settings.stop_on_cycle
        and (compared[-1] == compared[-3]).all()
    ):
        return "cycle"
    last = settings.max_iter + (settings.iteration_limit == "beyond")
    return "max_iter" if iteration >= last else None
