"""What to train, and on what: choices made by the user, and those made for them."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from hilabel._typing import LabelArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    LogisticClassifier,
    NeighborsClassifier,
)
from hilabel.datasets import HMCDataset, TableData, TablePreparation
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import Blend, LabelSpreading, ViewsClassifier
from hilabel.tasks._methods import find_method, list_methods
from hilabel.tasks._parameters import SCALED_BASES, make_base, set_parameters

# The best of those that were compared (docs/unlabelled_rows.md), and the fastest that
# is nearly as good on numbers. A base classifier asks for one classifier per term.
DEFAULT_METHOD: Final = "Blend"
FAST_METHOD: Final = "PredictiveClusteringForest"
DEFAULT_WITH_BASE: Final = "LocalClassifierPerNode"
DEFAULT_WITH_BASE_PARAMETERS: Final = {
    "policy": "balanced_bottom_up",
    "calibration": "prior",
}

# A forest asks a few columns on the way of a row, and those of words are almost always
# 0: a linear model weighs all of them. Rows of words have length 1, where the usual C
# learns too little.
FAST_FOR_WORDS: Final = "LogisticClassifier"
FAST_FOR_WORDS_PARAMETERS: Final = {"C": 30.0, "scale": False}

_SCALE_THEMSELVES: Final = (
    Blend,
    LabelSpreading,
    LogisticClassifier,
    NeighborsClassifier,
    ViewsClassifier,
)

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "paper": {
        "method": "SSHMCBLI",
        "parameters": {
            "variant": "v2",
            "n_neighbors": 3,
            "similarity_threshold": 0.5,
            "label_threshold": 0.5,
            "max_iter": 50,
        },
        "impute": "mean",
        "scale": None,
    }
}
"""Sets of choices by name. The paper does not say how missing values are filled."""


@dataclass(frozen=True)
class FitChoices:
    """What to train and how; everything has a default.

    Attributes
    ----------
    method : str or None
        A name in :func:`list_methods`; None is Blend or, with a base or its parameters,
        a calibrated LocalClassifierPerNode.
    fast : bool
        In place of Blend train one quick model: PredictiveClusteringForest or, for
        words and signatures, LogisticClassifier.
    base : str or None
        The local classifier by name, such as ``"logistic"``; None is the method's.
    parameters : dict
        Of the method; those of the base start with ``estimator__``.
    preset : {"paper"} or None
        Method, parameters and preprocessing together.
    seed : int
    n_jobs : int or None
    impute : {"auto", "mean", "median", "zero"} or None
        ``"auto"`` fills missing values if the method cannot take them.
    scale : {"auto", "standard", "range"} or None
        ``"auto"`` scales if the method measures distances or needs values of 0 and
        more.
    thresholds : {"fmax", "f1"} or None
        What to choose thresholds for; None leaves 0.5, calibrates nothing and
        estimates no quality.
    calibrate : bool
        Whether to turn scores into calibrated probabilities.
    folds : int
        Folds of the labelled rows for calibration, thresholds and the estimate of
        quality.

    Examples
    --------
    >>> from hilabel.tasks import FitChoices
    >>> FitChoices(method="SSHMCBLI", parameters={"n_neighbors": 5}).seed
    0
    """

    method: str | None = None
    fast: bool = False
    base: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    preset: Literal["paper"] | None = None
    seed: int = 0
    n_jobs: int | None = None
    impute: str | None = "auto"
    scale: str | None = "auto"
    thresholds: Literal["fmax", "f1"] | None = "fmax"
    calibrate: bool = True
    folds: int = 3

    def resolved(self, has_words: bool = False) -> "FitChoices":
        """Return the choices with the preset and the defaults written out.

        ``has_words`` says whether the table has a column of text.
        """
        fields = dict(vars(self))
        if self.fast and (self.preset or self.method or self.has_base):
            raise ParameterError(
                "The fast choice is a method of its own, which another method, a base "
                "or a preset contradicts; leave one of them out.",
                parameter=("fast", "method"),
            )
        if self.preset is not None:
            if self.preset not in PRESETS:
                raise ParameterError(
                    f"Unknown preset {self.preset!r}; expected one of "
                    f"{', '.join(PRESETS)}.",
                    parameter="preset",
                )
            preset = PRESETS[self.preset]
            if self.method not in (None, preset["method"]):
                raise ParameterError(
                    f"The preset {self.preset!r} is {preset['method']}, which "
                    f"{self.method} contradicts; leave one of them out.",
                    parameter=("preset", "method"),
                )
            fields["method"] = preset["method"]
            fields["parameters"] = {**preset["parameters"], **self.parameters}
            for name in ("impute", "scale"):
                if fields[name] == "auto":
                    fields[name] = preset[name]
        elif self.method is None and self.has_base:
            fields["method"] = DEFAULT_WITH_BASE
            fields["parameters"] = {**DEFAULT_WITH_BASE_PARAMETERS, **self.parameters}
        elif self.fast and has_words:
            fields["method"] = FAST_FOR_WORDS
            fields["parameters"] = {**FAST_FOR_WORDS_PARAMETERS, **self.parameters}
        elif self.method is None:
            fields["method"] = FAST_METHOD if self.fast else DEFAULT_METHOD
        return FitChoices(**{**fields, "fast": False})

    def check_folds(self, n_labeled: int) -> None:
        """Refuse more folds than there are labelled rows."""
        if self.folds > n_labeled:
            raise ParameterError(
                f"Expected at least one labelled row for each of {self.folds} folds, "
                f"got {n_labeled}; ask for fewer.",
                parameter="folds",
            )

    @property
    def has_base(self) -> bool:
        """Whether a base classifier is named, or one of its parameters."""
        names = self.parameters
        return self.base is not None or any(n.startswith("estimator__") for n in names)


def build_estimator(
    choices: FitChoices, data: HMCDataset
) -> tuple[BaseHierarchicalClassifier, list[str]]:
    """Return the estimator to train, and sentences on what was chosen and why."""
    resolved = choices.resolved(sp.issparse(data.X))
    method = find_method(str(resolved.method))
    _check_problem(method, data)
    estimator = method(data.hierarchy)
    names = estimator.get_params(deep=False)
    if resolved.has_base:
        if "estimator" not in names:
            raise ParameterError(
                f"{method.__name__} has no base classifier; leave it and its "
                "parameters, estimator__..., out.",
                parameter=("base", "parameters"),
            )
        base = "forest" if resolved.base is None else resolved.base
        estimator.set_params(estimator=make_base(base))
    for name, value in (("random_state", resolved.seed), ("n_jobs", resolved.n_jobs)):
        if name in names:
            estimator.set_params(**{name: value})
    set_parameters(estimator, resolved.parameters)
    return estimator, _method_sentences(choices, resolved, estimator, data)


def _check_problem(method: type[BaseHierarchicalClassifier], data: HMCDataset) -> None:
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
    """Order methods: of the same kind first, and of those what is installed."""
    tags = method.method_tags
    return tags.semi_supervised != learns, bool(tags.extra)


def _method_sentences(
    given: FitChoices,
    resolved: FitChoices,
    estimator: BaseHierarchicalClassifier,
    data: HMCDataset,
) -> list[str]:
    name = type(estimator).__name__
    if given.preset is not None:
        why = f" (preset {given.preset})"
    elif given.method is None and given.has_base:
        why = (
            " (the default with a base: one classifier per term, its probabilities "
            "corrected for sampling)"
        )
    elif given.fast:
        why = " (the fast choice)"
    elif given.method is None:
        why = " (the default: the mean of the best of several models)"
    else:
        why = ""
    settings = ", ".join(f"{k}={v!r}" for k, v in resolved.parameters.items())
    sentences = [f"method: {name}{why}"]
    if "estimator" in estimator.get_params(deep=False):
        base = resolved.base or ("forest" if resolved.has_base else None)
        sentences.append(f"base: {base or f'the default of {name}'}")
    if settings:
        sentences.append(f"parameters: {settings}; the others are {name}'s defaults")
    n_unlabeled = int((~data.labeled).sum())
    if n_unlabeled and not estimator.method_tags.semi_supervised:
        sentences.append(
            f"unlabelled rows: {n_unlabeled:,}, not used for training ({name} is "
            "supervised; Blend learns from them)"
        )
    return sentences


def training_labels(
    estimator: BaseHierarchicalClassifier, data: TableData
) -> tuple[LabelArray, list[str]]:
    """Return labels that a method can learn from, and a sentence on what is unknown."""
    dataset = data.dataset
    if not dataset.is_partly_known:
        return dataset.Y, []
    told = ", ".join(
        f"{count} labelled rows in {aspect or 'some terms'}"
        for aspect, count in data.report.unknown_rows.items()
    )
    if estimator.method_tags.partial_labels:
        return dataset.Y, [f"unknown: {told}, where they are left out"]
    return dataset.complete().Y, [
        f"unknown: {told}, which {type(estimator).__name__} cannot leave out and takes "
        "as absent; measures leave them out"
    ]


def build_preparation(
    choices: FitChoices,
    estimator: BaseHierarchicalClassifier,
    data: TableData,
) -> tuple[TablePreparation, list[str]]:
    """Return the preparation of columns, fitted, and sentences that state it."""
    resolved = choices.resolved(sp.issparse(data.dataset.X))
    takes_missing = estimator._missing_value_advice() is None
    impute, scale = resolved.impute, resolved.scale
    if impute == "auto":
        impute = None if takes_missing else "mean"
    if scale == "auto":
        scale = "standard" if _compares(estimator, resolved, data.dataset.X) else None
        if get_tags(estimator).input_tags.positive_only:
            scale = "range"
    n_missing = data.dataset.n_missing
    if impute is None and n_missing and not takes_missing:
        raise _missing_values(estimator, data.dataset)
    preparation = TablePreparation(impute, scale).fit(data.table)
    n_names = len(preparation.categories_)
    filled = {
        None: "handled by the model",
        "zero": "filled with 0",
    }.get(impute, f"filled with the column's {impute}")
    scaled = {
        None: "not scaled",
        "standard": "scaled to mean 0 and standard deviation 1",
        "range": "scaled to 0 ... 1",
    }[scale]
    if preparation.is_sparse_:
        n_columns = _counted(preparation.n_features_in_, "sparse column")
        return preparation, [f"preprocessing: {n_columns}, taken as they are"]
    n_numeric = preparation.n_features_in_ - n_names - len(preparation.text_)
    made = preparation.text_widths()
    n_encoded = data.dataset.n_features - n_numeric - sum(n for n, _ in made.values())
    parts = [
        (n_numeric, f"{_counted(n_numeric, 'column')} of numbers, {scaled}"),
        (
            n_names,
            f"{_counted(n_names, 'column')} of names, written as "
            f"{_counted(n_encoded, 'column')} of 0 and 1",
        ),
        (
            n_missing or impute is not None,
            f"{_counted(n_missing, 'missing value')}, {filled}",
        ),
    ]
    told = "; ".join(sentence for count, sentence in parts if count)
    text = [
        f"text: column {name!r}, {'hashed into' if is_hashed else 'written as'} "
        f"{_counted(n_columns, 'column')} of words and pairs of neighbouring words"
        for name, (n_columns, is_hashed) in made.items()
    ]
    return preparation, [f"preprocessing: {told}", *text]


def _compares(
    estimator: BaseHierarchicalClassifier, resolved: FitChoices, X: Any
) -> bool:
    """Whether columns are weighed against each other, and not scaled by the method."""
    if isinstance(estimator, _SCALE_THEMSELVES):
        return sp.issparse(X)  # numbers beside words, which have length 1
    return estimator.method_tags.semi_supervised or resolved.base in SCALED_BASES


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _missing_values(
    estimator: BaseHierarchicalClassifier, data: HMCDataset
) -> ParameterError:
    cells = sp.coo_array(data.X)
    column = int(cells.col[np.isnan(cells.data)].min())
    name = type(estimator).__name__
    return ParameterError(
        f"{data.name}: column {data.feature_names[column]!r} has missing values, which "
        f"{name} cannot take; fill them, with the mean for example.",
        parameter="impute",
    )
