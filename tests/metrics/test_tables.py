import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from hilabel import Hierarchy
from hilabel.exceptions import HierarchyError, LabelError
from hilabel.metrics import average_precision, per_depth_table, per_node_table

HIERARCHY = Hierarchy(
    [f"n{node}" for node in range(8)],
    [(0, 1), (0, 2), (1, 3), (2, 3), (4, 5)],
    titles=[f"Node {node}" for node in range(8)],
)


class TestPerNode:
    def test_a_row_per_node_describes_it(self, table):
        got = per_node_table(*table, HIERARCHY)
        assert got["node"].tolist() == list(range(8))
        assert got["name"].tolist() == list(HIERARCHY.names)
        assert got["title"].tolist() == list(HIERARCHY.titles)
        assert got["depth"].tolist() == [1, 2, 2, 3, 1, 2, 1, 1]

    def test_counts_are_of_known_cells(self, table):
        Y, scores = table
        got = per_node_table(Y, scores, HIERARCHY)
        assert got["n_known"].tolist() == (Y != -1).sum(axis=0).tolist()
        assert got["n_positive"].tolist() == (Y == 1).sum(axis=0).tolist()
        np.testing.assert_allclose(
            got["prevalence"], (Y == 1).sum(axis=0) / (Y != -1).sum(axis=0)
        )

    def test_ranking_measures_are_those_of_the_known_cells(self, table):
        Y, scores = table
        got = per_node_table(Y, scores, HIERARCHY)
        np.testing.assert_array_equal(
            got["average_precision"], average_precision(Y, scores, None)
        )
        expected = [
            roc_auc_score(Y[known, node], scores[known, node])
            for node, known in enumerate((Y != -1).T)
        ]
        np.testing.assert_allclose(got["roc_auc"], expected)

    def test_measures_are_missing_where_they_are_not_defined(self):
        hierarchy = Hierarchy(["positive", "negative", "unknown"])
        got = per_node_table([[1, 0, -1]], [[0.5, 0.5, 0.5]], hierarchy)
        np.testing.assert_array_equal(got["prevalence"], [1, 0, np.nan])
        np.testing.assert_array_equal(got["average_precision"], [1, np.nan, np.nan])
        assert got["roc_auc"].isna().all()

    def test_data_frames_are_put_in_the_order_of_the_hierarchy(self):
        hierarchy = Hierarchy.from_edges([("a", "b")])
        Y = pd.DataFrame({"b": [0, 0], "a": [1, 0]})
        got = per_node_table(Y, np.array([[0.9, 0.1], [0.2, 0.3]]), hierarchy)
        assert got["n_positive"].tolist() == [1, 0]
        assert got["average_precision"][0] == 1.0


class TestPerDepth:
    def test_each_depth_is_measured_on_its_own_nodes(self, table):
        Y, scores = table
        got = per_depth_table(Y, scores, HIERARCHY)
        assert got["depth"].tolist() == [1, 2, 3]
        assert got["n_nodes"].tolist() == [4, 3, 1]
        for row in got.itertuples():
            nodes = HIERARCHY.depth == row.depth
            here = Y[:, nodes], scores[:, nodes]
            assert row.micro_average_precision == average_precision(*here)
            assert row.macro_average_precision == average_precision(*here, "macro")
            assert row.n_positive == (Y[:, nodes] == 1).sum()

    def test_the_constant_predictor_stands_beside_when_a_prior_is_given(self, table):
        Y, scores = table
        prior = np.linspace(0, 1, 8)
        got = per_depth_table(Y, scores, HIERARCHY, prior=prior)
        for row in got.itertuples():
            nodes = HIERARCHY.depth == row.depth
            constant = np.tile(prior[nodes], (len(Y), 1))
            assert row.constant_average_precision == average_precision(
                Y[:, nodes], constant
            )
        plain = per_depth_table(Y, scores, HIERARCHY)
        assert "constant_average_precision" not in plain

    def test_a_depth_without_positives_has_no_average_precision(self):
        hierarchy = Hierarchy.from_edges([("a", "b")])
        got = per_depth_table([[1, 0]], [[0.5, 0.5]], hierarchy, prior=[0.5, 0.5])
        assert got["n_nodes_with_positives"].tolist() == [1, 0]
        columns = [name for name in got if name.endswith("average_precision")]
        assert len(columns) == 3
        assert got.loc[1, columns].isna().all()
        assert got.loc[0, columns].notna().all()

    @pytest.mark.parametrize("prior", [[0.5], [0.5, np.nan]])
    def test_prior_must_have_a_frequency_per_node(self, prior):
        hierarchy = Hierarchy.from_edges([("a", "b")])
        with pytest.raises(ValueError, match=r"prior of shape \(2,\), one finite"):
            per_depth_table([[1, 0]], [[0.5, 0.5]], hierarchy, prior=prior)


@pytest.mark.parametrize("make", [per_node_table, per_depth_table])
class TestBoth:
    def test_scores_of_unlabeled_cells_do_not_matter(self, table, make):
        Y, scores = table
        changed = np.where(Y == -1, -3.0, scores)
        pd.testing.assert_frame_equal(
            make(Y, scores, HIERARCHY), make(Y, changed, HIERARCHY)
        )

    def test_hierarchy_must_fit(self, table, make):
        with pytest.raises(LabelError, match="Y with 1 columns.* got 8"):
            make(*table, Hierarchy(["a"]))
        with pytest.raises(HierarchyError, match=r"Expected a hilabel.Hierarchy, got"):
            make(*table, None)
