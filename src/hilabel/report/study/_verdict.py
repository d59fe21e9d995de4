"""Ranks and tests, as far as the study allows them, beside the published ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from hilabel.report.study._results import StudyResults
from hilabel.studies import (
    Comparison,
    FriedmanResult,
    compare_methods,
    friedman_test,
    mean_ranks,
)

# Of the SSHMC-BLI paper, over 60 blocks. Sums of ranks are whole or half numbers, so
# they can be told from the means of three digits that were printed.
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
    """The tests over the blocks in which all of the methods have a score."""

    comparison: Comparison
    blocks: pd.DataFrame  # the scores that were ranked
    n_left_out: int = 0  # blocks in which a method has no score
    # Without a score in more than half of the blocks.
    methods_left_out: tuple[str, ...] = ()

    @property
    def n_datasets(self) -> int:
        """Data sets that the blocks come from; those of one are not independent."""
        return int(self.blocks.index.get_level_values(0).nunique())

    @property
    def is_different(self) -> bool:
        """Whether Friedman's test, in Iman and Davenport's form, rejects equality."""
        return self.comparison.friedman.f_p < self.comparison.alpha

    def differ(self, first: str, second: str) -> bool:
        """Whether two mean ranks are a critical difference or more apart."""
        ranks = self.comparison.mean_ranks
        gap = abs(float(ranks[first] - ranks[second]))
        return gap >= self.comparison.critical_difference


@dataclass(frozen=True)
class Published:
    """What the paper says of its methods."""

    ranks: dict[str, float]
    friedman: FriedmanResult
    critical_difference: float


def compare_study(
    results: StudyResults, methods: Sequence[str] | None = None
) -> Verdict | None:
    """Do all tests on the first measure, or return None if there is too little.

    Methods without a score in more than half of the blocks are left out, then blocks
    in which one of the others has none. ``methods`` are compared, by default all.
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
    comparison = compare_methods(
        complete, higher_is_better=results.higher_is_better(results.measure)
    )
    return Verdict(comparison, complete, len(blocks) - len(complete), rare)


def published_verdict(results: StudyResults) -> Published | None:
    """Return the published ranks if the study has all methods that they rank.

    A rank says nothing without the others, so a part of the methods is not enough.
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
    """Return the mean rank of each method by every measure of the study.

    Measures without a score of one of the methods in one of the blocks are left out.
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


def cliques(ranks: pd.Series, difference: float) -> list[tuple[str, ...]]:
    """Return the largest groups, of two and more, less than a difference apart.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.report.study._verdict import cliques
    >>> cliques(pd.Series({"a": 1.0, "b": 1.5, "c": 2.2, "d": 4.0}), 1.0)
    [('a', 'b'), ('b', 'c')]
    """
    ordered = ranks.sort_values(kind="stable")
    values = ordered.to_numpy(dtype=np.float64)
    groups: list[tuple[str, ...]] = []
    last_end = 0
    for start in range(len(values)):
        end = int(np.searchsorted(values, values[start] + difference, side="left"))
        if end - start > 1 and end > last_end:
            groups.append(tuple(map(str, ordered.index[start:end])))
        last_end = max(last_end, end)
    return groups
