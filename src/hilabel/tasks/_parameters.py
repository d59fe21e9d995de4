"""Parameters given as text: names checked, values read, classifiers made."""

import ast
import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.forests import ForestClassifier

__all__ = ["BASES", "SCALED_BASES", "make_base", "parse_settings", "set_parameters"]

BASES: Final[dict[str, Callable[[], Any]]] = {
    "forest": ForestClassifier,
    "extra-trees": lambda: ForestClassifier(splitter="random", bootstrap=False),
    "sklearn-forest": RandomForestClassifier,
    "tree": DecisionTreeClassifier,
    "logistic": lambda: LogisticRegression(max_iter=1000),
    # Without a search tree, which a model file could not hold.
    "knn": lambda: KNeighborsClassifier(algorithm="brute"),
    "naive-bayes": GaussianNB,
}
"""The local classifiers that the command line knows by name."""

SCALED_BASES: Final = frozenset({"logistic", "knn"})
"""Those that measure distances or weigh columns, and so need them alike."""

# Given by options of their own, or by the data.
_RESERVED = {
    "hierarchy": "--hierarchy",
    "estimator": "--base",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "verbose": "--quiet",
}


def parse_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Turn ``["n_neighbors=5", "variant=v1"]`` into a dictionary of Python values."""
    parsed: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals or not name or not text.strip():
            raise ValueError(
                f"Expected --set NAME=VALUE, such as --set n_neighbors=5, got "
                f"{setting!r}."
            )
        if name in parsed:
            raise ValueError(f"--set {name} is given twice; give it once.")
        parsed[name] = _value_of(text.strip())
    return parsed


def _value_of(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def make_base(name: str) -> Any:
    """Return a new local classifier by its name in ``BASES``."""
    if name not in BASES:
        raise ValueError(f"Unknown base {name!r}; expected one of {', '.join(BASES)}.")
    return BASES[name]()


def set_parameters(
    estimator: BaseHierarchicalClassifier, parameters: Mapping[str, Any]
) -> None:
    """Set parameters of an estimator, and check names and values at once."""
    known = estimator.get_params(deep=True)
    for name in parameters:
        if name in _RESERVED:
            raise ValueError(f"--set {name}: use the option {_RESERVED[name]} instead.")
        if name not in known:
            raise _unknown_parameter(estimator, name, known)
    estimator.set_params(**parameters)
    parts: list[Any] = [estimator, getattr(estimator, "estimator", None)]
    for part in parts:
        if hasattr(part, "_validate_params"):
            part._validate_params()


def _unknown_parameter(
    estimator: BaseHierarchicalClassifier, name: str, known: Mapping[str, Any]
) -> ValueError:
    offered = sorted(
        k for k in known if k not in _RESERVED and not k.endswith("__random_state")
    )
    near = difflib.get_close_matches(name, offered, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    title = type(estimator).__name__
    return ValueError(
        f"--set {name}: {title} has no such parameter; it has "
        f"{', '.join(offered) or 'none'}.{hint}"
    )
