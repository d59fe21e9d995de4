"""Presets: a method, its parameters and everything around it, chosen together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hilabel._paper_words import PARAMETER_WORDS
from hilabel.exceptions import ParameterError
from hilabel.pseudo_labeling import Profile

_NOT_SET: Final = object()
_SYMBOLS: Final = {name: word for word, name in PARAMETER_WORDS.items()}


@dataclass(frozen=True)
class Preset:
    """Choices that belong together, and what their source says about each.

    Attributes
    ----------
    method : str
        The default method.
    methods : dict
        The parameters of each method that the preset supports.
    impute, scale : str or None
    min_count : int
        Terms with fewer labelled training rows are not learned.
    reasons : dict of str
        What the source says, by parameter or choice.
    """

    method: str
    methods: dict[str, dict[str, Any]]
    impute: str
    scale: str | None
    min_count: int
    reasons: dict[str, str] = field(repr=False)

    def method_of(self, given: str | None) -> str:
        """Return the method to use, given the one that was asked for, if any."""
        if given is None:
            return self.method
        if given not in self.methods:
            raise ParameterError(
                f"The preset 'paper' uses {' or '.join(self.methods)}, not {given}; "
                "remove one of them.",
                parameter=("preset", "method"),
            )
        return given


_PAPER: Final = Preset(
    method="SSHMCBLI",
    methods={
        "SSHMCBLI": {
            "variant": "v2",
            "profile": "paper",
            "n_neighbors": 3,
            "similarity_threshold": 0.5,
            "label_threshold": 0.5,
            "similarity_span": 3.0,
            "max_iter": 50,
        },
        "LocalClassifierPerNode": {
            "policy": "balanced_bottom_up",
            "negatives_order": Profile.paper().negatives_order,
        },
    },
    impute="mean",
    scale=None,
    min_count=50,
    reasons={
        "variant": "the best in the paper",
        "profile": "follows the text; 'authors' reproduces the published scores",
        "n_neighbors": "as on the paper's artificial data; on GO, it tunes 3, 4, 5",
        "similarity_threshold": "as on the paper's artificial data; on GO, it tunes "
        "0.3, 0.5, 0.7",
        "label_threshold": "as on the paper's artificial data; not stated for GO",
        "similarity_span": "not stated in the paper; 3 in the authors' program",
        "max_iter": "not stated in the paper",
        "k_step": "the paper: 10",
        "policy": "as in the paper",
        "negatives_order": "follows the text",
        "base": "the paper: one random forest per node, with scikit-learn's defaults, "
        "policy balanced_bottom_up, and no score above a parent's",
        "imputation": "not stated in the paper",
        "scaling": "the paper mentions none",
        "minimum": "the paper: 50 rows of the training set",
        "calibration": "the paper has none",
        "decision thresholds": "the paper needs none, since it measures average "
        "precision",
    },
)

PRESETS: Final[dict[str, Preset]] = {"paper": _PAPER}
"""The presets by name."""


def find_preset(name: str) -> Preset:
    """Return the preset with a given name."""
    if name not in PRESETS:
        raise ParameterError(
            f"Unknown preset {name!r}; expected one of {', '.join(PRESETS)}.",
            parameter="preset",
        )
    return PRESETS[name]


def preset_sentences(
    name: str | None,
    method: str,
    parameters: Mapping[str, Any],
    tuned: Mapping[str, Any],
    choices: Mapping[str, Any],
) -> list[str]:
    """Return one line per choice, with what the source of the preset says about it.

    Parameters
    ----------
    name : str or None
        The preset; without one, there is nothing to say.
    method : str
    parameters : mapping
        The parameters of the method that are set.
    tuned : mapping
        The parameters that were chosen on validation rows.
    choices : mapping
        All other choices, by their names in ``reasons``.
    """
    if name is None:
        return []
    preset = find_preset(name)
    own = preset.methods[method]
    lines = [f"preset {name}, a line per choice:"]
    for key, value in {**parameters, **tuned, **choices}.items():
        symbol = _SYMBOLS.get(key)
        title = f"{key} ({symbol})" if symbol else key
        told = preset.reasons.get(key, "the paper does not have it")
        if key in tuned:
            told = f"tuned; {told}"
        elif key in parameters and own.get(key, _NOT_SET) != value:
            told = f"your choice; {told}"
        lines.append(f"  {title}: {value}; {told}")
    return lines
