"""Random numbers inside kernels: a stream per tree, the same on any machine."""

import numba
import numpy as np

__all__ = ["random_below", "seed_stream"]


@numba.njit(cache=True, nogil=True, forceinline=True)
def _next_random(state):
    """Advance a splitmix64 generator (Steele, Lea and Flood, 2014), state in place."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@numba.njit(cache=True, nogil=True, forceinline=True)
def random_below(state, bound):
    """Return an integer from 0 to bound - 1; bound < 2**31."""
    high = _next_random(state) >> np.uint64(32)
    return np.int64((high * np.uint64(bound)) >> np.uint64(32))


@numba.njit(cache=True, nogil=True)
def seed_stream(state, seed, node, tree):
    """Start the stream of one tree, which depends on these three numbers alone."""
    state[0] = np.uint64(seed)
    for part in (node, tree):
        state[0] = _next_random(state) ^ (
            np.uint64(part) * np.uint64(0xD1342543DE82EF95)
        )
    _next_random(state)
