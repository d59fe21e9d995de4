"""Check that the contents of a model file match the declarations of their types.

Each hilabel type declares its fields where it is defined; see ``_saved_types``.
Scikit-learn objects are tested on a few rows; see ``_trial``.
"""

import os
from typing import Any, Final

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import Pipeline

from hilabel._saved_types import Maybe, declared_fields, fits
from hilabel.classifiers import BaseHierarchicalClassifier, MultiOutputAdapter
from hilabel.exceptions import ModelFileError
from hilabel.local_models import LocalModels, MulticlassModel
from hilabel.persistence._trial import (
    are_views_usable,
    is_moderate,
    is_pipeline_usable,
    is_usable,
)
from hilabel.semi_supervised import Blend, ViewsClassifier

_MOST_HASHED = 2**24
# Estimators that are used several times, such as a scaler, are usual.
_FEW_ESTIMATORS, _MOST_RUNS = 1_000, 10
# Functions are code, and other patterns could take exponential time on some texts.
_OF_VECTORIZERS: Final[dict[str, tuple[Any, ...]]] = {
    "input": ("content",),
    "token_pattern": (r"(?u)\b\w\w+\b", r"(?u)\b\w+\b"),
    "tokenizer": (None,),
    "preprocessor": (None,),
    "analyzer": ("word", "char", "char_wb"),
}


def check_object(value: Any, state: dict[str, Any]) -> None:
    """Refuse an object of a listed type that does not match its declaration.

    Parameters
    ----------
    value : object
        The object created from ``state``.
    state : dict
        Its attributes by name.
    """
    kind = type(value)
    if isinstance(value, Pipeline | ColumnTransformer):
        refuse_repetition(value)
    if not (_is_as_declared(kind, state) and _is_sound(value, state)):
        raise ModelFileError(
            f"the arrays of its {kind.__name__} are inconsistent; the file was not "
            "written by hilabel."
        )
    if isinstance(value, BaseEstimator):
        value._validate_params()
        limit_jobs(value)


def limit_jobs(estimator: Any) -> None:
    """Limit the number of jobs that a file requests to the number of cores."""
    n_jobs = getattr(estimator, "n_jobs", None)
    if n_jobs is None:
        return
    if not fits(n_jobs, int, {}) or n_jobs == 0:
        raise ModelFileError(f"expected a number of jobs, got {n_jobs!r}.")
    if n_jobs > (os.cpu_count() or 1):
        estimator.n_jobs = -1


def refuse_repetition(value: Any) -> None:
    """Refuse a pipeline with twice the same pipeline as a step, and so on.

    It takes little space in a file, but forever to run.
    """
    known: dict[int, int] = {}
    n_runs = _n_estimators_in(value, known)
    if n_runs > max(_FEW_ESTIMATORS, _MOST_RUNS * len(known)):
        raise ModelFileError(
            f"it would run {n_runs} estimators, but has only {len(known)}; it was not "
            "written by hilabel."
        )


def _n_estimators_in(value: Any, known: dict[int, int]) -> int:
    """Return the number of estimators in a value, each as often as it is used."""
    is_estimator = isinstance(value, BaseEstimator)
    if not (is_estimator or isinstance(value, dict | list | tuple)):
        return 0
    if id(value) not in known:
        known[id(value)] = 0  # in case that it contains itself
        parts = vars(value) if is_estimator else value
        inside = parts.values() if isinstance(parts, dict) else parts
        n_inside = sum(_n_estimators_in(part, known) for part in inside)
        known[id(value)] = n_inside + is_estimator
    return known[id(value)]


def _is_as_declared(kind: Any, state: dict[str, Any]) -> bool:
    """Return whether an object has exactly the declared attributes and types."""
    declared = declared_fields(kind)
    is_estimator = issubclass(kind, BaseEstimator)
    given = dict(state)
    if is_estimator:
        parameters = kind._get_param_names()
        if not given.keys() >= set(parameters):
            return False
        for name in parameters:
            del given[name]
        if not given:
            return True  # not fitted
    if not declared and is_estimator:  # a scikit-learn estimator
        return not any(hasattr(kind, name) for name in given) and all(
            is_moderate(item) for item in given.values()
        )
    sizes: dict[str, int] = {}
    needed = {name for name in declared if not isinstance(declared[name], Maybe)}
    return needed <= given.keys() <= declared.keys() and all(
        fits(item, _inside(declared[name]), sizes) for name, item in given.items()
    )


def _inside(kind: Any) -> Any:
    return kind.kind if isinstance(kind, Maybe) else kind


def _is_sound(value: Any, state: dict[str, Any]) -> bool:
    if isinstance(value, CountVectorizer | HashingVectorizer):
        return _are_words_sound(value)
    if isinstance(value, Pipeline):  # its steps are parameters, fitted or not
        return _are_parts_usable(value)
    if isinstance(value, BaseEstimator) and state.keys() <= {*value._get_param_names()}:
        return True  # not fitted
    is_sound = getattr(value, "is_sound", None)
    return (is_sound is None or is_sound()) and _are_parts_usable(value)


def _are_parts_usable(value: Any) -> bool:
    """Return whether the scikit-learn classifiers in a part of a model are usable."""
    if isinstance(value, LocalModels):
        return all(is_usable(model, 2) for model in value.models)
    if isinstance(value, MulticlassModel):
        n_classes = getattr(value.model, "classes_", np.empty(0)).size
        return is_usable(value.model, n_classes)
    if isinstance(value, Pipeline):
        last = value.steps[-1][1]
        is_model = isinstance(last, BaseHierarchicalClassifier)
        is_fitted = is_model and hasattr(last, "hierarchy_")
        return not is_fitted or is_pipeline_usable(value)
    if isinstance(value, MultiOutputAdapter):
        return is_usable(value.estimator_, value.varying_.size, several=True)
    if isinstance(value, ViewsClassifier):
        return _does_see(value.estimator_, value, value.views_)
    if isinstance(value, Blend):
        seeing = zip(value.members_.values(), value._sees)
        return all(
            _does_see(model, value, value._views[key]) for model, key in seeing if key
        )
    return True


def _does_see(model: Any, value: Any, views: list[Any]) -> bool:
    """Return whether a model expects the additional columns of views."""
    return are_views_usable(views, value.n_features_in_, model.n_features_in_)


def _are_words_sound(vectorizer: Any) -> bool:
    """Return whether a vectoriser maps words to valid columns and reads no files."""
    for name, allowed in _OF_VECTORIZERS.items():
        given = getattr(vectorizer, name)
        if given not in allowed:
            raise ModelFileError(
                f"expected {name}={' or '.join(map(repr, allowed))} of its "
                f"{type(vectorizer).__name__}, got {given!r}."
            )
    words = getattr(vectorizer, "vocabulary_", {})
    idf = getattr(getattr(vectorizer, "_tfidf", None), "idf_", None)
    return bool(
        fits(vectorizer.ngram_range, tuple[int, int], {})
        and max(vectorizer.ngram_range) <= 10
        and getattr(vectorizer, "n_features", 1) <= _MOST_HASHED
        and fits(words, dict[str, int], {})
        and sorted(words.values()) == list(range(len(words)))
        and (idf is None or (idf.shape == (len(words),) and np.isfinite(idf).all()))
    )
