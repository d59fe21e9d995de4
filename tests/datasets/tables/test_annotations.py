import gzip

import pytest

from hilabel.datasets import read_annotations
from hilabel.exceptions import DatasetFormatError, LabelError


def gaf_row(
    gene, term, evidence="IDA", qualifier="involved_in", n_columns=17, synonyms=""
):
    cells = ["DB", gene, f"{gene}-symbol", qualifier, term, "REF:1", evidence, ""]
    cells += ["P", "", synonyms, "protein", "taxon:1", "20200101", "DB", "", ""]
    return "\t".join(cells[:n_columns]) + "\n"


GAF = (
    "!gaf-version: 2.2\n!\n! made by hand\n"
    + gaf_row("g1", "T:1")
    + gaf_row("g1", "T:2", evidence="IEA")
    + gaf_row("g2", "T:1", qualifier="NOT|involved_in")
    + gaf_row("g2", "T:3", evidence="TAS", n_columns=15)
    + gaf_row("g3", "T:1", evidence="IEA", qualifier="NOT")
)


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="labels.tsv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def pairs_of(annotations):
    return list(zip(annotations.ids, annotations.terms, strict=True))


# GAF --------------------------------------------------------------------------------


def test_gaf_rows_that_say_not_are_dropped_and_counted(write):
    annotations = read_annotations(write(GAF, "yeast.gaf"))
    assert pairs_of(annotations) == [("g1", "T:1"), ("g1", "T:2"), ("g2", "T:3")]
    assert annotations.lines == (4, 5, 7)
    assert (annotations.n_rows, annotations.n_not, annotations.n_filtered) == (5, 2, 0)


def test_a_term_that_only_contains_not_is_kept(write):
    row = gaf_row("g1", "T:1", qualifier="NOTORIOUS")
    assert read_annotations(write(row)).n_not == 0


@pytest.mark.parametrize("name", ["yeast.gaf", "labels.tsv"])
@pytest.mark.parametrize("has_comments", [True, False])
def test_gaf_is_told_by_name_comments_or_columns(write, name, has_comments):
    text = GAF if has_comments else GAF.split("by hand\n")[1]
    assert pairs_of(read_annotations(write(text, name)))[0] == ("g1", "T:1")


def test_compressed_gaf_is_read(tmp_path):
    path = tmp_path / "yeast.gaf.gz"
    path.write_bytes(gzip.compress(GAF.encode()))
    assert len(read_annotations(path)) == 3


@pytest.mark.parametrize(
    ("options", "terms", "n_filtered"),
    [
        ({"evidence": ["IDA"]}, ("T:1",), 2),
        ({"evidence": "ida"}, ("T:1",), 2),
        ({"evidence": ["IDA", "IEA"]}, ("T:1", "T:2"), 1),
        ({"evidence": []}, ("T:1", "T:2", "T:3"), 0),
        ({"exclude_evidence": ["IEA"]}, ("T:1", "T:3"), 1),
        ({"evidence": ["IDA", "IEA"], "exclude_evidence": "IEA"}, ("T:1",), 2),
    ],
)
def test_evidence_codes_choose_rows(write, options, terms, n_filtered):
    annotations = read_annotations(write(GAF, "yeast.gaf"), **options)
    assert annotations.terms == terms
    assert annotations.n_filtered == n_filtered
    assert annotations.n_not == 2


def test_symbols_can_be_the_identifiers(write):
    annotations = read_annotations(write(GAF, "yeast.gaf"), id_column="symbol")
    assert annotations.ids == ("g1-symbol", "g1-symbol", "g2-symbol")


SYNONYMS = (
    gaf_row("g1", "T:1", synonyms="YAL001C|TFC3")
    + gaf_row("g1", "T:2", synonyms="YAL001C| TFC3")
    + gaf_row("g2", "T:1")
    + gaf_row("g3", "T:3", synonyms="YAL003W")
)


def test_every_synonym_can_be_an_identifier(write):
    annotations = read_annotations(write(SYNONYMS), id_column="synonym")
    assert annotations.ids == ("YAL001C", "TFC3", "YAL001C", "TFC3", "YAL003W")
    assert annotations.terms == ("T:1", "T:1", "T:2", "T:2", "T:3")
    assert annotations.lines == (1, 1, 2, 2, 4)


