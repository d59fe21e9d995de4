"""Excel files are read as text, wherever text is read."""

import datetime
import io
import sys

import pytest

from hilabel._text_files import read_text
from hilabel.datasets import read_annotations, read_features, read_hierarchy
from hilabel.exceptions import DatasetFormatError


@pytest.fixture
def write(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the excel extra")

    def write_book(name, rows):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.create_sheet("another").append(["not", "read"])
        book.save(tmp_path / name)
        return tmp_path / name

    return write_book


def test_the_first_sheet_is_a_text_with_a_line_per_row(write):
    day = datetime.date(2024, 5, 1)
    rows = [["id", "x", "day"], [], ["a", 0.1, day], ["b\tc", 2.0, None], [None, ""]]
    text = read_text(write("t.xlsx", rows))
    assert text == 'id\tx\tday\n\na\t0.1\t2024-05-01 00:00:00\n"b\tc"\t2\t\n\n'


def test_features_labels_and_hierarchy_may_be_sheets(write):
    table = read_features(write("t.xlsx", [["id", "x"], ["a", 0.1], ["b", None]]))
    assert table.frame["x"].iloc[0] == 0.1
    assert table.frame["x"].isna().tolist() == [False, True]
    labels = read_annotations(write("l.xlsx", [["id", "term"], ["a", "tea;bread"]]))
    assert labels.terms == ("tea", "bread")
    assert read_hierarchy(write("h.xlsx", [["food", "tea"]])).hierarchy.n_edges == 1


def test_an_error_names_the_row_of_the_sheet(write):
    rows = [["id", "x"], ["a", 1], ["b", 2], ["c", "dear"]]
    with pytest.raises(DatasetFormatError, match=r"t.xlsx, line 4: .*'dear'"):
        read_features(write("t.xlsx", rows))
    with pytest.raises(DatasetFormatError, match="the first sheet is empty"):
        read_features(write("t.xlsx", []))


def test_an_old_workbook_and_a_missing_package_are_told(tmp_path, monkeypatch):
    path = tmp_path / "t.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0 and more")
    with pytest.raises(DatasetFormatError, match="save it as .xlsx or CSV"):
        read_features(path)
    _zip_with(path, "xl/workbook.xml")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[excel\]'"):
        read_features(path)


def test_a_damaged_workbook_is_told(tmp_path):
    pytest.importorskip("openpyxl", reason="the excel extra")
    path = tmp_path / "t.xlsx"
    _zip_with(path, "xl/workbook.xml")
    with pytest.raises(DatasetFormatError, match="expected an Excel file, but"):
        read_features(path)


def _zip_with(path, member):
    import zipfile

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(member, "x")
    path.write_bytes(data.getvalue())
