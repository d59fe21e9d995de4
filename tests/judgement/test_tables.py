"""Tables of a judgement: the numbers of its fields, and no others."""

import numpy as np
import pytest
from judgement_cases import HIERARCHY, out_of_fold, scored_rows

from hilabel.judgement import depth_table, judge, measure_table, node_table


@pytest.fixture(scope="module")
def judgement():
    return judge(out_of_fold(*scored_rows()), HIERARCHY, method="m").judgement


def test_measures_are_beside_those_of_the_constant_predictor(judgement):
    table = measure_table(judgement).set_index("measure")
    quality, constant = judgement.quality, judgement.constant
    assert table.loc["Fmax", "model"] == quality.fmax
    assert table.loc["macro average precision", "constant"] == constant.macro
    assert table.loc["exact match", "model"] == judgement.decision.exact
    assert table.loc["recall", "constant"] == judgement.constant_decision.recall
    lower = table.index[table["better"] == "lower"]
    assert sorted(lower) == ["Hamming loss", "Smin"]


def test_depths_are_those_of_the_groups(judgement):
    table = depth_table(judgement)
    assert table["nodes"].tolist()[:2] == ["all terms", "depth 1"]
    assert table["model"].tolist() == [
        one.average_precision for one in judgement.groups
    ]
    assert depth_table(empty()).columns.tolist() == table.columns.tolist()


def empty():
    Y, scores = scored_rows(20)
    return judge(out_of_fold(0 * Y, scores), HIERARCHY, method="m").judgement


def test_only_informative_nodes_have_a_row(judgement):
    table = node_table(judgement, HIERARCHY)
    assert table["node"].tolist() == np.flatnonzero(judgement.informative).tolist()
    assert table["name"].tolist() == ["b", "c", "d", "e", "f", "other"]
    np.testing.assert_array_equal(
        table["threshold"], judgement.decision.threshold[judgement.informative]
    )
    assert (table["n_positive"] > 0).all()
    assert table["reliable"].sum() == judgement.n_reliable
