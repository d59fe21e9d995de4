"""The only module that imports private names from scikit-learn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
)
from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config
from sklearn.utils.validation import _check_sample_weight

__all__ = [
    "BaseSearchCV",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "_check_sample_weight",
    "_safe_indexing",
    "boosted_nodes",
    "check_output_container",
    "in_output_container",
]


def check_output_container(name: str) -> None:
    """Raise an error if ``set_output`` does not support a container."""
    known = sorted(ADAPTERS_MANAGER.supported_outputs)
    if name not in known:
        raise ValueError(
            f"Expected transform to be None or one of {known}, got {name!r}."
        )


def boosted_nodes(model: Any) -> tuple[float, list[Any]]:
    """Return the log odds that a boosted classifier starts with, and its trees.

    Each tree is an array of nodes with named fields; the values of leaves are added.
    """
    start = float(np.ravel(model._baseline_prediction)[0])
    return start, [one.nodes for each in model._predictors for one in each]


def in_output_container(
    estimator: Any, values: Any, X: Any, columns: Sequence[str]
) -> Any:
    """Return values in the container chosen by ``set_output`` or the configuration."""
    wanted = _get_output_config("transform", estimator)["dense"]
    if wanted == "default":
        return values
    adapter = ADAPTERS_MANAGER.adapters[wanted]
    return adapter.create_container(values, X, columns=columns)
