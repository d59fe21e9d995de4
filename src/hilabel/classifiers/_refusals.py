"""What ``fit`` refuses or warns of, and how it says so."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import type_of_target

from hilabel._typing import MatrixLike
from hilabel._warning import warn_user
from hilabel.classifiers._training_data import TrainingData
from hilabel.exceptions import LabelError

# With this many rows, other rows of the same kind are hardly ever outside their range.
_FEWEST_FOR_A_RANGE = 10
# Maximum number of unlabelled rows to check, since there may be millions.
_MOST_COMPARED = 1_000


def refusal(kind: type, unknown: Mapping[str, Any]) -> str:
    """Return the error message for arguments that ``fit`` does not support."""
    name = next(iter(unknown))
    message = f"{kind.__name__}.fit() does not accept the argument {name!r}"
    if name == "Y":
        return f"{message}; the label matrix is y."
    if name == "sample_weight":
        return (
            f"{message}: the method does not support weights. LocalClassifierPerNode, "
            "TopDownClassifier, HMCBR, HierarchicalNetwork, LinearClassifier and "
            "PriorClassifier do."
        )
    if name == "links":
        return (
            f"{message}: the method cannot learn from links. Blend, LinkVotes, "
            "LinkSpreading, LinkCombiner, ResidualSpreading, ViewsClassifier, SSHMCBLI "
            "and SSHCBLI can."
        )
    return f"{message}; it accepts X, y and X_unlabeled."


def refusal_of_unknown(kind: type, data: TrainingData) -> str:
    """Return an error message that suggests other methods for rows known in part."""
    n_partly = int(data.Y.in_part.sum())
    return (
        f"{n_partly} of {len(data.Y)} labelled rows are unknown (-1) in some "
        f"nodes, but {kind.__name__} needs fully known rows. Use "
        "PredictiveClusteringForest, LocalClassifierPerNode or HierarchicalNetwork, or "
        "fill the cells with 0 if the labels are absent."
    )


def warn_of_other_scales(X: Any, X_unlabeled: Any) -> None:
    """Warn if most values in the unlabelled rows are outside the range of ``X``.

    A pipeline passes ``step__X_unlabeled`` to its last step without scaling it.
    """
    if X.shape[0] < _FEWEST_FOR_A_RANGE:
        return
    share = _share_outside(X, X_unlabeled[:_MOST_COMPARED])
    if share > 0.5:
        warn_user(
            f"{share:.0%} of the values of X_unlabeled are outside the range of X. A "
            "pipeline only transforms X: enable metadata routing in scikit-learn and "
            'give the pipeline transform_input=["X_unlabeled"], or pass unlabelled '
            "rows in X, with rows of -1 in y."
        )


def _share_outside(X: Any, more: Any) -> float:
    """Return the fraction of values in ``more`` outside their column's range in X."""
    if sp.issparse(X):
        low, high = (
            ends.toarray().ravel() for ends in (X.nanmin(axis=0), X.nanmax(axis=0))
        )
        low, high, values = low[more.indices], high[more.indices], more.data
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # columns with only NaN
            low, high, values = np.nanmin(X, axis=0), np.nanmax(X, axis=0), more
    outside = (values < low) | (values > high)
    return float(outside.mean()) if outside.size else 0.0


def refuse_flat_target(y: MatrixLike, has_names: bool) -> None:
    """Raise a helpful error if ``y`` is a flat target, such as one class per row."""
    dtype = getattr(y, "dtype", None)
    taken = "OUT" if has_names else "O"  # one name per row, from the hierarchy
    if getattr(y, "ndim", 2) != 1 or getattr(dtype, "kind", "O") in taken:
        return
    raise LabelError(
        "Only binary classification is supported, for each node: expected y of shape "
        f"(n_samples, n_nodes), got 1 dimension(s) of a {type_of_target(y)} target. "
        "For one node use y.reshape(-1, 1); sklearn.preprocessing.LabelBinarizer "
        "creates one column per class."
    )
