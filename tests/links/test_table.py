"""A table of links matches rows as a loop over its links does."""

from collections import defaultdict

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from hilabel.exceptions import LinkError
from hilabel.links import LinkList, LinkTable

NAMES = ["a", "b", "c", "sp|P1|X_Y", "P1", "z"]
WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 40.0])
LINKS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), WEIGHTS), max_size=20
)
# Both forms of one protein are never rows of the same table.
ROWS = st.lists(st.sampled_from(["a", "b", "c", "P1"]), min_size=1, unique=True)


def same(name):
    return "P1" if name == "sp|P1|X_Y" else name


def expected(links, rows, targets, both_ways):
    found = np.zeros((len(rows), len(targets)))
    for source, target, weight in links:
        source, target = same(source), same(target)
        pairs = [(source, target), (target, source)][: 1 + both_ways]
        for one, other in pairs:
            if one in rows and other in targets and source != target:
                place = rows.index(one), targets.index(other)
                found[place] = max(found[place], weight)
    return found


@given(LINKS, ROWS, st.booleans())
def test_links_between_rows_are_those_of_a_loop(links, rows, both_ways):
    made, report = LinkTable.of(links).over(rows, both_ways=both_ways)
    assert made.is_sound()
    found = made.kinds["links"].toarray()
    np.testing.assert_array_equal(found, expected(links, rows, rows, both_ways))
    assert report.n_rows_without == (~found.any(axis=1)).sum()
    assert made.n_self == report.n_self


@given(LINKS, ROWS, ROWS, st.booleans())
def test_links_to_targets_are_those_of_a_loop(links, rows, targets, both_ways):
    made, _ = LinkTable.of(links).over(rows, targets, both_ways=both_ways)
    found = made.kinds["links"].toarray()
    np.testing.assert_array_equal(found, expected(links, rows, targets, both_ways))
    assert made.shape == (len(rows), len(targets))


@given(LINKS, ROWS, st.none() | ROWS, st.booleans())
def test_each_link_is_counted_once(links, rows, targets, both_ways):
    _, report = LinkTable.of(links).over(rows, targets, both_ways=both_ways)
    known = {*rows, *(targets or [])}
    unknown = [{same(s), same(t)} - known for s, t, _ in links]
    assert report.n_given == len(links)
    assert report.n_unknown == sum(map(bool, unknown))
    assert report.n_given == sum(
        (
            report.n_used,
            report.n_self,
            report.n_duplicates,
            report.n_zero,
            report.n_unknown,
            report.n_elsewhere,
        )
    )
    assert set(map(same, report.unknown_ids)) <= set().union(*unknown)
    assert bool(report.unknown_ids) == bool(report.n_unknown)


def test_a_report_says_what_became_of_each_link():
    table = LinkTable.of(
        [
            ("a", "b", 1),
            ("a", "b", 3),
            ("b", "b", 1),
            ("a", "c", 0),
            *[("a", f"x{n}", 1) for n in range(4)],
        ]
    )
    links, report = table.over(["a", "b", "c"])
    assert links.kinds["links"][0, 1] == 3
    assert str(report) == (
        "links: 1 used both ways, 1 from a row to itself, 1 repeated, 1 with weight 0, "
        "4 to 4 unknown ids (x0, x1, x2, ...)\n"
        "rows without links: 1 of 3"
    )
    _, report = table.over(["x0"], ["a"], both_ways=False)
    assert str(report).startswith("links: 0 used, 1 between other known ids, 7 to 5")


