"""Linear models in both builds, and what the engine refuses."""

import numpy as np
import pytest
import scipy.sparse as sp
from engine_levels import LEVELS

NODES = np.array([5, 9], dtype=np.int64)
NONE = np.empty(0)
EXCLUDED = np.zeros(3, dtype=np.int64), np.array([0], dtype=np.int32)[:0]


def arrays(matrix):
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


@pytest.fixture(scope="module")
def matrix():
    found = sp.random_array(
        (90, 37), density=0.3, rng=0, dtype=np.float32, format="csr"
    )
    found.sort_indices()
    return found


@pytest.fixture(scope="module")
def examples():
    random = np.random.default_rng(0)
    lists = [np.arange(0, 90, 2, dtype=np.int32), np.arange(60, dtype=np.int32)]
    ptr = np.cumsum([0, *map(len, lists)])
    return NODES, ptr, np.concatenate(lists), random.random(ptr[-1]) < 0.3


def tables(level, matrix):
    yield level.LinearTable(*arrays(matrix), matrix.shape[1], 2.0)
    yield level.LinearTable(matrix.toarray(), 2.0)


def trained(level, table, examples, loss, **changes):
    how = {"cost": 1.0, "tolerance": 1e-3, "max_passes": 50, "pruning": 0.01}
    how |= changes
    weight = np.linspace(0, 2, 90)
    return level.train_linear(
        table, *examples, np.array([-1.0, 0.5]), weight, loss, *how.values(), 0
    )


def mined(level, table, lists, examples, loss, excluded=EXCLUDED):
    how = 1.0, 1e-3, 50, 0.01, 2, 5, 2, 0
    return level.train_mined(
        table, *lists, *examples, np.zeros(2), NONE, *excluded, loss, *how
    )


def outputs(level, matrix, found):
    ptr, columns, values, bias = found
    weights = sp.csr_array((values, columns, ptr), shape=(2, matrix.shape[1]))
    scores = np.tile(bias, (matrix.shape[0], 1))
    level.add_products(*arrays(matrix), *arrays(weights.tocsc()), scores)
    return scores


@pytest.mark.parametrize("loss", [0, 1])
def test_all_builds_give_the_same_bits(matrix, examples, loss):
    found = []
    for level in LEVELS:
        lists = arrays(matrix.tocsc())
        models = [
            model
            for table in tables(level, matrix)
            for model in (
                trained(level, table, examples, loss),
                mined(level, table, lists, examples, loss),
            )
        ]
        found.append(
            b"".join(array.tobytes() for model in models for array in model)
            + b"".join(outputs(level, matrix, model).tobytes() for model in models)
        )
    assert len(set(found)) == 1


@pytest.mark.parametrize("loss", [0, 1])
def test_sparse_and_dense_rows_give_nearly_the_same_model(matrix, examples, loss):
    for level in LEVELS:
        sparse, dense = (
            outputs(level, matrix, trained(level, table, examples, loss, pruning=0.0))
            for table in tables(level, matrix)
        )
        np.testing.assert_allclose(sparse, dense, atol=0.02)


def test_excluded_rows_are_not_mined(matrix):
    """Only row 1 is like the positive row 0: with it, the bias is lower."""
    level = LEVELS[-1]
    rows = sp.csr_array(np.eye(4, 2, dtype=np.float32)[[0, 0, 1, 1]])
    table, lists = level.LinearTable(*arrays(rows), 2, 1.0), arrays(rows.tocsc())
    one = NODES[:1], np.array([0, 1]), np.array([0], np.int32), np.array([True])

    def weight(*excluded):
        numbers = np.array(excluded, dtype=np.int32)
        found = level.train_mined(
            table, *lists, *one, np.zeros(1), NONE, np.array([0, len(numbers)]),
            numbers, 1, 1.0, 1e-6, 100, 0.0, 0, 5, 0, 0,
        )  # fmt: skip
        return found[2][0]

    # With nothing mined: minimise w^2 + b^2 and twice the squared hinge of w + b.
    assert weight(1) == pytest.approx(0.4)
    assert weight() == pytest.approx(0, abs=1e-5)


BAD_EXAMPLES = {
    "ptr must fit rows": lambda n, p, r, f: (n, p + 1, r, f),
    "ptr must fit nodes": lambda n, p, r, f: (n[:1], p, r, f),
    "rows and positive": lambda n, p, r, f: (n, p, r, f[1:]),
    "rows must name rows": lambda n, p, r, f: (n, p, r + 31, f),
}


