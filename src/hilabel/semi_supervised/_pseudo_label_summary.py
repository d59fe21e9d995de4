"""Summarize in words and numbers what pseudo-labelling did."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, Self

import numpy as np

from hilabel._saved_types import Count, declared_fields, fits
from hilabel.semi_supervised._pseudo_labels import GivesPseudoLabels, Step

_REASONS: Final = {
    "unchanged": "the labels stopped changing",
    "cycle": "the labels began to repeat",
    "max_iter": "max_iter ended the passes before the labels stopped changing",
    "pool_empty": "every unlabelled row was used",
    "nothing_added": "no label was predicted for the others",
}
# Of methods that train every node separately.
_NODE_REASONS: Final = {
    "unchanged": "stopped because they accepted no other row",
    "all_labeled": "labelled every row",
    "max_iter": "stopped at max_iter",
    "constant": "had labelled rows of a single class",
}
# The columns of the table, and the attributes of history_ that they show.
_COLUMNS: Final = {
    "pass": "iteration",
    "round": "iteration",
    "batch": "iteration",
    "k": "n_neighbors",
    "nodes": "n_nodes",
    "drawn": "n_drawn",
    "added": "n_added",
    "left": "n_remaining",
    "proposed": "n_proposed",
    "accepted": "n_accepted",
    "new": "n_newly_accepted",
    "dropped": "n_dropped",
    "positive": "n_positive",
    "labels": "n_labels",
    "changed": "n_changed_labels",
    "mean_similarity": "mean_similarity",
}
_PLURALS: Final = {"pass": "passes", "round": "rounds", "batch": "batches"}


@dataclass(frozen=True)
class PseudoLabelingSummary:
    """What a method did with the unlabelled rows; ``str()`` returns a sentence.

    Attributes
    ----------
    step : {"pass", "round", "batch"}
        What the method repeats.
    n_unlabeled : int
    n_received : int
        Number of unlabelled rows that received a label.
    n_labels : int
        Number of labels that they received, including ancestors.
    reason : str
        Why the method stopped.
    cycle : str or None
        How the labels repeat, if they do and the method notices.
    history : sequence of dict
        One entry per step, the lines of ``frame()``.

    See Also
    --------
    summarize_pseudo_labels : Creates the summary.

    Examples
    --------
    >>> from hilabel.semi_supervised import PseudoLabelingSummary
    >>> summary = PseudoLabelingSummary(
    ...     step="pass",
    ...     n_unlabeled=3,
    ...     n_received=2,
    ...     n_labels=5,
    ...     reason="the labels stopped changing",
    ...     cycle=None,
    ...     history=[{"pass": 1, "accepted": 2}, {"pass": 2, "accepted": 2}],
    ... )
    >>> str(summary).split("; ")[0]
    '2 of 3 unlabelled rows received labels in 2 passes, 1 stayed unlabelled'
    """

    step: Step
    n_unlabeled: Annotated[int, Count()]
    n_received: Annotated[int, Count()]
    n_labels: Annotated[int, Count()]
    reason: str
    cycle: str | None
    history: Sequence[dict[str, float]]

    @property
    def steps(self) -> str:
        """What the method repeats, in the plural."""
        return _PLURALS[self.step]

    def frame(self) -> Any:
        """Return a pandas DataFrame with one line per step."""
        import pandas as pd

        return pd.DataFrame(self.history)

    def plain(self) -> dict[str, Any]:
        """Return the attributes as a dictionary of plain values."""
        return asdict(self)

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """Return the summary with the attributes in a dictionary.

        Raises
        ------
        ValueError
            If an attribute is missing, unknown or of another type.
        """
        declared = declared_fields(PseudoLabelingSummary)
        if values.keys() != declared.keys():
            raise ValueError(
                f"Expected the entries {', '.join(declared)} in a summary of "
                f"pseudo-labelling, got {', '.join(values)}."
            )
        for name, kind in declared.items():
            if not fits(values[name], kind, {}):
                raise ValueError(
                    f"Expected other values for {name!r} in a summary of "
                    f"pseudo-labelling, got {values[name]!r}."
                )
        return cls(**values)

    def __str__(self) -> str:
        total, received = self.n_unlabeled, self.n_received
        if not total:
            return "there were no unlabelled rows"
        n_steps = len(self.history)
        who = f"{received:,} of {total:,} unlabelled rows"
        if received in (0, total):
            who = f"{'all' if received else 'none of'} {total:,} unlabelled rows"
        left = total - received
        parts = [
            f"{who} received labels in {n_steps} {_plural(self.step, n_steps)}"
            + (f", {left:,} stayed unlabelled" if 0 < left < total else ""),
            self.reason,
        ]
        return "; ".join(parts if self.cycle is None else [*parts, self.cycle])


def summarize_pseudo_labels(model: Any) -> PseudoLabelingSummary | None:
    """Return what a fitted method did with the unlabelled rows.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    PseudoLabelingSummary or None
        None if the method does not pseudo-label rows.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSHMCBLI, summarize_pseudo_labels
    >>> data = make_artificial()
    >>> model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> summary = summarize_pseudo_labels(model)
    >>> summary.n_received, summary.reason
    (328, 'the labels stopped changing')
    >>> summary.frame()["accepted"].tolist()
    [320, 324, 326, 328, 328]
    """
    if not isinstance(model, GivesPseudoLabels):
        return None
    rows, _ = model._received()
    # Unlabelled rows have no given label, not even in one node.
    since = model.labeled_iter_.reshape(len(model.labeled_iter_), -1)
    cycle = getattr(model, "cycle_", None)
    return PseudoLabelingSummary(
        step=model.step_name,
        n_unlabeled=int((since != 0).all(axis=1).sum()),
        n_received=int(np.unique(rows).size),
        n_labels=int(rows.size),
        reason=_reason(model.termination_condition_),
        cycle=None if cycle is None else str(cycle),
        history=[_line(model.step_name, one) for one in model.history_],
    )


def _line(step: str, entry: Any) -> dict[str, float]:
    values = asdict(entry)
    return {
        column: values[name]
        for column, name in _COLUMNS.items()
        if name in values and (column == step or column not in _PLURALS)
    }


def _reason(found: Any) -> str:
    if isinstance(found, str):
        return _REASONS.get(found, found)
    counts = Counter(map(str, found)).most_common()
    said = [f"{n:,} {_NODE_REASONS.get(name, name)}" for name, n in counts]
    return f"of the classifiers of {sum(n for _, n in counts):,} nodes, " + ", ".join(
        said
    )


def _plural(step: str, count: int) -> str:
    return step if count == 1 else _PLURALS[step]
