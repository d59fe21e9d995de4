"""Links that are made are those of an oracle, and can be read back."""

import os
import shutil
import stat

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from hilabel._progress import say_nothing
from hilabel.datasets import read_features, read_links
from hilabel.exceptions import DatasetFormatError, HilabelError, ParameterError
from hilabel.tasks import LinkChoices, link_rows

LETTERS = list("ACDEFGHIKLMNPQRSTVWY")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=["x", "y", "z"])
    frame["z"] *= 1000
    frame.insert(0, "id", [f"r{row}" for row in range(40)])
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def fasta_of(path, sequences):
    path.write_text("".join(f">{name}\n{letters}\n" for name, letters in sequences))
    return path


@pytest.fixture
def proteins(tmp_path):
    """Return five families of three similar proteins, and one that is like no other."""
    rng = np.random.default_rng(1)
    sequences = []
    for family in range(5):
        letters = rng.choice(LETTERS, 120)
        for member in range(3):
            changed = letters.copy()
            changed[rng.choice(120, 15, replace=False)] = rng.choice(LETTERS, 15)
            sequences.append((f"sp|F{family}M{member}|X", "".join(changed)))
    sequences.append(("alone", "".join(rng.choice(LETTERS, 120))))
    return fasta_of(tmp_path / "some.fasta", sequences)


# Nearest rows -----------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "correlation"])
def test_nearest_rows_are_those_of_scikit_learn(table, tmp_path, metric):
    choices = LinkChoices(n_links=4, metric=metric)
    facts = link_rows(table, tmp_path / "links.tsv.gz", choices)
    found = pd.read_csv(tmp_path / "links.tsv.gz", sep="\t")
    X = StandardScaler().fit_transform(read_features(table).frame)
    search = NearestNeighbors(n_neighbors=4, metric=metric).fit(X)
    distances, indices = search.kneighbors()
    if metric in ("cosine", "correlation"):
        weights = 1 - distances
    else:
        weights = 1 / (1 + distances / np.median(distances))
    expected = {
        (f"r{row}", f"r{other}"): weight
        for row in range(40)
        for other, weight in zip(indices[row], weights[row], strict=True)
        if weight > 0
    }
    pairs = zip(found["source"], found["target"], strict=True)
    assert dict(zip(pairs, found["weight"], strict=True)) == pytest.approx(
        expected, rel=1e-5
    )
    assert facts["links"] == len(expected)
    assert facts["rows without links"] == 0


def test_new_rows_are_linked_to_the_rows_of_training(table, tmp_path):
    frame = pd.read_csv(table)
    new = tmp_path / "new.csv"
    frame[:3].assign(id=["n0", "n1", "n2"])[["id", "z", "y", "x"]].to_csv(
        new, index=False
    )
    facts = link_rows(new, tmp_path / "l.csv", LinkChoices(n_links=1), to=table)
    found = pd.read_csv(tmp_path / "l.csv")
    assert dict(zip(found["source"], found["target"], strict=True)) == {
        "n0": "r0",
        "n1": "r1",
        "n2": "r2",
    }
    assert facts["rows linked to"] == 40


def test_rows_that_are_also_targets_are_linked_to_others(table, tmp_path):
    part, whole = tmp_path / "part.csv", tmp_path / "whole.csv"
    copy = tmp_path / "copy.csv"
    copy.write_text(table.read_text())
    link_rows(table, whole, LinkChoices(n_links=2))
    link_rows(copy, part, LinkChoices(n_links=2), to=table)
    assert part.read_text() == whole.read_text()


