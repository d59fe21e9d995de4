"""Every search beside the exact one, and the exact one beside plain differences."""

import importlib.util
import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from oracles import nearest as oracle
from scipy.spatial.distance import cdist

from hilabel.exceptions import HilabelWarning
from hilabel.neighbors import (
    ActiveNeighbors,
    CellSearch,
    ExactSearch,
    Metric,
    _active,
    _approximate,
    _exact,
    _expansion,
    _search,
    make_search,
)
from hilabel.neighbors._pynndescent import PynndescentSearch

EUCLIDEAN = Metric("euclidean")


def needs(package):
    return pytest.mark.skipif(
        importlib.util.find_spec(package) is None, reason=f"{package} is not installed"
    )


# pynndescent compiles for half a minute in every process, and again for sparse rows.
patient = pytest.mark.skipif(
    not os.environ.get("HILABEL_SLOW_TESTS"),
    reason="compiles for long; set HILABEL_SLOW_TESTS=1",
)
IN_CELLS = ["cells"]
APPROXIMATE = [
    *IN_CELLS,
    pytest.param("pynndescent", marks=[needs("pynndescent"), patient]),
]


def make(backend, metric="euclidean", n_jobs=None, random_state=0):
    """Return an approximate search that does approximate, on few rows already."""
    if backend == "cells":
        return CellSearch(Metric(metric), n_jobs, random_state, comparisons=800)
    return make_search(backend, metric, n_jobs, random_state)


def clustered_rows(n_rows=3_000, n_features=16, seed=0):
    random = np.random.default_rng(seed)
    centres = random.normal(size=(30, n_features)) * 3
    rows = centres[random.integers(30, size=n_rows)]
    return rows + random.normal(size=rows.shape)


def recall(found, expected):
    shared = [len(set(a) & set(b)) for a, b in zip(found, expected)]
    return np.mean(shared) / expected.shape[1]


