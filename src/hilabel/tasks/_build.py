"""Choose the method, its parameters and the preprocessing based on options and data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from hilabel._table_options import MIN_COUNT_TO_TRAIN
from hilabel._typing import LabelArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    LogisticClassifier,
    NeighborsClassifier,
)
from hilabel.datasets import HMCDataset, TableData, TablePreparation
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import Blend, LabelSpreading, ViewsClassifier
from hilabel.tasks._files import TableFiles
from hilabel.tasks._methods import find_meaning, find_method, list_methods
from hilabel.tasks._parameters import (
    SCALED_BASES,
    make_base,
    named_parameters,
    parameter_sentence,
    set_parameters,
)
from hilabel.tasks._preset import find_preset, preset_sentences

# The best method in docs/unlabelled_rows.md, and the fastest that is nearly as good on
# numbers. With a base classifier, there is one classifier per term.
DEFAULT_METHOD: Final = "Blend"
FAST_METHOD: Final = "PredictiveClusteringForest"
DEFAULT_WITH_BASE: Final = "LocalClassifierPerNode"
DEFAULT_WITH_BASE_PARAMETERS: Final = {
    "policy": "balanced_bottom_up",
    "calibration": "prior",
}

# The path of a row through a tree uses few columns, and columns of words are almost
# always 0, whereas a linear model uses all columns. Rows of words have norm 1, for
# which the usual C regularises too much.
FAST_FOR_WORDS: Final = "LogisticClassifier"
FAST_FOR_WORDS_PARAMETERS: Final = {"C": 30.0, "scale": False}

_SCALE_THEMSELVES: Final = (
    Blend,
    LabelSpreading,
    LogisticClassifier,
    NeighborsClassifier,
    ViewsClassifier,
)


@dataclass(frozen=True)
class FitChoices:
    """Options that select the method and the preprocessing; all have defaults.

    Attributes
    ----------
    method : str or None
        A name in :func:`list_methods`, a name in the literature, or a word of the paper
        on SSHMC-BLI, such as ``"V2"``, with the parameters that it implies; None means
        Blend or, with a base or its parameters, a calibrated LocalClassifierPerNode.
    fast : bool
        Train one fast model instead of Blend: PredictiveClusteringForest or, for words
        and signatures, LogisticClassifier.
    base : str or None
        Name of the base classifier, such as ``"logistic"``; None means the method's
        default.
    parameters : dict
        Parameters of the method, also by the paper's symbols, such as ``"k"``; those of
        the base start with ``estimator__``.
    tune : dict of lists
        Parameters and the values to try, such as ``{"k": [3, 4, 5]}``. All combinations
        are tried by :func:`fit_table`, and the best on validation rows is kept.
    valid_share : float or None
        The share of the labelled rows to tune on, without training on them, unless the
        files contain validation rows.
    preset : {"paper"} or None
        Method, parameters, preprocessing, minimum count and calibration together.
    seed : int
    n_jobs : int or None
    impute : {"auto", "mean", "median", "zero"} or None
        ``"auto"`` imputes missing values if the method does not support them.
    scale : {"auto", "standard", "range"} or None
        ``"auto"`` scales if the method uses distances, or if it needs non-negative
        values and the table has negative ones.
    thresholds : {"fmax", "f1"} or None
        The measure that the thresholds maximise; None keeps 0.5, without calibration or
        an estimate of quality.
    calibrate : bool or None
        Whether to turn scores into calibrated probabilities. None means True, except
        with a preset, whose scores stay as they are.
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
    tune: dict[str, list[Any]] = field(default_factory=dict)
    valid_share: float | None = None
    preset: Literal["paper"] | None = None
    seed: int = 0
    n_jobs: int | None = None
    impute: str | None = "auto"
    scale: str | None = "auto"
    thresholds: Literal["fmax", "f1"] | None = "fmax"
    calibrate: bool | None = None
    folds: int = 3

    def resolved(self, has_words: bool = False) -> "FitChoices":
        """Return a copy of the choices with the preset and the defaults filled in.

        ``has_words`` indicates whether the table has a text column.
        """
        fields = dict(vars(self))
        if self.fast and (self.preset or self.method or self.has_base):
            raise ParameterError(
                "The fast choice cannot be combined with a method, a base or a preset; "
                "remove one of them.",
                parameter=("fast", "method"),
            )
        implied: dict[str, Any] = {}
        if self.method is not None:
            meaning = find_meaning(self.method)
            fields["method"], implied = meaning.method, meaning.parameters
        if self.preset is not None:
            preset = find_preset(self.preset)
            fields["method"] = preset.method_of(fields["method"])
            implied = {**preset.methods[fields["method"]], **implied}
            for name in ("impute", "scale"):
                if fields[name] == "auto":
                    fields[name] = getattr(preset, name)
        elif self.method is None and self.has_base:
            fields["method"], implied = DEFAULT_WITH_BASE, DEFAULT_WITH_BASE_PARAMETERS
        elif self.fast and has_words:
            fields["method"], implied = FAST_FOR_WORDS, FAST_FOR_WORDS_PARAMETERS
        elif self.method is None:
            fields["method"] = FAST_METHOD if self.fast else DEFAULT_METHOD
        method = find_method(fields["method"])
        given = named_parameters(method, self.parameters)
        tune = named_parameters(method, self.tune)
        self._check_implied(given)
        self._check_tuned(tune, given)
        fields |= {
            "tune": tune,
            "parameters": {**implied, **given},
            "calibrate": self.calibrates,
            "fast": False,
        }
        return FitChoices(**fields)

    def _check_implied(self, given: dict[str, Any]) -> None:
        """Raise an error for a parameter that contradicts the word for the method."""
        if self.method is None:
            return
        meaning = find_meaning(self.method)
        for name, value in meaning.parameters.items():
            if name in given and given[name] != value:
                raise ParameterError(
                    f"{self.method} is {meaning}, not {name}={given[name]!r}; remove "
                    f"one of them, or use {meaning.method} as the method.",
                    parameter=("method", "parameters"),
                )

    def _check_tuned(self, tune: dict[str, Any], given: dict[str, Any]) -> None:
        """Raise an error for a tuned parameter that is set, or has no values."""
        fixed = dict(given)
        if self.method is not None:
            fixed |= find_meaning(self.method).parameters
        for name, values in tune.items():
            if name in fixed:
                raise ParameterError(
                    f"{name} is both set to {fixed[name]!r} and tuned; remove one of "
                    "them.",
                    parameter=("parameters", "tune"),
                )
            if not values:
                raise ParameterError(
                    f"Expected values of {name} to try, got none; add some or remove "
                    "it.",
                    parameter="tune",
                )

    def refuse_tuning(self) -> None:
        """Raise an error if there are parameters to tune."""
        if self.tune or self.valid_share is not None:
            raise ParameterError(
                "Parameters are only tuned by fit_table; tune and train there, and "
                "evaluate the model on test rows.",
                parameter=("tune", "valid_share"),
            )

    def counting(self, files: TableFiles) -> TableFiles:
        """Return the files with the preset's minimum count, unless they have one."""
        default = MIN_COUNT_TO_TRAIN
        if self.preset is not None:
            default = find_preset(self.preset).min_count
        return files.counting(default)

    def check_folds(self, n_labeled: int) -> None:
        """Raise an error if there are more folds than labelled rows."""
        if self.folds > n_labeled:
            raise ParameterError(
                f"Expected at least one labelled row for each of {self.folds} folds, "
                f"got {n_labeled}; use fewer folds.",
                parameter="folds",
            )

    @property
    def calibrates(self) -> bool:
        """Whether to calibrate, with the default filled in."""
        return self.preset is None if self.calibrate is None else self.calibrate

    @property
    def has_base(self) -> bool:
        """Whether a base classifier is given, or a parameter of one is set or tuned."""
        names = (*self.parameters, *self.tune)
        return self.base is not None or any(n.startswith("estimator__") for n in names)


