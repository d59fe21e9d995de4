import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import hierarchies

from hilabel import UNLABELED, Hierarchy
from hilabel.datasets import Annotations, FeatureTable, load_table


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


def test_a_large_ontology_is_restricted_before_labels_are_dense(monkeypatch):
    n_nodes = 40_000
    hierarchy = Hierarchy(
        [f"n{i}" for i in range(n_nodes)], [(i // 4, i) for i in range(1, n_nodes)]
    )
    ids = tuple(f"r{i}" for i in range(2_000))
    table = FeatureTable(ids, pd.DataFrame({"x": np.zeros(2_000)}, index=ids), "x")
    annotations = Annotations(
        ids, tuple(f"n{i % 50}" for i in range(2_000)), (1,) * 2_000, "y", 2_000
    )
    shapes = []
    toarray = sp.csr_array.toarray

    def recorded(self, *args, **kwargs):
        shapes.append(self.shape)
        return toarray(self, *args, **kwargs)

    monkeypatch.setattr(sp.csr_array, "toarray", recorded)
    dataset = load_table(table, annotations, hierarchy).dataset
    assert dataset.Y.shape == (2_000, 50)
    assert shapes == [(2_000, 50)]