def assert_same(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


# Exact ------------------------------------------------------------------------------


def by_differences(queries, points, k):
    with np.errstate(over="ignore", under="ignore"):
        return oracle.smallest_per_row(cdist(queries, points), k)


@st.composite
def hard_rows(draw):
    """Draw rows with ties, duplicates, far offsets and scales that cancel."""
    random = np.random.default_rng(draw(st.integers(0, 999)))
    n_features = draw(st.sampled_from([1, 2, 5, 40]))
    shape = draw(st.integers(1, 90)), n_features
    kind = draw(st.sampled_from(["grid", "normal", "duplicates", "near ties"]))
    rows = random.normal(size=shape)
    if kind == "grid":
        rows = random.integers(-2, 3, size=shape).astype(float)
    elif kind == "duplicates":
        rows = rows[random.integers(0, max(1, shape[0] // 15), size=shape[0])]
    elif kind == "near ties":
        rows = np.sign(rows) + random.integers(0, 2, size=shape) * 1e-15
    offset = draw(st.sampled_from([0.0, 1.0, 1e6, 1e12]))
    scale = draw(st.sampled_from([1.0, 1 / 3, 1e-170, 1e-8, 1e160, 1e307]))
    with np.errstate(over="ignore"):
        rows = (rows + offset) * scale
    return rows[np.isfinite(rows).all(axis=1)]


@settings(max_examples=300)
@given(hard_rows(), st.integers(1, 12), st.sampled_from([1, 95, 2**22]))
def test_exact_search_is_bit_for_bit_that_of_differences(rows, k, cells):
    queries = rows[::2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_exact, "_CELLS_PER_BLOCK", cells)
        found = ExactSearch(EUCLIDEAN).nearest(queries, rows, k)
        among = ExactSearch(EUCLIDEAN).nearest(rows, rows, k)
    assert_same(found, by_differences(queries, rows, k))
    assert_same(among, by_differences(rows, rows, k))


def test_most_rows_need_no_second_search(monkeypatch):
    """Guards the speed: without ties the candidates are proven as they are."""
    rows = np.random.default_rng(0).normal(size=(500, 8)) + 1_000

    def refuse(*_):
        raise AssertionError("searched by differences")

    monkeypatch.setattr(_expansion, "_by_differences", refuse)
    ExactSearch(EUCLIDEAN).nearest(rows, rows, 5)


def test_rows_in_doubt_are_searched_again():
    """Guards the bit-for-bit test: equal candidates beyond the list prove nothing."""
    rows = np.repeat(np.random.default_rng(0).normal(size=(3, 8)), 30, axis=0)
    frame = _expansion.Frame.around(rows, rows, np.float64)
    last = np.tile(np.arange(10, 20), (90, 1))  # not the lowest of the equal rows
    found = _expansion.prove(frame, rows, rows, last, np.zeros(90), 5, 7)
    assert_same(found, by_differences(rows, rows, 5))


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_array])
def test_exact_search_does_not_depend_on_the_number_of_jobs(monkeypatch, name, as_rows):
    monkeypatch.setattr(_exact, "_CELLS_PER_BLOCK", 1_000)
    rows = as_rows(np.random.default_rng(0).random((150, 6)))
    one, two = (ExactSearch(Metric(name), n).nearest(rows, rows, 7) for n in (1, 2))
    assert_same(one, two)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_exact_search_reads_a_memory_map(tmp_path, monkeypatch, dtype):
    monkeypatch.setattr(_exact, "_CELLS_PER_BLOCK", 1_000)
    rows = (np.random.default_rng(0).random((120, 5)) * 50).astype(dtype)
    mapped = np.memmap(tmp_path / "rows", dtype=dtype, mode="w+", shape=rows.shape)
    mapped[:] = rows
    found = ExactSearch(EUCLIDEAN).nearest(mapped, mapped, 6)
    assert_same(found, by_differences(rows, rows, 6))


def test_exact_search_takes_rows_in_any_memory_order():
    rows = np.random.default_rng(0).random((80, 10))
    expected = by_differences(rows[:, ::2], rows[:, ::2], 4)
    for view in (rows[:, ::2], np.asfortranarray(rows[:, ::2])):
        assert_same(ExactSearch(EUCLIDEAN).nearest(view, view, 4), expected)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("backend", IN_CELLS)
def test_approximate_search_does_not_depend_on_the_memory_order(backend, metric):
    rows = clustered_rows(1_500)
    fortran = np.asfortranarray(rows)
    search = make(backend, metric)
    assert_same(search.nearest(fortran, fortran, 5), search.nearest(rows, rows, 5))


@pytest.mark.parametrize("scale", [1e-15, 1e-19, 1e-21, 1e-23, 1e-30, 1e-155, 1e-160])
def test_near_rows_are_told_apart_beside_a_very_far_one(scale):
    """Their squares are too small for single or double precision."""
    random = np.random.default_rng(0)
    points = random.normal(size=(300, 3)) * scale
    queries = np.vstack([random.normal(size=(40, 3)) * scale, np.ones(3)])
    found = make_search("exact", "euclidean").nearest(queries, points, 4)
    assert_same(found, by_differences(queries, points, 4))


# Approximate ------------------------------------------------------------------------


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_approximate_search_finds_nearly_all_with_true_distances(backend):
    check_nearly_all_with_true_distances(backend, "euclidean")


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_approximate_search_by_cosine_finds_nearly_all(backend):
    check_nearly_all_with_true_distances(backend, "cosine")


def check_nearly_all_with_true_distances(backend, metric):
    rows = clustered_rows()
    indices, distances = make(backend, metric).nearest(rows, rows, 10)
    expected = ExactSearch(Metric(metric)).nearest(rows, rows, 10)
    assert recall(indices, expected[0]) > 0.95
    assert indices.dtype == np.int64
    np.testing.assert_array_equal(indices[:, 0], np.arange(len(rows)))
    assert (distances[:, 0] == 0).all()
    assert (np.diff(distances, axis=1) >= 0).all()
    for column in range(10):
        true = Metric(metric).paired(rows, rows[indices[:, column]])
        np.testing.assert_allclose(distances[:, column], true, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_approximate_search_of_other_queries_finds_nearly_all(backend):
    points, queries = clustered_rows(), clustered_rows()[:200] + 0.01
    indices, _ = make(backend).nearest(queries, points, 10)
    expected, _ = ExactSearch(EUCLIDEAN).nearest(queries, points, 10)
    assert indices.shape == (200, 10)
    assert recall(indices, expected) > 0.95


@patient
@needs("pynndescent")
def test_equal_seeds_and_jobs_give_equal_graphs():
    rows = np.random.default_rng(0).normal(size=(3_000, 12))
    one, two = (make("pynndescent").nearest(rows, rows, 8) for _ in range(2))
    assert_same(one, two)


@pytest.mark.parametrize("backend", IN_CELLS)
def test_equal_seeds_give_equal_lists_for_any_number_of_jobs(backend):
    rows = np.random.default_rng(0).normal(size=(9_000, 12))
    one = make(backend, n_jobs=1).nearest(rows, rows, 8)
    two = make(backend, n_jobs=2).nearest(rows, rows, 8)
    assert_same(one, two)
    exact, _ = ExactSearch(EUCLIDEAN).nearest(rows[:500], rows, 8)
    assert recall(one[0][:500], exact) < 1  # else the seed would not matter


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_rows_far_from_the_origin_lose_no_precision(backend):
    rows = clustered_rows(2_500)
    near, _ = make(backend).nearest(rows, rows, 5)
    far, _ = make(backend).nearest(rows + 2.0**20, rows + 2.0**20, 5)
    assert recall(far, near) > 0.99


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_few_points_are_searched_exactly(backend):
    rows = np.random.default_rng(0).integers(0, 3, size=(200, 2)).astype(float)
    for k in (1, 7, 300):
        found = make(backend).nearest(rows, rows, k)
        assert_same(found, ExactSearch(EUCLIDEAN).nearest(rows, rows, k))


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_many_duplicates_fill_the_lists(backend):
    rows = np.repeat(np.random.default_rng(0).normal(size=(5, 6)), 500, axis=0)
    indices, distances = make(backend).nearest(rows, rows, 12)
    assert (distances == 0).all()
    assert (indices // 500 == (np.arange(2_500) // 500)[:, None]).all()
    assert (np.diff(indices, axis=1) > 0).all()


@pytest.mark.parametrize("backend", IN_CELLS)
def test_rows_of_zeros_are_far_by_cosine(backend):
    rows = clustered_rows()
    rows[::50] = 0
    indices, _ = make(backend, "cosine").nearest(rows, rows, 6)
    expected, _ = ExactSearch(Metric("cosine")).nearest(rows, rows, 6)
    others = rows.any(axis=1)
    assert recall(indices[others], expected[others]) > 0.95


@patient
@needs("pynndescent")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_graph_search_takes_sparse_rows(metric):
    random = np.random.default_rng(0)
    rows = clustered_rows(2_500, 30) * (random.random((2_500, 30)) < 0.7)
    sparse = sp.csr_array(rows)
    indices, distances = make("pynndescent", metric).nearest(sparse, sparse, 8)
    expected = ExactSearch(Metric(metric)).nearest(rows, rows, 8)
    assert recall(indices, expected[0]) > 0.9
    true = Metric(metric).paired(rows, rows[indices[:, 3]])
    np.testing.assert_allclose(distances[:, 3], true, atol=1e-12)


def test_more_comparisons_find_more():
    rows = np.random.default_rng(0).normal(size=(6_000, 24))
    exact, _ = ExactSearch(EUCLIDEAN).nearest(rows, rows, 10)
    shares = []
    for comparisons in (300, 1_500, 5_900, 6_000):
        search = CellSearch(EUCLIDEAN, random_state=0, comparisons=comparisons)
        shares.append(recall(search.nearest(rows, rows, 10)[0], exact))
    assert shares == sorted(shares)
    assert shares[0] < 0.6 < 0.99 < shares[2]
    assert shares[3] == 1


def test_lists_that_cells_leave_short_are_completed_exactly():
    # Two points far away have a cell of their own, with fewer than k points.
    rows = np.random.default_rng(0).normal(size=(4_000, 3))
    rows[-2:] += 1_000
    search = CellSearch(EUCLIDEAN, random_state=0, comparisons=100)
    indices, distances = search.nearest(rows, rows, 20)
    assert (indices >= 0).all()
    assert np.isfinite(distances).all()


# Choice -----------------------------------------------------------------------------


def test_unknown_backend_is_refused_with_those_that_exist():
    with pytest.raises(ValueError, match=r"one of auto, exact, .*; got 'annoy'"):
        make_search("annoy", "euclidean")


def test_missing_package_is_named_with_the_extra(monkeypatch):
    monkeypatch.setattr(_search, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[neighbors\]'"):
        make_search("pynndescent", "euclidean")


@pytest.mark.parametrize("backend", APPROXIMATE)
def test_backend_refuses_a_metric_it_cannot_take(backend):
    with pytest.raises(
        ValueError, match=r"does not support metric 'chebyshev'.*euclidean"
    ):
        make_search(backend, "chebyshev")


def test_cells_refuse_sparse_rows():
    rows = sp.csr_array(np.eye(4))
    with pytest.raises(ValueError, match=r"does not support sparse X.*'pynndescent'"):
        make_search("cells", "euclidean").nearest(rows, rows, 2)


@pytest.mark.parametrize("metric", ["euclidean", "chebyshev"])
def test_auto_is_exact_for_affordable_problems(metric):
    rows = clustered_rows(300)
    expected = ExactSearch(Metric(metric)).nearest(rows, rows, 5)
    assert_same(make_search("auto", metric).nearest(rows, rows, 5), expected)


def test_auto_uses_cells_for_large_problems(monkeypatch):
    rows = clustered_rows(2_500)
    monkeypatch.setattr(_search, "AFFORDABLE_PAIRS", 10**6)
    auto = make_search("auto", "euclidean", random_state=3)
    expected = CellSearch(EUCLIDEAN, random_state=3).nearest(rows, rows, 5)
    assert_same(auto.nearest(rows, rows, 5), expected)


@needs("pynndescent")
@pytest.mark.parametrize(
    ("metric", "is_sparse"), [("manhattan", False), ("euclidean", True)]
)
def test_auto_uses_the_graph_where_cells_do_not_serve(metric, is_sparse):
    search = make_search("auto", metric, n_jobs=2, random_state=3)
    chosen = search._choose(10**12, is_sparse)
    assert chosen == PynndescentSearch(Metric(metric), 2, 3)


@pytest.mark.parametrize(
    ("metric", "advice"),
    [("manhattan", r"hilabel\[neighbors\]"), ("chebyshev", "metric='euclidean'")],
)
def test_auto_warns_before_it_compares_very_many_pairs(monkeypatch, metric, advice):
    rows = clustered_rows(300)
    monkeypatch.setattr(_search, "AFFORDABLE_PAIRS", 10)
    monkeypatch.setattr(_search, "find_spec", lambda _: None)
    with pytest.warns(HilabelWarning, match=rf"9.0e\+04 pairs .*{advice}"):
        found = make_search("auto", metric).nearest(rows, rows, 5)
    assert_same(found, ExactSearch(Metric(metric)).nearest(rows, rows, 5))


# A changing set of rows -------------------------------------------------------------


@pytest.mark.parametrize("share", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("backend", APPROXIMATE)
def test_changing_sets_work_with_any_search(backend, share):
    rows = clustered_rows(2_600)
    fixed, pool = rows[:50], rows[50:]
    active = np.random.default_rng(1).random(len(pool)) < share
    found = ActiveNeighbors(fixed, pool, make(backend)).nearest(
        active, 5, exclude_self=True
    )
    expected = ActiveNeighbors(fixed, pool, ExactSearch(EUCLIDEAN)).nearest(
        active, 5, exclude_self=True
    )
    assert recall(found[0], expected[0]) > 0.98
    # So few rows count that nearly all lists run out and are completed exactly.
    if share == 0.01:
        assert recall(found[0], expected[0]) > 0.999


def test_changing_sets_use_the_search_for_what_exact_cannot_afford(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(5_000, 8))
    fixed, pool = rows[:50], rows[50:]
    active = np.random.default_rng(1).random(len(pool)) < 0.5
    exact = ActiveNeighbors(fixed, pool, ExactSearch(EUCLIDEAN))
    expected = exact.nearest(active, 40, exclude_self=True)
    monkeypatch.setattr(_active, "AFFORDABLE_PAIRS", 0)
    monkeypatch.setattr(_active, "_ROWS_PER_CHUNK", 1_000)
    found = ActiveNeighbors(fixed, pool, make("cells")).nearest(
        active, 40, exclude_self=True
    )
    assert 0.8 < recall(found[0], expected[0]) < 1


def test_changing_sets_do_not_depend_on_the_chunk(monkeypatch):
    random = np.random.default_rng(0)
    fixed, pool = random.random((5, 3)) + 2, random.random((400, 3))
    active = random.random(400) < 0.05
    neighbors = ActiveNeighbors(fixed, pool, ExactSearch(EUCLIDEAN))
    expected = neighbors.nearest(active, 6, exclude_self=True)
    monkeypatch.setattr(_active, "_ROWS_PER_CHUNK", 7)
    assert_same(neighbors.nearest(active, 6, exclude_self=True), expected)


def test_an_index_is_not_built_for_fewer_points_than_it_is_worth():
    """Guards the tests above, whose 2,500 rows and more must be approximated."""
    assert _approximate._SMALLEST_INDEX <= 2_500
