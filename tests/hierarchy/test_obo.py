import gzip

import obonet
import pytest
from hypothesis import given
from strategies import hierarchies

from hilabel import Hierarchy
from hilabel.exceptions import DatasetFormatError, HilabelWarning
from hilabel.hierarchy import read_obo

ONTOLOGY = """\
format-version: 1.2
ontology: small

! a comment
[Term]
id: T:1
name: process
namespace: p

[Term]
id: T:2
name: growth
alt_id: T:12
def: "Getting larger: [Term]" [ref:1]
is_a: T:1 {source="x"} ! process

[Term]
id: T:3
name: cell growth
is_a: T:2 ! growth
relationship: part_of T:4 ! cell
relationship: regulates T:1 ! process

[Term]
id: T:4
name: cell

[Term]
id: T:5
name: obsolete once
is_obsolete: true
replaced_by: T:6

[Term]
id: T:6
name: obsolete twice
is_obsolete: true
replaced_by: T:12

[Term]
id: T:7
name: obsolete for good
is_obsolete: true
consider: T:3

[Term]
id: T:8
name: obsolete in two
is_obsolete: true
replaced_by: T:3
replaced_by: T:4

[Typedef]
id: part_of
name: part of
is_transitive: true
"""


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="small.obo"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_living_terms_are_nodes_and_two_relations_are_edges(write):
    hierarchy = read_obo(write(ONTOLOGY)).hierarchy
    expected = Hierarchy.from_edges(
        [("T:1", "T:2"), ("T:2", "T:3"), ("T:4", "T:3")],
        nodes=["T:1", "T:2", "T:3", "T:4"],
    )
    assert hierarchy == expected
    assert hierarchy.titles == ("process", "growth", "cell growth", "cell")


def test_other_relations_can_be_chosen(write):
    path = write(ONTOLOGY)
    only_is_a = read_obo(path, relations="is_a").hierarchy
    assert only_is_a.parents("T:3").tolist() == [1]
    with_regulates = read_obo(path, relations=["is_a", "regulates"]).hierarchy
    assert with_regulates.parents("T:3").tolist() == [0, 1]


def test_two_relations_between_the_same_terms_make_one_edge(write):
    text = "[Term]\nid: A\n\n[Term]\nid: B\nis_a: A\nrelationship: part_of A\n"
    assert read_obo(write(text)).hierarchy == Hierarchy.from_edges([("A", "B")])


def test_retired_identifiers_lead_to_their_one_living_successor(write):
    ontology = read_obo(write(ONTOLOGY))
    assert ontology.replaced == {"T:12": "T:2", "T:5": "T:2", "T:6": "T:2"}
    assert ontology.resolve("T:5") == "T:2"
    assert ontology.resolve("T:3") == "T:3"


def test_retired_identifiers_without_one_successor_are_obsolete(write):
    ontology = read_obo(write(ONTOLOGY))
    assert ontology.obsolete == {"T:7", "T:8"}
    assert ontology.resolve("T:7") is None
    assert ontology.resolve("never heard of") is None


def test_an_alternative_identifier_of_two_terms_is_obsolete(write):
    text = "[Term]\nid: A\nalt_id: C\n\n[Term]\nid: B\nalt_id: C\n"
    ontology = read_obo(write(text))
    assert ontology.replaced == {}
    assert ontology.obsolete == {"C"}


def test_an_identifier_that_lives_is_never_replaced(write):
    text = "[Term]\nid: A\nalt_id: B\n\n[Term]\nid: B\n"
    ontology = read_obo(write(text))
    assert ontology.resolve("B") == "B"
    assert ontology.replaced == {}


def test_terms_replaced_in_a_circle_are_obsolete(write):
    circle = "".join(
        f"[Term]\nid: {a}\nis_obsolete: true\nreplaced_by: {b}\n\n"
        for a, b in ["AB", "BA"]
    )
    ontology = read_obo(write(circle + "[Term]\nid: C\n"))
    assert ontology.obsolete == {"A", "B"}


def test_compressed_file_and_crowded_stanzas_read_alike(write, tmp_path):
    expected = read_obo(write(ONTOLOGY))
    compressed = tmp_path / "small.obo.gz"
    compressed.write_bytes(gzip.compress(ONTOLOGY.encode()))
    crowded = write(ONTOLOGY.replace("\n\n", "\n"), "crowded.obo")
    assert read_obo(compressed) == expected
    assert read_obo(crowded) == expected


def test_a_term_with_nothing_but_an_identifier_is_a_node(write):
    assert read_obo(write("[Term]\nid: A\n")).hierarchy.names == ("A",)


@given(hierarchy=hierarchies())
def test_any_hierarchy_survives_the_format(hierarchy, tmp_path_factory):
    stanzas = [
        f"[Term]\nid: {name}\nname: {name} in words\n"
        + "".join(f"is_a: {hierarchy.names[p]}\n" for p in hierarchy.parents(node))
        for node, name in enumerate(hierarchy.names)
    ]
    path = tmp_path_factory.mktemp("obo") / "any.obo"
    path.write_text("\n".join(stanzas))
    read = read_obo(path).hierarchy
    assert read == hierarchy
    assert read.titles[0] == f"{hierarchy.names[0]} in words"


