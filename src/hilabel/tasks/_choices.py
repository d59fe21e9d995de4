"""What a user chooses about the method and the preprocessing; all have defaults."""

from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from hilabel._methods import find_meaning, find_method, named_parameters
from hilabel._table_options import MIN_COUNT_TO_TRAIN
from hilabel.datasets import TableFiles
from hilabel.exceptions import ParameterError
from hilabel.tasks._preset import find_preset

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
# always 0, whereas a linear model uses all columns. For rows of length 1, a large C is
# best; choosing it would take time.
FAST_FOR_WORDS: Final = "LinearClassifier"
FAST_FOR_WORDS_PARAMETERS: Final = {"C": 50.0, "scale": "rows"}

# Where few of the linked rows are labelled, the best single model that takes seconds.
FAST_FOR_LINKS: Final = "LinkSpreading"


@dataclass(frozen=True)
class FitChoices:
    """Options that select the method and the preprocessing; all have defaults.

    Attributes
    ----------
    method : str or None
        A name in :func:`list_methods`, a name in the literature, or a word of the paper
        on SSHMC-BLI, such as ``"V2"``, with the parameters that it implies; None means
        Blend or, with a base or its parameters, a calibrated LocalClassifierPerNode.
    effort : {"fast", "normal", "best"}
        ``"fast"`` trains a single model instead of Blend: PredictiveClusteringForest
        or, for words and signatures, LinearClassifier; with links, LinkSpreading,
        which ignores columns. ``"best"`` gives Blend the time to try all candidates.
    time : float or None
        Time limit in seconds for everything from reading to judging, instead of that of
        ``effort``; for Blend.
    memory : float or None
        Limit of the memory in bytes; by default, what is free. For Blend.
    keep_best : bool
        Whether an interruption (Ctrl-C) ends the search for better models and keeps the
        best so far. For Blend.
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
    measure : bool
        Whether to estimate the quality out of fold, which calibration and thresholds
        need. Otherwise, scores stay as they are, and the threshold is 0.5.
    calibrate : bool or None
        Whether to turn scores into calibrated probabilities, if that makes them more
        accurate. None means True, except with a preset, whose scores stay as they are.
    folds : int or None
        Folds of the labelled rows, for everything that needs them: candidates of Blend,
        networks, calibration, thresholds and the estimate of quality. None means five,
        or ten with fewer than 50 labelled rows.

    Examples
    --------
    >>> from hilabel.tasks import FitChoices
    >>> FitChoices(method="SSHMCBLI", parameters={"n_neighbors": 5}).seed
    0
    """

    method: str | None = None
    effort: Literal["fast", "normal", "best"] = "normal"
    time: float | None = None
    memory: float | None = None
    keep_best: bool = False
    base: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    tune: dict[str, list[Any]] = field(default_factory=dict)
    valid_share: float | None = None
    preset: Literal["paper"] | None = None
    seed: int = 0
    n_jobs: int | None = None
    impute: str | None = "auto"
    scale: str | None = "auto"
    measure: bool = True
    calibrate: bool | None = None
    folds: int | None = None

    def resolved(
        self, has_words: bool = False, has_links: bool = False
    ) -> "FitChoices":
        """Return a copy of the choices with the preset and the defaults filled in.

        ``has_words`` indicates whether the table has a text column, and ``has_links``
        whether its rows are linked.
        """
        fields = dict(vars(self))
        is_fast = self.effort == "fast"
        if is_fast and (self.preset or self.method or self.has_base):
            raise ParameterError(
                "The fast effort cannot be combined with a method, a base or a preset; "
                "remove one of them.",
                parameter=("effort", "method"),
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
        elif is_fast and self.method is None and has_links:
            fields["method"] = FAST_FOR_LINKS
        elif is_fast and has_words:
            fields["method"], implied = FAST_FOR_WORDS, FAST_FOR_WORDS_PARAMETERS
        elif self.method is None:
            fields["method"] = FAST_METHOD if is_fast else DEFAULT_METHOD
        method = find_method(fields["method"])
        given = named_parameters(method, self.parameters)
        tune = named_parameters(method, self.tune)
        self._check_implied(given)
        self._check_tuned(tune, given)
        fields |= {
            "tune": tune,
            "parameters": {**implied, **given},
            "calibrate": self.calibrates,
            "effort": "normal" if is_fast else self.effort,
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

    def with_best(self, best: dict[str, Any]) -> "FitChoices":
        """Return the choices with tuned parameters set to their best values."""
        return replace(
            self, parameters={**self.parameters, **best}, tune={}, valid_share=None
        )

    def counting(self, files: TableFiles) -> TableFiles:
        """Return the files with the preset's minimum count, unless they have one."""
        default = MIN_COUNT_TO_TRAIN
        if self.preset is not None:
            default = find_preset(self.preset).min_count
        return files.counting(default)

    def check_folds(self, n_labeled: int) -> None:
        """Raise an error if there are more folds than labelled rows."""
        if self.folds is not None and self.folds > n_labeled:
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
