"""Ranks and tests, beside published cases and other implementations."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from hilabel.studies import (
    compare_ranks,
    critical_difference,
    friedman_test,
    mean_ranks,
    nemenyi_test,
    wilcoxon_holm,
)

# Demsar (2006), Table 6: AUC on 14 data sets. The last two entries of "voting" are
# printed as .975 both and ranked 2 and 3, so they differ in a digit not shown.
DEMSAR = pd.DataFrame(
    [
        (0.763, 0.768, 0.771, 0.798),
        (0.599, 0.591, 0.590, 0.569),
        (0.954, 0.971, 0.968, 0.967),
        (0.628, 0.661, 0.654, 0.657),
        (0.882, 0.888, 0.886, 0.898),
        (0.936, 0.931, 0.916, 0.931),
        (0.661, 0.668, 0.609, 0.685),
        (0.583, 0.583, 0.563, 0.625),
        (0.775, 0.838, 0.866, 0.875),
        (1.000, 1.000, 1.000, 1.000),
        (0.940, 0.962, 0.965, 0.962),
        (0.619, 0.666, 0.614, 0.669),
        (0.972, 0.981, 0.9751, 0.975),
        (0.957, 0.978, 0.946, 0.970),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)
# The mean ranks of the SSHMC-BLI paper, on 12 data sets at 5 fractions, as printed ...
PRINTED = pd.Series(
    {"LCN": 4.133, "V1": 2.0, "V2": 1.492, "V3": 2.708, "STML": 5.958, "STHC": 4.708}
)
# ... and as they were: a sum of 60 ranks is a multiple of one half.
PAPER = (PRINTED * 120).round() / 120
scores_of_blocks = arrays(
    np.float64,
    st.tuples(st.integers(6, 15), st.integers(3, 6)),
    elements=st.integers(0, 10_000).map(float),
)


def random_scores(n_blocks, n_methods, seed=0):
    values = np.random.RandomState(seed).normal(size=(n_blocks, n_methods))
    values += np.arange(n_methods) / 2
    return pd.DataFrame(values, columns=list("abcdefgh"[:n_methods]))


def test_the_worked_example_of_demsar_comes_out():
    ranks = mean_ranks(DEMSAR)
    assert ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    result = friedman_test(ranks, len(DEMSAR))
    assert result.chi_square == pytest.approx(9.28, abs=0.005)
    assert result.f_statistic == pytest.approx(3.69, abs=0.005)
    # F(3, 39) has its 5 % point at 2.85: the hypothesis of equality is rejected.
    assert result.f_p < 0.05
    assert critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)


def test_the_published_ranks_of_the_paper_give_the_published_statistics():
    assert PAPER.round(3).equals(PRINTED)
    assert PAPER.sum() == pytest.approx(21)
    result = friedman_test(PAPER, 60)
    assert result.chi_square == pytest.approx(253.97, abs=0.005)
    assert result.f_statistic == pytest.approx(325.5, abs=0.05)
    # The published .9735 comes from a table with q = 2.850; q is 2.8497.
    distance = critical_difference(6, 60)
    assert distance == pytest.approx(0.9735, abs=2e-4)
    assert PAPER["V3"] - PAPER["V1"] < distance < PAPER["V3"] - PAPER["V2"]
    assert PAPER["STHC"] - PAPER["LCN"] < distance < PAPER["LCN"] - PAPER["V3"]


def test_three_printed_digits_of_the_ranks_give_three_of_the_statistic():
    assert friedman_test(PRINTED, 60).chi_square == pytest.approx(253.97, abs=0.1)


def test_without_ties_friedman_is_scipy_s():
    scores = random_scores(12, 5)
    result = friedman_test(mean_ranks(scores), len(scores))
    expected = stats.friedmanchisquare(*scores.to_numpy().T)
    assert result.chi_square == pytest.approx(expected.statistic)
    assert result.chi_square_p == pytest.approx(expected.pvalue)


@given(scores_of_blocks)
def test_mean_ranks_add_up_and_turn_around(values):
    scores = pd.DataFrame(values)
    k = scores.shape[1]
    ranks = mean_ranks(scores)
    assert ranks.sum() == pytest.approx(k * (k + 1) / 2)
    turned = mean_ranks(scores, higher_is_better=False)
    np.testing.assert_allclose(turned, k + 1 - ranks)


def test_if_all_blocks_agree_the_f_statistic_is_undefined():
    scores = pd.DataFrame([[3.0, 2.0, 1.0]] * 7)
    result = friedman_test(mean_ranks(scores), 7)
    assert result.chi_square == pytest.approx(7 * 2)
    assert np.isnan(result.f_statistic)
    assert np.isnan(result.f_p)
    assert result == friedman_test(mean_ranks(scores), 7)
    # Two methods and two blocks: the difference is no more than chance.
    few = friedman_test([1.0, 2.0], 2)
    assert few.chi_square == 2
    assert few.chi_square_p == pytest.approx(0.1573, abs=5e-5)


def test_equal_methods_are_not_told_apart():
    scores = pd.DataFrame(np.ones((6, 3)))
    result = friedman_test(mean_ranks(scores), 6)
    assert result.chi_square == pytest.approx(0)
    assert result.chi_square_p == result.f_p == 1
    assert (wilcoxon_holm(scores) == 1).all(axis=None)


def test_nemenyi_and_critical_difference_agree():
    scores = random_scores(10, 4, seed=1)
    ranks = mean_ranks(scores)
    gaps = np.abs(ranks.to_numpy()[:, None] - ranks.to_numpy())
    table = nemenyi_test(scores)
    assert list(table.index) == list(table.columns) == list(scores.columns)
    np.testing.assert_array_equal(table < 0.05, gaps > critical_difference(4, 10))
    assert 0 < (table < 0.05).to_numpy().sum() < 12


@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_with_holm_is_that_of_scikit_posthocs(seed):
    scores = random_scores(9, 4, seed)
    long = scores.melt(var_name="method", value_name="score")
    expected = scikit_posthocs.posthoc_wilcoxon(
        long, val_col="score", group_col="method", p_adjust="holm"
    )
    np.testing.assert_allclose(wilcoxon_holm(scores), expected)


def test_holm_by_hand():
    # Differences that all have the same sign: p = 2 / 2**n for each pair.
    scores = pd.DataFrame({"a": range(7), "b": range(10, 17), "c": range(30, 37)})
    assert wilcoxon_holm(scores.astype(float)).loc["a", "b"] == pytest.approx(
        3 * 2 / 2**7
    )


def test_everything_together_lists_the_best_first():
    comparison = compare_ranks(DEMSAR)
    assert comparison.mean_ranks.index[0] == "C4.5+m+cf"
    assert comparison.friedman.n_blocks == 14
    # Nemenyi's test finds nothing here, as Demsar reports for alpha = .05.
    assert (comparison.nemenyi >= comparison.alpha).all(axis=None)
    worse = compare_ranks(DEMSAR, higher_is_better=False)
    assert worse.mean_ranks.index[0] == "C4.5"


def test_a_missing_score_is_named():
    scores = DEMSAR.copy()
    scores.iloc[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"'C4.5\+m' has none in block 2"):
        mean_ranks(scores)


def test_one_method_alone_cannot_be_tested():
    with pytest.raises(ValueError, match="at least two methods and two blocks, got 1"):
        friedman_test([1.0], 5)