def build_estimator(
    choices: FitChoices, data: HMCDataset
) -> tuple[BaseHierarchicalClassifier, list[str]]:
    """Return the estimator to train, and a list of sentences explaining the choice."""
    resolved = choices.resolved(sp.issparse(data.X))
    method = find_method(str(resolved.method))
    _check_problem(method, data)
    estimator = method(data.hierarchy)
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
    data: HMCDataset,
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
    elif given.fast:
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
    n_unlabeled = int((~data.labeled).sum())
    if n_unlabeled and not estimator.learns_from_unlabeled:
        sentences.append(
            f"unlabelled rows: {n_unlabeled:,}, not used for training ({name} is "
            "supervised; Blend learns from them)"
        )
    return sentences


def preset_told(
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
            "decision thresholds": resolved.thresholds or "0.5",
        },
    )


def training_labels(
    estimator: BaseHierarchicalClassifier, data: TableData
) -> tuple[LabelArray, list[str]]:
    """Return labels that the method supports, and a note if some are unknown."""
    dataset = data.dataset
    if not dataset.is_partly_known:
        return dataset.Y, []
    told = ", ".join(
        f"{count} labelled rows in {aspect or 'some terms'}"
        for aspect, count in data.report.unknown_rows.items()
    )
    if estimator.method_tags.partial_labels:
        return dataset.Y, [f"unknown: {told}, where they are ignored"]
    return dataset.complete().Y, [
        f"unknown: {told}, which {type(estimator).__name__} treats as absent; measures "
        "ignore them"
    ]


