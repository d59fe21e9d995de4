"""A model in plain values: for ``--json``, for its file's manifest, and for inspect."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from hilabel._saved_types import fits
from hilabel.judgement import Judgement
from hilabel.models._fit_record import is_pseudo_labeling

# The entries that commands read from a manifest; all others are only shown.
_READ: Final[dict[str, Any]] = {
    "method": str | None,
    "seed": int | None,
    "parameters": dict[str, Any] | None,
    "quality": dict[str, Any] | None,
    "matching": dict[str, Any] | None,
    "candidates": Sequence[dict[str, Any]] | None,
    "pseudo_labeling": dict[str, Any] | None,
    "statements": Sequence[str] | None,
}
_MATCHING: Final = frozenset({"n_rows", "n_labeled", "n_nodes_kept"})


def model_summary(model: Any) -> dict[str, Any]:
    """Return what is known about a table model, without NaN, which JSON lacks."""
    summary = {
        **asdict(model.record),
        "quality": None
        if model.judgement is None
        else judgement_numbers(model.judgement),
        "candidates": [
            asdict(one) for one in getattr(model.estimator, "candidates_", ())
        ],
    }
    plain: dict[str, Any] = _without_nan(summary)
    return plain


def judgement_numbers(judgement: Judgement) -> dict[str, Any]:
    """Return the numbers of a judgement by name."""
    decision, gain = judgement.decision, judgement.gain
    links = judgement.link_gain
    return {
        "measured_on": judgement.measured_on,
        "rows": judgement.n_rows,
        "folds": judgement.n_folds,
        "average_precision": judgement.quality.micro,
        "constant_average_precision": judgement.constant.micro,
        "raw_average_precision": judgement.raw.micro,
        "macro_average_precision": judgement.quality.macro,
        "constant_macro_average_precision": judgement.constant.macro,
        "fmax": judgement.quality.fmax,
        "smin": judgement.quality.smin,
        "calibration_error": judgement.error,
        "overall_calibration_error": judgement.overall_error,
        "is_calibrated": judgement.calibrated is not None,
        "terms": judgement.n_informative,
        "reliable_terms": judgement.n_reliable,
        "threshold": decision.overall,
        "own_thresholds": decision.n_own,
        "precision": decision.precision,
        "recall": decision.recall,
        "f1": decision.f1,
        "unlabeled_average_precision": judgement.unlabeled,
        "unlabeled_gain": None if gain is None else asdict(gain),
        "link_gain": None if links is None else asdict(links),
    }


def is_summary(summary: Mapping[str, Any]) -> bool:
    """Return whether the entries that commands read are as they expect."""
    return (
        all(fits(summary.get(name), kind, {}) for name, kind in _READ.items())
        and (summary.get("matching") or dict.fromkeys(_MATCHING)).keys() >= _MATCHING
        and is_pseudo_labeling(summary.get("pseudo_labeling"))
    )


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nan(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value
