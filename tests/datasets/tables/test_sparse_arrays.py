"""Sparse matrices in .npz files, whose parts are checked before SciPy uses them."""

import io
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.datasets import read_features
from hilabel.exceptions import DatasetFormatError

X = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
CSC = {
    "format": b"csc",
    "shape": [2, 3],
    "data": [3.0, 2.0, 4.0],
    "indices": [1, 0, 1],
    "indptr": [0, 1, 2, 3],
}
COO = {
    "format": b"coo",
    "shape": [2, 3],
    "data": [3.0, 2.0, 4.0],
    "row": [1, 0, 1],
    "col": [0, 1, 2],
}
BSR = {
    "format": b"bsr",
    "shape": [2, 3],
    "data": np.ones((1, 2, 3)),
    "indices": [0],
    "indptr": [0, 1],
}
DIA = {"format": b"dia", "shape": [2, 3], "data": np.ones((1, 3)), "offsets": [1]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.npz"


def write(path, arrays):
    np.savez(path, ids=["a", "b"], **arrays)
    return path


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
def test_every_format_of_scipy_is_read(path, kind, make):
    sp.save_npz(path, make(X).asformat(kind))
    with zipfile.ZipFile(path, "a") as archive:
        file = io.BytesIO()
        np.save(file, ["a", "b"])
        archive.writestr("ids.npy", file.getvalue())
    np.testing.assert_array_equal(read_features(path).sparse.values.toarray(), X)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "g"])
def test_every_type_of_numbers_is_read(path, dtype):
    parts = CSC | {"data": np.ones(3, dtype)}
    assert read_features(write(path, parts)).sparse.values.sum() == 3


def test_blocks_and_diagonals_are_placed_as_scipy_places_them(path):
    random = np.random.default_rng(0)
    for matrix in (
        sp.random_array((6, 9), density=0.3, rng=random).tobsr((3, 3)),
        sp.dia_array((random.normal(size=(4, 9)), [-5, -1, 0, 4]), shape=(6, 9)),
        sp.dia_array((random.normal(size=(2, 5)), [-2, 3]), shape=(6, 9)),
    ):
        sp.save_npz(path, matrix)
        ids = path.with_suffix(".txt")
        ids.write_text("".join(f"{row}\n" for row in range(6)))
        found = read_features(path, ids=ids).sparse.values.toarray()
        np.testing.assert_array_equal(found, matrix.toarray())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (CSC | {"indices": [1, 10**8, 1]}, "from 0 to 1 in 'indices', got 100000000"),
        (CSC | {"indices": [1, -1, 1]}, "from 0 to 1 in 'indices', got -1"),
        (
            CSC | {"indices": [1, 2**40, 1]},
            "from 0 to 1 in 'indices', got 1099511627776",
        ),
        (CSC | {"indices": [1, 0]}, "3 numbers in 'indices', one per value, got 2"),
        (CSC | {"indices": [1.0, 0.0, 1.0]}, "whole numbers in 'indices'"),
        (CSC | {"indices": [[1, 0, 1]]}, "one dimension in 'indices'"),
        (CSC | {"indptr": [0, 1, 2]}, "4 numbers in 'indptr', got 3"),
        (CSC | {"indptr": [0, 10**9, 2, 3]}, "'indptr' to rise from 0 to 3"),
        (CSC | {"indptr": [1, 1, 2, 3]}, "'indptr' to rise from 0 to 3"),
        (CSC | {"indptr": [0, 1, 2, 5]}, "'indptr' to rise from 0 to 3"),
        (CSC | {"indptr": [0, -5, 2, 3]}, "'indptr' to rise from 0 to 3"),
        (CSC | {"data": ["a", "b", "c"]}, "numbers in 'data'"),
        (CSC | {"data": 3.0}, "'data' with 1 dimension"),
        (CSC | {"data": np.ones((3, 2))}, "'data' with 1 dimension"),
        (CSC | {"format": b"csx"}, "csr, csc, coo, bsr or dia, got 'csx'"),
        (CSC | {"format": b"\xff"}, "csr, csc, coo, bsr or dia, got"),
        (CSC | {"format": [1, 2]}, "csr, csc, coo, bsr or dia, got"),
        (CSC | {"format": b"csr"}, "3 numbers in 'indptr', got 4"),
        (CSC | {"shape": [2, 3, 1]}, "a shape of two sizes"),
        (CSC | {"shape": [2.0, 3.0]}, "a shape of two sizes"),
        (CSC | {"shape": [2, -3]}, "a shape of two sizes"),
        (CSC | {"shape": [2**62, 2**62]}, "at most"),
        (COO | {"row": [1, 2, 1]}, "from 0 to 1 in 'row', got 2"),
        (COO | {"col": [0, -1, 2]}, "from 0 to 2 in 'col', got -1"),
        (COO | {"col": [0, 1]}, "3 numbers in 'col', one per value, got 2"),
        (BSR | {"indices": [1]}, "from 0 to 0 in 'indices', got 1"),
        (BSR | {"indptr": [0, 2]}, "'indptr' to rise from 0 to 1"),
        (BSR | {"data": np.ones((1, 2, 2))}, "blocks that fill the shape"),
        (BSR | {"data": np.ones((1, 0, 3))}, "blocks that fill the shape"),
        (DIA | {"offsets": [3]}, "from -1 to 2 in 'offsets', got 3"),
        (DIA | {"offsets": [-2]}, "from -1 to 2 in 'offsets', got -2"),
        (DIA | {"offsets": [0, 1]}, "1 numbers in 'offsets', one per diagonal, got 2"),
        (DIA | {"data": np.ones((2, 3)), "offsets": [1, 1]}, "different 'offsets'"),
        ({"format": b"csr", "shape": [2, 3], "data": [1.0]}, "an array 'indptr', got"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(path, arrays, message):
    with pytest.raises(DatasetFormatError, match=message):
        read_features(write(path, arrays))


def test_cells_that_a_file_lists_twice_are_summed(path):
    parts = {**CSC, "indices": [1, 0, 0], "indptr": [0, 1, 3, 3]}
    found = read_features(write(path, parts)).sparse.values
    assert found.has_canonical_format
    assert found.toarray().tolist() == [[0, 6, 0], [3, 0, 0]]


def test_names_of_no_length_are_no_reason_to_count_to_a_billion(path):
    head = b"{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000,), }"
    npy = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head
    write(path, CSC)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("feature_names.npy", npy)
    with pytest.raises(DatasetFormatError, match="cannot be read"):
        read_features(path)
