import gzip

import numpy as np
import pandas as pd
import pytest

from hilabel import UNLABELED, Hierarchy
from hilabel.datasets import (
    load_table,
    read_annotations,
    read_features,
    read_hierarchy,
)
from hilabel.exceptions import DatasetFormatError, LabelError

OBO = """\
format-version: 1.2

[Term]
id: GO:1
name: biological process

[Term]
id: GO:2
name: growth
alt_id: GO:22
is_a: GO:1 ! biological process

[Term]
id: GO:3
name: cell growth
is_a: GO:2 ! growth
relationship: part_of GO:4
relationship: regulates GO:5

[Term]
id: GO:4
name: cell life

[Term]
id: GO:5
name: never used
is_a: GO:1

[Term]
id: GO:6
name: obsolete, replaced
is_obsolete: true
replaced_by: GO:22

[Term]
id: GO:7
name: obsolete for good
is_obsolete: true
"""
EDGES = "parent,child\n,GO:1\nGO:1,GO:2\nGO:2,GO:3\n,GO:4\nGO:4,GO:3\nGO:1,GO:5\n"
FEATURES = "gene,length,strand\ng1,10,+\ng2,NA,-\ng3,30,+\ng4,40,-\ng5,50,+\n"


def gaf_row(gene, term, evidence="IDA", qualifier="involved_in"):
    cells = ["DB", gene, gene, qualifier, term, "REF:1", evidence, "", "P", "", ""]
    return "\t".join([*cells, "protein", "taxon:1", "20200101", "DB", "", ""]) + "\n"


GAF = (
    "!gaf-version: 2.2\n"
    + gaf_row("g5", "GO:3")
    + gaf_row("g1", "GO:6")
    + gaf_row("g1", "GO:2", evidence="IEA")
    + gaf_row("g2", "GO:3", qualifier="NOT|involved_in")
    + gaf_row("g3", "GO:7")
    + gaf_row("elsewhere", "GO:999")
    + gaf_row("g2", "GO:4", evidence="TAS")
)
# What the above says, closed over ancestors; GO:5 has no row and is left out.
NAMES = ("GO:1", "GO:2", "GO:3", "GO:4")
LABELS = [
    [1, 1, 0, 0],
    [0, 0, 0, 1],
    [-1, -1, -1, -1],
    [-1, -1, -1, -1],
    [1, 1, 1, 1],
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "genes.csv").write_text(FEATURES)
    (tmp_path / "genes.tsv").write_text(FEATURES.replace(",", "\t"))
    (tmp_path / "genes.csv.gz").write_bytes(gzip.compress(FEATURES.encode()))
    pd.read_csv(tmp_path / "genes.csv").to_parquet(tmp_path / "genes.parquet")
    (tmp_path / "yeast.gaf").write_text(GAF)
    (tmp_path / "yeast.gaf.gz").write_bytes(gzip.compress(GAF.encode()))
    (tmp_path / "go.obo").write_text(OBO)
    (tmp_path / "go.obo.gz").write_bytes(gzip.compress(OBO.encode()))
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "pairs.tsv").write_text("id\tterm\ng5\tGO:3\ng1\tGO:2\ng2\tGO:4\n")
    return tmp_path


@pytest.mark.parametrize("features", ["csv", "tsv", "csv.gz", "parquet"])
@pytest.mark.parametrize(
    ("labels", "hierarchy"),
    [
        ("yeast.gaf", "go.obo"),
        ("yeast.gaf.gz", "go.obo.gz"),
        ("pairs.tsv", "edges.csv"),
        ("pairs.tsv", "go.obo"),
    ],
)
def test_the_same_facts_in_other_formats_give_the_same_data(
    folder, features, labels, hierarchy
):
    dataset = load_table(
        folder / f"genes.{features}", folder / labels, folder / hierarchy
    ).dataset
    assert dataset.sample_ids == ("g1", "g2", "g3", "g4", "g5")
    assert dataset.feature_names == ("length", "strand=-")
    expected = [[10, 0], [np.nan, 1], [30, 0], [40, 1], [50, 0]]
    np.testing.assert_array_equal(dataset.X, expected)
    assert dataset.hierarchy == Hierarchy(NAMES, [(0, 1), (1, 2), (3, 2)])
    np.testing.assert_array_equal(dataset.Y, LABELS)
    assert dataset.Y.dtype == np.int8
    assert dataset.name == "genes"


