"""Annotations of eggNOG-mapper become a sparse matrix of what they name."""

import pytest

from hilabel.datasets import guess_kind, read_features
from hilabel.exceptions import DatasetFormatError

HEADING = (
    "#query seed_ortholog evalue score eggNOG_OGs max_annot_lvl COG_category "
    "Description Preferred_name GOs EC KEGG_ko KEGG_Pathway KEGG_Module KEGG_Reaction "
    "KEGG_rclass BRITE KEGG_TC CAZy BiGG_Reaction PFAMs"
).replace(" ", "\t")
ROWS = [
    "P1\t9606.ENSP1\t1e-90\t270.0\tCOG0515@1|root,KOG0192@2759|Eukaryota"
    "\t33208|Metazoa\tKT\tkinase activity\tRAF1\tGO:0000165,GO:0003674\t2.7.11.1"
    "\tko:K04366\tko04010,map04010\tM00687\t-\t-\tko00000\t-\t-\t-\tPkinase,RBD",
    "P2\t9606.ENSP2\t1e-20\t90.0\tCOG0515@1|root\t1|root\t-\t-\t-\t-\t-\t-\t-\t-\t-"
    "\t-\t-\t-\tGT41\t-\tRBD",
]
COMMENTS = ["## Mon May  6 10:00:00 2024", "## emapper-2.1.12", "##"]


@pytest.fixture
def write(tmp_path):
    def write_file(*lines):
        path = tmp_path / "x.emapper.annotations"
        path.write_text("\n".join([*COMMENTS, *lines, "## 2 queries scanned", ""]))
        return path

    return write_file


def test_what_a_query_is_annotated_with_is_columns_of_0_and_1(write):
    path = write(HEADING, *ROWS)
    table = read_features(path)
    assert guess_kind(path) == "features"
    assert table.ids == ("P1", "P2")
    second = dict(
        zip(table.sparse.names, table.sparse.values.toarray()[1], strict=True)
    )
    assert [name for name, value in second.items() if value] == [
        "CAZy=GT41",
        "PFAMs=RBD",
        "eggNOG_OGs=COG0515@1",
    ]
    assert {name for name, value in second.items() if not value} == {
        "COG_category=K",
        "COG_category=T",
        "EC=2.7.11.1",
        "KEGG_Module=M00687",
        "KEGG_Pathway=ko04010",
        "KEGG_ko=ko:K04366",
        "PFAMs=Pkinase",
        "eggNOG_OGs=KOG0192@2759",
    }
    assert "GO terms" in table.notes[0]


def test_old_headings_and_sources_are_known(write):
    heading = "#query_name\tEC\teggNOG OGs"
    path = write(heading, "P1\t-\tCOG1@1|root,COG2@1|root", "P2\t1.1\t-")
    assert read_features(path, drop=["EC"]).sparse.names == (
        "eggNOG_OGs=COG1@1",
        "eggNOG_OGs=COG2@1",
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([HEADING, "P1\t-"], "line 5: expected at least 21 tab-separated.*eggNOG"),
        ([HEADING], "expected rows below the header"),
        (["#query\tother", "P1\tx"], "the header names none of them"),
        (["#query\tEC", "P1\t-"], "signatures of the 1 ids, got none"),
    ],
)
def test_what_is_wrong_is_told(write, lines, message):
    with pytest.raises(DatasetFormatError, match=message):
        read_features(write(*lines))