def test_a_single_row_has_no_links(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,x\na,1\n")
    with pytest.raises(ParameterError, match="No row is near another"):
        link_rows(path, tmp_path / "links.csv")
    assert not (tmp_path / "links.csv").exists()


def test_equal_rows_are_never_linked_to_themselves(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,x\n" + "".join(f"r{row},1\n" for row in range(9)))
    link_rows(path, tmp_path / "links.csv", LinkChoices(n_links=3))
    found = pd.read_csv(tmp_path / "links.csv")
    assert (found["source"] != found["target"]).all()
    assert (found["source"].value_counts() == 3).all()


def test_sequences_can_be_compared_by_their_letters(proteins, tmp_path):
    choices = LinkChoices(by="rows", n_links=2)
    link_rows(proteins, tmp_path / "links.csv", choices)
    found = pd.read_csv(tmp_path / "links.csv")
    family = found["source"].str[:5] == found["target"].str[:5]
    assert family[found["source"] != "alone"].all()


# Hits -------------------------------------------------------------------------------


def program(name):
    missing = shutil.which(name) is None
    return pytest.param(
        name, marks=pytest.mark.skipif(missing, reason=f"{name} is not installed")
    )


PROGRAMS = [program("diamond"), program("mmseqs")]


@pytest.mark.parametrize("by", PROGRAMS)
@pytest.mark.parametrize("name", ["hits.m8.gz", "hits.csv"])
def test_hits_are_within_families(proteins, tmp_path, by, name):
    choices = LinkChoices(by=by, sensitivity="fast", n_jobs=1)
    steps = []
    facts = link_rows(
        proteins, tmp_path / name, choices, report=lambda *step: steps.append(step)
    )
    table = read_links(tmp_path / name)
    ids = [name for name in table.ids if name != "alone"]
    links, report = table.over(ids, both_ways=False)
    sources, targets = links.kinds["hits"].nonzero()
    pairs = {
        (ids[one], ids[other]) for one, other in zip(sources, targets, strict=True)
    }
    families = {(one, other) for one in ids for other in ids if one[:5] == other[:5]}
    assert pairs == {(one, other) for one, other in families if one != other}
    assert facts["sequences"] == 16
    assert facts["links"] == report.n_used == len(pairs)
    assert facts["rows without links"] == 1
    assert table.kinds["hits"].identities.max() == pytest.approx(100)
    assert "fast" in facts["by"]
    assert any("Searching with" in message for message, *_ in steps)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"some.fasta", name}


@pytest.mark.parametrize("by", PROGRAMS)
def test_new_sequences_are_searched_among_others(proteins, tmp_path, by):
    lines = proteins.read_text().split("\n")
    new = tmp_path / "new.fasta"
    new.write_text(f">n1 of the first family\n{lines[1].lower()}*\n")
    choices = LinkChoices(by=by, n_links=2)
    link_rows(new, tmp_path / "hits.m8", choices, to=proteins)
    table = read_links(tmp_path / "hits.m8")
    assert {table.ids[source] for source in table.kinds["hits"].sources} == {"n1"}
    assert "sp|F0M0|X" in table.ids


def test_missing_programs_are_named(proteins, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ParameterError, match=r"needs DIAMOND or MMseqs2, .*apt install diamond-aligner"
    ):
        link_rows(proteins, tmp_path / "hits.m8")
    with pytest.raises(ParameterError, match="needs MMseqs2, which is not installed"):
        link_rows(proteins, tmp_path / "hits.m8", LinkChoices(by="mmseqs"))
    assert not (tmp_path / "hits.m8").exists()


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_program_that_fails_is_quoted(proteins, tmp_path, monkeypatch):
    broken = tmp_path / "diamond"
    broken.write_text("#!/bin/sh\necho out of memory >&2\nexit 3\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(HilabelError, match="makedb failed with code 3: out of memory"):
        link_rows(proteins, tmp_path / "hits.m8", LinkChoices(by="diamond"))
    assert not (tmp_path / "hits.m8").exists()


@pytest.mark.parametrize("by", PROGRAMS[:1])
def test_dna_and_empty_files_are_refused(tmp_path, by):
    choices = LinkChoices(by=by)
    dna = fasta_of(tmp_path / "dna.fasta", [("a", "ACGTACGT"), ("b", "ACGTTT")])
    with pytest.raises(DatasetFormatError, match="look like DNA"):
        link_rows(dna, tmp_path / "hits.m8", choices)
    empty = fasta_of(tmp_path / "empty.fasta", [("a", "")])
    with pytest.raises(DatasetFormatError, match="expected sequences, got none"):
        link_rows(empty, tmp_path / "hits.m8", choices)
    unlike = [("a", "MKVLAAGIVGLPRT" * 3), ("b", "WWHHCCDDEEYYQQ" * 3)]
    with pytest.raises(ParameterError, match="No row has a hit"):
        link_rows(fasta_of(tmp_path / "two.fasta", unlike), tmp_path / "h.m8", choices)


# Choices ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"by": "blast"}, "Expected one of auto, rows, diamond, mmseqs, got 'blast'"),
        ({"metric": "hamming"}, "got 'hamming'"),
        ({"sensitivity": "low"}, "got 'low'"),
        ({"n_links": 0}, "Expected 1 link or more"),
    ],
)
def test_choices_are_checked(wrong, match):
    with pytest.raises(ParameterError, match=match):
        LinkChoices(**wrong)


def test_choices_must_suit_the_files(table, proteins, tmp_path):
    output = tmp_path / "links.csv"
    with pytest.raises(ParameterError, match="is no FASTA file"):
        link_rows(table, output, LinkChoices(by="diamond"))
    with pytest.raises(ParameterError, match="outfmt 6 is for hits"):
        link_rows(table, tmp_path / "links.m8")
    with pytest.raises(ParameterError, match="A metric compares rows"):
        link_rows(proteins, output, LinkChoices(by="diamond", metric="cosine"))
    with pytest.raises(ParameterError, match="do not apply to searches"):
        link_rows(proteins, output, LinkChoices(by="diamond"), id_column="x")
    with pytest.raises(ValueError, match="ends in"):
        link_rows(table, tmp_path / "links.txt")
    with pytest.raises(FileExistsError, match="also an input"):
        link_rows(table, table)
    link_rows(table, output, report=say_nothing)
