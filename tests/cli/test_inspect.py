"""``hilabel inspect``: every kind of file tells what it is."""

import json

import pytest
from two_aspects import write_genes

from hilabel.datasets import write_example


@pytest.mark.parametrize(
    ("file", "title", "fact"),
    [
        ("products.csv", "Features products.csv", "categorical columns"),
        ("labels.csv", "Labels labels.csv", "terms per id"),
        ("annotations.gaf", "Labels annotations.gaf", "NOT rows"),
        ("taxonomy.csv", "Hierarchy taxonomy.csv", "leaves"),
        ("terms.obo", "Hierarchy terms.obo", "obsolete identifiers"),
        ("model.hilabel", "Model model.hilabel", "LocalClassifierPerNode"),
    ],
)
def test_a_file_is_told_by_what_it_is(file, title, fact, shop, run):
    result = run("inspect", file)
    assert result.exit_code == 0
    assert title in result.stdout
    assert fact in result.stdout


def test_a_table_with_labels_counts_what_does_not_match(shop, run):
    table = (shop / "labels.csv").read_text()
    (shop / "labels.csv").write_text(table + "P9999,tea\n" + table.splitlines()[1])
    told = json.loads(
        run(
            "inspect",
            "products.csv",
            "-l",
            "labels.csv",
            "-H",
            "taxonomy.csv",
            "--json",
        ).stdout
    )
    assert told["annotated ids without features"] == "1 (P9999)"
    assert told["lists"]["unmatched ids"] == ["P9999"]
    assert told["repeated annotations"] == 1
    assert told["problem type"] == "(T, SPL, FD)"
    assert [row["depth"] for row in told["terms per depth"]] == [1, 2, 3]


def test_gaps_and_doubles_are_counted(shop, run):
    (shop / "t.csv").write_text("id,x,y,z\na,1,,5\nb,1,2,5\nc,1,2,5\n")
    told = json.loads(run("inspect", "t.csv", "--json").stdout)
    assert told["missing values"] == "1 in 1 columns"
    assert told["constant columns"] == "3 (x, y, z)"
    assert told["repeated rows"].startswith("1 ")
    assert told["columns with missing values"] == [{"column": "y", "missing": 1}]


def test_aspects_without_a_line_are_unknown_unless_assumed_complete(shop, run):
    genes = write_genes(shop, n_genes=60, n_new=0, n_not=0)
    files = ["features.csv", "-l", "annotations.gaf", "-H", "terms.obo", "--json"]
    told = json.loads(run("inspect", *files).stdout)
    n_unknown = (~genes.is_known["P"]).sum()
    assert told["unknown in biological_process"] == f"{n_unknown} labelled rows"
    complete = json.loads(run("inspect", *files, "--assume-complete").stdout)
    assert "unknown in biological_process" not in complete
    assert complete["labelled rows"] == told["labelled rows"] == 60


def test_the_columns_that_matched_are_told(shop, run):
    row = "EX\t{}\t{}\t\tGO:0000001\tR\tEXP\t\tF\t\t{}\tp\tt\t2024\tEX\t\t\n"
    names = [("G0001", "a", ""), ("x", "G0002", ""), ("y", "c", "d|G0003")]
    (shop / "mixed.gaf").write_text("".join(row.format(*name) for name in names))
    files = ["features.csv", "-l", "mixed.gaf", "-H", "terms.obo", "--min-count", 1]
    told = json.loads(run("inspect", *files, "--json").stdout)
    assert told["annotations matched by"] == "1 accession, 1 symbol, 1 synonym"


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("t.csv", "id,go_id\na,GO:1\n", "Labels"),
        ("t.csv", "id;label\na;tea\n", "Labels"),
        ("t.csv", "Category,Parent Category\ntea,food\n", "Hierarchy"),
        ("t.txt", "taxonomy\nFood, drinks > Tea\n", "Hierarchy"),
        ("t.tsv", "\t".join("abcdefghijklmnop") + "\n" + 16 * "1\t", "Features"),
    ],
)
def test_headings_tell_what_a_file_is(name, text, title, shop, run):
    (shop / name).write_text(text.rstrip("\t"))
    assert f"{title} {name}" in run("inspect", name).stdout


