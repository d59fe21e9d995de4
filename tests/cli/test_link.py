"""``hilabel link``: options become choices, and errors one line."""

import json

import pytest

from hilabel.datasets import read_links


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"r{row},{row},{row % 3}" for row in range(12)]
    (tmp_path / "rows.csv").write_text("\n".join(["id,x,y", *lines]) + "\n")
    return tmp_path


def test_rows_are_linked_to_their_nearest_rows(run, rows):
    result = run("link", "rows.csv", "-k", 2, "--metric", "manhattan", "--drop", "y")
    assert result.exit_code == 0, result.stderr
    assert "nearest rows, at most 2" in result.stdout
    assert "links: links.csv.gz" in result.stdout
    table = read_links(rows / "links.csv.gz")
    assert len(table) == 24
    links, _ = table.over(table.ids, both_ways=False)
    near = {table.ids[place] for place in links.kinds["links"][[5]].indices}
    assert near == {"r4", "r6"}


def test_facts_are_json_too(run, rows):
    told = json.loads(run("link", "rows.csv", "-o", "a.tsv", "--json").stdout)
    assert (told["output"], told["rows"], told["links"]) == ("a.tsv", 12, 120)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["rows.csv", "--by", "diamond"], "is no FASTA file"),
        (["rows.csv", "--by", "rows", "--evalue", "1"], "--evalue controls searches"),
        (["rows.csv", "-o", "a.m8"], "(option: --output)"),
        (["rows.csv", "-o", "a.txt"], "ends in .csv or"),
        (["rows.csv", "-o", "rows.csv"], "also an input"),
    ],
)
def test_an_error_is_one_line_that_names_options(run, rows, args, told):
    result = run("link", *args)
    assert result.exit_code == 2 or result.exception is not None
    message = result.stderr or str(result.exception)
    assert told in " ".join(message.split())
    assert not (rows / "links.csv.gz").exists()
