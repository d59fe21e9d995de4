"""Each way a file can be wrong, and what the message says about it."""

import gzip
import re

import pytest

from hilabel.datasets import load_hmc_arff
from hilabel.exceptions import DatasetFormatError

HEADER = """@relation test
@attribute x numeric
@attribute y {p,q,r}
@attribute class hierarchical root/a,a/b,root/c
@data
"""
FIRST_ROW_LINE = 6


def failure(tmp_path, content: str | bytes) -> str:
    """Load the content, which must fail, and return what is said of the file."""
    path = tmp_path / "wrong.arff"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DatasetFormatError, match=r"wrong\.arff") as caught:
        load_hmc_arff(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


ROW_ERRORS = {
    "too few values": ("1,a", "too few values: expected 3"),
    "one value": ("1", "too few values: expected 3, one for each attribute, got 1"),
    "too many values": ("1,p,a,b", "too many values: expected 3, .* got 4"),
    "unknown nominal": ("1,z,a", "'z' is not a value of attribute 'y'; .* 'p', 'q'"),
    "not a number": ("one,p,a", "'one' is not a number; attribute 'x' is numeric"),
    "empty number": (",p,a", "'' is not a number"),
    "spelled nan": ("nan,p,a", "'nan' is not a number"),
    "infinite": ("inf,p,a", "'inf' is not a number"),
    "too large": ("1e999,p,a", "'1e999' is not a number"),
    "underscore": ("1_0,p,a", "'1_0' is not a number"),
    "hexadecimal": ("0x1f,p,a", "'0x1f' is not a number"),
    "truth value": ("True,p,a", "'True' is not a number"),
    "unknown label": ("1,p,a@zz", "label 'zz' is not in the hierarchy of 3 nodes"),
    "unknown pair": ("1,p,c/b", "label 'c/b' is not in the hierarchy"),
    "empty label in a list": ("1,p,a@", "label '' is not in the hierarchy"),
    "sparse among dense": ("{0 1}", "expected a dense row like those above"),
}


@pytest.mark.parametrize("quote", ["", "'"], ids=["fast", "exact"])
@pytest.mark.parametrize(("row", "expected"), ROW_ERRORS.values(), ids=ROW_ERRORS)
def test_a_wrong_row_is_named_by_its_line(tmp_path, row, expected, quote):
    # The quotes in the rows before send the file to the exact reader.
    before = f"% comment, with commas\n1,p,{quote}a{quote}\n\n?,?,{quote}b{quote}\n"
    message = failure(tmp_path, f"{HEADER}{before}{row}\n3,r,c\n")
    assert re.search(expected, message)
    assert message.startswith(f", line {FIRST_ROW_LINE + 4}: ")


SPARSE_ERRORS = {
    "out of range": ("{0 1,3 a}", "attribute index 3 is out of range; expected 0 to 2"),
    "descending": ("{1 q,0 1,2 a}", "attribute index 0 follows 1; expected ascending"),
    "twice": ("{0 1,0 2,2 a}", "attribute index 0 occurs twice"),
    "no label": ("{0 1,1 q}", "the row has no label: expected the index 2"),
    "nothing": ("{}", "the row has no label"),
    "no index": ("{x 1,2 a}", "expected 'index value' in a sparse row, got 'x 1'"),
    "negative index": ("{-1 1,2 a}", "expected 'index value' .* got '-1 1'"),
    "not a number": ("{0 one,2 a}", "'one' is not a number"),
    "infinite": ("{0 inf,2 a}", "'inf' is not a number"),
    "unknown nominal": ("{1 z,2 a}", "'z' is not a value of attribute 'y'"),
    "unknown label": ("{0 1,2 zz}", "label 'zz' is not in the hierarchy"),
    "dense among sparse": ("1,p,a", "expected a sparse row .* this one is dense"),
    "no closing brace": ("{0 1,2 a", "expected a sparse row .* lacks a brace"),
}


@pytest.mark.parametrize(("row", "expected"), SPARSE_ERRORS.values(), ids=SPARSE_ERRORS)
def test_a_wrong_sparse_row_is_named_by_its_line(tmp_path, row, expected):
    message = failure(tmp_path, f"{HEADER}{{0 1,2 a}}\n\n{row}\n{{2 b}}\n")
    assert re.search(expected, message)
    assert message.startswith(f", line {FIRST_ROW_LINE + 2}: ")


def test_counting_from_one_shifts_the_range_of_sparse_indices(tmp_path):
    message = failure(tmp_path, f"{HEADER}{{1 1,3 a}}\n{{0 1,3 a}}\n")
    assert message == ", line 7: attribute index 0 is out of range; expected 1 to 3."


HEADER_ERRORS = {
    "cycle": (
        "@attribute class hierarchical root/a,a/b,b/c,c/a",
        ", line 4: The hierarchy has a cycle: 'a' -> 'b' -> 'c' -> 'a'",
    ),
    "own parent": (
        "@attribute class hierarchical root/a,a/a",
        ", line 4: Node 'a' is its own parent",
    ),
    "root below a node": (
        "@attribute class hierarchical root/a,a/root",
        ", line 4: Expected 'root' above all nodes, got the pair 'a/root'",
    ),
    "empty step": (
        "@attribute class hierarchical a,a//b",
        ", line 4: Path 'a//b' has an empty step",
    ),
    "no classes": (
        "@attribute class hierarchical",
        ", line 4: expected classes after 'hierarchical'",
    ),
    "no hierarchical attribute": (
        "@attribute class {a,b}",
        ": expected a hierarchical attribute",
    ),
    "not the last": (
        "@attribute class hierarchical root/a\n@attribute z numeric",
        ", line 4: expected the hierarchical attribute to be the last one, but 'z'",
    ),
    "two": (
        "@attribute c hierarchical root/a\n@attribute d hierarchical root/b",
        ", line 5: expected one hierarchical attribute, got a second",
    ),
    "unknown type": (
        "@attribute z date\n@attribute class hierarchical root/a",
        ", line 4: attribute 'z' has the type 'date'; expected numeric",
    ),
    "no type": (
        "@attribute z\n@attribute class hierarchical root/a",
        ", line 4: expected '@ATTRIBUTE name type', got '@attribute z'",
    ),
    "open brace": (
        "@attribute z {a,b\n@attribute class hierarchical root/a",
        ", line 4: the values of attribute 'z' have no closing brace",
    ),
    "no values": (
        "@attribute z {}\n@attribute class hierarchical root/a",
        ", line 4: attribute 'z' declares no values",
    ),
    "value twice": (
        "@attribute z {a,b,a}\n@attribute class hierarchical root/a",
        ", line 4: attribute 'z' declares 'a' more than once",
    ),
    "unknown keyword": (
        "@attributes z numeric\n@attribute class hierarchical root/a",
        ", line 4: expected '@RELATION', '@ATTRIBUTE', '@DATA' or a comment",
    ),
}


@pytest.mark.parametrize(
    ("lines", "expected"), HEADER_ERRORS.values(), ids=HEADER_ERRORS
)
def test_a_wrong_header_is_named_by_its_line(tmp_path, lines, expected):
    content = f"@relation test\n\n@attribute x numeric\n{lines}\n@data\n1,a\n"
    assert failure(tmp_path, content).startswith(expected)


def test_pairs_are_refused_where_a_path_has_three_steps(tmp_path):
    path = tmp_path / "paths.arff"
    path.write_text("@attribute class hierarchical a/b/c\n@data\na\n")
    with pytest.raises(
        DatasetFormatError, match=r"line 1: Expected pairs.*form='tree'"
    ):
        load_hmc_arff(path, form="dag")


def test_a_file_without_data_line_is_refused(tmp_path):
    message = failure(tmp_path, HEADER.replace("@data\n", ""))
    assert message.startswith(": expected a line '@DATA'")


@pytest.mark.parametrize("rest", ["", "\n% only a comment\n   \n"])
def test_a_header_without_rows_is_refused(tmp_path, rest):
    message = failure(tmp_path, HEADER + rest)
    assert message == ": expected rows after '@DATA', got only a header."


def test_text_that_is_not_utf8_is_named_by_its_line(tmp_path):
    message = failure(tmp_path, HEADER.encode() + "1,p,größe\n".encode("latin-1"))
    assert message.startswith(", line 6: expected UTF-8 text, got the byte 0xf6")


def test_damaged_gzip_data_is_refused(tmp_path):
    packed = bytearray(gzip.compress(HEADER.encode() + b"1,p,a\n" * 50))
    packed[30] ^= 0xFF
    assert failure(tmp_path, bytes(packed)).startswith(": the file is compressed but")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.arff"):
        load_hmc_arff(tmp_path / "absent.arff")
