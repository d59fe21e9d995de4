"""The measures available in a study, all computed from the same scores.

As in the paper, all nodes count, even roots that nearly all rows have, and label sets
have the threshold 0.5; otherwise, results could not be compared with published ones.
The judgement of a model leaves such roots out and chooses thresholds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from hilabel import metrics
from hilabel._typing import BoolArray, FloatArray
from hilabel.constraints import labels_from_scores
from hilabel.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """True labels and scores of the same rows."""

    Y: Any  # int8 array of shape (n_samples, n_nodes)
    scores: FloatArray
    hierarchy: Hierarchy

    @cached_property
    def labels(self) -> BoolArray:
        """The labels that score at least 0.5 and whose ancestors all do, too."""
        return labels_from_scores(self.scores, self.hierarchy)


class Measure(NamedTuple):
    """A measure computed from scores, and whether higher values are better."""

    compute: Callable[[ScoredRows], float]
    higher_is_better: bool = True


MEASURES: Final[dict[str, Measure]] = {
    "micro_average_precision": Measure(
        lambda e: metrics.average_precision(e.Y, e.scores)
    ),
    "macro_average_precision": Measure(
        lambda e: metrics.average_precision(e.Y, e.scores, "macro")
    ),
    "weighted_average_precision": Measure(
        lambda e: metrics.average_precision(e.Y, e.scores, "weighted")
    ),
    "fmax": Measure(lambda e: metrics.fmax(e.Y, e.scores).value),
    "hierarchical_f1": Measure(lambda e: metrics.hierarchical_f1(e.Y, e.labels)),
    "exact_match": Measure(lambda e: metrics.exact_match(e.Y, e.labels)),
    "matthews_correlation": Measure(
        lambda e: metrics.matthews_correlation(e.Y, e.labels)
    ),
    "hamming_loss": Measure(lambda e: metrics.hamming_loss(e.Y, e.labels), False),
    "violations": Measure(
        lambda e: metrics.hierarchy_violations(e.scores, e.hierarchy).share, False
    ),
}
"""The measures of studies, by name.

Measures of label sets use labels that score at least 0.5 and whose ancestors all do.

Examples
--------
>>> from hilabel.studies import MEASURES
>>> MEASURES["hamming_loss"].higher_is_better
False
"""

DEFAULT_MEASURES: Final = (
    "micro_average_precision",
    "macro_average_precision",
    "weighted_average_precision",
    "fmax",
    "hierarchical_f1",
    "hamming_loss",
    "violations",
)
"""The measures of a study that names none.

Examples
--------
>>> from hilabel.studies import DEFAULT_MEASURES
>>> DEFAULT_MEASURES[0]
'micro_average_precision'
"""
