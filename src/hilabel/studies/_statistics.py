"""Statistical comparison of methods: ranks and rank-based tests.

The procedure is that of the SSHMC-BLI paper and of Demsar (2006): Friedman's test over
all methods, followed by pairwise comparisons if it rejects the null hypothesis.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats


@dataclass(frozen=True)
class FriedmanResult:
    """Results of Friedman's test and of the more powerful test of Iman and Davenport.

    The SSHMC-BLI paper and the reports of studies decide by Friedman's test.

    Attributes
    ----------
    chi_square, chi_square_p : float
    f_statistic, f_p : float
        Iman and Davenport's test, F with ``k - 1`` and ``(k - 1)(N - 1)`` degrees of
        freedom. NaN if all blocks rank the methods alike, without ties: the statistic
        is undefined then.
    n_blocks, n_methods : int

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import friedman_test
    >>> ranks = pd.Series({"A": 1.0, "B": 2.0, "C": 3.0})
    >>> friedman_test(ranks, n_blocks=5).chi_square  # A is always first, C always last
    10.0
    """

    chi_square: float
    chi_square_p: float
    f_statistic: float
    f_p: float
    n_blocks: int
    n_methods: int

    def rejects(self, alpha: float) -> bool:
        """Return whether Friedman's test finds a difference between any of the methods.

        Pairs of methods are compared only if it does.

        Examples
        --------
        >>> import pandas as pd
        >>> from hilabel.studies import friedman_test
        >>> ranks = pd.Series({"A": 1.0, "B": 2.0, "C": 3.0})
        >>> result = friedman_test(ranks, n_blocks=5)
        >>> round(result.chi_square_p, 4), result.rejects(0.05), result.rejects(0.001)
        (0.0067, True, False)
        """
        return self.chi_square_p < alpha


@dataclass(frozen=True, eq=False)
class RankComparison:
    """The results of all tests on one table of scores.

    Attributes
    ----------
    mean_ranks : Series
        Per method, best first; 1 is the best rank.
    friedman : FriedmanResult
    alpha, critical_difference : float
        Methods whose mean ranks differ by at least this are significantly different
        (Nemenyi), if Friedman's test rejects that all methods are equal.
    nemenyi, wilcoxon : DataFrame
        The p-value of each pair; Wilcoxon's are corrected by Holm's method.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import compare_ranks
    >>> scores = pd.DataFrame(
    ...     {"A": [0.5, 0.6, 0.7], "B": [0.4, 0.5, 0.6], "C": [0.3, 0.2, 0.1]}
    ... )
    >>> compare_ranks(scores).mean_ranks.to_dict()
    {'A': 1.0, 'B': 2.0, 'C': 3.0}
    """

    mean_ranks: pd.Series
    friedman: FriedmanResult
    alpha: float
    critical_difference: float
    nemenyi: pd.DataFrame
    wilcoxon: pd.DataFrame


def mean_ranks(scores: pd.DataFrame, *, higher_is_better: bool = True) -> pd.Series:
    """Return the mean rank of every method; tied scores get the average of their ranks.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)
        One row per block, such as a data set at a labelled fraction.
    higher_is_better : bool, default=True

    Returns
    -------
    Series
        In the order of the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import mean_ranks
    >>> mean_ranks(pd.DataFrame({"a": [0.9, 0.5], "b": [0.8, 0.5]})).to_dict()
    {'a': 1.25, 'b': 1.75}
    """
    values = _check_blocks(scores)
    signed = -values if higher_is_better else values
    ranks = stats.rankdata(signed, axis=1)
    return pd.Series(ranks.mean(axis=0), index=scores.columns)


def friedman_test(ranks: pd.Series, n_blocks: int) -> FriedmanResult:
    """Test whether all methods perform equally well, given their mean ranks.

    The statistic is Friedman's without correction for ties, as in Demsar (2006), so
    that it can be computed from published ranks. Without ties, it equals the statistic
    of ``scipy.stats.friedmanchisquare``.

    Parameters
    ----------
    ranks : Series or array-like of shape (n_methods,)
        Mean ranks.
    n_blocks : int
        The number of blocks over which ranks were averaged.

    Examples
    --------
    The ranks of the SSHMC-BLI paper, 4.133, 2.0, 1.492, 2.708, 5.958 and 4.708, before
    they were rounded: sums of 60 ranks are whole or half numbers.

    >>> import numpy as np
    >>> from hilabel.studies import friedman_test
    >>> sums = np.array([248, 120, 89.5, 162.5, 357.5, 282.5])
    >>> result = friedman_test(sums / 60, n_blocks=60)
    >>> round(result.chi_square, 2), round(result.f_statistic, 1)
    (253.97, 325.5)
    """
    values = np.asarray(ranks, dtype=np.float64)
    k = values.size
    if k < 2 or n_blocks < 2:
        raise ValueError(
            f"Expected at least two methods and two blocks, got {k} and {n_blocks}; "
            "there is nothing to compare."
        )
    # Sum of squares around the mean rank, instead of subtracting a constant as in most
    # formulas: equivalent, but robust to rounded published ranks that do not add up.
    spread = float(((values - (k + 1) / 2) ** 2).sum())
    chi_square = 12 * n_blocks / (k * (k + 1)) * spread
    most = n_blocks * (k - 1)  # when all blocks agree
    # The statistic may exceed this slightly because of rounding.
    is_unanimous = chi_square >= most * (1 - 1e-12)
    f_statistic = math.nan
    if not is_unanimous:
        f_statistic = float((n_blocks - 1) * chi_square / (most - chi_square))
    f_p = float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n_blocks - 1)))
    return FriedmanResult(
        chi_square=chi_square,
        chi_square_p=float(stats.chi2.sf(chi_square, k - 1)),
        f_statistic=f_statistic,
        # The same object, so that results without F can be equal.
        f_p=math.nan if is_unanimous else f_p,
        n_blocks=n_blocks,
        n_methods=k,
    )


def critical_difference(n_methods: int, n_blocks: int, alpha: float = 0.05) -> float:
    """Return the critical difference between mean ranks (Nemenyi).

    Examples
    --------
    >>> from hilabel.studies import critical_difference
    >>> round(critical_difference(4, 14), 2), round(critical_difference(4, 14, 0.1), 2)
    (1.25, 1.12)
    """
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def nemenyi_test(scores: pd.DataFrame) -> pd.DataFrame:
    """Return Nemenyi's p-value for every pair of methods.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)

    Returns
    -------
    DataFrame of shape (n_methods, n_methods), with 1 on the diagonal

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import nemenyi_test
    >>> scores = pd.DataFrame(
    ...     {"A": [0.5, 0.6, 0.7], "B": [0.4, 0.5, 0.6], "C": [0.3, 0.2, 0.1]}
    ... )
    >>> round(float(nemenyi_test(scores).loc["A", "C"]), 3)
    0.038
    """
    values = _check_blocks(scores)
    try:
        import scikit_posthocs
    except ImportError:
        raise ImportError(
            "Nemenyi's test needs scikit-posthocs, which is not installed; "
            "pip install 'hilabel[study]'."
        ) from None
    table = scikit_posthocs.posthoc_nemenyi_friedman(values)
    return _named(np.asarray(table), scores)


def wilcoxon_holm(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the Holm-corrected p-values of Wilcoxon's signed-rank test for all pairs.

    Pairs without any difference have a p-value of 1.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)

    Returns
    -------
    DataFrame of shape (n_methods, n_methods), with 1 on the diagonal

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import wilcoxon_holm
    >>> scores = pd.DataFrame({"A": [0.5, 0.6, 0.7], "B": [0.4, 0.4, 0.4]})
    >>> float(wilcoxon_holm(scores).loc["A", "B"])  # the minimum for three blocks
    0.25
    """
    values = _check_blocks(scores)
    pairs = list(combinations(range(values.shape[1]), 2))
    raw = np.array(
        [
            _signed_rank_p(values[:, first] - values[:, second])
            for first, second in pairs
        ]
    )
    table = np.eye(values.shape[1])
    for (first, second), p in zip(pairs, _holm(raw)):
        table[first, second] = table[second, first] = p
    return _named(table, scores)


