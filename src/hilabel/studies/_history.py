"""Read what a fitted method reports about its use of the unlabelled rows."""

import math
from collections import Counter
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Final

import numpy as np

from hilabel.studies._records import TABLES

_TYPES: Final = TABLES["passes"]


@dataclass(frozen=True)
class History:
    """A record of how a method used the unlabelled rows.

    Attributes
    ----------
    facts : dict
        ``n_passes``, ``stop_reason`` and ``n_pseudo_labeled``, the number of rows. For
        methods that treat every node separately, the largest number of passes of a
        node, and the number of nodes per stop reason. ``cycle_length``, ``cycle_rows``
        and ``cycle_labels`` if the labels alternated. None and "" if not available.
    passes : list of dict
        The rows of ``history_`` with their pass in ``iteration``, as plain values,
        restricted to the columns of the tables.
    """

    facts: dict[str, Any]
    passes: list[dict[str, Any]]


def read_history(model: Any) -> History:
    """Return the history that a fitted estimator reports, if any."""
    return History(_facts(model), _passes(model))


def _facts(model: Any) -> dict[str, Any]:
    passes = getattr(model, "n_iter_", None)
    reason = getattr(model, "termination_condition_", None)
    since = getattr(model, "labeled_iter_", None)
    cycle = getattr(model, "cycle_", None)
    return {
        "n_passes": None if passes is None else int(np.max(passes, initial=0)),
        "stop_reason": _reason_text(reason),
        "n_pseudo_labeled": None if since is None else _n_rows(np.asarray(since)),
        "cycle_length": None if cycle is None else cycle.length,
        "cycle_rows": None if cycle is None else cycle.n_rows,
        "cycle_labels": None if cycle is None else cycle.n_labels,
    }


def _passes(model: Any) -> list[dict[str, Any]]:
    history = getattr(model, "history_", None)
    if not isinstance(history, list):
        return []
    rows = [
        {
            name: _plain(value, _TYPES[name])
            for name, value in asdict(row).items()
            if name in _TYPES
        }
        for row in history
        if is_dataclass(row) and not isinstance(row, type)
    ]
    return [row for row in rows if row.get("iteration") is not None]


def _plain(value: Any, kind: str) -> int | float | None:
    """Convert a value to a Python number of the column's type, or to None."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, int | float) or math.isnan(value):
        return None
    return int(value) if kind in ("int64", "Int64") else float(value)


def _reason_text(reason: Any) -> str:
    if reason is None or isinstance(reason, str):
        return reason or ""
    counts = Counter(map(str, np.ravel(reason))).most_common()
    return ", ".join(f"{name} {n}" for name, n in sorted(counts))


def _n_rows(since: Any) -> int:
    is_labeled = since > 0
    return int((is_labeled.any(axis=1) if is_labeled.ndim == 2 else is_labeled).sum())
