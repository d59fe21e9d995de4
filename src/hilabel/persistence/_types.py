"""The only types that a model file may contain."""

from functools import cache

from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.impute import SimpleImputer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from hilabel._methods import list_methods
from hilabel._saved_types import SAVED_TYPES

# These types contain hilabel's estimators or prepare columns for them. Objects of
# other, unregistered types are stored by skops, which trusts scikit-learn and little
# else.
_FOREIGN = (
    ColumnTransformer,
    CountVectorizer,
    HashingVectorizer,
    MinMaxScaler,
    OneHotEncoder,
    OneVsRestClassifier,
    Pipeline,
    SimpleImputer,
    StandardScaler,
    TfidfTransformer,
    TfidfVectorizer,
)


@cache
def own_types() -> dict[str, type]:
    """Return allowed types, keyed by name: estimators, their parts, foreign types."""
    foreign = {kind.__name__: kind for kind in _FOREIGN}
    return {**SAVED_TYPES, **foreign, **list_methods()}


def name_of(value: object) -> str | None:
    """Return the name under which the type of an object is listed, if any."""
    name = type(value).__name__
    return name if own_types().get(name) is type(value) else None
