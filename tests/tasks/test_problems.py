"""All problems of files are listed at once, with their fixes."""

from pathlib import Path

import numpy as np
import pytest

from hilabel.exceptions import DatasetFormatError
from hilabel.tasks import TableFiles, fit_table, inspect_file, inspect_table

GAF = "EX\t{}\t{}\t\t{}\tR\t{}\t\tF\t\t\tp\tt\t2024\tEX\t\t\n"
OBO = """format-version: 1.2

[Term]
id: GO:1

[Term]
id: GO:2
is_a: GO:1

[Term]
id: GO:3
is_obsolete: true

[Term]
id: GO:4
alt_id: GO:5
is_a: GO:1
"""
ROWS = """gene,length,mass,note,none,same
G1.1,100,1.5,a,,7
G2.1,dear,2.5,b,,7
G3.1,300,x,c,,7
G3.1,310,y,c,,7
G4.1,400,4.0,d,,7
G5.1,500,4.5,e,,7
G6.1,600,5.5,f,,7
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return files in which much is wrong."""
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(ROWS)
    pairs = [("G1", "GO:2", "XYZ"), ("G4.1", "GO:2", "EXP"), ("G4.1", "GO:3", "EXP")]
    pairs += [("G5.1", "GO:5", "EXP"), ("G5.1", "GO:9", "EXP"), ("G7", "GO:2", "EXP")]
    pairs += [("G5.1", "GO:4", "EXP")]
    lines = [GAF.format(name, f"s{name}", *rest) for name, *rest in pairs]
    Path("a.gaf").write_text("!gaf-version: 2.2\n" + "".join(lines))
    Path("go.obo").write_text(OBO)
    return TableFiles("x.csv", "a.gaf", "go.obo", min_count=2)


EXPECTED = [
    ("error", "1 id with several rows: G3.1 (line 4 and line 5)", "merge_duplicates"),
    ("error", "'length' has 1 cell among numbers: 'dear', first in line 3", "drop"),
    ("error", "'mass' has 2 cells among numbers: 'x', 'y', first in line 4", "drop"),
    ("error", "1 term not in the hierarchy: GO:9", "unknown_terms"),
    ("warning", "1 column without values: none", "drop"),
    ("warning", "1 column with one value: same", "drop"),
    ("warning", "1 term obsolete, without a replacement: GO:3", ""),
    ("warning", "2 annotated ids without features: G1, G7", "strip_version"),
    (
        "warning",
        "1 evidence code that the Gene Ontology does not define",
        "exclude_evidence",
    ),
    ("warning", "2 of 3 terms have fewer than 2 rows", "min_count"),
    ("note", "1 term obsolete, counted for the replacement: GO:5 -> GO:4", ""),
    ("note", "duplicate annotations: 1", ""),
]


def test_everything_is_listed_the_worst_first_with_what_mends_it(files):
    found = inspect_table(files)
    assert not found.is_usable
    for problem, (severity, what, option) in zip(found.problems, EXPECTED, strict=True):
        assert problem.severity == severity
        assert what in problem.what
        assert option in dict(problem.options) or not option
    assert found.facts["labelled rows"] == 2  # as it would be, once mended


def test_the_training_fails_as_foretold_until_the_options_are_given(files):
    with pytest.raises(DatasetFormatError, match="already in line 4"):
        fit_table(files)
    mended = TableFiles(
        "x.csv",
        "a.gaf",
        "go.obo",
        min_count=1,
        merge_duplicates="first",
        drop=["length", "mass"],
        unknown_terms="drop",
        strip_version=True,
    )
    found = inspect_table(mended)
    assert found.is_usable
    assert {problem.severity for problem in found.problems} == {"warning", "note"}
    assert mended.read().report.n_labeled == 3


def test_a_file_that_cannot_be_read_hides_nothing_of_the_others(files):
    Path("x.csv").write_text("id,x,y\na,1\n,2,3\nb,4,5,6\n")
    Path("go.obo").unlink()
    Path("go.csv").write_text("a,b\nb,a\n")
    Path("a.gaf").write_text("EX\tG1\tno more\n")
    found = inspect_table(TableFiles("x.csv", "a.gaf", "go.csv"))
    what = [(problem.where, problem.what) for problem in found.problems]
    assert what[0][0] == "go.csv"
    assert "has a cycle: 'a' -> 'b' -> 'a'" in what[0][1]
    assert what[1] == (
        "x.csv",
        "2 rows that could not be read: line 2 (2 columns), line 4 (4 columns)",
    )
    assert what[2][0] == "a.gaf"
    assert "expected the 17 tab-separated columns" in what[2][1]
    assert found.facts == {}


