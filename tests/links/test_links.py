"""Links say the same as dense arrays of weights, in whatever form they come."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel.exceptions import LinkError, ModelFileError
from hilabel.links import Links
from hilabel.persistence._tree import TreeReader, TreeWriter

WEIGHTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 40.0])
SQUARES = st.integers(1, 8).flatmap(
    lambda n: hnp.arrays(np.float64, (n, n), elements=WEIGHTS)
)
FORMATS = ["array", "csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


def as_format(weights, form):
    return weights if form == "array" else sp.coo_array(weights).asformat(form)


def without_diagonal(weights):
    return weights * (1 - np.eye(len(weights)))


@given(SQUARES, st.sampled_from(FORMATS))
def test_every_form_gives_the_same_links_without_self_links(weights, form):
    links = Links.of(as_format(weights, form), len(weights))
    expected = without_diagonal(weights)
    assert links.is_sound()
    assert links.names == ("links",)
    assert len(links) == links.n_rows == links.n_targets == len(weights)
    assert links.n_links == (expected > 0).sum()
    assert links.n_self == (np.diag(weights) > 0).sum()
    np.testing.assert_array_equal(links.kinds["links"].toarray(), expected)


@given(SQUARES, st.sampled_from(FORMATS))
def test_links_to_other_rows_keep_their_diagonal(weights, form):
    links = Links.of({"hits": as_format(weights, form)}, *weights.shape)
    np.testing.assert_array_equal(links.kinds["hits"].toarray(), weights)
    assert links.n_self == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), WEIGHTS), max_size=20),
    st.sampled_from(["coo", "csr", "csc"]),
    st.sampled_from([np.float64, np.float32]),
)
def test_the_largest_of_duplicates_counts_and_the_input_stays(cells, form, dtype):
    row, column, weight = np.array(cells, dtype=dtype).reshape(-1, 3).T
    expected = np.zeros((4, 5))
    for i, j, w in cells:
        expected[i, j] = max(expected[i, j], w)
    given_ = sp.coo_array((weight, (row.astype(int), column.astype(int))), (4, 5))
    if form != "coo":
        # Compressed by hand, since SciPy would add up the duplicates.
        major = given_.row if form == "csr" else given_.col
        minor = given_.col if form == "csr" else given_.row
        order = np.argsort(major, kind="stable")
        ends = np.append(
            0, np.cumsum(np.bincount(major, minlength=4 + (form != "csr")))
        )
        kind = sp.csr_array if form == "csr" else sp.csc_array
        given_ = kind((weight[order], minor[order], ends), shape=(4, 5))
    before = given_.copy()
    links = Links.of(given_, 4, 5)
    assert links.is_sound()
    np.testing.assert_array_equal(links.kinds["links"].toarray(), expected)
    np.testing.assert_array_equal(given_.data, before.data)
    assert given_.nnz == before.nnz


@given(SQUARES, st.data())
def test_parts_are_those_of_a_dense_array(weights, data):
    n = len(weights)
    links = Links.of({"a": weights, "b": weights.T}, n, n)
    rows = data.draw(
        st.one_of(
            hnp.arrays(bool, n),
            hnp.arrays(np.int64, st.integers(0, 9), elements=st.integers(0, n - 1)),
        )
    )
    for part, expected in [
        (links[rows], (weights[rows], weights.T[rows])),
        (links[1:], (weights[1:], weights.T[1:])),
        (links.to(rows), (weights[:, rows], weights.T[:, rows])),
    ]:
        assert part.is_sound()
        for matrix, dense in zip(part.kinds.values(), expected, strict=True):
            np.testing.assert_array_equal(matrix.toarray(), dense)


@given(SQUARES)
def test_both_ways_is_symmetric_with_the_larger_weight(weights):
    links = Links.of(weights, len(weights)).both_ways()
    expected = without_diagonal(np.maximum(weights, weights.T))
    assert links.is_sound()
    np.testing.assert_array_equal(links.kinds["links"].toarray(), expected)


def test_stacked_rows_have_no_links_of_kinds_that_only_the_other_has():
    first = Links.of({"a": [[1, 0]], "b": [[0, 2]]}, 1, 2)
    both = Links.stack(first, Links.of({"c": [[3, 3]], "b": [[4, 0]]}, 1, 2))
    found = {name: matrix.toarray().tolist() for name, matrix in both.kinds.items()}
    assert found == {
        "a": [[1, 0], [0, 0]],
        "b": [[0, 2], [4, 0]],
        "c": [[0, 0], [3, 3]],
    }
    with pytest.raises(LinkError, match="same targets, got 2 and 1"):
        Links.stack(first, first.to([0]))


def test_checked_links_are_checked_again_and_keep_their_count():
    links = Links.of(np.ones((3, 3)), 3)
    assert links.n_self == 3
    assert Links.of(links, 3).n_self == 3
    with pytest.raises(LinkError, match=r"shape \(2, 2\).* got \(3, 3\)"):
        Links.of(links, 2)


def test_integers_and_truth_values_are_weights():
    assert Links.of([[False, True]], 1, 2).kinds["links"].dtype == np.float64
    assert Links.of(sp.csr_matrix([[0, 3]]), 1, 2).n_links == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[0, -1], [0, 0]], "finite weights of the 'links' links, 0 or more, got -1"),
        ([[0, np.nan], [0, -2]], "got nan, and 1 others"),
        (sp.csr_array([[0, np.inf], [0, 0]]), "got inf"),
        ([[0, 1]], r"shape \(2, 2\).* got \(1, 2\).*LinkTable"),
        ([1, 2], "as a matrix, .* got list"),
        (None, "got NoneType"),
        ([["a", "b"], ["c", "d"]], "as numbers, got dtype"),
        (sp.csr_array([[0, 1j], [0, 0]]), "as numbers, got dtype complex"),
        ({}, r"at least one kind .* got \[\]"),
        ({3: np.ones((2, 2))}, r"a name for each, got \[3\]"),
    ],
)
def test_an_error_says_what_was_expected(value, message):
    with pytest.raises(LinkError, match=message):
        Links.of(value, 2)


def test_only_links_between_rows_of_one_table_have_another_direction():
    with pytest.raises(LinkError, match="from 1 rows to 2 targets"):
        Links.of([[0, 1]], 1, 2).both_ways()


# Model files ------------------------------------------------------------------------


def stored_and_read(links, change=lambda arrays: None):
    writer = TreeWriter()
    root = writer.node(links)
    arrays = [np.array(array) for array in writer.arrays]
    change(arrays)
    return TreeReader(arrays, writer.foreign).read(writer.entries, root)


def test_links_in_a_model_file_are_the_same():
    links = Links.of({"a": [[0, 2], [1, 5]], "b": [[0, 0], [3, 0]]}, 2)
    read = stored_and_read(links)
    assert read.n_self == links.n_self == 1
    for name, matrix in read.kinds.items():
        np.testing.assert_array_equal(
            matrix.toarray(), links.kinds[name].toarray(), strict=True
        )


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_a_model_file_with_a_wrong_weight_is_refused(weight):
    def change(arrays):
        arrays[0][0] = weight

    with pytest.raises(ModelFileError, match="arrays of its Links are inconsistent"):
        stored_and_read(Links.of([[0, 2], [1, 0]], 2), change)


def test_a_model_file_with_unsorted_links_is_refused():
    def change(arrays):
        arrays[1][:] = arrays[1][::-1].copy()

    with pytest.raises(ModelFileError, match="arrays of its Links are inconsistent"):
        stored_and_read(Links.of([[2, 1]], 1, 2), change)
