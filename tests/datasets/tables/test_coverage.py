"""Aspects without an annotation are unknown, and what is known besides."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hilabel import Hierarchy
from hilabel.datasets import Annotations, FeatureTable, load_table
from hilabel.hierarchy import Ontology

# P above Q and R, Q above S; F above G; a term of the second aspect is below R, too.
NAMES = ("P", "Q", "R", "S", "F", "G", "H")
EDGES = [("P", "Q"), ("P", "R"), ("Q", "S"), ("F", "G")]
ASPECTS = dict(zip(NAMES, ["process"] * 4 + ["function"] * 3, strict=True))
PLAIN = Ontology(
    Hierarchy.from_edges([*EDGES, ("F", "H")], nodes=NAMES),
    {"old": "S"},
    frozenset({"gone"}),
    aspects=ASPECTS,
)
CROSSED = replace(
    PLAIN, hierarchy=Hierarchy.from_edges([*EDGES, ("R", "H")], nodes=NAMES)
)
PAIRS = [("a", "S"), ("a", "G"), ("b", "R"), ("c", "G"), ("d", "F")]
DENIED = (
    ("b", "Q"),  # already lacked
    ("c", "Q"),  # and with it S, though c has no annotation in this aspect
    ("d", "old"),
    ("d", "gone"),
    ("e", "F"),  # nothing else is said of e
    ("a", "Q"),  # contradicted by S, which implies Q
    ("a", "Q"),
    ("elsewhere", "P"),
)


def loaded(ontology=PLAIN, pairs=PAIRS, denied=DENIED, no_data=(), **options):
    ids = ("a", "b", "c", "d", "e", "f")
    table = FeatureTable(ids, pd.DataFrame({"x": np.arange(6.0)}, index=ids), "x.csv")
    row_ids, terms = zip(*pairs, strict=True)
    annotations = Annotations(
        row_ids,
        terms,
        tuple(range(1, len(pairs) + 1)),
        "y.gaf",
        len(pairs),
        n_not=len(denied),
        denied=denied,
        no_data=no_data,
    )
    return load_table(table, annotations, ontology, **{"min_count": 0, **options})


def test_a_row_is_unknown_where_no_line_says_anything():
    data = loaded()
    assert data.dataset.Y.tolist() == [
        [1, 1, 0, 1, 1, 1, 0],
        [1, 0, 1, 0, -1, -1, -1],
        [-1, 0, -1, 0, 1, 1, 0],
        [-1, -1, -1, 0, 1, 0, 0],
        [-1, -1, -1, -1, 0, 0, 0],
        [-1, -1, -1, -1, -1, -1, -1],
    ]
    report = data.report
    assert (report.n_labeled, report.n_not) == (5, 8)
    assert (report.n_denied, report.n_contradicted) == (4, 1)
    assert report.unknown_rows == {"process": 3, "function": 2}
    assert "unknown in an aspect: 3 in process, 2 in function" in str(report)
    assert data.labels.n_positive.tolist() == [2, 1, 1, 1, 3, 2, 0]
    assert data.labels.n_known.tolist() == [2, 3, 2, 4, 4, 4, 4]


def test_annotations_may_be_assumed_to_be_complete():
    data = loaded(assume_complete=True)
    assert data.dataset.Y[:4].tolist() == [
        [1, 1, 0, 1, 1, 1, 0],
        [1, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 1, 0, 0],
    ]
    assert (data.dataset.Y[4:] == -1).all()
    assert data.report.unknown_rows == {}
    assert (data.report.n_labeled, data.report.n_denied) == (4, 0)
    np.testing.assert_array_equal(loaded().dataset.complete().Y, data.dataset.Y)


def test_edges_between_aspects_say_what_is_known_in_the_other():
    data = loaded(CROSSED, pairs=[*PAIRS, ("c", "H")])
    # c has R and P because of H; b has R, which says nothing of H; a lacks it.
    assert data.dataset.Y[:3].tolist() == [
        [1, 1, 0, 1, 1, 1, 0],
        [1, 0, 1, 0, -1, -1, -1],
        [1, 0, 1, 0, 1, 1, 1],
    ]
    lacks_R = loaded(CROSSED, pairs=[("a", "Q"), ("b", "G")], denied=())
    assert lacks_R.dataset.Y[0].tolist() == [1, 1, 0, 0, -1, -1, 0]


def test_lines_without_data_make_no_aspect_known():
    data = loaded(no_data=("b", "f"), denied=())
    np.testing.assert_array_equal(data.dataset.Y[1, 4:], -1)
    np.testing.assert_array_equal(data.dataset.Y[5], -1)
    assert data.report.n_rows_no_data == 1


def test_without_aspects_rows_are_known_as_a_whole():
    data = loaded(replace(PLAIN, aspects={}))
    assert set(data.dataset.Y[:4].ravel()) == {0, 1}
    assert data.dataset.Y[4].tolist() == [-1, -1, -1, -1, 0, 0, 0]
    assert data.report.unknown_rows == {"": 1}


def test_a_row_annotated_with_dropped_terms_alone_is_unlabelled():
    data = loaded(pairs=[("a", "S"), ("b", "S"), ("c", "G")], denied=(), min_count=2)
    assert data.dataset.hierarchy.names == ("P", "Q", "S")
    assert data.dataset.Y[:3].tolist() == [[1, 1, 1], [1, 1, 1], [-1, -1, -1]]
    assert data.report.n_labeled == 2
    assert data.report.unknown_rows == {}


@pytest.mark.parametrize("assume_complete", [False, True])
def test_labels_over_other_nodes_are_unknown_where_the_row_is(assume_complete):
    data = loaded(denied=(), min_count=1, assume_complete=assume_complete)
    other = Ontology(
        Hierarchy(["G", "T", "U", "S"]),
        {},
        frozenset(),
        aspects={"G": "function", "T": "process", "U": "function", "S": "process"},
    )
    unknown = 0 if assume_complete else -1
    assert data.labels_over(other).to_array().tolist() == [
        [1, 0, 0, 1],
        [unknown, 0, unknown, 0],
        [1, unknown, 0, unknown],
        [0, unknown, 0, unknown],
        [-1] * 4,
        [-1] * 4,
    ]
