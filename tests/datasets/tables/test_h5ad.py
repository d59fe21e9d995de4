"""AnnData's files, as its versions write them."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.datasets import read_features
from hilabel.exceptions import DatasetFormatError

X = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, 3.0]], dtype=np.float32)


@pytest.fixture
def write(tmp_path):
    h5py = pytest.importorskip("h5py", reason="the h5ad extra")

    def write_file(values, nullable=False):
        path = tmp_path / "cells.h5ad"
        with h5py.File(path, "w") as file:
            for name, texts in {"obs": ["c1", "c2"], "var": ["g1", "g2", "g3"]}.items():
                group = file.create_group(name)
                group.attrs["_index"] = "_index"
                target = group.create_group("_index") if nullable else group
                target["values" if nullable else "_index"] = texts
            if sp.issparse(values):
                group = file.create_group("X")
                group.attrs["encoding-type"] = f"{values.format}_matrix"
                group.attrs["shape"] = values.shape
                for part in ("data", "indices", "indptr"):
                    group[part] = getattr(values, part)
            elif values is not None:
                file["X"] = values
        return path

    return write_file


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_the_matrix_comes_with_the_names_of_rows_and_columns(write, kind, nullable):
    table = read_features(write(kind(X), nullable), drop=["g2"])
    assert table.ids == ("c1", "c2")
    if kind is np.asarray:
        assert list(table.frame.columns) == ["g1", "g3"]
        values = table.frame.to_numpy()
    else:
        assert table.sparse.names == ("g1", "g3")
        values = table.sparse.values.toarray()
    np.testing.assert_array_equal(values, X[:, [0, 2]])


def test_what_is_wrong_is_told(write, tmp_path):
    with pytest.raises(DatasetFormatError, match="expected X, obs and var as AnnData"):
        read_features(write(None))
    with pytest.raises(DatasetFormatError, match=r"of shape \(2, 3\), as in obs"):
        read_features(write(X.T))
    (tmp_path / "ids.txt").write_text("a\nb\n")
    with pytest.raises(DatasetFormatError, match="own names, obs_names; omit"):
        read_features(write(X), ids=tmp_path / "ids.txt")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    (tmp_path / "x.h5ad").write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(ImportError, match=r"h5py: pip install 'hilabel\[h5ad\]'"):
        read_features(tmp_path / "x.h5ad")
