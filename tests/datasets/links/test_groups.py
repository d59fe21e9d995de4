"""Groups of rows that strong links connect."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel.datasets import group_rows, load_table, read_links, write_example
from hilabel.exceptions import LinkError
from hilabel.links import LinkTable

IDS = [f"r{number}" for number in range(8)]


@given(
    links=st.lists(
        st.tuples(
            st.sampled_from(IDS), st.sampled_from([*IDS, "x"]), st.integers(0, 10)
        ),
        max_size=15,
    ),
    least=st.sampled_from([0.1, 0.5, 1.0]),
)
def test_groups_are_the_components_of_strong_links(links, least):
    table = LinkTable.of([(a, b, float(w)) for a, b, w in links] or [("x", "y", 1.0)])
    group = group_rows(table, IDS, least)
    top = max([w for _, _, w in links], default=1)
    graph = nx.Graph()
    graph.add_nodes_from(IDS)
    graph.add_edges_from(
        (a, b) for a, b, w in links if w and w >= least * top and b in IDS
    )
    expected = {frozenset(part) for part in nx.connected_components(graph)}
    found = {
        frozenset(np.array(IDS)[group == number].tolist()) for number in set(group)
    }
    assert found == expected


def test_hits_are_grouped_by_identity_not_by_score(tmp_path):
    line = "{}\t{}\t{}\t150\t9\t0\t1\t150\t1\t150\t1e-9\t{}\n"
    text = line.format("a", "b", 95.0, 40.0) + line.format("b", "c", 94.9, 999.0)
    path = tmp_path / "hits.m8"
    path.write_text(text)
    group = group_rows(read_links(path), ["a", "b", "c"], 0.95)
    assert group.tolist() == [0, 0, 1]


def test_a_table_has_groups_if_asked_for(tmp_path):
    files = write_example(tmp_path, "proteins")
    paths = files["features"], files["labels"], files["hierarchy"]
    assert load_table(*paths, links=files["links"]).groups is None
    groups = load_table(*paths, links=files["links"], groups=0.9).groups
    sizes = np.bincount(groups)
    assert len(groups) == sizes.sum() == 300
    assert set(sizes) == {1, 2}  # twins
    with pytest.raises(LinkError, match="Expected links to group rows by"):
        load_table(*paths, groups=0.9)


@pytest.mark.parametrize("least", [0.0, 1.5, float("nan")])
def test_a_share_is_above_0_and_at_most_1(least):
    with pytest.raises(LinkError, match="Expected a share above 0"):
        group_rows(LinkTable.of([("a", "b")]), ["a", "b"], least)
