"""Each format of links gives the links that its lines say, and one error otherwise."""

import bz2
import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from hilabel.datasets import read_links
from hilabel.datasets._links import read as module
from hilabel.exceptions import DatasetFormatError, LinkError

HIT = "q1\tt1\t43.5\t120\t8\t0\t1\t120\t1\t120\t1e-30\t98.2\n"
OTHER_HIT = "q2\tq1\t100\t20\t0\t0\t1\t20\t1\t20\t0.0\t 449 \n"
HITS = HIT + OTHER_HIT
HEADER = (
    "qseqid\tsseqid\tpident\tlength\tmismatch\tgapopen\tqstart\tqend\tsstart\tsend\t"
    "evalue\tbitscore\n"
)
BIOGRID = (
    "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\t"
    "Systematic Name Interactor A\tSystematic Name Interactor B\t"
    "Official Symbol Interactor A\tOfficial Symbol Interactor B\tScore\t"
    "SWISS-PROT Accessions Interactor A\tSWISS-PROT Accessions Interactor B\n"
    "1\t6416\t2318\tYA\tYB\tMAP2K4\tFLNC\t-\tP45985\tQ14315|Q9XYZ1\n"
    "2\t84665\t88\tYC\tYD\tMYPN\tACTN2\t-0.25\tQ86TC9\tP35609\n"
)


@pytest.fixture
def write(tmp_path):
    def written(text, name="links.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def links_of(table):
    """Return (kind, source, target, weight) of each link."""
    return [
        (kind, table.ids[source], table.ids[target], round(float(weight), 4))
        for kind, one in table.kinds.items()
        for source, target, weight in zip(
            one.sources, one.targets, one.weights, strict=True
        )
    ]


FOUND_HITS = [("hits", "q1", "t1", 98.2), ("hits", "q2", "q1", 449.0)]


@pytest.mark.parametrize(
    "text",
    [
        HITS,
        HEADER + HITS,
        "# DIAMOND v2.1.3\n# Fields: Query ID\n" + HITS,
        "# BLASTP 2.15\n# 1 hits found\n" + HIT + "# BLASTP 2.15\n\n" + OTHER_HIT,
        HITS.replace("\n", "\r\n"),
        "\ufeff" + HITS,
        HITS.rstrip("\n"),
    ],
    ids=["plain", "header", "verbose", "outfmt 7", "windows", "mark", "no last end"],
)
def test_hits_have_bit_scores_and_identities(write, text):
    table = read_links(write(text))
    found = [(kind, *rest) for kind, *rest in links_of(table)]
    assert [(k, s, t, pytest.approx(w, abs=1e-4)) for k, s, t, w in FOUND_HITS] == found
    np.testing.assert_allclose(table.kinds["hits"].identities, [43.5, 100])


def test_hits_of_chosen_columns_are_found_by_their_names(write):
    text = "query\tbits\ttarget\tfident\nq1\t98.5\tt1\t0.435\nq2\t449\tq1\t1.000\n"
    table = read_links(write(text))
    assert links_of(table) == [("hits", "q1", "t1", 98.5), ("hits", "q2", "q1", 449.0)]
    np.testing.assert_allclose(table.kinds["hits"].identities, [43.5, 100], rtol=1e-5)
    assert links_of(table.identities) == [
        ("hits", "q1", "t1", 43.5),
        ("hits", "q2", "q1", 100.0),
    ]


def test_hits_may_have_more_columns(write):
    text = "".join(line + "\textra\n" for line in HITS.splitlines())
    assert len(read_links(write(text))) == 2


def test_scores_of_string_are_divided(write):
    text = (
        "protein1 protein2 combined_score\n9606.E1 9606.E2 490\n9606.E2 9606.E1 490\n"
    )
    table = read_links(write(text))
    found = [("9606.E1", "9606.E2", 0.49), ("9606.E2", "9606.E1", 0.49)]
    assert links_of(table) == [("interactions", *one) for one in found]
    header = "protein1 protein2 neighborhood fusion combined_score"
    detailed = f"{header}\n9606.E1 9606.E2 0 3 900\n"
    assert links_of(read_links(write(detailed)))[0][-1] == 0.9


@pytest.mark.parametrize(
    ("ids", "ends"),
    [
        ((), [("MAP2K4", "FLNC"), ("MYPN", "ACTN2")]),
        (["YC", "YA"], [("YA", "YB"), ("YC", "YD")]),
        (["P45985", "x"], [("P45985", "Q14315"), ("Q86TC9", "P35609")]),
        (["6416"], [("6416", "2318"), ("84665", "88")]),
    ],
)
def test_interactions_of_biogrid_use_the_ids_of_the_rows(write, ids, ends):
    table = read_links(write(BIOGRID), ids=ids)
    weights = [1.0, 0.25]  # none, and the size of a score
    assert links_of(table) == [
        ("interactions", *pair, weight)
        for pair, weight in zip(ends, weights, strict=True)
    ]
    assert table.kinds["interactions"].is_undirected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sif", "a pp b c\nd pd e\nlone\n"),
        ("a.sif", "a\tpp\tb\tc\nlone\nd\tpd\te\n"),
        ("a.txt", "a1 pp b1\na2 pp c1\nd1 pp e1\n"),
    ],
)
def test_a_line_of_sif_has_any_number_of_targets(write, name, text):
    table = read_links(write(text, name))
    found = [(s[0], t[0]) for _, s, t, _ in links_of(table)]
    assert found == [("a", "b"), ("a", "c"), ("d", "e")]
    assert {*table.kinds} <= {"pp", "pd"}