def counts(accession=0, symbol=0, synonym=0):
    return {"accession": accession, "symbol": symbol, "synonym": synonym}


@pytest.mark.parametrize(
    ("ids", "expected", "matched_by"),
    [
        (["g1", "g2"], "g1 g1 g2 g3", counts(3)),
        (["g2-symbol"], "g1 g1 g2-symbol g3", counts(0, 1)),
        (["YAL001C", "YAL003W"], "YAL001C YAL001C g2 YAL003W", counts(0, 0, 3)),
        (["TFC3", "g2-symbol", "g3"], "TFC3 TFC3 g2-symbol g3", counts(1, 1, 2)),
        (["g1", "TFC3", "g1-symbol"], "g1 g1 g2 g3", counts(2)),
        (["another"], "g1 g1 g2 g3", counts()),
    ],
)
def test_each_line_is_matched_by_the_first_name_that_is_wanted(
    write, ids, expected, matched_by
):
    annotations = read_annotations(write(SYNONYMS), ids)
    assert annotations.matched_by == matched_by
    assert annotations.ids == tuple(expected.split())
    assert annotations.terms == ("T:1", "T:2", "T:1", "T:3")
    assert annotations.lines == (1, 2, 3, 4)


def test_a_line_may_match_by_several_synonyms(write):
    annotations = read_annotations(write(SYNONYMS), ["TFC3", "YAL001C"])
    assert annotations.ids == ("YAL001C", "TFC3", "YAL001C", "TFC3", "g2", "g3")


def test_a_synonym_that_is_another_genes_name_is_not_taken(write):
    # g2 is in the file, though only as NOT; g3 has once been called so.
    text = gaf_row("g2", "T:1", qualifier="NOT") + gaf_row("g3", "T:3", synonyms="g2")
    annotations = read_annotations(write(text), ["g2"])
    assert annotations.ids == ("g3",)
    text = gaf_row("g1", "T:1") + gaf_row("g3", "T:3", synonyms="g1-symbol|old")
    annotations = read_annotations(write(text), ["g1-symbol", "old"])
    assert pairs_of(annotations) == [("g1-symbol", "T:1"), ("old", "T:3")]


def test_evidence_codes_are_read_once(write):
    codes = (code for code in ["IEA", "TAS"])
    annotations = read_annotations(write(GAF), ["g2-symbol"], exclude_evidence=codes)
    assert pairs_of(annotations) == [("g1", "T:1")]
    assert annotations.n_filtered == 2


def test_empty_cells_matter_only_in_the_column_asked_for(write):
    cells = gaf_row("g1", "T:1", synonyms="old").split("\t")
    no_symbol = "\t".join([*cells[:2], "", *cells[3:]])
    no_accession = "\t".join([cells[0], "", *cells[2:]])
    path = write(no_symbol + no_accession)
    found = read_annotations(path, ["g1", "g1-symbol"])
    assert found.ids == ("g1", "g1-symbol")
    assert read_annotations(path, ["old"]).ids == ("old", "old")
    assert read_annotations(path, ["x"]).ids == ("g1", "g1-symbol")
    assert read_annotations(path, id_column="synonym").ids == ("old", "old")
    with pytest.raises(DatasetFormatError, match="line 2: .*identifier in column 2"):
        read_annotations(path)
    with pytest.raises(DatasetFormatError, match="line 1: .*identifier in column 3"):
        read_annotations(path, id_column="symbol")


def test_a_line_without_any_name_is_refused(write):
    path = write(gaf_row("", "T:1").replace("-symbol", ""))
    with pytest.raises(DatasetFormatError, match="line 1: .*column 2 or 3 or 11"):
        read_annotations(path, ["g1"])


def test_a_table_has_no_other_column_to_look_in(write):
    assert read_annotations(write("g1\ta\n"), ["x"]).ids == ("g1",)


# Two columns ------------------------------------------------------------------------

PAIRS = [("g1", "T:1"), ("g1", "T:2"), ("g2", "T:3")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.tsv", "g1\tT:1\ng1\tT:2\ng2\tT:3\n"),
        ("labels.csv", "g1,T:1;T:2\n\ng2,T:3;\n"),
        ("labels.csv", "gene,Terms\ng1, T:1 | T:2\ng2, T:3\n"),
        ("labels.csv", "id;label\ng1;T:1|T:2\ng2;T:3\n"),
        ("labels", "id\tcategory\ng1\tT:1;T:2\ng2\tT:3\n"),
    ],
)
def test_two_columns_of_all_kinds_read_alike(write, name, text):
    annotations = read_annotations(write(text, name))
    assert pairs_of(annotations) == PAIRS
    assert annotations.n_not == annotations.n_filtered == annotations.n_empty == 0