def test_a_single_file_is_read_with_the_options(shop, run):
    options = ["--id-column", "width", "--drop", "price", "--categorical", "height"]
    (shop / "t.csv").write_text("price,width,height,brand\n1,a,3,x\n2,b,4,y\n")
    told = json.loads(run("inspect", "t.csv", *options, "--json").stdout)
    assert (told["id column"], told["columns"]) == ("width", 2)
    assert told["categorical columns"] == "2 (height, brand)"
    every = json.loads(run("inspect", "terms.obo", "--json").stdout)
    fewer = run("inspect", "terms.obo", "--relation", "part_of", "--json").stdout
    assert json.loads(fewer)["edges"] < every["edges"]


def test_what_may_be_amiss_is_told(shop, run):
    rows = "".join(f"P{i:04},a {i}\n" for i in range(1, 41))
    (shop / "t.csv").write_text("id,note\n" + rows)
    files = ["t.csv", "-l", "labels.csv", "--min-count", 1]
    told = json.loads(run("inspect", *files, "--json").stdout)
    assert told["columns like identifiers"] == "1 (note)"
    assert told["hierarchy"] == "none: the terms are treated as unrelated"


def test_columns_of_text_and_paths_among_the_labels_are_told(
    tmp_path, run, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    write_example(".", "titles")
    told = json.loads(
        run("inspect", "products.csv", "-l", "labels.csv", "--json").stdout
    )
    assert told["text columns"] == "1 (title)"
    assert told["categorical columns"] == told["columns like identifiers"] == "0"
    assert told["hierarchy"] == "none: defined by the labels, which are paths"
    assert (told["nodes"], told["depth"]) == (18, 3)


def test_what_is_wrong_is_listed_with_the_options_that_mend_it(shop, run):
    table = (shop / "products.csv").read_text().splitlines(keepends=True)
    table[3] = table[3].replace(table[3].split(",")[1], "dear")
    (shop / "products.csv").write_text("".join([*table, table[1]]))
    with (shop / "labels.csv").open("a") as file:
        file.write("P0001,teaa\n")
    files = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
    result = run("inspect", *files)
    assert result.exit_code == 2
    assert max(map(len, result.stdout.splitlines())) <= 80
    for way in ("--merge-duplicates", "--drop price", "--unknown-terms drop"):
        assert way in result.stdout
    assert "training would fail" in result.stderr
    told = json.loads(run("inspect", *files, "--json").stdout)
    assert [problem["severity"] for problem in told["problems"][:3]] == 3 * ["error"]
    assert told["problems"][0]["names"] == ["P0001"]
    mended = [
        "--merge-duplicates",
        "mean",
        "--drop",
        "price",
        "--unknown-terms",
        "drop",
    ]
    assert run("inspect", *files, *mended).exit_code == 0


def test_labels_with_more_columns_are_mended_by_naming_one(shop, run):
    table = (shop / "labels.csv").read_text().splitlines()
    (shop / "labels.csv").write_text("".join(f"{line},x\n" for line in table))
    words = ["inspect", "products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
    told = run(*words)
    assert told.exit_code == 2
    assert "--label-column NAME" in " ".join(told.stdout.split())
    assert run(*words, "--label-column", table[0].split(",")[1]).exit_code == 0


def test_pseudo_labels_of_a_model_are_told_and_written(shop, run):
    result = run("inspect", "neighbors.hilabel", "--pseudo-labels", "p.csv")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "unlabelled rows received labels in" in told
    assert "passes pass k proposed accepted new dropped labels" in told
    assert "pseudo-labels: p.csv" in told
    lines = (shop / "p.csv").read_text().splitlines()
    assert lines[0] == "id,term,name,vote,similarity,pass"
    printed = run("inspect", "neighbors.hilabel", "--pseudo-labels", "-").stdout
    assert printed.splitlines() == lines
    as_json = run(
        "inspect", "neighbors.hilabel", "--pseudo-labels", "p.tsv", "--json"
    ).stdout
    told = json.loads(as_json)
    assert told["output"] == "p.tsv"
    assert told["pseudo-labels"] == len(lines) - 1
    assert told["passes"][0]["pass"] == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("model.hilabel", "--pseudo-labels", "p.csv"), "with such a method."),
        (("neighbors.hilabel", "--pseudo-labels", "p.txt"), "ends in .csv or .tsv"),
        (("neighbors.hilabel", "--pseudo-labels", "-", "--json"), "standard output"),
        (("products.csv", "--pseudo-labels", "p.csv"), "not a hilabel model file"),
        (
            ("products.csv", "-l", "labels.csv", "--pseudo-labels", "p.csv"),
            "--pseudo-labels needs a model as FILE",
        ),
    ],
)
def test_pseudo_labels_that_cannot_be_written_take_one_line(args, said, shop, run):
    result = run("inspect", *args)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert not (shop / "p.csv").exists()