@pytest.mark.parametrize("message", BAD_EXAMPLES)
def test_examples_that_do_not_fit_are_refused(matrix, examples, message):
    level, bad = LEVELS[-1], BAD_EXAMPLES[message](*examples)
    for table in tables(level, matrix):
        with pytest.raises(ValueError, match=message):
            trained(level, table, bad, 0)
        with pytest.raises(ValueError, match=message):
            mined(level, table, arrays(matrix.tocsc()), bad, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cost", 0.0),
        ("cost", np.inf),
        ("cost", np.nan),
        ("tolerance", 0.0),
        ("pruning", -1.0),
    ],
)
def test_settings_that_make_no_sense_are_refused(matrix, examples, name, value):
    (table, _) = tables(LEVELS[-1], matrix)
    with pytest.raises(ValueError, match=f"{name} must be"):
        trained(LEVELS[-1], table, examples, 0, **{name: value})


def test_an_unknown_loss_is_refused(matrix, examples):
    (table, _) = tables(LEVELS[-1], matrix)
    with pytest.raises(ValueError, match="loss must be 0 or 1"):
        trained(LEVELS[-1], table, examples, 2)


def test_rows_that_are_not_finite_or_do_not_fit_are_refused(matrix):
    make = LEVELS[-1].LinearTable
    ptr, columns, values = arrays(matrix)
    with pytest.raises(ValueError, match="columns must name columns"):
        make(ptr, columns, values, 36, 1.0)
    with pytest.raises(ValueError, match="ptr must fit columns"):
        make(ptr[:-1], columns, values, 37, 1.0)
    with pytest.raises(ValueError, match="columns and values"):
        make(ptr, columns, values[1:], 37, 1.0)
    with pytest.raises(ValueError, match="bias_square must be above 0"):
        make(ptr, columns, values, 37, 0.0)
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="values must be finite"):
            make(ptr, columns, np.where(values > 0.5, value, values), 37, 1.0)
        with pytest.raises(ValueError, match="values must be finite"):
            make(np.full((2, 2), value, dtype=np.float32), 1.0)


def test_lists_and_excluded_rows_that_do_not_fit_are_refused(matrix, examples):
    level, (ptr, rows, values) = LEVELS[-1], arrays(matrix.tocsc())
    (table, _) = tables(level, matrix)
    bad_lists = {
        "a list for each column": (ptr[:-1], rows, values),
        "list_ptr must fit": (ptr, rows[1:], values),
        "list_rows and list_values": (ptr, rows, values[1:]),
        "list_rows must name rows": (ptr, rows + 1, values),
        "list_values must be finite": (ptr, rows, values * np.float32(np.inf)),
    }
    for message, lists in bad_lists.items():
        with pytest.raises(ValueError, match=message):
            mined(level, table, lists, examples, 1)
    bad_rows = {
        "excluded_ptr must fit excluded": (np.array([0, 0, 1]), EXCLUDED[1]),
        "excluded_ptr must fit nodes": (np.array([0, 0]), EXCLUDED[1]),
        "excluded must name rows": (np.array([0, 0, 1]), np.array([90], np.int32)),
    }
    for message, excluded in bad_rows.items():
        with pytest.raises(ValueError, match=message):
            mined(level, table, (ptr, rows, values), examples, 1, excluded)


def test_products_that_do_not_fit_are_refused(matrix):
    level, rows = LEVELS[-1], arrays(matrix)
    ptr, nodes, weights = arrays(matrix.T.tocsr()[:, :2].tocsr())
    scores = np.zeros((90, 2), dtype=np.float32)
    level.add_products(*rows, ptr, nodes, weights, scores)
    with pytest.raises(ValueError, match="nodes must name columns"):
        level.add_products(*rows, ptr, nodes + 1, weights, scores)
    with pytest.raises(ValueError, match="columns must have weights"):
        level.add_products(*rows, ptr[:1] * 0, nodes[:0], weights[:0], scores)
    with pytest.raises(ValueError, match="a row for each row"):
        level.add_products(*rows, ptr, nodes, weights, scores[1:])


def test_hierarchies_that_do_not_fit_are_refused():
    scores, order = np.ones((1, 2), dtype=np.float32), np.array([0, 1])
    ptr, idx = np.array([0, 0, 1]), np.array([0])
    multiply = LEVELS[-1].multiply_by_parents
    multiply(scores, order, ptr, idx)
    for arguments, message in (
        ((order[:1], ptr, idx), "order must fit"),
        ((order + 1, ptr, idx), "order must name"),
        ((order, ptr, idx[:0]), "parents_ptr must fit"),
        ((order, ptr, idx + 2), "parents_idx must name"),
    ):
        with pytest.raises(ValueError, match=message):
            multiply(scores, *arguments)
