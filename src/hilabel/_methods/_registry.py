"""Find methods, that is, public hierarchical classifiers, by name."""

import inspect

from hilabel import classifiers, semi_supervised
from hilabel._methods._words import (
    CAFA_WORDS,
    METHOD_WORDS,
    Meaning,
    method_words,
    plain,
)
from hilabel._suggestions import did_you_mean, nearest
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.exceptions import ParameterError


def list_methods() -> dict[str, type[BaseHierarchicalClassifier]]:
    """Return a dictionary of all methods by name, supervised methods first.

    Examples
    --------
    >>> from hilabel.tasks import list_methods
    >>> "SSHMCBLI" in list_methods()
    True
    """
    return {
        name: getattr(package, name)
        for package in (classifiers, semi_supervised)
        for name in package.__all__
        if _is_method(getattr(package, name))
    }


def find_method(name: str) -> type[BaseHierarchicalClassifier]:
    """Return the method with a given name, ignoring case, spaces and punctuation.

    Parameters
    ----------
    name : str
        The name of a class, a name in the literature, such as ``"SSL-RF"``, or a word
        of the paper on SSHMC-BLI, such as ``"V2"``. Parameters that a word implies,
        such as the variant, are set by :class:`FitChoices` but not here.

    Raises
    ------
    ParameterError
        If there is no such method; the message lists the names.

    Examples
    --------
    >>> from hilabel.tasks import find_method
    >>> find_method("sshmc-bli").__name__, find_method("Metz and Freitas").__name__
    ('SSHMCBLI', 'MetzFreitas')
    """
    return list_methods()[find_meaning(name).method]


def find_meaning(name: str) -> Meaning:
    """Return the method that a word names, and the parameters that it implies."""
    meaning = known_meaning(name)
    if meaning is not None:
        return meaning
    methods, tags = list_methods(), _names_in_literature()
    words = (*tags.values(), *CAFA_WORDS, *METHOD_WORDS, *methods)
    shown = {plain(word): word for word in words}
    raise ParameterError(
        f"Unknown method {name!r}; expected one of {', '.join(methods)}."
        f"{did_you_mean(nearest(plain(name), shown))}",
        parameter="method",
    )


def known_meaning(name: str) -> Meaning | None:
    """Return what :func:`find_meaning` returns, or None for an unknown word."""
    return method_words(_names_in_literature()).get(plain(name))


def _names_in_literature() -> dict[str, str]:
    return {name: method.method_tags.name for name, method in list_methods().items()}


def _is_method(value: object) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, BaseHierarchicalClassifier)
        and not inspect.isabstract(value)
    )
