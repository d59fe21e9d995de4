"""Label sets and the hierarchy: closing, checking, thinning.

Shapes used below, with ``n`` rows, ``L`` nodes and ``E`` edges:

- ``labels``       (n, L) bool, C-contiguous
- ``order``        (L,)   int64, every parent before its children
- ``parents_ptr``  (L+1,) int64 and ``parents_idx`` (E,) int64, the parents in CSR form
"""

import numba
import numpy as np

__all__ = ["ancestors_csr", "close_rows", "drop_implied", "first_violation"]


@numba.njit(cache=True, nogil=True)
def close_rows(labels, order, parents_ptr, parents_idx):
    """Set, in place, every ancestor of every label. O(n (L + E))."""
    for row in range(labels.shape[0]):
        # Children come before parents here, so one sweep reaches the roots.
        for position in range(order.shape[0] - 1, -1, -1):
            node = order[position]
            if labels[row, node]:
                for edge in range(parents_ptr[node], parents_ptr[node + 1]):
                    labels[row, parents_idx[edge]] = True


@numba.njit(cache=True, nogil=True)
def first_violation(labels, parents_ptr, parents_idx):
    """Return the first (row, node, parent) with node set and parent unset.

    (-1, -1, -1) says that there is none. O(n (L + E)).
    """
    for row in range(labels.shape[0]):
        for node in range(labels.shape[1]):
            if labels[row, node]:
                for edge in range(parents_ptr[node], parents_ptr[node + 1]):
                    if not labels[row, parents_idx[edge]]:
                        return row, node, parents_idx[edge]
    return -1, -1, -1


@numba.njit(cache=True, nogil=True)
def drop_implied(labels, closed, parents_ptr, parents_idx):
    """Unset, in place, every label that has a labelled descendant. O(n (L + E)).

    ``closed`` (n, L) bool is the ancestor closure of ``labels``.
    """
    for row in range(labels.shape[0]):
        for node in range(labels.shape[1]):
            if closed[row, node]:
                for edge in range(parents_ptr[node], parents_ptr[node + 1]):
                    labels[row, parents_idx[edge]] = False


@numba.njit(cache=True, nogil=True)
def ancestors_csr(parents_ptr, parents_idx):
    """Return all proper ancestors of every node as CSR arrays, sorted per node.

    One upward walk per node, twice: to count and to fill. Time and memory grow with
    the number of (node, ancestor) pairs, never with L squared.
    """
    n_nodes = parents_ptr.shape[0] - 1
    seen_by = np.full(n_nodes, -1, dtype=np.int64)
    stack = np.empty(n_nodes, dtype=np.int64)
    ptr = np.zeros(n_nodes + 1, dtype=np.int64)
    idx = np.empty(0, dtype=np.int64)
    for fill in (False, True):
        seen_by[:] = -1
        if fill:
            idx = np.empty(ptr[n_nodes], dtype=np.int64)
        for node in range(n_nodes):
            found = 0
            stack[0] = node
            height = 1
            while height > 0:
                height -= 1
                current = stack[height]
                for edge in range(parents_ptr[current], parents_ptr[current + 1]):
                    parent = parents_idx[edge]
                    if seen_by[parent] != node:
                        seen_by[parent] = node
                        stack[height] = parent
                        height += 1
                        if fill:
                            idx[ptr[node] + found] = parent
                        found += 1
            if fill:
                idx[ptr[node] : ptr[node + 1]].sort()
            else:
                ptr[node + 1] = ptr[node] + found
    return ptr, idx