def test_lines_point_into_the_file(write):
    annotations = read_annotations(write("id,term\n\ng1,a;b\ng2,c\n", "labels.csv"))
    assert annotations.lines == (3, 3, 4)
    assert annotations.n_rows == 2


def test_a_row_without_term_is_counted(write):
    annotations = read_annotations(write("g1\ta\ng2\t\n"))
    assert pairs_of(annotations) == [("g1", "a")]
    assert annotations.n_empty == 1


def test_the_heading_can_be_said_to_be_one(write):
    path = write("gen\tfunción\ng1\ta\n")
    assert read_annotations(path).ids == ("gen", "g1")
    assert read_annotations(path, header=True).ids == ("g1",)
    path = write("x\tlabel\ng1\ta\n")
    assert read_annotations(path, header=False).terms == ("label", "a")


def test_separators_inside_a_cell_can_be_switched_off(write):
    path = write("g1\ta;b|c\n")
    assert read_annotations(path, separators="").terms == ("a;b|c",)
    assert read_annotations(path, separators="|").terms == ("a;b", "c")


# Tables as people have them -----------------------------------------------------------

CATALOGUE = """\
Titel;Nr.;Art;Gattung
Brücke;M 1;Kunst;Malerei
Uhr; M 2;Technik;
Farn;M 3;;
"""


def test_columns_of_a_wider_table_have_the_terms_or_the_steps_of_a_path(write):
    path = write(CATALOGUE, "catalogue.csv")
    found = read_annotations(path, label_columns=["Art"], id_name="Nr.")
    assert (found.ids, found.terms) == (("M 1", "M 2"), ("Kunst", "Technik"))
    assert (found.n_rows, found.n_empty, found.lines) == (3, 1, (2, 3))
    steps = read_annotations(path, label_columns=["Art", "Gattung"], id_name="Nr.")
    assert steps.terms == ("Kunst > Malerei", "Technik")
    assert read_annotations(path, label_columns=["Art"]).ids == ("Brücke", "Uhr")


def test_a_first_line_that_begins_as_the_features_do_is_a_heading(write):
    path = write("Inventarnr.;Kategorie\nM 1;Kunst\n")
    assert read_annotations(path).ids == ("Inventarnr.", "M 1")
    assert read_annotations(path, id_name="Inventarnr.").ids == ("M 1",)