def test_a_problem_is_placed_by_the_file_that_the_error_names(files):
    # The name of the features starts with that of the labels.
    Path("y.csv.txt").write_text("id,x\na,1\na,2\nb,3,4\n")
    Path("y.csv").write_text("a,tea\n")
    (problem, *_) = inspect_table(TableFiles("y.csv.txt", "y.csv")).problems
    assert problem.where == "y.csv.txt"
    np.save("x.npy", np.eye(2))
    Path("ids.txt").write_text("a\nb\nc\nd\n")
    (problem, *_) = inspect_table(
        TableFiles("x.npy", "y.csv", ids="ids.txt", min_count=1)
    ).problems
    assert (problem.where, problem.what) == (
        "ids.txt",
        "expected an id for each of the 2 rows, got 4.",
    )
    found = inspect_table(TableFiles("x.csv", "no.csv")).problems
    [missing] = [problem for problem in found if "No such file" in problem.what]
    assert missing.where == "no.csv"
    (problem,) = inspect_file("y.csv.txt", ids="ids.txt").problems
    assert problem.what.startswith("a file of ids is for arrays")


def test_a_line_is_told_without_repeating_the_file(files):
    Path("a.gaf").write_text("EX\tG1\tno more\n")
    (problem,) = inspect_file("a.gaf", "labels").problems
    assert problem.where == "a.gaf"
    assert problem.what.startswith("line 1: expected the 17 tab-separated columns")


def test_text_without_words_is_dropped_to_find_later_problems(files):
    Path("x.csv").write_text("id,x,t\na,1,-\nb,2,7\n")
    Path("y.csv").write_text("a,tea\n")
    found = inspect_table(TableFiles("x.csv", "y.csv", text=["t"], min_count=1))
    (problem, *_) = found.problems
    assert problem.what == "column 't' has no words"
    assert problem.options == (("drop", "t"),)
    assert found.facts["labelled rows"] == 1


def test_ids_that_match_without_versions_alone_are_told(files):
    Path("a.gaf").write_text(GAF.format("G1", "s", "GO:2", "EXP"))
    first = inspect_table(files).problems
    assert ("strip_version", "") in [way for one in first for way in one.options]
    with pytest.raises(DatasetFormatError, match=r"versions.*parameter: strip_version"):
        TableFiles(
            "x.csv", "a.gaf", "go.obo", merge_duplicates="mean", drop=["length", "mass"]
        ).read()


@pytest.mark.parametrize(
    ("ids", "labels", "mend"),
    [
        (
            "YAL001C,YBR160W",
            "YAL001C,tea\nybr160w,tea\n",
            "1 differ only in upper and lower",
        ),
        ("gnl|P1|A_HUMAN,Q", "Q,tea\nP1,tea\n", "keep only the middle"),
        ("a,b", "a,tea\nz,tea\n", "rows of another file"),
    ],
)
def test_ids_that_are_spelt_otherwise_are_told(files, ids, labels, mend):
    rows = "".join(f"{name},{at}\n" for at, name in enumerate(ids.split(",")))
    Path("x.csv").write_text("id,x\n" + rows)
    Path("y.csv").write_text(labels)
    problems = inspect_table(TableFiles("x.csv", "y.csv", min_count=1)).problems
    assert mend in problems[0].mend
    assert problems[-1].options == (("hierarchy", "FILE"),)


def test_a_single_file_is_searched_too(files):
    alone = inspect_file("x.csv")
    assert [problem.severity for problem in alone.problems] == 3 * ["error"] + 2 * [
        "warning"
    ]
    labels = inspect_file("a.gaf", exclude_evidence=["ZZZ"])
    assert [problem.severity for problem in labels.problems] == ["error", "warning"]
    assert labels.facts["terms"] == 5
    Path("t.csv").write_text("id,x\na,\nb,1\n")
    (problem,) = inspect_file("t.csv").problems
    assert (problem.what, problem.names) == ("1 row without features: a", ("a",))