def build_preparation(
    choices: FitChoices,
    estimator: BaseHierarchicalClassifier,
    data: TableData,
) -> tuple[TablePreparation, list[str]]:
    """Return the fitted preprocessing, and a list of sentences describing it."""
    resolved = choices.resolved(sp.issparse(data.dataset.X))
    takes_missing = estimator._missing_value_advice() is None
    impute, scale = resolved.impute, resolved.scale
    if impute == "auto":
        impute = None if takes_missing else "mean"
    is_own_scale = scale != "auto"
    if scale == "auto":
        scale = _suitable_scale(estimator, resolved, data.dataset.X)
    n_missing = data.dataset.n_missing
    if impute is None and n_missing and not takes_missing:
        raise _missing_values(estimator, data.dataset)
    preparation = TablePreparation(impute, scale).fit(data.table)
    n_names = len(preparation.categories_)
    filled = {
        None: "handled by the model",
        "zero": "replaced with 0",
    }.get(impute, f"replaced with the column's {impute}")
    scaled = {
        None: "not scaled",
        "standard": "scaled to mean 0 and standard deviation 1",
        "range": "scaled to [0, 1]",
    }[scale]
    if scale == "range" and not is_own_scale:
        scaled += f", since {type(estimator).__name__} needs non-negative values"
    if preparation.is_sparse_:
        n_columns = _counted(preparation.n_features_in_, "sparse column")
        return preparation, [f"preprocessing: {n_columns}, used as they are"]
    n_numeric = preparation.n_features_in_ - n_names - len(preparation.text_)
    made = preparation.text_widths()
    n_encoded = data.dataset.n_features - n_numeric - sum(n for n, _ in made.values())
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
        for name, (n_columns, is_hashed) in made.items()
    ]
    return preparation, [f"preprocessing: {told}", *text]


def _suitable_scale(
    estimator: BaseHierarchicalClassifier, resolved: FitChoices, X: Any
) -> str | None:
    if get_tags(estimator).input_tags.positive_only:
        # Word counts must keep their proportions, so they are used as they are.
        return "range" if _has_negative(X) else None
    return "standard" if _compares(estimator, resolved, X) else None


def _compares(
    estimator: BaseHierarchicalClassifier, resolved: FitChoices, X: Any
) -> bool:
    """Return whether features must be scaled before they are passed to the method."""
    if isinstance(estimator, _SCALE_THEMSELVES):
        return sp.issparse(X)  # numbers next to words, whose rows have norm 1
    return estimator.method_tags.semi_supervised or resolved.base in SCALED_BASES


def _has_negative(X: Any) -> bool:
    values = X.data if sp.issparse(X) else X
    return bool((values < 0).any())  # False for missing values


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
        f"{name} does not support; impute them, for example with the mean.",
        parameter="impute",
    )
