"""Sequences become counts of their runs of letters, as a loop counts them."""

import gzip
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel.datasets import TableFiles, load_table, open_features, read_features
from hilabel.datasets._tables import fasta
from hilabel.datasets._tables.fasta import LETTERS, count_mers, fasta_records
from hilabel.exceptions import DatasetFormatError

TEXT = """\
>sp|P1|ONE_X first protein
ACDA
CX*

>sp|P2|TWO_X
acda
>Q3
"""


@pytest.fixture
def write(tmp_path):
    def written(text, name="some.faa"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def counted(sequence):
    runs = Counter(
        sequence[at : at + size].upper()
        for size in (1, 2, 3)
        for at in range(len(sequence) - size + 1)
    )
    return {run: n for run, n in runs.items() if set(run) <= set(LETTERS)}


@given(st.lists(st.text("ACDEacYWXUB*", max_size=12), max_size=5), st.integers(1, 40))
def test_runs_are_counted_as_a_loop_does(sequences, at_once):
    before = fasta._AT_ONCE
    fasta._AT_ONCE = at_once
    try:
        counts, names = count_mers(sequences)
    finally:
        fasta._AT_ONCE = before
    assert counts.shape == (len(sequences), 20 + 400 + 8000)
    assert counts.has_canonical_format
    for row, sequence in enumerate(sequences):
        cells = counts[[row]]
        found = {names[c]: n for c, n in zip(cells.indices, cells.data, strict=True)}
        assert found == counted(sequence)


def test_rows_have_norm_1_and_ids_are_as_written(write):
    table = read_features(write(TEXT))
    assert table.ids == ("sp|P1|ONE_X", "sp|P2|TWO_X", "Q3")
    assert table.notes == ("sequences without letters: 1; all their columns are 0",)
    X = table.sparse.values.toarray()
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), [1, 1, 0])
    # Counted by hand: ACDAC, then X.
    runs = {"A": 2, "C": 2, "D": 1, "AC": 2, "CD": 1, "DA": 1}
    runs |= {"ACD": 1, "CDA": 1, "DAC": 1}
    assert set(table.columns) == set(runs)
    logs = {name: np.log1p(n) for name, n in runs.items()}
    norm = np.sqrt(sum(value**2 for value in logs.values()))
    found = dict(zip(table.columns, X[0], strict=True))
    assert found == pytest.approx({name: value / norm for name, value in logs.items()})


@pytest.mark.parametrize("name", ["some.fasta.gz", "some.fa"])
def test_files_are_recognised_by_content(write, name):
    content = TEXT.encode()
    path = write(gzip.compress(content) if name.endswith(".gz") else content, name)
    assert len(read_features(path)) == 3
    windows = write("\ufeff" + TEXT.replace("\n", "\r\n"), "windows.faa")
    assert read_features(windows).ids == read_features(path).ids


def test_new_sequences_get_the_same_columns_and_values(write):
    table = read_features(write(TEXT))
    new = write(">n1\nMKACD\n>sp|P2|TWO_X again\nACDA\n", "new.faa")
    alike = read_features(new, columns=table.columns)
    assert alike.columns == table.columns
    X, other = table.sparse.values.toarray(), alike.sparse.values.toarray()
    np.testing.assert_allclose(other[1], X[1])
    # The runs of the first that training did not have count for its norm.
    assert 0 < np.linalg.norm(other[0]) < 1
    (block,) = open_features(new, 10, columns=table.columns)
    np.testing.assert_array_equal(block.sparse.values.toarray(), other)


def test_runs_of_a_length_can_be_dropped(write):
    table = read_features(write(TEXT), drop=["3-mers", "1-mers"])
    assert set(table.columns) == {"AC", "CD", "DA"}


def test_gaps_and_comments_are_removed(write):
    path = write(">a\n;comment\nA-C.D\n A C\n>b\n*\n>c\nM*\n")
    assert dict(fasta_records(path)) == {"a": "ACDAC", "b": "*", "c": "M*"}


def test_ids_can_be_chosen(write):
    ids = write("id\nQ3\nsp|P1|ONE_X\n", "ids.txt")
    table = read_features(write(TEXT), ids=ids)
    assert table.ids == ("Q3", "sp|P1|ONE_X")
    assert not table.sparse.values[[0]].nnz
    ids.write_text("gone\n")
    with pytest.raises(DatasetFormatError, match=r"got none for 1, such as 'gone'"):
        read_features(write(TEXT), ids=ids)


def test_repeated_ids_are_refused_or_merged(write):
    path = write(">a\nACD\n>b\nKK\n>a\nACDE\n")
    with pytest.raises(DatasetFormatError, match="'a'"):
        read_features(path)
    merged = read_features(path, merge_duplicates="first")
    assert (merged.ids, merged.n_merged) == (("a", "b"), 1)


WRONG = {
    ">a\nACD\n>\nAC\n": r"line 3: expected an id after '>', got none",
    ">a\nAC12\n": r"line 2: expected letters of a sequence, got 'AC12'",
    ">a\nACÉ\n": r"line 2: expected letters of a sequence",
    ">a\n>b\n": "got none of their letters",
    ">a\nXXX\n": "got none of their letters",
}


@pytest.mark.parametrize("text", WRONG, ids=repr)
def test_other_content_is_refused(write, text):
    with pytest.raises(DatasetFormatError, match=WRONG[text]):
        read_features(write(text))


def test_annotations_and_links_match_whole_ids_or_accessions(write):
    features = write(TEXT + "ACDE\n>tr|P4|FOUR\nKKK\n", "some.fasta")
    labels = write("id,term\nP1,t\nsp|P2|TWO_X,u\ntr|Q3|X,u\nP9,t\n", "labels.csv")
    links = write("P1,P2\nsp|P1|ONE_X,P4\nQ3,nothing\n", "links.csv")
    data = TableFiles(features, labels, min_count=1, links=links).read()
    assert data.report.unmatched_ids == ("P9",)
    assert data.labels.to_array().tolist() == [[1, 0], [0, 1], [0, 1], [-1, -1]]
    assert data.links.kinds["links"].nonzero()[1].tolist() == [1, 3, 0, 0]


def test_gene_annotations_match_accessions(write):
    cells = ["UniProtKB", "P1", "sym", "", "GO:1", "R", "IEA", "", "P", "", ""]
    line = "\t".join([*cells, "protein", "taxon:1", "20200101", "X", "", ""])
    no_data = line.replace("P1", "P2").replace("IEA", "ND")
    gaf = write(f"!gaf-version: 2.2\n{line}\n{no_data}\n", "a.gaf")
    report = load_table(write(TEXT), gaf).report
    assert (report.n_labeled, report.n_rows_no_data) == (1, 1)
    assert report.matched_by["accession"] == 1