def test_the_report_counts_what_was_left_out(folder):
    report = load_table(
        folder / "genes.csv", folder / "yeast.gaf", folder / "go.obo"
    ).report
    assert (report.n_rows, report.n_labeled, report.n_unlabeled) == (5, 3, 2)
    # GO:6 is now GO:2, which g1 has already.
    assert (report.n_annotations, report.n_duplicates) == (3, 1)
    assert (report.n_not, report.n_filtered) == (1, 0)
    assert report.unmatched_ids == ("elsewhere",)
    assert report.replaced_terms == (("GO:6", "GO:2"),)
    assert report.obsolete_terms == ("GO:7",)
    assert report.unknown_terms == ()
    assert (report.n_nodes, report.n_nodes_kept) == (5, 4)
    assert str(report).split("\n") == [
        "rows: 5, 3 labelled, 2 unlabelled",
        "annotations: 3 used, 1 repeated, 1 NOT, 0 dropped by evidence",
        "terms: 1 replaced, 1 obsolete (GO:7), 0 unknown",
        "hierarchy: 4 of 5 nodes kept",
        "NOT annotations: 1 used as negatives of the term and its descendants; 0 "
        "contradicted by an annotation of the row, which takes precedence",
        "annotated ids without features: 1 (elsewhere)",
    ]


def test_evidence_codes_reach_the_annotations(folder):
    paths = folder / "genes.csv", folder / "yeast.gaf", folder / "go.obo"
    data = load_table(*paths, exclude_evidence=["IEA", "TAS"])
    assert data.report.n_filtered == 2
    # Of g2 a NOT line is left.
    assert data.dataset.labeled.tolist() == [True, True, False, False, True]
    data = load_table(*paths, evidence=["TAS"])
    assert data.dataset.hierarchy.names == ("GO:4",)


def test_relations_reach_the_ontology(folder):
    dataset = load_table(
        folder / "genes.csv",
        folder / "pairs.tsv",
        folder / "go.obo",
        relations=["is_a"],
    ).dataset
    assert dataset.Y[4].tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("min_count", "names"),
    [
        (0, (*NAMES, "GO:5")),
        (1, NAMES),
        (2, ("GO:1", "GO:2", "GO:4")),
    ],
)
def test_rare_nodes_are_left_out(folder, min_count, names):
    data = load_table(
        folder / "genes.csv",
        folder / "pairs.tsv",
        folder / "edges.csv",
        min_count=min_count,
    )
    assert set(data.dataset.hierarchy.names) == set(names)
    assert data.report.n_nodes_kept == len(names)
    assert data.dataset.labeled.sum() == 3


def test_a_row_whose_nodes_are_left_out_stays_labelled(tmp_path):
    (tmp_path / "x.csv").write_text("id,x\na,1\nb,2\nc,3\n")
    (tmp_path / "y.csv").write_text("a,r\nb,r\nc,s\n")
    dataset = load_table(
        tmp_path / "x.csv", tmp_path / "y.csv", Hierarchy(["r", "s"]), min_count=2
    ).dataset
    assert dataset.Y.tolist() == [[1], [1], [0]]


def test_the_id_column_is_told(folder):
    table = load_table(folder / "genes.csv", folder / "pairs.tsv").table
    assert table.frame.index.name == "gene"


def test_objects_may_stand_for_files(folder):
    from_objects = load_table(
        read_features(folder / "genes.csv"),
        read_annotations(folder / "yeast.gaf", id_column="symbol"),
        read_hierarchy(folder / "go.obo"),
    )
    np.testing.assert_array_equal(from_objects.dataset.Y, LABELS)


def test_symbols_are_found_where_accessions_are_not(folder):
    with_accessions = GAF.replace("DB\t", "DB\tS00")
    (folder / "other.gaf").write_text(with_accessions)
    data = load_table(folder / "genes.csv", folder / "other.gaf", folder / "go.obo")
    np.testing.assert_array_equal(data.dataset.Y, LABELS)
    assert "annotations matched by: 5 symbol" in str(data.report)