def test_what_is_wrong_with_the_columns_of_labels_is_told(write):
    path = write(CATALOGUE)
    with pytest.raises(LabelError, match=r"Art, Gattung, got 'Arten'. Did you mean"):
        read_annotations(path, label_columns=["Arten"])
    with pytest.raises(DatasetFormatError, match="got 4 column") as caught:
        read_annotations(path)
    assert caught.value.parameter == ("label_columns",)
    ragged = write(CATALOGUE + "Ei;M 4\n")
    with pytest.raises(DatasetFormatError, match="line 5: expected 4 columns, .* 2"):
        read_annotations(ragged, label_columns=["Art"])


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.gaf", GAF + "DB\tg1\n", r"a\.gaf, line 9: expected the 17 .* got 2"),
        ("a.gaf", gaf_row("", "T:1"), "line 1: expected an identifier in column 2"),
        ("a.gaf", gaf_row("g", " "), "line 1: expected an identifier in column 5"),
        (
            "a.gaf",
            "!gaf-version: 1.0\n",
            "line 1: expected GAF 2.0 to 2.2, got GAF 1.0",
        ),
        ("a.txt", "!gpad-version: 2.0\n", "line 1: expected GAF .* got GPAD 2.0"),
        ("a.gaf", "!gaf-version: 2.1\n", "got only comments"),
        ("a.csv", "id,term\n", "got only comments or a header"),
        ("a.csv", "g1,a\ng1,a,b\n", r"a\.csv, line 2: expected two columns.*got 3"),
        ("a.csv", "g1\n", "line 1: expected two columns, id and term, got 1"),
        ("a.csv", "g1,a\n,b\n", "line 2: .* got an empty id"),
        ("a.csv", "", "the file is empty"),
        ("a.csv", "a,\x00", "the file is binary"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(write, name, text, message):
    with pytest.raises(DatasetFormatError, match=message):
        read_annotations(write(text, name))


@pytest.mark.parametrize(
    "options",
    [{"evidence": ["IDA"]}, {"exclude_evidence": ["IEA"]}, {"id_column": "symbol"}],
)
def test_two_columns_have_no_evidence_and_no_symbols(write, options):
    with pytest.raises(LabelError, match="need a GAF file"):
        read_annotations(write("g1\ta\n"), **options)


def test_an_unknown_id_column_is_refused(write):
    with pytest.raises(
        LabelError, match="'object_id', 'symbol', 'synonym', got 'name'"
    ):
        read_annotations(write(GAF), id_column="name")


# What is no annotation --------------------------------------------------------------


def test_lines_without_data_are_no_annotations(write):
    text = (
        gaf_row("g1", "T:1", evidence="ND")
        + gaf_row("g2", "T:1", evidence="ND")
        + gaf_row("g2", "T:2")
    )
    annotations = read_annotations(write(text))
    assert pairs_of(annotations) == [("g2", "T:2")]
    assert annotations.no_data == ("g1", "g2")
    assert annotations.n_filtered == 0


def test_what_a_gene_does_not_have_is_kept_apart(write):
    assert read_annotations(write(GAF)).denied == (("g2", "T:1"), ("g3", "T:1"))
    annotations = read_annotations(
        write(GAF), ["g3-symbol"], exclude_evidence=["electronic"]
    )
    assert annotations.denied == (("g2", "T:1"),)
    named = read_annotations(write(GAF), ["g3-symbol"]).denied
    assert named == (("g2", "T:1"), ("g3-symbol", "T:1"))


# One line for each code of the Gene Ontology, and the group that it belongs to.
GROUPS = {
    "experimental": "EXP IDA IPI IMP IGI IEP",
    "high-throughput": "HTP HDA HMP HGI HEP",
    "phylogenetic": "IBA IBD IKR IRD",
    "computational": "ISS ISO ISA ISM IGC RCA",
    "author": "TAS NAS",
    "curator": "IC",
    "electronic": "IEA",
}
ALL_CODES = " ".join(GROUPS.values()).split()
EVIDENCE = "".join(gaf_row(f"g{c}", f"T:{c}", evidence=c) for c in ALL_CODES)


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        *((group, codes.split()) for group, codes in GROUPS.items()),
        ("ND,IEA", ["IEA"]),
        (["ND, iea", "TAS"], ["IEA", "TAS"]),
        (["author,electronic", "IDA"], ["TAS", "NAS", "IEA", "IDA"]),
        ("High_Throughput", ["HTP", "HDA", "HMP", "HGI", "HEP"]),
    ],
)
def test_evidence_is_named_by_codes_commas_and_groups(write, asked, codes):
    dropped = read_annotations(write(EVIDENCE), exclude_evidence=asked)
    assert dropped.n_filtered == len(codes)
    assert len(dropped) == len(ALL_CODES) - len(codes)
    kept = read_annotations(write(EVIDENCE), evidence=asked)
    assert sorted(kept.terms) == sorted(f"T:{code}" for code in codes)


def test_evidence_that_there_is_not_is_refused(write):
    with pytest.raises(LabelError, match=r"'EXPERIMENTEL'.*mean.*experimental"):
        read_annotations(write(GAF), exclude_evidence="experimentel")
    # A code of another database, if the file has it, is as good as any.
    text = gaf_row("g1", "T:1", evidence="PCS") + gaf_row("g2", "T:1")
    assert read_annotations(write(text), exclude_evidence="PCS").n_filtered == 1


@pytest.mark.parametrize(
    "text", [gaf_row("E1.12", "T:1", synonyms="A.1|B|C.2 "), "E1.12\tT:1\n"]
)
def test_versions_of_ids_can_be_left_out(write, text):
    assert read_annotations(write(text)).ids == ("E1.12",)
    assert read_annotations(write(text), strip_version=True).ids == ("E1",)
    if "A.1" in text:
        found = read_annotations(write(text), ["A", "B", "C"], strip_version=True)
        assert found.ids == ("A", "B", "C")
