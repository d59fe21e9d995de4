"""Members of a file: sizes that cannot be, forms that hilabel does not write."""

import io
import zipfile

import numpy as np
import pytest

from hilabel.exceptions import ModelFileError
from hilabel.persistence._archive import read_array, read_json, read_members


def archive(*members, **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def saved(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def test_members_come_as_they_were_written():
    assert read_members(archive(("a", b"1"), ("b", b""))) == {"a": b"1", "b": b""}


def test_much_from_little_is_refused():
    bomb = archive(("a", bytes(5_000_000)), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="more than 10 times"):
        read_members(bomb)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_to_compress_are_refused(kind):
    with pytest.raises(ModelFileError, match="hilabel does not write"):
        read_members(archive(("a", b"a" * 99), compression=kind))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused():
    with pytest.raises(ModelFileError, match="two members with the same name"):
        read_members(archive(("a", b"1"), ("a", b"2")))


def test_a_size_that_the_directory_makes_up_is_refused():
    data = bytearray(archive(("a", b"12345")))
    place = data.rfind(b"PK\x01\x02") + 24
    data[place : place + 4] = (4).to_bytes(4, "little")
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_members(bytes(data))


def test_json_may_not_be_nested_without_end():
    with pytest.raises(ModelFileError, match="nested too deeply"):
        read_json(b"[" * 100_000)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.float32(1),
        np.zeros((0, 3), dtype=bool),
        np.array(["a", "bc"]),
    ],
)
def test_arrays_come_as_they_were_written(array):
    again = read_array(saved(array))
    np.testing.assert_array_equal(again, array)
    assert again.dtype == array.dtype
    assert again.flags.writeable
    assert again.flags.c_contiguous == array.flags.c_contiguous


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(3,)", b"(3000000000000,)"),
        (b"(3,)", b"(-3,)"),
        (b"(3,)", b"(2,)"),
        (b"<i8", b">i8"),
        (b"'<i8'", b"'|O'"),
        (b"'<i8'", b"[('a', '<i8')]"),
        (b"{'descr'", b"{exit(): 1, 'descr'"),
    ],
)
def test_other_headers_are_refused(old, new):
    data = saved(np.arange(3))
    length = int.from_bytes(data[8:10], "little")
    header = data[10 : 10 + length].replace(old, new)
    changed = data[:8] + len(header).to_bytes(2, "little") + header
    with pytest.raises(ModelFileError, match="an array"):
        read_array(changed + data[10 + length :])


@pytest.mark.parametrize(
    "data",
    [b"", b"\x93NUMPY", saved(np.arange(3))[:-1], saved(np.arange(3)) + b"0"],
)
def test_data_that_are_too_short_or_long_are_refused(data):
    with pytest.raises(ModelFileError, match="an array"):
        read_array(data)


@pytest.mark.parametrize("dtype", ["b1", "U1"])
def test_bytes_that_are_no_such_values_are_refused(dtype):
    array = np.zeros(4, dtype=dtype)
    data = saved(array)[: -array.nbytes] + b"\xff" * array.nbytes
    with pytest.raises(ModelFileError, match="an array of"):
        read_array(data)
