"""Choose the method, its parameters and the preprocessing based on options and data."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from hilabel._methods import (
    SCALED_BASES,
    find_meaning,
    find_method,
    list_methods,
    make_base,
    parameter_sentence,
    set_parameters,
)
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    LinearClassifier,
    NeighborsClassifier,
)
from hilabel.datasets import TableData, TableFiles, TablePreparation
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import Blend, LabelSpreading, ViewsClassifier
from hilabel.tasks._choices import FitChoices
from hilabel.tasks._preset import preset_sentences

_SCALE_THEMSELVES: Final = (
    Blend,
    LabelSpreading,
    LinearClassifier,
    NeighborsClassifier,
    ViewsClassifier,
)


def build_estimator(
    choices: FitChoices, tables: TableData, seconds: float | None = None
) -> tuple[BaseHierarchicalClassifier, list[str]]:
    """Return the estimator to train, and a list of sentences explaining the choice.

    ``seconds`` is what is left for training, if the time is limited.
    """
    resolved = choices.resolved(tables.is_sparse, tables.links is not None)
    method = find_method(str(resolved.method))
    _check_problem(method, tables)
    estimator = method(tables.hierarchy)
    names = estimator.get_params(deep=False)
    if resolved.has_base:
        if "estimator" not in names:
            raise ParameterError(
                f"{method.__name__} has no base classifier; remove the base and its "
                "parameters, estimator__....",
                parameter=("base", "parameters"),
            )
        base = "forest" if resolved.base is None else resolved.base
        estimator.set_params(estimator=make_base(base, method))
    for name, value in (("random_state", resolved.seed), ("n_jobs", resolved.n_jobs)):
        if name in names:
            estimator.set_params(**{name: value})
    _set_limits(estimator, resolved, seconds)
    set_parameters(estimator, resolved.parameters)
    return estimator, _method_sentences(choices, resolved, estimator, tables)


def _set_limits(
    estimator: BaseHierarchicalClassifier, choices: FitChoices, seconds: float | None
) -> None:
    """Limit the time and memory of a method that can keep to limits."""
    limits: dict[str, Any] = {
        name: value
        for name, value in (("budget", seconds), ("memory", choices.memory))
        if value is not None
    }
    if choices.effort != "normal":
        limits["effort"] = choices.effort
    if choices.keep_best:
        limits["keep_best"] = True
    names = estimator.get_params(deep=False)
    for name in limits:
        if name not in names:
            option = "time" if name == "budget" else name
            raise ParameterError(
                f"{type(estimator).__name__} has no option {option}; only the default "
                "method has, so remove one of the two.",
                parameter=(option, "method"),
            )
    estimator.set_params(**limits)


def _check_problem(method: type[BaseHierarchicalClassifier], data: TableData) -> None:
    problem = data.problem_type
    if not method.method_tags.handles(*problem):
        able = [
            name
            for name, other in list_methods().items()
            if other.method_tags.handles(*problem)
        ]
        learns = method.method_tags.semi_supervised
        able.sort(key=lambda name: _distance(find_method(name), learns))
        raise ParameterError(
            f"{method.__name__} handles problems up to "
            f"{method.method_tags.problem_types[-1]}, but the labels are {problem}; "
            f"use {' or '.join(able[:4])}.",
            parameter="method",
        )


def _distance(
    method: type[BaseHierarchicalClassifier], learns: bool
) -> tuple[bool, bool]:
    """Return the sort key of a method suggested in place of an unsuitable one.

    Methods of the same kind as the unsuitable one come first. Within each kind, methods
    that need no optional dependency come first.
    """
    tags = method.method_tags
    return tags.semi_supervised != learns, bool(tags.extra)


def _method_sentences(
    given: FitChoices,
    resolved: FitChoices,
    estimator: BaseHierarchicalClassifier,
    tables: TableData,
) -> list[str]:
    name = type(estimator).__name__
    called = name
    if given.method is not None:
        meaning = find_meaning(given.method)
        if meaning.origin:
            called = f"{meaning} ({meaning.origin})"
    if given.preset is not None:
        why = f" (preset {given.preset})"
    elif given.method is None and given.has_base:
        why = (
            " (the default with a base: one classifier per term, its probabilities "
            "corrected for sampling)"
        )
    elif given.effort == "fast":
        why = " (the fast choice)"
    elif given.method is None:
        why = " (the default: the mean of the best of several models)"
    else:
        why = ""
    settings = ", ".join(f"{k}={v!r}" for k, v in resolved.parameters.items())
    sentences = [f"method: {called}{why}"]
    if "estimator" in estimator.get_params(deep=False):
        base = resolved.base or ("forest" if resolved.has_base else None)
        sentences.append(f"base: {base or f'the default of {name}'}")
    if settings and given.preset is None:  # a preset explains each of them
        sentences.append(f"parameters: {settings}; the others are {name}'s defaults")
    sentences += parameter_sentence(type(estimator), given.parameters)
    n_unlabeled = int((~tables.labels.labeled).sum())
    if n_unlabeled and not estimator.learns_from_unlabeled:
        sentences.append(
            f"unlabelled rows: {n_unlabeled:,}, not used for training ({name} is "
            "supervised; Blend learns from them)"
        )
    return sentences


def preset_sentences_of(
    choices: FitChoices, files: TableFiles, tuned: Mapping[str, Any] | None = None
) -> list[str]:
    """Return what the source of the preset says about each choice, if there is one.

    ``tuned`` are the parameters that were chosen on validation rows.
    """
    if choices.preset is None:
        return []
    resolved = choices.resolved()
    return preset_sentences(
        choices.preset,
        str(resolved.method),
        resolved.parameters,
        tuned or {},
        {
            "base": resolved.base or "forest",
            "minimum": f"{files.options()['min_count']} labelled rows per term",
            "imputation": resolved.impute or "none",
            "scaling": resolved.scale or "none",
            "calibration": "yes" if resolved.calibrates else "none",
            "decision thresholds": "chosen" if resolved.measure else "0.5",
        },
    )


def build_preparation(
    choices: FitChoices, estimator: BaseHierarchicalClassifier, tables: TableData
) -> tuple[TablePreparation, Any, list[str]]:
    """Return the fitted preprocessing, the rows as numbers, and what was done.

    Methods that need the same preprocessing share it.
    """
    resolved = choices.resolved(tables.is_sparse, tables.links is not None)
    takes_missing = estimator._missing_value_advice() is None
    impute, scale = resolved.impute, resolved.scale
    if impute == "auto":
        impute = None if takes_missing else "mean"
    if scale == "auto":
        scale = _suitable_scale(estimator, resolved, tables)
    preparation, X = tables.features(impute, scale)
    if impute is None and not takes_missing:
        _refuse_missing(estimator, tables, preparation, X)
    told = _preparation_sentences(preparation, X.shape[1], tables.n_missing)
    if scale == "range" and resolved.scale == "auto":
        told.append(
            f"scaling: to [0, 1], since {type(estimator).__name__} needs non-negative "
            "values"
        )
    return preparation, X, told


def _preparation_sentences(
    preparation: TablePreparation, n_columns: int, n_missing: int
) -> list[str]:
    """Return what the preprocessing makes of the columns of a table."""
    if preparation.has_no_columns:
        return ["preprocessing: none, since rows have no columns"]
    if preparation.is_sparse_:
        n_sparse = _counted(preparation.n_features_in_, "sparse column")
        return [f"preprocessing: {n_sparse}, used as they are"]
    n_names = len(preparation.categories_)
    n_numeric = preparation.n_features_in_ - n_names - len(preparation.text_)
    made, of_parts = preparation.text_widths(), preparation.part_widths()
    n_encoded = n_columns - n_numeric - sum(n for n, _ in made.values())
    n_encoded -= sum(of_parts.values())
    impute = preparation.impute
    filled = {
        None: "handled by the model",
        "zero": "replaced with 0",
    }.get(impute, f"replaced with the column's {impute}")
    scaled = {
        None: "not scaled",
        "standard": "scaled to mean 0 and standard deviation 1",
        "range": "scaled to [0, 1]",
    }[preparation.scale]
    parts = [
        (n_numeric, f"{_counted(n_numeric, 'numeric column')}, {scaled}"),
        (
            n_names,
            f"{_counted(n_names, 'categorical column')}, encoded as "
            f"{_counted(n_encoded, 'column')} of 0 and 1",
        ),
        (
            n_missing or impute is not None,
            f"{_counted(n_missing, 'missing value')}, {filled}",
        ),
    ]
    told = "; ".join(sentence for count, sentence in parts if count)
    text = [
        f"text: column {name!r}, {'hashed into' if is_hashed else 'encoded as'} "
        f"{_counted(n_columns, 'column')} of words and pairs of adjacent words"
        + (f", and {of_parts[name]:,} of parts of words" if of_parts.get(name) else "")
        for name, (n_columns, is_hashed) in made.items()
    ]
    return [f"preprocessing: {told}", *text]


def _suitable_scale(
    estimator: BaseHierarchicalClassifier, resolved: FitChoices, tables: TableData
) -> str | None:
    if get_tags(estimator).input_tags.positive_only:
        # Word counts must keep their proportions, so they are used as they are.
        _, X = tables.features(None, None)
        return "range" if _has_negative(X) else None
    return "standard" if _compares(estimator, resolved, tables) else None


def _compares(
    estimator: BaseHierarchicalClassifier, resolved: FitChoices, tables: TableData
) -> bool:
    """Return whether features must be scaled before they are passed to the method."""
    if isinstance(estimator, _SCALE_THEMSELVES):
        return tables.is_sparse  # numbers next to words, whose rows have norm 1
    return estimator.method_tags.semi_supervised or resolved.base in SCALED_BASES


def _has_negative(X: Any) -> bool:
    values = X.data if sp.issparse(X) else X
    return bool((values < 0).any())  # False for missing values


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _refuse_missing(
    estimator: BaseHierarchicalClassifier,
    tables: TableData,
    preparation: TablePreparation,
    X: Any,
) -> None:
    cells = sp.coo_array(X) if sp.issparse(X) else None
    missing = (
        np.isnan(X).any(axis=0).nonzero()[0]
        if cells is None
        else cells.col[np.isnan(cells.data)]
    )
    if missing.size:
        column = preparation.get_feature_names_out()[int(missing.min())]
        raise ParameterError(
            f"{tables.name}: column {column!r} has missing values, which "
            f"{type(estimator).__name__} does not support; impute them, for example "
            "with the mean.",
            parameter="impute",
        )
