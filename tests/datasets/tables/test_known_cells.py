"""Which cells are known, compared with rules that look at one cell at a time."""

import numpy as np
import pandas as pd
from hypothesis import given, strategies as st
from strategies import hierarchies

from hilabel.datasets import Annotations, FeatureTable, load_table
from hilabel.hierarchy import Ontology

IDS = ("a", "b", "c", "d")


@st.composite
def annotated(draw):
    """Draw an ontology, the terms of each row, and those that a row is said to lack."""
    hierarchy = draw(hierarchies())
    names = st.sampled_from(hierarchy.names)
    aspects = draw(
        st.fixed_dictionaries({n: st.sampled_from("PF") for n in hierarchy.names})
    )
    pairs = st.lists(st.tuples(st.sampled_from(IDS), names), max_size=6, unique=True)
    ontology = Ontology(hierarchy, {}, frozenset(), aspects=aspects)
    return ontology, draw(pairs.filter(bool)), draw(pairs)


def loaded(ontology, pairs, denied):
    row_ids, terms = zip(*pairs, strict=True)
    lines = tuple(range(1, len(pairs) + 1))
    table = FeatureTable(IDS, pd.DataFrame({"x": np.arange(4.0)}, index=IDS), "x.csv")
    annotations = Annotations(
        row_ids, terms, lines, "y.gaf", len(pairs), denied=tuple(denied)
    )
    return load_table(table, annotations, ontology, min_count=0)


def cell_by_cell(ontology, pairs, denied):
    """Return the labels by the rules in the documentation, one row after another."""
    hierarchy = ontology.hierarchy
    Y = np.full((len(IDS), hierarchy.n_nodes), -1)
    for row, row_id in enumerate(IDS):
        own = [hierarchy.node(term) for one, term in pairs if one == row_id]
        known = {ontology.aspects[hierarchy.names[node]] for node in own}
        for node, name in enumerate(hierarchy.names):
            if ontology.aspects[name] in known:
                Y[row, node] = 0
        has = {*own}.union(*(map(int, hierarchy.ancestors(node)) for node in own))
        lacks = [hierarchy.node(term) for one, term in denied if one == row_id]
        Y[row, [node for node in lacks if node not in has]] = 0
        Y[row, list(has)] = 1
        for node in np.flatnonzero(Y[row] == 0):
            Y[row, hierarchy.descendants(node)] = 0
    return Y


@given(annotated())
def test_groups_of_rows_and_nodes_hold_what_each_cell_would(files):
    data = loaded(*files)
    np.testing.assert_array_equal(data.labels.to_array(), cell_by_cell(*files))
    assert data.labels.is_sound()
    # Groups without a row or a node would cost memory for nothing.
    for group, n_groups in zip(
        (data.labels.row_group, data.labels.node_group), data.labels.knows.shape
    ):
        assert np.unique(group).size == n_groups


@given(files=annotated(), picked=st.data())
def test_labels_over_some_of_the_nodes_are_those_columns(files, picked):
    data = loaded(*files)
    nodes = st.integers(0, data.hierarchy.n_nodes - 1)
    kept = sorted(picked.draw(st.sets(nodes, min_size=1)))
    kept = sorted({*kept}.union(*(map(int, data.hierarchy.ancestors(n)) for n in kept)))
    fewer = data.ontology.of(data.hierarchy.restrict(kept))
    np.testing.assert_array_equal(
        data.labels_over(fewer).to_array(), data.labels.of_nodes(kept).to_array()
    )
