"""What scikit-learn fitted, tried on rows before it is used.

Its classes declare nothing of what they hold, so that only a trial tells whether it
fits together. Compiled code that follows numbers without looking has been checked
before; see ``_foreign``.
"""

import warnings
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from hilabel.forests import ForestClassifier
from hilabel.local_models import ConstantClass, ConstantNode

# Wider rows are tried where they cost nothing.
_MOST_DENSE: Final = 2**20
# A mean over trees may be above 1 by rounding.
_ROUNDING: Final = 1e-6


def is_usable(model: Any, n_classes: int, *, several: bool = False) -> bool:
    """Say whether a classifier gives rows probabilities of so many classes.

    Parameters
    ----------
    model : classifier, ConstantNode, ConstantClass or None
    n_classes : int
        Of targets, if it has ``several``.
    """
    if model is None or isinstance(model, ConstantNode | ConstantClass):
        return True
    if isinstance(model, ForestClassifier):  # which declares what it holds
        return bool(model.classes_.size == n_classes)
    found = _tried(model, _rows_for(model))
    if several:
        return _are_several(found, n_classes)
    return _are_probabilities(found, n_classes)


def _rows_for(model: Any) -> Any:
    width = int(model.n_features_in_)
    if width <= _MOST_DENSE:
        return np.vstack([np.zeros(width), np.ones(width)])
    if not get_tags(model).input_tags.sparse:
        raise ValueError(f"{width} features are too many for {type(model).__name__}.")
    return sp.csr_array((2, width))


def _tried(model: Any, rows: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise"):
        warnings.simplefilter("ignore")
        for name in ("predict_proba", "decision_function"):
            if hasattr(model, name):
                return getattr(model, name)(rows)
        return model.predict(rows)


def _are_probabilities(found: Any, n_classes: int) -> bool:
    return (
        isinstance(found, np.ndarray)
        and found.shape == (2, n_classes)
        and found.dtype.kind == "f"
        and bool((found >= 0).all() and (found <= 1 + _ROUNDING).all())
    )


def _are_several(found: Any, n_targets: int) -> bool:
    """Say whether there are scores of targets: a column, or an array, for each."""
    if isinstance(found, list):
        return len(found) >= n_targets and all(
            _are_probabilities(scores, 2) for scores in found
        )
    return (
        isinstance(found, np.ndarray)
        and found.ndim == 2
        and found.shape[0] == 2
        and found.shape[1] >= n_targets
        and bool(np.isfinite(found).all())
    )
