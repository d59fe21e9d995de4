"""Ranks and tests, if the study has enough scores, and the published ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from hilabel.report.study._results import StudyResults
from hilabel.studies import (
    FriedmanResult,
    RankComparison,
    compare_ranks,
    friedman_test,
    mean_ranks,
)

# From the SSHMC-BLI paper, over 60 blocks. Sums of ranks are multiples of 0.5, so they
# can be derived from the published means with three digits.
_PUBLISHED_SUMS: Final = {
    "LCN": 248.0,
    "V1": 120.0,
    "V2": 89.5,
    "V3": 162.5,
    "STML": 357.5,
    "STHC": 282.5,
}
_PUBLISHED_BLOCKS: Final = 60
_PUBLISHED_DIFFERENCE: Final = 0.9735
PUBLISHED_RANKS: Final = {
    name: total / _PUBLISHED_BLOCKS for name, total in _PUBLISHED_SUMS.items()
}
"""Mean ranks of average precision in the SSHMC-BLI paper, among six methods."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The tests on the blocks in which all methods have a score."""

    comparison: RankComparison
    blocks: pd.DataFrame  # the ranked scores
    n_left_out: int = 0  # blocks in which a method has no score
    # Methods without a score in more than half of the blocks.
    methods_left_out: tuple[str, ...] = ()

    @property
    def n_datasets(self) -> int:
        """Number of data sets; blocks of the same data set are not independent."""
        return int(self.blocks.index.get_level_values(0).nunique())

    @property
    def is_different(self) -> bool:
        """Whether Friedman's test finds a difference; only then, pairs are compared."""
        return self.comparison.friedman.rejects(self.comparison.alpha)

    def differ(self, first: str, second: str) -> bool:
        """Return whether two mean ranks differ by at least the critical difference.

        No two differ if Friedman's test finds no difference.
        """
        ranks = self.comparison.mean_ranks
        gap = abs(float(ranks[first] - ranks[second]))
        return self.is_different and gap >= self.comparison.critical_difference


@dataclass(frozen=True)
class Published:
    """The published results of the paper's methods."""

    ranks: dict[str, float]
    friedman: FriedmanResult
    critical_difference: float


def compare_study(
    results: StudyResults, methods: Sequence[str] | None = None
) -> Verdict | None:
    """Run all tests on the first measure; return None if there are too few scores.

    By default, all methods are compared. First, methods that lack a score in more than
    half of the blocks are omitted, and then all blocks in which another method lacks a
    score.
    """
    blocks = results.blocks()
    if methods is not None:
        blocks = blocks[list(methods)]
    if blocks.empty:
        return None
    is_rare = blocks.isna().mean() > 0.5
    rare = tuple(map(str, blocks.columns[is_rare]))
    complete = blocks.loc[:, ~is_rare].dropna()
    if complete.shape[0] < 2 or complete.shape[1] < 2:
        return None
    comparison = compare_ranks(
        complete, higher_is_better=results.higher_is_better(results.measure)
    )
    return Verdict(comparison, complete, len(blocks) - len(complete), rare)


def published_verdict(results: StudyResults) -> Published | None:
    """Return the published ranks if the study includes all ranked methods.

    Ranks depend on all compared methods, so a subset of the methods is not enough.
    """
    present = set(results.blocks().columns)
    if not present.issuperset(PUBLISHED_RANKS):
        return None
    if results.measure != "micro_average_precision":
        return None
    ranks = pd.Series(PUBLISHED_RANKS)
    return Published(
        PUBLISHED_RANKS,
        friedman_test(ranks, _PUBLISHED_BLOCKS),
        _PUBLISHED_DIFFERENCE,
    )


def measure_ranks(results: StudyResults, verdict: Verdict) -> pd.DataFrame:
    """Return the mean rank of each method for every measure of the study.

    Measures with missing scores are omitted.
    """
    columns = {}
    for measure in results.measures:
        blocks = results.blocks(measure)
        if not set(verdict.blocks.columns) <= set(blocks.columns):
            continue
        scores = blocks.reindex(verdict.blocks.index)[list(verdict.blocks.columns)]
        if not scores.isna().any(axis=None):
            better = results.higher_is_better(measure)
            columns[measure] = mean_ranks(scores, higher_is_better=better)
    order = verdict.comparison.mean_ranks.index
    return pd.DataFrame(columns).loc[order]
