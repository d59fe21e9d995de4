import gzip
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from hilabel.datasets import open_features, read_features
from hilabel.exceptions import DatasetFormatError

EXPECTED = pd.DataFrame(
    {
        "length": [100.0, np.nan, 1e-3],
        "strand": ["+", "-", None],
        "essential": ["True", "False", "True"],
    },
    index=["007", "b", "c"],
)
CSV = "gene,length,strand,essential\n007,100,+,True\nb,?,-,False\nc,1e-3,NA,True\n"


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="genes.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def assert_same(table, expected=EXPECTED):
    assert table.ids == tuple(expected.index)
    assert list(table.frame.columns) == list(expected.columns)
    for name in expected:
        got, wanted = table.frame[name], expected[name]
        assert pd.api.types.is_numeric_dtype(got) == pd.api.types.is_numeric_dtype(
            wanted
        )
        assert got.isna().tolist() == wanted.isna().tolist()
        assert got.dropna().tolist() == wanted.dropna().tolist()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("genes.csv", CSV),
        ("genes.tsv", CSV.replace(",", "\t")),
        ("genes.txt", CSV.replace(",", "\t")),
        ("genes.csv", CSV.replace(",", ";")),
        ("genes.csv", CSV.replace(",", " , ").replace("\n", "\n\n \n")),
        ("genes.csv", CSV.replace("gene", "").replace("?", "")),
        ("genes.csv", CSV.replace("\n", "\r\n").replace("?", "N/A")),
        ("genes.csv", "\ufeff" + CSV.replace("+", '"+"').rstrip("\n")),
    ],
)
def test_text_files_of_all_kinds_read_alike(write, name, text):
    assert_same(read_features(write(text, name)))


def test_compressed_text_reads_alike(tmp_path):
    path = tmp_path / "genes.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    assert_same(read_features(path))


@pytest.mark.parametrize("name", ["genes.parquet", "genes.bin", "genes.parquet.gz"])
@pytest.mark.parametrize("as_index", [True, False])
def test_parquet_reads_alike(tmp_path, name, as_index):
    frame = EXPECTED.assign(essential=[True, False, True])
    frame["strand"] = frame["strand"].astype("category")
    path = tmp_path / name
    # pandas would compress by the name; the file itself shall be compressed here.
    content = (frame if as_index else frame.reset_index()).to_parquet()
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert_same(read_features(path))


def test_left_over_row_numbers_of_parquet_are_no_identifiers(tmp_path):
    frame = pd.DataFrame({"gene": ["a", "b", "c"], "x": [1, 2, 3]}).iloc[[2, 0]]
    frame.to_parquet(tmp_path / "genes.parquet")
    assert read_features(tmp_path / "genes.parquet").ids == ("c", "a")


def test_any_column_can_be_the_identifier(write):
    table = read_features(write("x,name\n1,a\n2,b\n"), id_column="name")
    assert table.ids == ("a", "b")
    assert list(table.frame.columns) == ["x"]


def test_columns_can_be_chosen_ordered_and_dropped(write):
    path = write(CSV)
    assert list(read_features(path, drop="strand").frame) == ["length", "essential"]
    chosen = read_features(path, columns=["strand", "length"]).frame
    assert list(chosen) == ["strand", "length"]
    assert chosen["strand"].tolist()[:2] == ["+", "-"]


def test_numbers_may_be_declared_to_be_names(write):
    path = write("id,cluster\na,01\nb,2\nc,\n")
    assert read_features(path).frame["cluster"].tolist()[:2] == [1.0, 2.0]
    words = read_features(path, categorical=["cluster"]).frame["cluster"]
    assert words.tolist()[:2] == ["01", "2"]
    assert words.isna().tolist() == [False, False, True]


def test_whole_numbers_of_parquet_declared_as_names_have_no_decimals(tmp_path):
    frame = pd.DataFrame({"id": ["a", "b"], "cluster": [1.0, np.nan]})
    frame.to_parquet(tmp_path / "a.parquet")
    table = read_features(tmp_path / "a.parquet", categorical=["cluster"])
    assert table.frame["cluster"].dropna().tolist() == ["1"]


def test_a_column_without_values_is_kept_as_nan(write):
    frame = read_features(write("id,x,y\na,1,?\nb,2,\n")).frame
    assert np.isnan(frame["y"].to_numpy(dtype=float)).all()