def test_one_table_may_hold_accessions_and_symbols(folder):
    lines = GAF.splitlines(keepends=True)
    renamed = [
        line.replace("DB\t", "DB\tS00") if number % 2 else line
        for number, line in enumerate(lines)
    ]
    (folder / "mixed.gaf").write_text("".join(renamed))
    data = load_table(folder / "genes.csv", folder / "mixed.gaf", folder / "go.obo")
    np.testing.assert_array_equal(data.dataset.Y, LABELS)
    assert data.report.matched_by == {"accession": 1, "symbol": 4, "synonym": 0}
    assert "annotations matched by: 1 accession, 4 symbol" in str(data.report)


def test_without_labels_all_rows_are_unlabelled(folder):
    data = load_table(folder / "genes.csv", hierarchy=folder / "edges.csv")
    assert data.dataset.Y.shape == (5, 5)
    assert (data.dataset.Y == UNLABELED).all()
    assert data.report.n_unlabeled == 5


def test_without_hierarchy_terms_are_nodes_without_edges(folder):
    data = load_table(folder / "genes.csv", folder / "pairs.tsv")
    assert data.dataset.hierarchy == Hierarchy(["GO:2", "GO:3", "GO:4"])
    assert data.dataset.Y[4].tolist() == [0, 1, 0]
    assert "no hierarchy: the 3 terms are treated as unrelated" in str(data.report)
    with_one = load_table(folder / "genes.csv", folder / "pairs.tsv", folder / "go.obo")
    assert "no hierarchy" not in str(with_one.report)


def test_another_table_is_read_alike_and_gets_the_same_columns(folder):
    first = load_table(folder / "genes.csv", folder / "pairs.tsv")
    (folder / "new.csv").write_text("id,note,strand,length\nn1,1,+,5\nn2,x2,*,\n")
    second = first.read_alike(folder / "new.csv")
    assert second.columns == first.table.columns
    assert second.categorical == first.table.categorical == ("strand",)
    matrix = first.preparation.transform(second)
    np.testing.assert_array_equal(matrix, [[5, 0], [np.nan, 0]])


def test_a_table_with_the_same_rows_is_refused(folder):
    first = load_table(folder / "genes.csv", folder / "pairs.tsv")
    other = first.read_alike(folder / "genes.csv")
    message = f"genes.csv: expected other rows than in .*genes.csv, got {len(other)} of"
    with pytest.raises(DatasetFormatError, match=message):
        first.table.refuse_rows_of(other, "valid")
    first.table.rows([0]).refuse_rows_of(other.rows([1]), "valid")


def test_columns_without_values_are_reported(tmp_path):
    (tmp_path / "x.csv").write_text("id,x,y\na,1,?\nb,2,\n")
    data = load_table(tmp_path / "x.csv", hierarchy=Hierarchy(["r"]))
    assert data.report.empty_columns == ("y",)
    assert "columns without values: 1 (y)" in str(data.report)
    assert np.isnan(data.dataset.X[:, 1]).all()


def test_columns_of_many_words_are_reported(tmp_path):
    rows = [f"r{i},{i},0;{i},{i % 20},note {i % 21}" for i in range(41)]
    (tmp_path / "x.csv").write_text("id,n,comma,few,note\n" + "\n".join(rows))
    report = load_table(tmp_path / "x.csv", hierarchy=Hierarchy(["r"])).report
    assert report.wordy_columns == ("comma", "note")
    (tmp_path / "y.csv").write_text("id,n,comma,few,note\n" + "\n".join(rows[:20]))
    report = load_table(tmp_path / "y.csv", hierarchy=Hierarchy(["r"])).report
    assert report.wordy_columns == ()
    assert "decimal commas" not in str(report)


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        (["Home > Pans", "Home > Kitchen > Pots", "Books"], 5),
        (["Home>Pans", "Home > Pots"], 3),
        (["food/tea", "food/bread"], 3),
        (["TV/Video", "Sun/Beach", "Books"], 0),
        (["http://a.org/1", "http://a.org/2"], 0),
        (["a > b", "c", "d", "e"], 0),
        (["a > b", "a", "d"], 0),
        (["a > b", "a > b > c", "a", "d"], 4),
        (["GO:1", "GO:2"], 0),
    ],
)
def test_labels_that_are_paths_bring_their_hierarchy_along(terms, names, tmp_path):
    rows = [(f"r{i}", term) for i, term in enumerate(terms)]
    (tmp_path / "x.csv").write_text("id,x\n" + "".join(f"{i},1\n" for i, _ in rows))
    pairs = "".join(f"{i}\t{term}\n" for i, term in rows)
    (tmp_path / "y.tsv").write_text("id\tterm\n" + pairs)
    data = load_table(tmp_path / "x.csv", tmp_path / "y.tsv")
    assert data.report.has_paths == data.report.has_hierarchy == bool(names)
    assert data.dataset.hierarchy.n_nodes == (names or len(terms))
    assert data.report.n_labeled == len(terms)
    assert ("which are paths" in str(data.report)) == bool(names)


