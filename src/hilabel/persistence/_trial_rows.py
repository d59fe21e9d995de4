"""Rows to test fitted scikit-learn objects on; see ``_trial``.

What a pipeline accepts is only known from its first step: numbers of any size, numbers
above 0, words, or columns of several kinds.
"""

import operator
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

VALUES: Final = (0.0, 1.0, -2.5)
"""The values of the trial rows, each the same in all columns."""

N_ROWS: Final = len(VALUES)

MOST_DENSE: Final = 2**20
"""Wider rows are only tried if this is cheap."""

NOT_FOR_SUCH_ROWS: Final = (
    ValueError,
    TypeError,
    ArithmeticError,
    AttributeError,
    LookupError,
)
"""Errors of objects that need other rows."""

# For logarithms, roots and counts.
_POSITIVE: Final = (0.25, 1.0, 2.5)
_TEXTS: Final = ("two words", "one", "")


def rows_of(model: Any, values: tuple[float, ...] = VALUES) -> Any:
    """Return rows of numbers with the width that an object expects."""
    width = operator.index(model.n_features_in_)
    if width <= MOST_DENSE:
        return np.repeat(np.array(values)[:, None], width, axis=1)
    if not get_tags(model).input_tags.sparse:
        raise ValueError(f"{width} features are too many for {type(model).__name__}.")
    return sp.csr_array((N_ROWS, width))


def rows_to_try(step: Any) -> Iterator[Any]:
    """Yield rows that the first step of a pipeline may accept, the usual ones first."""
    if isinstance(_first_of(step), CountVectorizer | HashingVectorizer):
        yield list(_TEXTS)
        return
    names = getattr(step, "feature_names_in_", None)
    for values in (VALUES, _POSITIVE):
        yield _named(rows_of(step, values), names)
    width = operator.index(step.n_features_in_)
    if width > MOST_DENSE:
        return
    columns: list[Any] = [_POSITIVE] * width
    for place, part, number in _parts_of(step):
        columns[place] = _values_for(part, number)
    frame = pd.DataFrame(dict(enumerate(columns)))
    yield frame.to_numpy() if names is None else frame.set_axis(names, axis=1)


def _first_of(step: Any) -> Any:
    """Return the first step of nested pipelines."""
    while isinstance(step, Pipeline):
        step = step.steps[0][1]
    return step


def _named(rows: Any, names: Any) -> Any:
    if names is None or sp.issparse(rows):
        return rows
    return pd.DataFrame(rows, columns=names)


def _parts_of(step: Any) -> Iterator[tuple[int, Any, int]]:
    """Yield each column of a step, the part that reads it, and its number there."""
    if not isinstance(step, ColumnTransformer):
        yield from ((place, step, place) for place in range(step.n_features_in_))
        return
    for name, part, _ in step.transformers_:
        places = step._transformer_to_input_indices[name]
        yield from ((place, part, number) for number, place in enumerate(places))


def _values_for(part: Any, number: int) -> Any:
    """Return values for a column that a part of a pipeline reads."""
    part = _first_of(part)
    if isinstance(part, CountVectorizer | HashingVectorizer):
        return _TEXTS
    # Of encoders, and of imputers of words.
    for known in ("categories_", "statistics_"):
        values = getattr(part, known, None)
        if values is not None and (known == "categories_" or values.dtype == object):
            return [np.ravel(values[number])[0]] * N_ROWS
    return _POSITIVE