def test_another_reader_finds_the_same_terms_and_edges(write):
    path = write(ONTOLOGY.replace("! a comment\n", ""))  # which obonet cannot take
    graph, hierarchy = obonet.read_obo(str(path)), read_obo(path).hierarchy
    assert set(hierarchy.names) == set(graph.nodes)
    found = {(hierarchy.names[a], hierarchy.names[b]) for a, b in hierarchy.edges}
    assert found == {(b, a) for a, b, r in graph.edges(keys=True) if r != "regulates"}


# Errors -----------------------------------------------------------------------------


def test_file_without_terms_is_refused(write):
    path = write("parent,child\na,b\n")
    with pytest.raises(DatasetFormatError, match=r"small\.obo: .* no \[Term\] stanza"):
        read_obo(path)


def test_file_of_obsolete_terms_is_refused(write):
    path = write("[Term]\nid: A\nis_obsolete: true\n")
    with pytest.raises(DatasetFormatError, match="all 1 terms are obsolete"):
        read_obo(path)


def test_a_cycle_is_named(write):
    path = write("[Term]\nid: A\nis_a: B\n\n[Term]\nid: B\nrelationship: part_of A\n")
    with pytest.raises(
        DatasetFormatError, match=r"small\.obo: .*cycle: 'A' -> 'B' -> 'A'"
    ):
        read_obo(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Term]\nid: A\n\n[Term]\nid: A\n", "line 5: term 'A' is already .* line 2"),
        ("\n[Term]\nname: a\n\n[Term]\nid: B\n", "line 2: expected an id"),
        ("[Term]\nid: B\n\n[Term]\nname: a\n", "line 4: expected an id"),
        ("[Term]\nid: B\nrelationship: A\n", "line 3: expected 'relationship' with 2"),
        ("[Term]\nid: B\nis_a:\n", "line 3: expected 'is_a' with 1"),
        ("[Term]\nid: B\nid: C\n", "line 3: expected one 'id' .*'C' after 'B'"),
        ("[Term]\nid: B\nis_a: C\n", "line 3: 'B' is_a 'C', which the file does not"),
        ("[Term]\nid: B\n\nlost text\n", "line 4: expected 'tag: value', got 'lost"),
        ("id: A\n[Term]\nid: B\n", "line 1: expected 'id' in a stanza"),
        ("[Term]\nid: B\nis_aa: C\n", "line 3: expected a tag .*got 'is_aa'"),
        ("[Term]\nid: B\n[Trem]\nid: C\n", r"line 3: expected .*got '\[Trem\]'"),
        ("[Term]\nid: B\nis_obsolete: yes\n", "line 3: expected 'true' or 'false'"),
    ],
)
def test_a_line_that_breaks_a_rule_is_refused_or_counted(write, text, message):
    path = write(text + "[Term]\nid: Z\n")
    with pytest.raises(DatasetFormatError, match=r"small\.obo, " + message):
        read_obo(path)
    with pytest.warns(HilabelWarning, match=r"small\.obo: 1 line\(s\) skipped: line"):
        assert "Z" in read_obo(path, lenient=True).hierarchy


def test_a_relation_to_a_retired_term_is_refused_or_counted(write):
    path = write(ONTOLOGY + "\n[Term]\nid: T:9\nis_a: T:7\nis_a: T:1\n")
    with pytest.raises(DatasetFormatError, match="'T:9' is_a 'T:7', which is obsolete"):
        read_obo(path)
    with pytest.warns(HilabelWarning, match="'T:9' is_a 'T:7'"):
        assert read_obo(path, lenient=True).hierarchy.parents("T:9").size == 1


def test_a_stanza_that_repeats_an_id_and_is_obsolete_is_no_key_error(write):
    path = write("[Term]\nid: A\n[Term]\nid: B\nis_a: A\n[Term]\nid: A\n")
    with pytest.warns(HilabelWarning, match="term 'A' is already defined in line 2"):
        hierarchy = read_obo(path, lenient=True).hierarchy
    assert hierarchy == Hierarchy.from_edges([("A", "B")])


def test_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.obo"):
        read_obo(tmp_path / "none.obo")


def test_each_term_has_its_aspect(write):
    ontology = read_obo(write(ONTOLOGY))
    assert ontology.aspects["T:1"] == "p"
    assert ontology.aspects["T:2"] == "small"
    given = ONTOLOGY.replace("ontology:", "default-namespace: d e\nontology:")
    assert read_obo(write(given)).aspects["T:2"] == "d e"


def test_a_part_of_an_ontology_knows_its_own_retired_terms(write):
    whole = read_obo(write(ONTOLOGY))
    part = whole.of(whole.hierarchy.restrict(["T:1", "T:2"]))
    assert part.resolve("T:12") == "T:2"
    assert part.aspects == {"T:1": "p", "T:2": "small"}
    assert "T:12" not in whole.of(whole.hierarchy.restrict(["T:1"])).replaced