def test_a_product_taxonomy(tmp_path):
    (tmp_path / "products.csv").write_text(
        "sku,price,brand\n001,3.5,Leaf\n002,2,Oven\n003,12,Leaf\n004,,Ink\n"
    )
    (tmp_path / "taxonomy.txt").write_text(
        "Food & drinks/Tea/Green\nFood & drinks/Bread\nBooks\nGames\n"
    )
    (tmp_path / "labels.csv").write_text(
        "sku,category\n004,Books\n001,Food & drinks/Tea/Green|Books\n003,\n"
        "002,Food & drinks/Bread\n"
    )
    data = load_table(
        tmp_path / "products.csv", tmp_path / "labels.csv", tmp_path / "taxonomy.txt"
    )
    dataset = data.dataset
    found = [
        None
        if row[0] == UNLABELED
        else {dataset.hierarchy.names[node] for node in np.flatnonzero(row)}
        for row in dataset.Y
    ]
    assert dataset.sample_ids == ("001", "002", "003", "004")
    assert found == [
        {"Food & drinks", "Food & drinks/Tea", "Food & drinks/Tea/Green", "Books"},
        {"Food & drinks", "Food & drinks/Bread"},
        None,
        {"Books"},
    ]
    assert "Games" not in dataset.hierarchy
    assert dataset.feature_names == ("price", "brand=Ink", "brand=Leaf", "brand=Oven")
    assert tuple(dataset.problem_type) == ("T", "MPL", "FD")


@pytest.mark.parametrize("separator", ["/", " > ", "|"])
def test_terms_may_be_the_ends_of_paths(tmp_path, separator):
    paths = ["food/drinks/juice", "food/bakery", "gifts/tea"]
    paths = [path.replace("/", separator) for path in paths]
    (tmp_path / "x.csv").write_text("id,x\na,1\nb,2\nc,3\n")
    (tmp_path / "y.csv").write_text(f"id,term\na,juice\nb,bakery;tea\nc,{paths[0]}\n")
    (tmp_path / "h.txt").write_text("\n".join(paths))
    data = load_table(tmp_path / "x.csv", tmp_path / "y.csv", tmp_path / "h.txt")
    names = data.dataset.hierarchy.names
    found = [{names[node] for node in np.flatnonzero(row)} for row in data.dataset.Y]
    juice = {path.replace("/", separator) for path in ("food", "food/drinks")}
    juice |= {paths[0]}
    assert found == [juice, {"food", paths[1], "gifts", paths[2]}, juice]
    assert data.report.replaced_terms == (
        ("juice", paths[0]),
        ("bakery", paths[1]),
        ("tea", paths[2]),
    )


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "meant"),
    [
        ("juise", "'food/juice'"),
        ("Food/Bakery", "'food/bakery'"),
        ("tea", "'food/tea' or 'gifts/tea'"),
    ],
)
def test_an_unknown_term_is_told_what_it_may_mean(folder, term, meant):
    (folder / "paths.txt").write_text("food/juice\nfood/bakery\nfood/tea\ngifts/tea\n")
    (folder / "labels.csv").write_text(f"id,term\ng1,{term}\n")
    with pytest.raises(DatasetFormatError, match=f"line 2: .* Did you mean {meant}\\?"):
        load_table(folder / "genes.csv", folder / "labels.csv", folder / "paths.txt")


def test_of_identifiers_none_is_likelier(folder):
    (folder / "labels.csv").write_text("id,term\ng1,GO:8\n")
    with pytest.raises(
        DatasetFormatError, match=r"drop unknown terms\. \(parameter: unknown_terms\)$"
    ):
        load_table(folder / "genes.csv", folder / "labels.csv", folder / "go.obo")