TABLES = {
    "a1,b1\na2,b2\n": [("links", "a1", "b1", 1.0), ("links", "a2", "b2", 1.0)],
    "source,target\na,b\n": [("links", "a", "b", 1.0)],
    "gene,other\na1,b1\na2,b1\n": [("links", "a1", "b1", 1), ("links", "a2", "b1", 1)],
    "x;y;w\n1;2;0.5\n": [("links", "1", "2", 0.5)],
    "a\tb\t3\nc\td\t4\n": [("links", "a", "b", 3.0), ("links", "c", "d", 4.0)],
    "a  b 3\nc d   4\n": [("links", "a", "b", 3.0), ("links", "c", "d", 4.0)],
    "003,NA,1\n3,nan,2\n": [("links", "003", "NA", 1.0), ("links", "3", "nan", 2.0)],
    "source,target,kind\na,b,part\nb,c,topic\n": [
        ("part", "a", "b", 1.0),
        ("topic", "b", "c", 1.0),
    ],
    "from,to,what,strength\na,b,part,2\n": [("part", "a", "b", 2.0)],
    "n,weight,target,source,m\n1,2,b,a,3\n": [("links", "a", "b", 2.0)],
    '"source","target"\n"a, b","c"\n': [("links", "a, b", "c", 1.0)],
    '"from"\t"to"\n"a b"\t"c"\n': [("links", "a b", "c", 1.0)],
    "# made by hand\nsource,target\n\na,b\n# the end\n": [("links", "a", "b", 1.0)],
    "a#1,b\na#2,c\n": [("links", "a#1", "b", 1.0), ("links", "a#2", "c", 1.0)],
}


@pytest.mark.parametrize("text", TABLES, ids=repr)
def test_tables_may_have_headers_weights_and_kinds(write, text):
    assert links_of(read_links(write(text))) == TABLES[text]


def test_columns_can_be_named(write):
    path = write("id,price,similar,how near\na,2,b,0.5\nb,3,a,0.25\n")
    columns = {"source": "id", "target": "similar", "weight": "how near"}
    assert links_of(read_links(path, columns=columns)) == [
        ("links", "a", "b", 0.5),
        ("links", "b", "a", 0.25),
    ]
    with pytest.raises(DatasetFormatError, match=r"got 'simlar'.*'similar'"):
        read_links(path, columns={"source": "id", "target": "simlar"})
    with pytest.raises(LinkError, match="Expected the columns of source and target"):
        read_links(path, columns={"source": "id"})


def test_the_kind_can_be_named(write):
    assert [*read_links(write(HITS), "diamond").kinds] == ["diamond"]
    text = "source,target,kind\na,b,part\nb,c,topic\n"
    assert [*read_links(write(text), "wn").kinds] == ["wn.part", "wn.topic"]


def test_versions_can_be_stripped(write):
    path = write("ENSG01.5,ENSG02.1\n")
    assert read_links(path, strip_version=True).ids == ("ENSG01", "ENSG02")
    assert read_links(path).ids == ("ENSG01.5", "ENSG02.1")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_files_may_be_compressed(write, compress):
    assert len(read_links(write(compress(HITS.encode())))) == 2


def test_a_matrix_has_the_links_of_its_rows(tmp_path):
    path = tmp_path / "links.npz"
    matrix = sp.csr_array([[0, 2.0], [0, 1.0]])
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    named = {"shape": matrix.shape, "format": b"csr", "ids": ["a", "b"]}
    np.savez(path, **parts, **named)
    table = read_links(path, "near")
    assert links_of(table) == [("near", "a", "b", 2.0), ("near", "b", "b", 1.0)]
    np.savez(path, matrix=np.ones((2, 3)), ids=["a", "b"])
    with pytest.raises(LinkError, match=r"links\.npz: .*square matrix.*\(2, 3\)"):
        read_links(path)


