"""Embeddings and other arrays, whose ids are in a file of their own."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.datasets import load_table, read_features
from hilabel.exceptions import DatasetFormatError

X = np.array([[0.5, 0.0, 1.0], [0.0, 2.0, np.nan]], dtype=np.float32)


@pytest.fixture
def ids(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("P1.2\nP2.1\n")
    return path


@pytest.mark.parametrize("heading", ["", "protein\n", "\n"])
def test_rows_of_an_array_get_the_ids_of_a_file(tmp_path, ids, heading):
    np.save(tmp_path / "x.npy", X)
    ids.write_text(heading + ids.read_text())
    table = read_features(tmp_path / "x.npy", ids=ids, strip_version=True)
    assert table.ids == ("P1", "P2")
    assert list(table.frame.columns) == ["x0", "x1", "x2"]
    np.testing.assert_array_equal(table.frame.to_numpy(), X.astype(np.float64))


def test_an_npz_may_bring_ids_and_names_along(tmp_path, ids):
    path = tmp_path / "x.npz"
    np.savez(path, X=X, ids=np.array(["a", "b"]), feature_names=["p", "q", "r"])
    table = read_features(path, drop=["q"])
    assert (table.ids, list(table.frame.columns)) == (("a", "b"), ["p", "r"])
    assert read_features(path, ids=ids).ids == ("P1.2", "P2.1")


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_a_sparse_matrix_stays_sparse_up_to_the_data_set(tmp_path, ids, kind):
    sp.save_npz(tmp_path / "x.npz", kind(np.nan_to_num(X)))
    (tmp_path / "y.csv").write_text("P1.2,tea\nP2.1,food\n")
    (tmp_path / "h.csv").write_text("food,tea\n")
    files = [tmp_path / name for name in ("x.npz", "y.csv", "h.csv")]
    data = load_table(*files, ids=ids, drop=["x2"])
    assert sp.issparse(data.dataset.X)
    assert data.dataset.X.indices.dtype == np.int32
    np.testing.assert_array_equal(data.dataset.X.toarray(), np.nan_to_num(X)[:, :2])
    assert data.dataset.feature_names == ("x0", "x1")


@pytest.mark.parametrize(("how", "row"), [("mean", [0.25, 1.0]), ("first", [0.5, 0])])
def test_sparse_rows_with_one_id_are_merged(tmp_path, ids, how, row):
    ids.write_text("P1.1\nP1.2\n")
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(X[:, :2]))
    path = tmp_path / "x.npz"
    options = {"ids": ids, "strip_version": True}
    with pytest.raises(DatasetFormatError, match="row 2: id 'P1' is already in row 1"):
        read_features(path, **options)
    table = read_features(path, merge_duplicates=how, **options)
    assert (table.ids, table.n_merged) == (("P1",), 1)
    assert table.sparse.values.toarray().tolist() == [row]


def test_an_array_of_another_width_is_refused(tmp_path, ids):
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(DatasetFormatError, match="expected 2 columns.*got 3; unnamed"):
        read_features(tmp_path / "x.npy", ids=ids, columns=["x0", "x1"])
    with pytest.raises(DatasetFormatError, match="expected a column 'x3'"):
        read_features(tmp_path / "x.npy", ids=ids, columns=["x0", "x3"])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": X, "b": X}, "one array with two dimensions.*got 2 among.*a, b"),
        ({"a": X}, r"2 rows have no ids; .*\(parameter: ids\)"),
        ({"a": X, "ids": ["p"]}, "expected 2 in the array 'ids', got 1"),
        ({"a": X, "ids": [["p"]]}, "the array 'ids' to have one dimension"),
        ({"a": np.array([["a"]])}, "expected numbers in rows.*<U1"),
        ({"a": np.array([["a"]], dtype=object)}, "contains Python objects"),
        (
            {"a": X + np.inf, "ids": ["p", "q"]},
            "finite numbers, got an infinite.*row 1",
        ),
        ({"a": X, "ids": ["p", "q"], "feature_names": list("xxy")}, "named 'x'"),
        ({"format": b"csr", "shape": [1], "data": [1]}, "cannot be read"),
    ],
)
def test_what_is_wrong_with_arrays_is_told(tmp_path, arrays, message):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(DatasetFormatError, match=message):
        read_features(tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n", "an id for each of the 2 rows, got 1"),
        ("a\tb\nc\td\n", "line 1: expected one id per line, got 2 columns"),
        ("a\na\n", "id 'a' is already in row 1"),
    ],
)
def test_what_is_wrong_with_ids_is_told(tmp_path, ids, text, message):
    np.save(tmp_path / "x.npy", X)
    ids.write_text(text)
    with pytest.raises(DatasetFormatError, match=message):
        read_features(tmp_path / "x.npy", ids=ids)


def test_a_table_is_no_list_of_ids(tmp_path):
    np.save(tmp_path / "x.npy", X)
    path = tmp_path / "ids.csv"
    path.write_text("id,length\na,1\nb,2\n")
    with pytest.raises(DatasetFormatError, match="got 2 columns; keep that of the ids"):
        read_features(tmp_path / "x.npy", ids=path)


def test_a_damaged_array_and_ids_of_a_table_are_refused(tmp_path, ids):
    np.save(tmp_path / "x.npy", X)
    data = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(data[:-4])
    with pytest.raises(DatasetFormatError, match="NumPy arrays, but they cannot"):
        read_features(tmp_path / "x.npy", ids=ids)
    (tmp_path / "x.csv").write_text("id,x\na,1\n")
    with pytest.raises(DatasetFormatError, match="this is a table with an id column"):
        read_features(tmp_path / "x.csv", ids=ids)
