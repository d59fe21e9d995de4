"""Test fitted scikit-learn objects on a few rows before using them.

Scikit-learn classes do not declare their contents, so only a trial shows whether
they are consistent. Numbers that compiled code uses without bounds checks are
validated first; see ``_foreign``.
"""

import operator
import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from hilabel.forests import ForestClassifier
from hilabel.local_models import ClassForest, ConstantClass, ConstantNode
from hilabel.views import BaseLinkView, NeighborColumns, NeighborhoodMeans

# Wider rows are only tried if this is cheap.
_MOST_DENSE: Final = 2**20
# The values of the trial rows, each the same in all columns.
_VALUES: Final = (0.0, 1.0, -2.5)
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
    found = _tried(model, _rows_for(model))
    if several:
        return _are_several(found, n_classes)
    return _are_probabilities(found, n_classes)


def is_pipeline_usable(pipeline: Pipeline) -> bool:
    """Return whether a pipeline's last step accepts the output of the other steps."""
    *steps, (_, last) = pipeline.steps
    if not steps:
        return True
    rows = _rows_for(pipeline)
    for _, step in steps:
        if step not in (None, "passthrough"):
            rows = _transformed(step, rows)
    return _is_finite(rows) and rows.shape == (len(_VALUES), last.n_features_in_)


def are_views_usable(views: Sequence[Any], n_features: int, n_seen: int) -> bool:
    """Return whether views add the expected number of columns to rows."""
    rows = np.repeat(np.array(_VALUES)[:, None], n_features, axis=1)
    if n_features > _MOST_DENSE:
        rows = sp.csr_array((len(_VALUES), n_features))
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
    return bool(np.isfinite(rows.data if sp.issparse(rows) else rows).all())


def _rows_for(model: Any) -> Any:
    width = operator.index(model.n_features_in_)
    if width <= _MOST_DENSE:
        return np.repeat(np.array(_VALUES)[:, None], width, axis=1)
    if not get_tags(model).input_tags.sparse:
        raise ValueError(f"{width} features are too many for {type(model).__name__}.")
    return sp.csr_array((len(_VALUES), width))


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
        and found.shape == (len(_VALUES), n_classes)
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
        and found.shape[0] == len(_VALUES)
        and found.shape[1] >= n_targets
        and bool(np.isfinite(found).all())
    )
