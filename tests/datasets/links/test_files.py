"""Files of links are named, and matched with the rows of a table."""

from pathlib import Path

import numpy as np
import pytest

from hilabel.datasets import (
    TableFiles,
    link_new_rows,
    load_table,
    parse_links_option,
    read_features,
    read_links,
    write_example,
)
from hilabel.datasets._links.files import LinkFiles
from hilabel.exceptions import DatasetFormatError, LinkError
from hilabel.links import LinkTable


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a.m8", (None, "a.m8")),
        ("hits=a.m8", ("hits", "a.m8")),
        (" hits = a.m8", ("hits", "a.m8")),
        ("folder/k=3.m8", (None, "folder/k=3.m8")),
        ("hits=k=3.m8", ("hits", "k=3.m8")),
    ],
)
def test_an_option_may_name_the_kind(text, named):
    assert parse_links_option(text) == named


def test_a_file_that_exists_is_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("hits=a.m8").touch()
    assert parse_links_option("hits=a.m8") == (None, "hits=a.m8")


@pytest.mark.parametrize("text", ["", "hits=", " "])
def test_an_option_needs_a_file(text):
    with pytest.raises(LinkError, match="Expected FILE or KIND=FILE"):
        parse_links_option(text)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("a.m8", ((None, "a.m8"),)),
        (Path("a.m8"), ((None, Path("a.m8")),)),
        ({"hits": "a"}, (("hits", "a"),)),
        ([("hits", "a"), (None, "b"), "c"], (("hits", "a"), (None, "b"), (None, "c"))),
        ((), ()),
    ],
)
def test_files_may_come_in_any_form(value, named):
    assert LinkFiles.of(value).named == named
    assert TableFiles("f", "l", links=value).links == named


@pytest.mark.parametrize("value", [3, [("a", "b", "c")], [("a", 3)], [None]])
def test_other_values_are_no_files(value):
    with pytest.raises(LinkError, match="Expected (files of|the name of a kind)"):
        LinkFiles.of(value)


@pytest.fixture
def shop(tmp_path):
    paths = write_example(tmp_path, "shop")
    return {name: paths[name] for name in ("features", "labels", "hierarchy")}


@pytest.fixture
def links(tmp_path):
    bought = tmp_path / "bought.csv"
    bought.write_text("P0003,P0001,2\nP0001,P0003,5\nP0002,P0002,1\nP0002,gone,1\n")
    seen = tmp_path / "seen.csv"
    seen.write_text("P0002,P0001\nP0002,P0001\n")
    return {"bought": bought, "seen": seen}


def test_rows_of_a_table_have_links_in_its_order(shop, links):
    files = TableFiles(**shop, links=links)
    assert files.paths()[-2:] == tuple(links.values())
    data = files.read()
    assert data.links.names == ("bought", "seen")
    bought, seen = (data.links.kinds[name] for name in data.links.names)
    assert bought.shape == (len(data.table), len(data.table))
    assert (bought[0, 2], bought[2, 0], seen[0, 1], seen[1, 0]) == (5, 5, 1, 1)
    assert data.links.n_links == 4
    report = data.report.links
    counts = report.n_used, report.n_self, report.n_unknown, report.n_duplicates
    assert counts == (3, 1, 1, 1)
    assert report.n_rows_without == len(data.table) - 3
    assert str(report) in str(data.report)


def test_links_may_lead_one_way(shop, links):
    data = TableFiles(**shop, links=links, links_both_ways=False).read()
    assert data.links.n_links == 3
    assert data.links.kinds["bought"][2, 0] == 2


def test_a_table_has_no_links_unless_they_are_given(shop):
    data = TableFiles(**shop).read()
    assert data.links is None
    assert data.report.links is None


def test_links_that_were_read_can_be_given(shop):
    table = LinkTable.of([("P0001", "P0002")])
    assert load_table(**shop, links=table).links.n_links == 2


def test_links_between_other_ids_are_refused(shop, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("Q1.1,Q2.2\n")
    with pytest.raises(DatasetFormatError, match=r"such as 'P0001', got .*'Q1\.1'"):
        TableFiles(**shop, links=path).read()
    path.write_text("P0001.1,P0002.2\n")
    with pytest.raises(DatasetFormatError, match="strip_version"):
        TableFiles(**shop, links=path).read()
    assert TableFiles(**shop, links=path, strip_version=True).read().links.n_links == 2


def test_two_files_of_one_kind_are_refused(shop, links):
    with pytest.raises(LinkError, match="'links' twice; name the kind of each file"):
        TableFiles(**shop, links=list(links.values())).read()


# New rows ---------------------------------------------------------------------------


def test_new_rows_have_links_to_training_rows_and_among_each_other():
    table = LinkTable.of(
        {
            "hits": [("n1", "t2", 3.0), ("t1", "n1", 2.0), ("n1", "n2", 1.0)],
            "more": [("t1", "t2", 1.0), ("n2", "z", 1.0)],
        }
    )
    found = link_new_rows(table, ["n1", "n2"], ["t1", "t2"])
    np.testing.assert_array_equal(
        found.to_training.kinds["hits"].toarray(), [[2, 3], [0, 0]]
    )
    np.testing.assert_array_equal(
        found.among_new.kinds["hits"].toarray(), [[0, 1], [1, 0]]
    )
    report = found.report
    counts = report.n_used, report.n_elsewhere, report.n_unknown, report.n_rows_without
    assert counts == (2, 2, 1, 1)
    one_way = link_new_rows(table, ["n1"], ["t1", "t2"], both_ways=False)
    np.testing.assert_array_equal(one_way.to_training.kinds["hits"].toarray(), [[0, 3]])


def test_kinds_are_those_of_training():
    table = LinkTable.of({"b": [("n", "t")], "c": [("n", "t")]})
    found = link_new_rows(table, ["n"], ["t"], kinds=["a", "b"])
    assert found.to_training.names == found.among_new.names == ("a", "b")
    assert found.to_training.kinds["a"].nnz == 0
    assert found.to_training.kinds["b"].nnz == 1
    assert found.ignored_kinds == ("c",)
    with pytest.raises(LinkError, match="kinds x, y, as in training, got b, c"):
        link_new_rows(table, ["n"], ["t"], kinds=["x", "y"])


def test_a_new_row_that_was_in_training_is_not_linked_to_itself():
    table = LinkTable.of([("t", "t", 9.0), ("t", "u", 2.0)])
    found = link_new_rows(table, ["t"], ["t", "u"])
    np.testing.assert_array_equal(found.to_training.kinds["links"].toarray(), [[0, 2]])
    assert found.report.n_self == 1


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_no_list_of_ids_whatever_its_name(tmp_path, separator):
    lines = ["id,x,y", "r0,0,1", "r1,2,3"]
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{line.replace(',', separator)}\n" for line in lines))
    assert read_features(path, ids_alone=True).ids == ("r0", "r1")
    path.write_text("id\nr0\nr1\n")
    assert read_features(path, ids_alone=True).ids == ("r0", "r1")


def test_old_line_ends_and_very_long_cells_are_no_reason_to_fail(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("source,target\rr0,r1\rr1,r2\r", newline="")
    assert [one.n_links for one in read_links(path).kinds.values()] == [2]
    path.write_text("a,b\n" + 200_000 * "x")
    with pytest.raises(DatasetFormatError, match=r"line 2: expected 2 columns"):
        read_links(path)
