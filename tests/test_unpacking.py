import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from hilabel._free_memory import available_memory
from hilabel._unpacking import RATIO, SLACK, UnpackLimit
from hilabel.datasets import (
    load_table,
    open_features,
    read_annotations,
    read_features,
    read_hierarchy,
)
from hilabel.exceptions import DatasetFormatError

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
TOLD = r"x\.\w+: the file unpacks to more than 1 MB, which is the limit that was set"
READERS = {
    "features": read_features,
    "blocks": lambda path, **how: list(open_features(path, 900, columns=["x"], **how)),
    "labels": read_annotations,
    "hierarchy": read_hierarchy,
}
TEXTS = {
    "a table": b"id,x\n" + b"".join(b"r%d,0\n" % row for row in range(300_000)),
    "a line": b"id,x\nr1," + bytes(3_000_000),
    "blanks": b" " * 3_000_000,
}


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("content", TEXTS)
@pytest.mark.parametrize("reader", READERS)
def test_compressed_text_beyond_the_limit_is_refused(tmp_path, kind, content, reader):
    path = tmp_path / f"x.{kind}"
    # In several streams, each of them within the limit.
    half = len(TEXTS[content]) // 2
    parts = TEXTS[content][:half], TEXTS[content][half:]
    path.write_bytes(b"".join(PACKERS[kind](part) for part in parts))
    with pytest.raises(DatasetFormatError, match=TOLD) as error:
        READERS[reader](path, most_unpacked=1_000_000)
    assert error.value.parameter == ("most_unpacked",)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_limit_that_is_high_enough_changes_nothing(tmp_path, kind):
    text = TEXTS["a table"]
    (tmp_path / "plain.csv").write_bytes(text)
    packed = tmp_path / f"x.csv.{kind}"
    packed.write_bytes(PACKERS[kind](text[:999]) + PACKERS[kind](text[999:]))
    expected = read_features(tmp_path / "plain.csv")
    for limit in (None, len(text)):
        found = read_features(packed, most_unpacked=limit)
        assert found.ids == expected.ids
        assert found.frame.equals(expected.frame)
        blocks = open_features(packed, 99_999, columns=["x"], most_unpacked=limit)
        assert [len(block) for block in blocks] == [99_999] * 3 + [3]


def _npz(arrays, **how):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{name}.npy", member.getvalue(), **how)
    return file.getvalue()


ROWS = {"ids": np.array(["a", "b"]), "X": np.zeros((2, 100_000))}