def test_an_unknown_term_is_named_with_its_line(folder):
    path = folder / "labels.csv"
    path.write_text("g1,GO:1\ng2,GO:404\n")
    arguments = folder / "genes.csv", path, folder / "go.obo"
    with pytest.raises(
        DatasetFormatError, match=r"labels\.csv, line 2: term 'GO:404' is not in"
    ):
        load_table(*arguments)
    data = load_table(*arguments, unknown_terms="drop")
    assert data.report.unknown_terms == ("GO:404",)
    assert data.dataset.labeled.tolist() == [True, False, False, False, False]


def test_an_unknown_term_in_the_first_line_may_be_a_heading(folder):
    (folder / "labels.csv").write_text("g1,function\ng1,GO:1\n")
    with pytest.raises(DatasetFormatError, match=r"line 1: .* If the line is a header"):
        load_table(folder / "genes.csv", folder / "labels.csv", folder / "go.obo")


def test_labels_of_other_rows_show_an_identifier_of_each_side(folder):
    (folder / "labels.csv").write_text("P12345,GO:1\n")
    with pytest.raises(
        DatasetFormatError,
        match=r"none of its 1 ids is in .*genes\.csv.*such as 'g1', .*'P12345'",
    ):
        load_table(folder / "genes.csv", folder / "labels.csv", folder / "go.obo")


def test_a_gaf_file_of_other_genes_says_that_all_columns_were_tried(folder):
    (folder / "x.gaf").write_text(gaf_row("P12345", "GO:1"))
    with pytest.raises(
        DatasetFormatError,
        match=r"none of its 1 ids is in .*genes\.csv, nor is any symbol or synonym",
    ):
        load_table(folder / "genes.csv", folder / "x.gaf", folder / "go.obo")


def test_labels_that_are_all_obsolete_are_refused(folder):
    (folder / "labels.csv").write_text("g1,GO:7\n")
    with pytest.raises(DatasetFormatError, match="1 obsolete, 0 unknown.*'GO:7'"):
        load_table(folder / "genes.csv", folder / "labels.csv", folder / "go.obo")


def test_evidence_codes_that_leave_nothing_are_refused(folder):
    with pytest.raises(
        DatasetFormatError, match="none of the 7 rows is left: 1 say NOT, 6 have other"
    ):
        load_table(folder / "genes.csv", folder / "yeast.gaf", evidence=["IMP"])


def test_a_count_that_no_node_reaches_is_refused(folder):
    with pytest.raises(
        DatasetFormatError, match="no node has 9 .* most frequent has 2"
    ):
        load_table(
            folder / "genes.csv", folder / "pairs.tsv", folder / "go.obo", min_count=9
        )


def test_features_alone_are_refused(folder):
    with pytest.raises(LabelError, match="labels, a hierarchy or both, got neither"):
        load_table(folder / "genes.csv")


def test_a_wrong_choice_for_unknown_terms_is_refused(folder):
    with pytest.raises(LabelError, match="'raise' or 'drop', got 'ignore'"):
        load_table(folder / "genes.csv", folder / "pairs.tsv", unknown_terms="ignore")


def test_evidence_codes_without_a_file_are_refused(folder):
    annotations = read_annotations(folder / "yeast.gaf")
    with pytest.raises(LabelError, match="the codes to read_annotations"):
        load_table(folder / "genes.csv", annotations, evidence=["IDA"])


def test_a_gene_with_nothing_but_lines_without_data_is_unlabelled(folder):
    no_data = "".join(gaf_row(gene, "GO:1", evidence="ND") for gene in ("g1", "g3"))
    (folder / "yeast.gaf").write_text(GAF + no_data)
    data = load_table(folder / "genes.csv", folder / "yeast.gaf", folder / "go.obo")
    np.testing.assert_array_equal(data.dataset.Y, LABELS)
    assert (data.report.n_no_data, data.report.n_rows_no_data) == (2, 1)
    assert "without data (ND): 2; 1 rows have nothing else" in str(data.report)


def test_annotated_and_implied_terms_are_marked(folder):
    data = load_table(folder / "genes.csv", folder / "yeast.gaf", folder / "go.obo")
    expected = [[1, 2, 0, 0], [0, 0, 0, 2], [0] * 4, [0] * 4, [1, 1, 2, 1]]
    np.testing.assert_array_equal(data.marks.toarray(), expected)
    assert data.ontology.hierarchy == data.dataset.hierarchy
    assert data.ontology.resolve("GO:22") == "GO:2"


