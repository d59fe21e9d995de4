"""Check and time the search of ``backend="jax"`` on the device of JAX.

``PYTHONPATH=src python -m benchmarks.neighbors_on_device [ROWS ...]`` needs only NumPy,
SciPy, scikit-learn and JAX. For some rows, the result is compared with a full sort of
their distances; difficult rows come first, and an incorrect result ends the program. If
hilabel is not built, as on a GPU machine without a compiler, NumPy replaces the engine,
and this part takes longer.
"""

import sys
import time
import types

import numpy as np
from scipy.spatial.distance import cdist

N_FEATURES, N_NEIGHBORS, N_CHECKED = 50, 5, 200
ROWS = (20_000, 200_000)


def recheck(queries, points, candidates, _, indices, distances):
    """Replace ``hilabel._engine.recheck`` for the Euclidean distance."""
    if candidates.shape[0] == 1:
        candidates = np.repeat(candidates, len(queries), axis=0)
        gaps = cdist(queries, points[candidates[0]])
    else:
        gaps = np.sqrt(((points[candidates] - queries[:, None]) ** 2).sum(axis=2))
    gaps[candidates < 0] = np.inf
    numbers = np.hstack([indices, candidates])
    gaps = np.hstack([distances, gaps])
    order = np.lexsort((numbers, gaps))[:, : indices.shape[1]]
    indices[:] = np.take_along_axis(numbers, order, axis=1)
    distances[:] = np.take_along_axis(gaps, order, axis=1)


def jax_search():
    """Return the search, with NumPy instead of the engine if it is not built."""
    try:
        import hilabel._engine
    except ImportError:
        import hilabel

        engine = types.ModuleType("hilabel._engine")
        engine.recheck = recheck
        sys.modules["hilabel._engine"] = hilabel._engine = engine
        print("hilabel is not built: NumPy computes the exact distances")
    from hilabel.neighbors import make_search

    return make_search("jax", "euclidean", n_jobs=-1)


def check(search, name, queries, points, k):
    """Compare the neighbours of some queries with a full sort of their distances."""
    indices, distances = search.nearest(queries, points, k)
    step = max(1, len(queries) // N_CHECKED)
    table = cdist(queries[::step], points)
    expected = np.argsort(table, axis=1, kind="stable")[:, :k]
    if not (indices[::step] == expected).all():
        sys.exit(f"{name}: wrong neighbours")
    table = np.take_along_axis(table, expected, axis=1)
    np.testing.assert_allclose(distances[::step], table, rtol=1e-12)


def check_hard_rows(search):
    """Check rows with ties, equal rows, large offsets and very different scales."""
    random = np.random.default_rng(0)
    normal = random.normal(size=(3_000, 8))
    far = np.vstack([normal[:50] * 1e-20, np.ones((1, 8))])
    cases = {
        "normal rows": (normal, normal),
        "rows in single precision": (normal[:100].astype(np.float32), normal),
        "far from the origin": (normal + 1e6, normal + 1e6),
        "ties on a grid": (*2 * [random.integers(0, 3, size=(2_000, 5)) * 1.0],),
        "equal rows": (*2 * [np.repeat(normal[:30], 40, axis=0)],),
        "tiny beside a far query": (far, normal * 1e-20),
        "fewer points than asked for": (normal[:9], normal[:3]),
    }
    for name, (queries, points) in cases.items():
        for k in (1, 5, 40):
            check(search, name, queries, points, min(k, len(points)))
        print(f"{name}: right")


def main(sizes):
    import jax

    print(f"JAX {jax.__version__} on {jax.devices()[0].device_kind}")
    search = jax_search()
    check_hard_rows(search)
    for n_rows in sizes:
        rows = np.random.default_rng(0).normal(size=(n_rows, N_FEATURES))
        seconds = []
        for _ in range(3):
            start = time.perf_counter()
            search.nearest(rows, rows, N_NEIGHBORS)
            seconds.append(time.perf_counter() - start)
        check(search, f"{n_rows} rows", rows[:1_000], rows, N_NEIGHBORS)
        print(
            f"{n_rows:,} rows x {N_FEATURES}, k={N_NEIGHBORS}: right; "
            f"first {seconds[0]:.2f} s, then {min(seconds[1:]):.2f} s"
        )


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or ROWS)
