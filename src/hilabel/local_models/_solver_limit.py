"""Refuse problems that are too large for a solver, which would crash Python."""

from typing import Any, Final

from sklearn.linear_model import LogisticRegression

from hilabel.exceptions import LabelError

# SciPy's L-BFGS addresses its memory, 25 numbers per weight, with 32-bit integers:
# beyond, it ends in a segmentation fault.
_MOST_WEIGHTS: Final = 2**31 // 25


def refuse_for_solver(model: Any, n_features: int, n_classes: int) -> None:
    """Raise an error if a logistic regression has too many weights for its solver.

    Parameters
    ----------
    model : classifier
        Not fitted.
    n_features, n_classes : int
        Of the rows that it is to be fitted to.

    Raises
    ------
    LabelError

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from hilabel.local_models._solver_limit import refuse_for_solver
    >>> refuse_for_solver(LogisticRegression(), n_features=33_000, n_classes=2_700)
    Traceback (most recent call last):
    ...
    hilabel.exceptions.LabelError: LogisticRegression would have 89,102,700 weights...
    """
    if not (isinstance(model, LogisticRegression) and model.solver == "lbfgs"):
        return
    n_weights = (n_features + 1) * (n_classes if n_classes > 2 else 1)
    if n_weights > _MOST_WEIGHTS:
        raise LabelError(
            f"LogisticRegression would have {n_weights:,} weights, for {n_features:,} "
            f"features and {n_classes:,} classes; its solver lbfgs takes at most "
            f"{_MOST_WEIGHTS:,}. Use LinearClassifier, a method with a classifier per "
            "node, or another solver, such as saga."
        )