def test_a_comma_separates_decimals_where_a_semicolon_separates_columns(write):
    frame = read_features(write("id;x\na;1,5\nb;2\n")).frame
    assert frame["x"].tolist() == [1.5, 2.0]


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["", "?", "NA", '"3"', " 4 "]),
)


@given(
    rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", "\t", ";"]),
    data=st.data(),
)
def test_every_number_stays_with_its_row(rows, delimiter, data, tmp_path_factory):
    lines = [delimiter.join(["id", "x", "y"])]
    for number, (x, y) in enumerate(rows):
        lines += data.draw(st.lists(st.sampled_from(["", "  "]), max_size=2))
        lines.append(delimiter.join([f"r{number}", x, y]))
    path = tmp_path_factory.mktemp("any") / "any.csv"
    path.write_text("\n".join(lines))
    table = read_features(path)

    def value(cell):
        cell = cell.strip().strip('"')
        return float("nan" if cell in ("", "?", "NA") else cell)

    expected = [[value(x), value(y)] for x, y in rows]
    np.testing.assert_array_equal(table.frame.to_numpy(dtype=float), expected)
    assert table.ids == tuple(f"r{i}" for i in range(len(rows)))


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,x\na,1\nb,1,2\n", r"genes\.csv, line 3: expected 2 columns.* got 3.*R "),
        ("id,x,y\na,1,2\n\nb,1\n", "line 4: expected 3 columns.* got 2"),
        ("id,x\na,1\n\nb,2\na,3\n", "line 5: id 'a' is already in line 2"),
        ("id,x\na,1\n,2\n", "line 3: the id is empty"),
        ("id,x\na,1\n,\n", "line 3: the id is empty"),
        ('id,x\na,1\n""\n', "line 3: expected 2 columns"),
        ("id,x\n", "expected rows below the header, got none"),
        ("id\na\nb\n", "expected at least one feature besides the id column"),
        ("id,x,x\na,1,2\n", "line 1: two columns are named 'x'"),
        ("id,x,\na,1,2\n", "line 1: column 3 has no name"),
        ("a,0.5,1\nb,2,3\n", "line 1: expected the names of the columns"),
        ("id,x\na,inf\nb,1\n", "expected finite numbers, got inf in column 'x', row 1"),
        ("id,x\na,1\nb,2\nc,l.5\n", "line 4: expected a number in column 'x'.*'l.5'"),
        ('id,x\na,"1\nb,2\n', "line 2: the row cannot be read"),
        ("", r"genes\.csv: the file is empty"),
        ("id,x\na,\x00\n", "the file is binary"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(write, text, message):
    with pytest.raises(DatasetFormatError, match=message):
        read_features(write(text))


def test_a_mixed_column_passes_when_declared_or_dropped(write):
    path = write("id,x,y\na,1,1\nb,2,1\nc,3b,1\n")
    words = read_features(path, categorical="x").frame["x"].tolist()
    assert words == ["1", "2", "3b"]
    assert list(read_features(path, drop="x").frame) == ["y"]


@pytest.mark.parametrize(
    "options",
    [{"id_column": "z"}, {"categorical": "z"}, {"drop": "z"}, {"columns": "z"}],
)
def test_an_absent_column_is_named_beside_those_present(write, tmp_path, options):
    with pytest.raises(DatasetFormatError, match=r"expected a column 'z', .*'x'"):
        read_features(write("id,x\na,1\n"), **options)
    pd.DataFrame({"id": ["a"], "x": [1]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DatasetFormatError, match=r"expected a column 'z', .*'x'"):
        read_features(tmp_path / "a.parquet", **options)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"id": ["a", "a"], "x": [1, 2]}), "row 2: id 'a' .* in row 1"),
        (pd.DataFrame({"id": ["a", None], "x": [1, 2]}), "row 2: the id is empty"),
        (pd.DataFrame({"id": ["a", "b"]}), "at least one feature"),
        (pd.DataFrame({"id": [], "x": []}), r"shape \(0, 2\)"),
        (
            pd.DataFrame({"id": ["a"], "t": pd.to_datetime(["2020-01-01"])}),
            "numbers or strings in column 't', got datetime",
        ),
        (
            pd.DataFrame({"id": ["a"], "t": [[1, 2]]}),
            "strings in column 't', got array",
        ),
    ],
)
def test_an_unfit_parquet_file_is_refused(tmp_path, frame, message):
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DatasetFormatError, match=message):
        read_features(tmp_path / "a.parquet")


