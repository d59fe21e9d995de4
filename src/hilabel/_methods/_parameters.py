"""Set parameters by name, and check them before training."""

from collections.abc import Iterable, Mapping
from typing import Any

from hilabel._methods._words import PARAMETER_WORDS, parameter_meant
from hilabel._suggestions import closest, did_you_mean
from hilabel._validation import check_settings
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.exceptions import ParameterError

# Set by other options, or by the data.
_RESERVED = {
    "hierarchy": "hierarchy",
    "estimator": "base",
    "random_state": "seed",
    "n_jobs": "n_jobs",
    "n_splits": "folds",
    "verbose": "report",
}


def set_parameters(
    estimator: BaseHierarchicalClassifier, parameters: Mapping[str, Any]
) -> None:
    """Set parameters of an estimator, and check their names and values."""
    known = estimator.get_params(deep=True)
    for name in parameters:
        if name in _RESERVED:
            raise ParameterError(
                f"{name} cannot be set here; it has an option of its own.",
                parameter=_RESERVED[name],
            )
        if name not in known:
            raise _unknown_parameter(estimator, name, known)
    check_settings(type(estimator).__name__, parameters)
    estimator.set_params(**parameters)
    parts: list[Any] = [estimator, getattr(estimator, "estimator", None)]
    for part in parts:
        if hasattr(part, "_validate_params"):
            part._validate_params()


def named_parameters(
    method: type[BaseHierarchicalClassifier], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Replace the paper's symbols, such as ``k``, with the names of parameters."""
    own = method().get_params(deep=False)
    named: dict[str, Any] = {}
    words: dict[str, str] = {}
    for word, value in given.items():
        name = parameter_meant(word, own)
        if name in named:
            raise ParameterError(
                f"{word} and {words[name]} are the same parameter of "
                f"{method.__name__}, {name}; remove one of them.",
                parameter="parameters",
            )
        named[name], words[name] = value, word
    return named


def parameter_sentence(
    method: type[BaseHierarchicalClassifier], given: Iterable[str]
) -> list[str]:
    """Return a sentence that translates the paper's symbols, if some were used."""
    own = method().get_params(deep=False)
    meant = {word: parameter_meant(word, own) for word in given}
    told = [f"{word} is {name}" for word, name in meant.items() if word != name]
    return [f"the paper's words: {', '.join(told)}"] if told else []


def _unknown_parameter(
    estimator: BaseHierarchicalClassifier, name: str, known: Mapping[str, Any]
) -> ParameterError:
    offered = sorted(
        k for k in known if k not in _RESERVED and not k.endswith("__random_state")
    )
    title = type(estimator).__name__
    return ParameterError(
        f"{title} has no parameter {name!r}; it has {', '.join(offered) or 'none'}."
        f"{did_you_mean(_offered(name, offered))}",
        parameter="parameters",
    )


def _offered(name: str, known: list[str]) -> list[str]:
    """Return the parameters that a misspelt name or symbol may stand for."""
    symbols = {word: meant for word, meant in PARAMETER_WORDS.items() if meant in known}
    return closest(name, {**symbols, **{own: own for own in known}})