def test_arrays_beyond_the_limit_are_refused(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(_npz(ROWS))
    assert len(path.read_bytes()) < 20_000
    assert read_features(path).frame.shape == (2, 100_000)
    with pytest.raises(DatasetFormatError, match=TOLD):
        read_features(path, most_unpacked=1_000_000)
    array = io.BytesIO()
    np.save(array, ROWS["X"])
    path.write_bytes(gzip.compress(array.getvalue()))
    (tmp_path / "ids.txt").write_text("a\nb\n")
    assert len(read_features(path, ids=tmp_path / "ids.txt")) == 2
    with pytest.raises(DatasetFormatError, match=TOLD):
        read_features(path, ids=tmp_path / "ids.txt", most_unpacked=1_000_000)


def _with_declared_size(archive, declared):
    """Return a zip file whose only large member declares another size and checksum."""
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        large = max(file.infolist(), key=lambda member: member.file_size)
        true = large.file_size.to_bytes(4, "little")
        cut = zlib.crc32(file.read(large)[:declared]).to_bytes(4, "little")
        crc = large.CRC.to_bytes(4, "little")
    assert archive.count(true) == archive.count(crc) == 2
    return archive.replace(true, declared.to_bytes(4, "little")).replace(crc, cut)


def test_a_member_is_not_larger_than_it_declares(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(_with_declared_size(_npz(ROWS), 1_000))
    with pytest.raises(DatasetFormatError, match="declares 1600000 bytes"):
        read_features(path, most_unpacked=1_000_000)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compressions_in_a_zip_file_are_refused(tmp_path, method):
    path = tmp_path / "x.npz"
    path.write_bytes(_npz(ROWS, compress_type=method))
    with pytest.raises(DatasetFormatError, match="has an unusual compression"):
        read_features(path)


def test_sparse_arrays_beyond_the_limit_are_refused(tmp_path):
    path = tmp_path / "x.npz"
    matrix = sp.csr_array(np.ones((2, 100_000)))
    file = io.BytesIO()
    sp.save_npz(file, matrix)
    with zipfile.ZipFile(file, "a") as archive:
        ids = io.BytesIO()
        np.save(ids, ROWS["ids"])
        archive.writestr("ids.npy", ids.getvalue())
    path.write_bytes(file.getvalue())
    assert read_features(path).sparse.values.shape == matrix.shape
    with pytest.raises(DatasetFormatError, match=TOLD):
        read_features(path, most_unpacked=1_000_000)


@pytest.mark.parametrize("reader", READERS)
def test_a_workbook_beyond_the_limit_is_refused(tmp_path, reader):
    path = tmp_path / "x.xlsx"
    frame = pd.DataFrame({"id": [f"r{row}" for row in range(30)], "x": 0.0})
    frame.to_excel(path, index=False)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image.bin", bytes(2_000_000))
    with pytest.raises(DatasetFormatError, match=TOLD):
        READERS[reader](path, most_unpacked=1_000_000)
    assert len(read_features(path)) == 30


@pytest.mark.parametrize("reader", ["features", "blocks"])
@pytest.mark.parametrize("kind", ["zeros", "one word", "one long word", "bytes"])
def test_a_parquet_file_beyond_the_limit_is_refused(tmp_path, reader, kind):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    n_rows = 2_000 if "long" in kind or kind == "bytes" else 100_000
    value = {"zeros": 0.0, "one word": "red", "bytes": b"x" * 1_000}
    column = [value.get(kind, "x" * 1_000)] * n_rows
    ids = np.arange(n_rows)
    parquet.write_table(pyarrow.table({"id": ids, "x": column}), path)
    assert path.stat().st_size < 1_000_000
    assert len(read_features(path)) == n_rows

    def read(limit):
        return READERS[reader](path, most_unpacked=limit)

    if reader == "blocks" and n_rows == 2_000:
        # Each block is within the limit.
        assert sum(len(block) for block in read(1_000_000)) == n_rows
        return
    with pytest.raises(DatasetFormatError, match=TOLD):
        read(1_000_000)
    assert read(20_000_000)


def test_an_h5ad_file_beyond_the_limit_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "x.h5ad"
    with h5py.File(path, "w") as file:
        for name, size in (("obs", 2), ("var", 100_000)):
            group = file.create_group(name)
            group.attrs["_index"] = "_index"
            names = [f"{name}{at}" for at in range(size)]
            group.create_dataset("_index", data=names, compression="gzip")
        file.create_dataset("X", data=ROWS["X"], compression="gzip")
    assert read_features(path).frame.shape == (2, 100_000)
    with pytest.raises(DatasetFormatError, match=TOLD):
        read_features(path, most_unpacked=1_000_000)


def test_the_limit_depends_on_the_size_and_the_memory(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(b"x")
    assert UnpackLimit.of(path, in_blocks=True).most == SLACK
    assert UnpackLimit.of(path, 7, in_blocks=False).most == 7
    with path.open("wb") as file:
        os.truncate(file.fileno(), 2**40)  # a sparse file, which takes no space
    assert UnpackLimit.of(path, in_blocks=True).most == RATIO * 2**40
    at_once = UnpackLimit.of(path, in_blocks=False)
    assert at_once.why == "half of the free memory"
    assert at_once.most == pytest.approx(available_memory() / 2, rel=0.5)


def test_all_files_of_a_table_have_the_limit(tmp_path):
    plain = {
        "x.csv": "id,x\na,1\nb,2\n",
        "y.csv": "id,term\na,tea\nb,bread\n",
        "h.csv": "parent,child\nfood,tea\nfood,bread\n",
    }
    for name, text in plain.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    names = [*plain]
    for packed in plain:
        files = [tmp_path / (f"{n}.gz" if n == packed else n) for n in names]
        assert len(load_table(*files).table) == 2
        with pytest.raises(DatasetFormatError, match=rf"{packed}\.gz: the file unpack"):
            load_table(*files, most_unpacked=9)
