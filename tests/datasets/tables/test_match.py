import tracemalloc

import numpy as np
import pandas as pd
from hypothesis import given, strategies as st
from strategies import hierarchies

from hilabel import UNLABELED, Hierarchy
from hilabel.datasets import Annotations, FeatureTable, load_table
from hilabel.hierarchy import Ontology


@given(hierarchy=hierarchies(), data=st.data())
def test_labels_follow_identifiers_and_are_closed(hierarchy, data):
    ids = data.draw(st.permutations([f"r{i}" for i in range(6)]))
    drawn = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from([*ids[:4], "other"]), st.sampled_from(hierarchy.names)
            ),
            min_size=1,
        ).filter(lambda pairs: any(row_id != "other" for row_id, _ in pairs))
    )
    pair_ids, terms = zip(*drawn, strict=True)
    annotations = Annotations(
        pair_ids, terms, tuple(range(1, len(drawn) + 1)), "drawn", len(drawn)
    )
    frame = pd.DataFrame({"x": np.arange(6.0)}, index=ids)
    min_count = data.draw(st.integers(0, 1))
    dataset = load_table(
        FeatureTable(tuple(ids), frame, "drawn"),
        annotations,
        hierarchy,
        min_count=min_count,
    ).dataset
    for row, row_id in enumerate(ids):
        expected = {
            name
            for pair_id, term in drawn
            if pair_id == row_id
            for name in (
                term,
                *(hierarchy.names[node] for node in hierarchy.ancestors(term)),
            )
        }
        if expected:
            names = {
                name
                for name, has in zip(
                    dataset.hierarchy.names, dataset.Y[row], strict=True
                )
                if has == 1
            }
            assert names == expected
        else:
            assert (dataset.Y[row] == UNLABELED).all()
    if min_count == 0:
        assert dataset.hierarchy == hierarchy
    else:
        assert (dataset.Y == 1).any(axis=0).all()


def genome(n_rows, n_nodes, n_lines):
    """Return rows, annotations in one to three aspects and an ontology, at random."""
    rng = np.random.default_rng(0)
    above = np.arange(-3, n_nodes - 3) // 4
    above += (
        np.arange(n_nodes) - above
    ) % 3  # the aspect of a term is that of its parent
    names = [f"n{node}" for node in range(n_nodes)]
    ontology = Ontology(
        Hierarchy(names, [(above[node], node) for node in range(3, n_nodes)]),
        {},
        frozenset(),
        aspects={name: "PFC"[node % 3] for node, name in enumerate(names)},
    )
    row = np.repeat(np.arange(n_rows), n_lines)
    last = rng.integers(1, 4, n_rows)[row]  # the number of aspects of the row
    term = (
        rng.integers(n_nodes // 3, size=row.size) * 3
        + rng.integers(3, size=row.size) % last
    )
    ids = tuple(f"r{number}" for number in range(n_rows))
    lines = tuple(range(1, row.size + 1))
    denied = tuple((f"r{number}", names[-1 - number]) for number in range(0, 99, 3))
    annotations = Annotations(
        tuple(f"r{number}" for number in row),
        tuple(names[node] for node in term),
        lines,
        "made",
        row.size,
        denied=denied,
    )
    frame = pd.DataFrame({"x": np.zeros(n_rows)}, index=ids)
    return FeatureTable(ids, frame, "made"), annotations, ontology


def peak_megabytes(work):
    """Return what a function returns, and the memory that it needed meanwhile."""
    tracemalloc.start()
    result = work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return result, peak / 1e6


def test_a_genome_never_needs_a_byte_for_each_row_and_term():
    table, annotations, ontology = genome(20_000, 11_000, 15)
    dense = 20_000 * 11_000 / 1e6
    data, peak = peak_megabytes(
        lambda: load_table(table, annotations, ontology, min_count=0)
    )
    assert data.labels.shape == (20_000, 11_000)
    assert 50 < data.labels.positive.nnz / 20_000 < 100
    assert data.labels.is_partly_known
    assert peak < dense / 2
    other = Ontology(
        ontology.hierarchy.restrict(range(0, 11_000, 2)),
        {},
        frozenset(),
        aspects=ontology.aspects,
    )
    labels, peak = peak_megabytes(lambda: data.labels_over(other))
    assert labels.shape == (20_000, 5_500)
    assert peak < dense / 2
    _, peak = peak_megabytes(lambda: data.problem_type)
    assert peak < dense / 2


def test_a_large_ontology_is_restricted_without_a_byte_for_each_row_and_term():
    table, annotations, ontology = genome(2_000, 40_000, 1)
    data, peak = peak_megabytes(
        lambda: load_table(table, annotations, ontology, min_count=20)
    )
    assert data.labels.shape[1] < 1_000
    assert peak < 2_000 * 40_000 / 2e6