IDS = st.text(
    st.characters(categories=["L", "N"], max_codepoint=0x17F), min_size=1, max_size=4
)


@given(
    st.lists(st.tuples(IDS, IDS, st.integers(0, 9)), min_size=1, max_size=30),
    st.integers(1, 40),
)
def test_blocks_of_any_size_give_what_csv_gives(tmp_path_factory, rows, n_bytes):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("source", "target", "w"), *rows])
    path = tmp_path_factory.getbasetemp() / "blocks.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    before = module._BLOCK
    module._BLOCK = n_bytes
    try:
        table = read_links(path)
    finally:
        module._BLOCK = before
    assert links_of(table) == [("links", s, t, float(w)) for s, t, w in rows]


WRONG = {
    "a,b,-1": (
        LinkError,
        r"line 4: expected a finite weight of a link, 0 or more, got -1",
    ),
    "a,b,nan": (LinkError, r"line 4: .* got nan"),
    "a,b,inf": (LinkError, r"line 4: .* got inf"),
    "a,b,1e60": (LinkError, r"line 4: .* got 1e60"),
    "a,b,high": (
        DatasetFormatError,
        r"line 4: expected a number as the weight .*'high'",
    ),
    "a,b,": (DatasetFormatError, r"line 4: expected a weight in column 3, got none"),
    "a,b": (DatasetFormatError, r"line 4: expected 3 columns, as in a table, got 2"),
    ",b,1": (DatasetFormatError, r"line 4: expected the id of a source .*column 1"),
    "a, ,1": (DatasetFormatError, r"line 4: expected the id of a target .*column 2"),
}


@pytest.mark.parametrize("line", WRONG, ids=repr)
@pytest.mark.parametrize("n_bytes", [16, 2**20])
def test_an_error_names_the_line(write, monkeypatch, line, n_bytes):
    monkeypatch.setattr(module, "_BLOCK", n_bytes)
    kind, match = WRONG[line]
    path = write(f"source,target,w\n# a comment\na,c,1\n{line}\nc,d,2\n")
    with pytest.raises(kind, match=rf"links\.txt, {match}"):
        read_links(path)


REFUSED = {
    "": "the file is empty",
    "# no hits\n\n": "got only comments or blank lines",
    "source,target\n": "expected links below the header, got none",
    ">sp|P1\nMKV\n": r"got sequences \(FASTA\)",
    "word\nother\n": "got 1 column, such as 'word'",
    "a,1,2,3,4\nb,1,2,3,4\n": "got 5 columns, such as 'a'",
    "a,b\x00,c\n": "the file is binary",
    "a,b,x,y\nb,c,z,w\n": "got 4 columns",
}


@pytest.mark.parametrize("text", REFUSED, ids=repr)
def test_other_files_are_refused(write, text):
    with pytest.raises(DatasetFormatError, match=REFUSED[text]):
        read_links(write(text))


def test_other_text_and_damage_are_refused(write):
    with pytest.raises(DatasetFormatError, match=r"line 2: .*UTF-8 text, got.*0xff"):
        read_links(write(b"a,b,1\nc\xff,d,1\n"))
    with pytest.raises(DatasetFormatError, match="cannot be decompressed"):
        read_links(write(gzip.compress(HITS.encode() * 99)[:-20]))


def test_a_column_of_free_text_is_no_kind(write):
    lines = [f"a{at},b{at},title {at}" for at in range(101)]
    text = "\n".join(["source,target,title", *lines])
    with pytest.raises(LinkError, match="at most 100 kinds of links, got 101"):
        read_links(write(text))


def test_links_of_wordnet_are_those_of_pandas(data_home):
    path = data_home / "wordnet" / "links.csv.gz"
    frame = pd.read_csv(path, dtype=str)
    table = read_links(path)
    found = {(kind, s, t) for kind, s, t, _ in links_of(table)}
    assert found == set(
        zip(frame["kind"], frame["source"], frame["target"], strict=True)
    )
    assert len(table) == len(frame)


def test_hits_of_proteins_are_those_of_pandas(data_home):
    path = data_home / "proteins" / "hits.m8.gz"
    frame = pd.read_csv(path, sep="\t", header=None)
    hits = read_links(path)
    one = hits.kinds["hits"]
    ids = np.array(hits.ids)
    assert (ids[one.sources] == frame[0]).all()
    assert (ids[one.targets] == frame[1]).all()
    np.testing.assert_allclose(one.weights, frame[11], rtol=1e-6)
    np.testing.assert_allclose(one.identities, frame[2], rtol=1e-6)
    _, report = hits.over(hits.ids)
    assert report.n_self == (frame[0] == frame[1]).sum()
