"""Test fitted scikit-learn objects on a few rows before using them.

Scikit-learn classes do not declare their contents, so only a trial shows whether
they are consistent. Numbers that compiled code uses without bounds checks are
validated first; see ``_foreign``.
"""

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from hilabel.forests import ForestClassifier
from hilabel.local_models import ClassForest, ConstantClass, ConstantNode
from hilabel.persistence._trial_rows import (
    MOST_DENSE,
    N_ROWS,
    NOT_FOR_SUCH_ROWS,
    VALUES,
    rows_of,
    rows_to_try,
)
from hilabel.views import BaseLinkView, NeighborColumns, NeighborhoodMeans

_LARGEST: Final = 1e100
# A mean over trees may exceed 1 by rounding.
_ROUNDING: Final = 1e-6


def is_usable(model: Any, n_classes: int, *, several: bool = False) -> bool:
    """Return whether a classifier predicts probabilities for ``n_classes`` classes.

    Parameters
    ----------
    model : classifier, ConstantNode, ConstantClass or None
    n_classes : int
        The number of targets, if it has ``several``.
    """
    if model is None or isinstance(model, ConstantNode | ConstantClass):
        return True
    # These declare their contents.
    if isinstance(model, ForestClassifier | ClassForest):
        return bool(model.classes_.size == n_classes)
    found = _tried(model, rows_of(model))
    if several:
        return _are_several(found, n_classes)
    return _are_probabilities(found, n_classes)


def is_pipeline_usable(pipeline: Pipeline) -> bool:
    """Return whether a pipeline's last step accepts the output of the other steps."""
    *steps, (_, last) = pipeline.steps
    used = [step for _, step in steps if step not in (None, "passthrough")]
    if not used:
        return True
    errors: list[Exception] = []
    for given in rows_to_try(used[0]):
        rows = given
        try:
            for step in used:
                rows = _transformed(step, rows)
        except NOT_FOR_SUCH_ROWS as error:
            errors.append(error)
            continue
        return _is_finite(rows) and rows.shape == (N_ROWS, last.n_features_in_)
    raise errors[0]


def are_views_usable(views: Sequence[Any], n_features: int, n_seen: int) -> bool:
    """Return whether views add the expected number of columns to rows."""
    rows: Any = sp.csr_array((N_ROWS, n_features))
    if n_features <= MOST_DENSE:
        rows = np.repeat(np.array(VALUES)[:, None], n_features, axis=1)
    made = [_transformed(view, rows) for view in views]
    return all(_is_finite(part) for part in made) and n_seen == n_features + sum(
        part.shape[1] for part in made
    )


def is_moderate(values: Any) -> bool:
    """Return whether all numbers except NaN can be multiplied without overflow."""
    if getattr(getattr(values, "dtype", None), "kind", None) != "f":
        return True
    return not (np.abs(values) > np.float64(_LARGEST)).any()


def _transformed(step: Any, rows: Any) -> Any:
    # These declare their contents.
    if isinstance(step, NeighborColumns | NeighborhoodMeans | BaseLinkView):
        if step.n_features_in_ != rows.shape[1]:
            raise ValueError(
                f"expected {rows.shape[1]} features, got {step.n_features_in_}."
            )
        if isinstance(step, BaseLinkView):
            return sp.csr_array((rows.shape[0], step.n_columns_out))
        return rows
    return _tried(step, rows, "transform")


def _is_finite(rows: Any) -> bool:
    return bool(np.isfinite(rows.data if sp.issparse(rows) else np.asarray(rows)).all())


def _tried(model: Any, rows: Any, *uses: str) -> Any:
    uses = uses or ("predict_proba", "decision_function", "predict")
    use = next(name for name in uses if hasattr(model, name))
    wrong = np.errstate(divide="raise", over="raise", invalid="raise")
    with warnings.catch_warnings(), wrong:
        warnings.simplefilter("ignore")
        return getattr(model, use)(rows)


def _are_probabilities(found: Any, n_classes: int) -> bool:
    return (
        isinstance(found, np.ndarray)
        and found.shape == (N_ROWS, n_classes)
        and found.dtype.kind == "f"
        and bool((found >= 0).all() and (found <= 1 + _ROUNDING).all())
    )


def _are_several(found: Any, n_targets: int) -> bool:
    """Return whether the scores contain a column or an array for each target."""
    if isinstance(found, list):
        return len(found) >= n_targets and all(
            _are_probabilities(scores, 2) for scores in found
        )
    return (
        isinstance(found, np.ndarray)
        and found.ndim == 2
        and found.shape[0] == N_ROWS
        and found.shape[1] >= n_targets
        and bool(np.isfinite(found).all())
    )
