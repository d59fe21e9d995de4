import bz2
import gzip
import lzma

import pytest

from hilabel._text_files import byte_blocks, read_text
from hilabel.exceptions import DatasetFormatError


@pytest.mark.parametrize(
    "compress", [bytes, gzip.compress, bz2.compress, lzma.compress]
)
def test_compression_is_told_by_content(tmp_path, compress):
    path = tmp_path / "plain_name.txt"
    path.write_bytes(compress("grün\n".encode()))
    assert read_text(path) == "grün\n"


def test_byte_order_mark_and_line_ends_of_other_systems_disappear(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(path) == "a\nb\nc\n"


# Compressed bytes hold the time of their making: names keep the tests' ids the same
# in all the processes that share the suite.
@pytest.mark.parametrize(
    "content",
    [b"", b" \n\n", gzip.compress(b"", mtime=0)],
    ids=["nothing", "blank lines", "compressed nothing"],
)
def test_empty_file_is_refused(tmp_path, content):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(DatasetFormatError, match=r"a\.txt: the file is empty"):
        read_text(path)


def test_binary_file_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\x89PNG\x00\x01")
    with pytest.raises(DatasetFormatError, match="the file is binary"):
        read_text(path)


def test_other_encodings_are_refused_with_line_and_byte(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("one\ntwo\ncaf\xe9\n".encode("latin-1"))
    with pytest.raises(DatasetFormatError, match=r"a\.txt, line 3: .* byte 0xe9"):
        read_text(path)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_damaged_compression_is_refused(tmp_path, compress):
    path = tmp_path / "a.gz"
    path.write_bytes(compress(b"text " * 100)[:-20])
    with pytest.raises(DatasetFormatError, match="cannot be decompressed"):
        read_text(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
def test_blocks_of_any_size_have_whole_lines(tmp_path, end, mark, compress):
    lines = ["one", "", "three three", "ü"]
    path = tmp_path / "text"
    path.write_bytes(compress((mark + end.join(lines)).encode()))
    for n_bytes in (1, 5, 100):
        blocks = list(byte_blocks(path, n_bytes))
        assert b"".join(blocks).decode() == "\n".join(lines)
        assert all(block.endswith(b"\n") for block in blocks[:-1])


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \n", "empty"),
        (b"a\x00", "binary"),
        (gzip.compress(b"ab" * 99, mtime=0)[:-9], "cannot be decompressed"),
    ],
)
def test_blocks_of_other_files_are_refused(tmp_path, content, match):
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(DatasetFormatError, match=match):
        list(byte_blocks(path, 100))