def test_whole_ids_match_before_accessions():
    rows = ["P1", "sp|P1|X_Y", "tr|Q2|Z"]
    table = LinkTable.of(
        [
            ("P1", "Q2"),
            (
                "sp|P1|X_Y",
                "tr|Q2|Z",
            ),
            ("sp|P1|OLD", "Q2"),
        ]
    )
    links, _ = table.over(rows, both_ways=False)
    np.testing.assert_array_equal(
        links.kinds["links"].toarray(), [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    )


def test_undirected_links_always_lead_both_ways():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=2.0)
    graph.add_edge("b", "c")
    links, _ = LinkTable.of(graph).over(["a", "b", "c"], both_ways=False)
    np.testing.assert_array_equal(
        links.kinds["links"].toarray(), [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    )
    links, _ = LinkTable.of(graph.to_directed()).over(["b"], ["a"], both_ways=False)
    assert links.n_links == 1
    directed = nx.DiGraph([("a", "b")])
    assert LinkTable.of(directed).over(["b"], ["a"], both_ways=False)[0].n_links == 0


FRAME = pd.DataFrame(
    {"one": ["a", "b"], "other": ["b", "c"], "w": [2.0, 3.0], "of": ["x", "y"]}
)


@pytest.mark.parametrize(
    "value",
    [
        FRAME,
        FRAME[["one", "other", "of", "w"]],
        FRAME.set_axis(["Source", "Target", "Weight", "Kind"], axis=1)[
            ["Weight", "Kind", "Target", "Source"]
        ],
        [("a", "b", 2.0, "x"), ("b", "c", 3.0, "y")],
        {"x": [("a", "b", 2)], "y": [("b", "c", 3)]},
        nx.DiGraph(
            [
                ("a", "b", {"weight": 2, "kind": "x"}),
                ("b", "c", {"weight": 3, "kind": "y"}),
            ]
        ),
    ],
    ids=["frame", "order", "names", "tuples", "mapping", "graph"],
)
def test_every_form_gives_the_same_links(value):
    links, _ = LinkTable.of(value).over(["a", "b", "c"], both_ways=False)
    assert links.names == ("x", "y")
    assert links.kinds["x"][0, 1] == 2
    assert links.kinds["y"][1, 2] == 3
    assert links.n_links == 2


@pytest.mark.parametrize("form", ["csr", "coo", "csc", "array"])
def test_a_matrix_needs_ids(form):
    cells = sp.coo_array([[0, 2.0], [1.0, 0]])
    matrix = cells.toarray() if form == "array" else cells.asformat(form)
    links, _ = LinkTable.of(matrix, ["a", "b"]).over(["b", "a"], both_ways=False)
    np.testing.assert_array_equal(links.kinds["links"].toarray(), [[0, 1], [2, 0]])
    with pytest.raises(LinkError, match=r"shape \(2, 2\) and no ids"):
        LinkTable.of(matrix)
    with pytest.raises(LinkError, match="got one twice"):
        LinkTable.of(matrix, ["a", "a"])


WRONG = {
    "Expected finite weights of links, 0 or more, got -1": [("a", "b", -1.0)],
    "got nan": pd.DataFrame({"a": ["x"], "b": ["y"], "c": [np.nan]}),
    "Expected an id for the target": pd.DataFrame({"a": ["x"], "b": [None]}),
    "got tuples of length 1, 2": [("a", "b"), ("c",)],
    "Expected columns of sources": pd.DataFrame({"a": ["x"]}),
    "one column of weights, got": pd.DataFrame(
        {"a": ["x"], "b": ["y"], "c": [1.0], "d": [2.0]}
    ),
    "got int": 3,
    "Expected at least one kind": {},
}


@pytest.mark.parametrize("match", WRONG)
def test_wrong_links_are_refused(match):
    with pytest.raises(LinkError, match=match):
        LinkTable.of(WRONG[match])


def test_weights_of_a_list_are_checked():
    ends = np.array([0, 1]), np.array([1, 0])
    with pytest.raises(LinkError, match="a source, a target and a weight for each"):
        LinkList.of(*ends, np.ones(3))
    with pytest.raises(LinkError, match=r"got -1, and 1 others"):
        LinkList.of(*ends, np.array([-1.0, np.inf]))


def test_tables_are_joined_by_their_ids():
    first = LinkTable.of({"x": [("a", "b", 1.0)]})
    second = LinkTable.of({"y": [("c", "a", 2.0)]})
    both = LinkTable.join([first, second])
    assert both.ids == ("a", "b", "c")
    links, _ = both.over(["c", "b", "a"], both_ways=False)
    assert links.kinds["x"][2, 1] == 1
    assert links.kinds["y"][0, 2] == 2
    with pytest.raises(LinkError, match="got 'x' twice"):
        LinkTable.join([first, first])


def test_a_star_and_no_links_are_links_too():
    star = LinkTable.of([("hub", f"x{n}") for n in range(10_000)])
    links, report = star.over(["hub", *(f"x{n}" for n in range(10_000))])
    assert links.n_links == 20_000
    assert report.n_rows_without == 0
    links, report = LinkTable.of([]).over(["a"])
    assert links.n_links == 0
    assert report.n_rows_without == 1


def test_counts_are_a_plain_loop_over_kinds():
    kinds = {"x": [("a", "b"), ("b", "a")], "y": [("a", "a"), ("a", "b"), ("q", "a")]}
    _, report = LinkTable.of(kinds).over(["a", "b"])
    counts = defaultdict(int, used=3, self=1, unknown=1)
    assert (report.n_used, report.n_self, report.n_unknown) == tuple(counts.values())
