"""Presets: a method, its parameters and everything around it, chosen together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hilabel._methods import PARAMETER_WORDS
from hilabel.exceptions import ParameterError
from hilabel.pseudo_labeling import Profile

_NOT_SET: Final = object()
_OF_BASE: Final = "estimator__"
_SYMBOLS: Final = {name: word for word, name in PARAMETER_WORDS.items()}


@dataclass(frozen=True)
class Source:
    """What the source of a preset says about a choice.

    Attributes
    ----------
    agreeing : str
        Said of the source's value.
    differing : str
        Said of any other value; empty if ``agreeing`` holds for all values.
    value : object
        The source's value, if it is not among the parameters of the preset.
    """

    agreeing: str
    differing: str = ""
    value: Any = _NOT_SET

    def about(self, is_same: bool) -> str:
        """Return what to say about a value that is the source's or another one."""
        return self.agreeing if is_same else self.differing or self.agreeing


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
    sources : dict of Source
        What the source says, by parameter or choice.
    """

    method: str
    methods: dict[str, dict[str, Any]]
    impute: str
    scale: str | None
    min_count: int
    sources: dict[str, Source] = field(repr=False)

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
    sources={
        "variant": Source("the best in the paper", "the paper's best is v2"),
        "profile": Source(
            "follows the text; 'authors' reproduces the published scores",
            "'paper' follows the text, 'authors' reproduces the published scores",
        ),
        "n_neighbors": Source(
            "as on the paper's artificial data; on GO, it tunes 3, 4, 5",
            "the paper: 3 on its artificial data; on GO, it tunes 3, 4, 5",
        ),
        "similarity_threshold": Source(
            "as on the paper's artificial data; on GO, it tunes 0.3, 0.5, 0.7",
            "the paper: 0.5 on its artificial data; on GO, it tunes 0.3, 0.5, 0.7",
        ),
        "label_threshold": Source(
            "as on the paper's artificial data; not stated for GO",
            "the paper: 0.5 on its artificial data; not stated for GO",
        ),
        "similarity_span": Source("not stated in the paper; 3 in the authors' program"),
        "max_iter": Source("not stated in the paper"),
        "k_step": Source("as in the paper", "the paper: 10", 10),
        "metric": Source("as in the paper", "the paper: euclidean", "euclidean"),
        "policy": Source("as in the paper", "the paper: balanced_bottom_up"),
        "constraint": Source(
            "as in the paper", "the paper: no score above a parent's", "min"
        ),
        "negatives_order": Source("follows the text", "the text: siblings_first"),
        _OF_BASE: Source("the paper: scikit-learn's defaults"),
        "base": Source(
            "the paper: one random forest per node, with scikit-learn's defaults, "
            "policy balanced_bottom_up, and no score above a parent's"
        ),
        "imputation": Source("not stated in the paper"),
        "scaling": Source("the paper mentions none"),
        "minimum": Source("the paper: 50 rows of the training set"),
        "calibration": Source("the paper has none"),
        "decision thresholds": Source(
            "the paper needs none, since it measures average precision"
        ),
    },
)
_UNKNOWN: Final = Source("the paper does not have it")

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
        All other choices, by their names in ``sources``.
    """
    if name is None:
        return []
    preset = find_preset(name)
    own = preset.methods[method]
    lines = [f"preset {name}, a line per choice:"]
    for key, value in {**parameters, **tuned, **choices}.items():
        symbol = _SYMBOLS.get(key)
        title = f"{key} ({symbol})" if symbol else key
        of_base = key.startswith(_OF_BASE)
        source = preset.sources.get(_OF_BASE if of_base else key, _UNKNOWN)
        is_same = own.get(key, source.value) == value
        if key in tuned:
            told = f" (tuned; {source.about(False)})"
        elif key in parameters and not is_same:
            told = f" (your choice; {source.about(False)})"
        else:
            told = f"; {source.about(True)}"
        lines.append(f"  {title}: {value}{told}")
    return lines