def test_a_damaged_parquet_file_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(DatasetFormatError, match="expected a Parquet file"):
        read_features(tmp_path / "a.parquet")


def test_missing_pyarrow_is_named_with_its_extra(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[parquet\]'"):
        read_features(tmp_path / "a.parquet")


# Names of columns ---------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_usual_id_column_is_found_wherever_it_stands(write, tmp_path, suffix):
    if suffix == "csv":
        path = write("x,name\n1,a\n2,b\n")
    else:
        path = tmp_path / "t.parquet"
        pd.DataFrame({"x": [1, 2], "name": ["a", "b"]}).to_parquet(path)
    table = read_features(path, usual_id_column="name")
    assert (table.ids, table.frame.index.name) == (("a", "b"), "name")
    table = read_features(path, usual_id_column="gene")
    assert (table.ids, table.frame.index.name) == (("1", "2"), "x")
    assert read_features(path, id_column="x", usual_id_column="name").ids == ("1", "2")


@pytest.mark.parametrize(
    "options", [{"id_column": "Prise"}, {"categorical": "prise"}, {"drop": ["prices"]}]
)
def test_a_misspelt_column_is_told_what_it_may_mean(write, options):
    path = write("id,a,b,c,d,e,price\n1,1,1,1,1,1,1\n")
    with pytest.raises(DatasetFormatError, match=r"got .*\. Did you mean 'price'\?$"):
        read_features(path, **options)


def test_the_id_column_in_use_is_named(write):
    path = write("gene,x\na,1\n,2\n")
    with pytest.raises(DatasetFormatError, match=r"line 3: the id is empty.*'gene'"):
        read_features(path)
    with pytest.raises(DatasetFormatError, match="besides the id column 'x': 'gene'"):
        read_features(path, id_column="x", columns=["weight"])
    with pytest.raises(DatasetFormatError, match="'x' of features, but it is the id"):
        read_features(path, id_column="x", columns=["x"])


def test_a_nameless_first_column_is_no_feature(write):
    path = write(",gene,x\n0,a,1\n1,b,2\n")
    assert read_features(path).ids == ("0", "1")
    assert list(read_features(path, id_column="gene", drop=[""]).frame) == ["x"]
    with pytest.raises(DatasetFormatError, match="column 1 has no name.*index=False"):
        read_features(path, id_column="gene")


# Text -------------------------------------------------------------------------------


def test_columns_of_text_are_recognised(tmp_path):
    rows = [
        f"r{i},red pan {i},A {i} B,{i % 20} big pans,{i}-01-02,Pan{i},{i}"
        for i in range(41)
    ]
    heading = "id,title,code,few,date,one,number\n"
    path = tmp_path / "x.csv"
    path.write_text(heading + "\n".join(rows))
    table = read_features(path)
    assert table.text == ("title",)
    assert table.wordy_columns == ("code", "date", "one")
    assert read_features(path, categorical=["title"]).text == ()
    assert read_features(path, drop=["title"]).text == ()
    said = read_features(path, text=["number", "few"])
    assert said.text == ("title", "few", "number")
    assert said.frame["number"].tolist()[:2] == ["0", "1"]


def test_more_values_than_names_can_have_are_text_even_if_they_repeat(tmp_path):
    rows = [f"r{i},red pan {i % 1001}" for i in range(4000)]
    (tmp_path / "x.csv").write_text("id,title\n" + "\n".join(rows))
    assert read_features(tmp_path / "x.csv").text == ("title",)


REPEATED = "gene,length,strand\nE1.2,1,\nE2.1,5,+\nE1.3,2,-\nE1.4,,+\n"


def test_versions_of_ids_can_be_left_out(write):
    path = write("gene,length\nE1.2,1\nE2.10,2\nE.x,3\n")
    assert read_features(path).ids == ("E1.2", "E2.10", "E.x")
    assert read_features(path, strip_version=True).ids == ("E1", "E2", "E.x")


@pytest.mark.parametrize(
    ("how", "length", "strand"),
    [("mean", [1.5, 5.0], ["-", "+"]), ("first", [1.0, 5.0], [None, "+"])],
)
@pytest.mark.parametrize("name", ["genes.csv", "genes.parquet"])
def test_rows_with_the_same_id_are_merged(write, tmp_path, how, length, strand, name):
    path = write(REPEATED)
    if name == "genes.parquet":
        pd.read_csv(path).to_parquet(tmp_path / name)
    options = {"strip_version": True, "merge_duplicates": how}
    table = read_features(tmp_path / name, **options)
    frame = pd.DataFrame({"length": length, "strand": strand}, index=["E1", "E2"])
    assert_same(table, frame)
    assert table.n_merged == 2


def test_rows_with_the_same_id_are_refused_unless_they_are_to_be_merged(write):
    with pytest.raises(DatasetFormatError, match=r"line 4: id 'E1' .* line 2.*merge"):
        read_features(write(REPEATED), strip_version=True)
    with pytest.raises(DatasetFormatError, match="'mean', 'first' or None, got 'max'"):
        read_features(write(REPEATED), merge_duplicates="max")


def test_all_columns_with_wrong_cells_are_named_at_once(write):
    text = "id,a,b,c\np,1,x,inf\nq,?,2,3\nr,3,3,4\ns,5,6,y\n"
    with pytest.raises(DatasetFormatError, match="line 2: .*'b'.*Also wrong: 'c'") as e:
        read_features(write(text))
    assert set(e.value.culprits) == {"b", "c"}
    assert "'x', first in line 2" in e.value.culprits["b"]


def test_all_repeated_ids_are_named_at_once(write):
    text = "id,a\np,1\np,2\nq,3\nq,4\nq,5\n"
    with pytest.raises(DatasetFormatError, match="line 3: id 'p' is already in") as e:
        read_features(write(text))
    assert e.value.culprits == {"p": "line 2 and line 3", "q": "line 4 and line 5"}


def _arrow(kind):
    pyarrow = pytest.importorskip("pyarrow")
    words = {
        "string": pyarrow.string(),
        "large_string": pyarrow.large_string(),
        "string_view": pyarrow.string_view(),
        "binary": pyarrow.binary(),
        "large_binary": pyarrow.large_binary(),
        "binary_view": pyarrow.binary_view(),
        "fixed_size_binary": pyarrow.binary(3),
    }
    if kind in words:
        as_bytes = "binary" in kind
        ids = [b"101", b"102"] if as_bytes else ["101", "102"]
        return pyarrow.array(ids, words[kind])
    if kind == "dictionary of strings":
        return pyarrow.array(["101", "102"]).dictionary_encode()
    if kind == "dictionary of bytes":
        return pyarrow.array([b"101", b"102"]).dictionary_encode()
    if kind == "dictionary of integers":
        return pyarrow.array([101, 102]).dictionary_encode()
    return pyarrow.array([101, 102], getattr(pyarrow, kind)())


@pytest.mark.parametrize(
    "kind",
    [
        *("string", "large_string", "string_view", "binary", "large_binary"),
        *("binary_view", "fixed_size_binary", "dictionary of strings"),
        *("dictionary of bytes", "dictionary of integers", "int8", "int64", "uint64"),
        *("float16", "float64"),
    ],
)
def test_ids_in_parquet_are_the_same_in_every_type(tmp_path, kind):
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"id": _arrow(kind), "x": [1.0, 2.0]}), path)
    assert read_features(path).ids == ("101", "102")
    assert open_features(path, 1, columns=["x"]).ids == ("101", "102")


def test_words_in_parquet_may_be_bytes_of_text(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    columns = {"id": ["a", "b", "c"], "x": ["ü".encode(), None, b" red "]}
    parquet.write_table(pyarrow.table(columns), path)
    assert read_features(path).frame["x"].dropna().tolist() == ["ü", "red"]
    columns["x"] = [b"\xff", None, None]
    parquet.write_table(pyarrow.table(columns), path)
    told = r"x\.parquet: expected UTF-8 text in column 'x', got the bytes b'\\xff'"
    with pytest.raises(DatasetFormatError, match=told):
        read_features(path)


@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}, {"a": 2}]])
def test_ids_in_parquet_must_be_strings_or_numbers(tmp_path, values):
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"id": values, "x": [1.0, 2.0]}), path)
    with pytest.raises(DatasetFormatError, match="strings or numbers in column 'id'"):
        read_features(path)
