"""Scores and the hierarchy: a child never above a parent.

``scores`` is (n, L) float, C-contiguous; the other arrays are as in ``closure``.
"""

import numba

__all__ = ["cap_rows", "count_violations", "keep_supported", "raise_rows"]


@numba.njit(cache=True, nogil=True)
def cap_rows(scores, order, parents_ptr, parents_idx):
    """Lower, in place, every score to the least of its ancestors'. O(n (L + E))."""
    for row in range(scores.shape[0]):
        for node in order:
            least = scores[row, node]
            for edge in range(parents_ptr[node], parents_ptr[node + 1]):
                least = min(least, scores[row, parents_idx[edge]])
            scores[row, node] = least


@numba.njit(cache=True, nogil=True)
def raise_rows(scores, order, parents_ptr, parents_idx):
    """Raise, in place, every score to the largest of its descendants'. O(n (L + E))."""
    for row in range(scores.shape[0]):
        for position in range(order.shape[0] - 1, -1, -1):
            node = order[position]
            for edge in range(parents_ptr[node], parents_ptr[node + 1]):
                parent = parents_idx[edge]
                scores[row, parent] = max(scores[row, parent], scores[row, node])


@numba.njit(cache=True, nogil=True)
def keep_supported(labels, order, parents_ptr, parents_idx):
    """Unset, in place, every label with an unset ancestor. O(n (L + E))."""
    for row in range(labels.shape[0]):
        for node in order:
            for edge in range(parents_ptr[node], parents_ptr[node + 1]):
                if not labels[row, parents_idx[edge]]:
                    labels[row, node] = False
                    break


@numba.njit(cache=True, nogil=True)
def count_violations(scores, parents_ptr, parents_idx):
    """Return (edges violated, cells violated, largest excess, summed excess).

    A (row, parent, child) edge is violated when the child scores above the parent; a
    (row, node) cell when any of its edges is. The excess is child minus parent.
    O(n E).
    """
    n_edges = 0
    n_cells = 0
    largest = 0.0
    total = 0.0
    for row in range(scores.shape[0]):
        for node in range(scores.shape[1]):
            violated = False
            for edge in range(parents_ptr[node], parents_ptr[node + 1]):
                excess = scores[row, node] - scores[row, parents_idx[edge]]
                if excess > 0:
                    violated = True
                    n_edges += 1
                    total += excess
                    largest = max(largest, excess)
            if violated:
                n_cells += 1
    return n_edges, n_cells, largest, total