def compare_ranks(
    scores: pd.DataFrame, *, alpha: float = 0.05, higher_is_better: bool = True
) -> RankComparison:
    """Run all tests on a table with one row per block and one column per method.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)
        See :func:`block_scores`.
    alpha : float, default=0.05
    higher_is_better : bool, default=True

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets",
    Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import compare_ranks
    >>> scores = pd.DataFrame(
    ...     {"A": [0.5, 0.6, 0.7], "B": [0.4, 0.5, 0.6], "C": [0.3, 0.2, 0.1]}
    ... )
    >>> tests = compare_ranks(scores)
    >>> tests.mean_ranks.index.tolist(), round(tests.critical_difference, 2)
    (['A', 'B', 'C'], 1.91)
    """
    ranks = mean_ranks(scores, higher_is_better=higher_is_better)
    n_blocks, n_methods = scores.shape
    return RankComparison(
        mean_ranks=ranks.sort_values(kind="stable"),
        friedman=friedman_test(ranks, n_blocks),
        alpha=alpha,
        critical_difference=critical_difference(n_methods, n_blocks, alpha),
        nemenyi=nemenyi_test(scores),
        wilcoxon=wilcoxon_holm(scores),
    )


def _check_blocks(scores: pd.DataFrame) -> np.ndarray:
    values = scores.to_numpy(dtype=np.float64)
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise ValueError(
            "Expected a score of every method in every block, but "
            f"{scores.columns[column]!r} has none in block {scores.index[row]!r}; "
            "remove the method or the block."
        )
    return values


def _signed_rank_p(differences: np.ndarray) -> float:
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences).pvalue)


def _holm(p_values: np.ndarray) -> np.ndarray:
    """Correct p-values for multiple testing with Holm's step-down method (1979)."""
    # Implemented here, because scikit-posthocs fails on pairs without any difference,
    # which are common among variants of one method.
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    adjusted = np.maximum.accumulate(np.minimum(factors * p_values[order], 1.0))
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return result


def _named(table: np.ndarray, scores: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(table, index=scores.columns, columns=scores.columns)
