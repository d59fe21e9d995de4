"""A table read in blocks is the table read at once."""

import gzip

import pandas as pd
import pytest

from hilabel.datasets import open_features, read_features
from hilabel.exceptions import DatasetFormatError

COLUMNS = ["size", "colour", "title"]
OPTIONS = {"categorical": ["colour"], "text": ["title"]}
TEXT = (
    "id,size,colour,title,other\n"
    'p1,1.5,red,"a round, red\nball",x\n'
    "p2,?,blue,tea pot,x\n"
    "\n"
    "p3,-3,,garden chair,x\n"
    "p4,1e-3,7,,x\n"
    "p5,2,red,old book,x\n"
)


def files(folder):
    """Return the same table in every form that is read in blocks, or at once."""
    text = folder / "t.csv"
    text.write_text(TEXT)
    compressed = folder / "t.csv.gz"
    compressed.write_bytes(gzip.compress(TEXT.encode()))
    windows = folder / "windows.csv"
    windows.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    frame = read_features(text, **OPTIONS).frame
    named, plain = folder / "named.parquet", folder / "plain.parquet"
    frame.to_parquet(named, row_group_size=2)
    frame.reset_index().to_parquet(plain, index=False, row_group_size=3)
    squeezed = folder / "plain.parquet.gz"
    squeezed.write_bytes(gzip.compress(plain.read_bytes()))
    return [text, compressed, windows, named, plain, squeezed]


def with_none(frame):
    """Return a frame whose missing cells are None; before pandas 3 some are NaN."""
    return frame.astype(object).where(frame.notna(), None)


@pytest.mark.parametrize("rows_at_once", [1, 2, 4, 100])
def test_blocks_hold_what_the_whole_holds(rows_at_once, tmp_path):
    for path in files(tmp_path):
        whole = read_features(path, columns=COLUMNS, **OPTIONS)
        blocks = open_features(path, rows_at_once, columns=COLUMNS, **OPTIONS)
        for _ in range(2):  # as often as one likes
            parts = list(blocks)
            assert all(len(part) == rows_at_once for part in parts[:-1])
            pd.testing.assert_frame_equal(
                with_none(
                    pd.concat([part.frame for part in parts]).astype({"size": float})
                ),
                with_none(whole.frame),
                check_index_type=False,
            )
            ids = tuple(row_id for part in parts for row_id in part.ids)
            assert ids == blocks.ids == whole.ids
            assert all(part.text == ("title",) for part in parts)


def test_rows_to_be_merged_are_found_in_other_blocks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,size\np1.1,1\np2.1,5\np1.2,3\n")
    how = {"strip_version": True, "columns": ["size"]}
    blocks = open_features(path, 1, merge_duplicates="mean", **how)
    assert [part.frame["size"].tolist() for part in blocks] == [[2.0], [5.0]]
    with pytest.raises(DatasetFormatError, match="line 4: id 'p1' is already in line"):
        open_features(path, 1, **how)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("id,size\n", "expected rows below the header"),
        ("id,size\np1,1\np2\n", "line 3: expected 2 columns"),
        ("id,length\np1,1\n", "expected a column 'size'"),
        ("id,size\np1,1\n,2\n", "line 3: the id is empty"),
        ("id,size\np1,1\np2,2\np1,3\n", "line 4: id 'p1' is already in line 2"),
        ('id,size\np1,1\np2,"2\n', "quotation mark"),
        ("id,size\np1,1\np2,\xff\n", "line 3: expected UTF-8 text"),
        ("id,size\np1,1\np2,\0\n", "the file is binary"),
    ],
)
def test_a_malformed_file_is_refused_before_any_block(text, message, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(DatasetFormatError, match=message):
        open_features(path, 1, columns=["size"])


def test_a_wrong_cell_of_a_later_block_is_named_with_its_row(tmp_path):
    text, parquet = tmp_path / "t.csv", tmp_path / "t.parquet"
    text.write_text("id,size\np1,1\np2,2\np3,inf\n")
    frame = pd.DataFrame({"id": ["p1", "p2", "p3"], "size": [1, 2, float("inf")]})
    frame.to_parquet(parquet)
    for path in (text, parquet):
        with pytest.raises(DatasetFormatError, match="got inf in column 'size', row 3"):
            list(open_features(path, 2, columns=["size"]))
    text.write_text("id,size\np1,1\np2,2\np3,4\np4,5\np5,6\np6,lots\n")
    with pytest.raises(DatasetFormatError, match="line 7: expected a number in colu"):
        list(open_features(text, 3, columns=["size"]))


def test_an_unfit_parquet_file_is_refused_when_it_is_opened(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(DatasetFormatError, match="expected a Parquet file, but it"):
        open_features(path, 2, columns=["size"])
    pd.DataFrame({"id": [], "size": []}).to_parquet(path)
    with pytest.raises(DatasetFormatError, match=r"got a table of shape \(0, 2\)"):
        open_features(path, 2, columns=["size"])
