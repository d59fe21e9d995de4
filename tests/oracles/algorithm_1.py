"""SSHMC-BLI line by line: Algorithm 1, SISI and the variants, as printed in the paper.

Names are those of the paper: LD and CL are the labelled rows and their labels, IND the
neighbours of a row, PSL the pseudo-labels, None where invalid. Everything is a list.
"""

from math import dist
from typing import NamedTuple


class Result(NamedTuple):
    """The end of the loop: what the final classifier is trained on, and the passes."""

    pseudo_labels: list  # of each unlabelled row; None if it is not in LD
    n_passes: int
    neighborhood_sizes: list  # k in each pass


def algorithm_1(X, Y, U, k, THR, t2label, max_iterations, *, variant, k_step=10, n=3):
    """Run the loop on lists of rows; ``variant`` is 1, 2 or 3."""
    T = 1
    LD = [*X]
    CL = [*Y]
    # The unlabelled row that each row of LD is; None for the rows of X.
    number = [None] * len(X)
    before = [None] * len(U)  # no row has a pseudo-label yet
    sizes = []
    while True:
        sizes.append(k_in_pass(T, k, k_step) if variant == 3 else k)
        PSL = []
        for j, u in enumerate(U):
            excluded = None if variant == 1 else j
            IND = nearest_labeled(sizes[-1], u, LD, number, excluded)
            psl = build_pseudo_label(IND, CL, t2label)
            if any(psl) and sisi(u, [LD[i] for i in IND], n) < THR:
                psl = None
            PSL.append(psl if psl and any(psl) else None)
        if T > max_iterations or PSL == before:  # noqa: SIM300 - as printed
            break
        valid = [j for j in range(len(U)) if PSL[j] is not None]
        CL = [*Y, *(PSL[j] for j in valid)]
        LD = [*X, *(U[j] for j in valid)]
        number = [None] * len(X) + valid
        before = PSL
        T = T + 1
    # LD and CL come from the pass before the last.
    return Result(before, T, sizes)


def k_in_pass(T, k, k_step):
    """Return k, increased by one after each ``k_step`` passes."""
    for earlier in range(1, T):
        if earlier % k_step == 0:
            k = k + 1
    return k


def nearest_labeled(k, u, LD, number, excluded):
    """Return the positions in LD of the k nearest rows, without the row itself."""
    others = [i for i in range(len(LD)) if excluded is None or number[i] != excluded]
    return sorted(others, key=lambda i: dist(u, LD[i]))[:k]


def build_pseudo_label(IND, CL, t2label):
    """Return the labels that at least a share ``t2label`` of the neighbours have."""
    psl = []
    for j in range(len(CL[0])):
        ppsl = sum(CL[i][j] for i in IND) / len(IND)
        psl.append(1 if ppsl >= t2label else 0)
    return psl


def sisi(p, A, n):
    """Return the similarity of an instance with a set of instances."""
    k = len(A)
    total = 0.0
    for i in range(k):
        for j in range(i + 1, k):
            total += dist(A[i], A[j])
    lavg = total / (k * (k - 1) / 2)
    uavg = sum(dist(p, x) for x in A) / k
    if uavg <= lavg:
        return 1.0
    if uavg >= n * lavg:
        return 0.0
    return (lavg - uavg) / ((n - 1) * lavg) + 1