@pytest.mark.parametrize(
    "labels",
    ["g5\tGO:3,GO:22\ng2\tGO:4\n", 'id,term\ng5,"GO:3, GO:2"\ng2,GO:4\n'],
)
def test_a_list_with_commas_is_taken_apart_where_its_parts_are_terms(folder, labels):
    (folder / "lists").write_text(labels)
    data = load_table(folder / "genes.csv", folder / "lists", folder / "go.obo")
    np.testing.assert_array_equal(data.dataset.Y[4], [1, 1, 1, 1])
    assert data.marks.toarray()[4].tolist() == [1, 2, 2, 1]


def test_a_name_with_a_comma_stays_whole_unless_separators_are_given(folder):
    labels = folder / "names.tsv"
    labels.write_text("g1\tpens, pencils\ng2\tpens\ng3\tink|pens\n")
    names = load_table(folder / "genes.csv", labels).dataset.hierarchy.names
    assert names == ("ink", "pens", "pens, pencils")
    data = load_table(folder / "genes.csv", labels, separators=",")
    assert data.dataset.hierarchy.names == ("ink|pens", "pencils", "pens")
    taxonomy = folder / "taxonomy.csv"
    taxonomy.write_text('parent,child\ndesk,"pens, pencils"\ndesk,pens\ndesk,ink\n')
    kept = load_table(folder / "genes.csv", labels, taxonomy).dataset
    assert kept.hierarchy.to_names(kept.Y)[0] == {"desk", "pens, pencils"}
    labels.write_text("g1\tpens, paper\n")
    with pytest.raises(DatasetFormatError, match="term 'paper' is not in"):
        load_table(folder / "genes.csv", labels, taxonomy)


def test_merged_rows_and_versions_are_matched_and_told(folder):
    (folder / "genes.csv").write_text("gene,x\ng1.2,1\ng5.1,2\ng1.3,3\n")
    options = {"strip_version": True, "merge_duplicates": "mean"}
    data = load_table(
        folder / "genes.csv", folder / "yeast.gaf", folder / "go.obo", **options
    )
    assert data.dataset.sample_ids == ("g1", "g5")
    assert data.report.n_labeled == 2
    assert "rows merged into others with the same id: 1" in str(data.report)


def test_labels_in_a_column_of_the_table_are_no_features(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("nr,height,kind\nm1,2,art > oil\nm2,3,\nm3,4,art\n")
    data = load_table(path, path, label_columns=["kind"])
    assert data.dataset.feature_names == ("height",)
    assert data.dataset.hierarchy.names == ("art", "art > oil")
    np.testing.assert_array_equal(data.dataset.Y, [[1, 1], [-1, -1], [1, 0]])
    labels = tmp_path / "labels.csv"
    labels.write_bytes(path.read_bytes())
    apart = load_table(path, labels, label_columns=["kind"])
    assert any("kind" in name for name in apart.dataset.feature_names)


@pytest.mark.parametrize("with_hierarchy", [False, True])
@pytest.mark.parametrize("mark", ["/", ">", " > "])
def test_labels_may_be_paths_with_a_separator_at_the_end(
    tmp_path, mark, with_hierarchy
):
    terms = [f"food{mark}tea{mark}", f"food{mark}bread", f"food{mark}"]
    (tmp_path / "x.csv").write_text("id,x\na,1\nb,2\nc,3\n")
    rows = [f"{row},{term}" for row, term in zip("abc", terms, strict=True)]
    (tmp_path / "y.csv").write_text("\n".join(["id,label", *rows]) + "\n")
    (tmp_path / "paths.txt").write_text("\n".join(terms) + "\n")
    paths = tmp_path / "paths.txt" if with_hierarchy else None
    data = load_table(tmp_path / "x.csv", tmp_path / "y.csv", paths)
    names = data.hierarchy.names
    assert {*names} == {"food", f"food{mark}tea", f"food{mark}bread"}
    found = {names[node] for node in np.flatnonzero(data.labels.to_array()[0])}
    assert found == {"food", f"food{mark}tea"}
