"""Find methods, that is, public hierarchical classifiers, by name."""

import inspect
import re

import pandas as pd

from hilabel import classifiers, semi_supervised
from hilabel._paper_words import METHOD_WORDS, Meaning, method_words, plain
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
    methods = list_methods()
    tags = {name: method.method_tags.name for name, method in methods.items()}
    known = method_words(tags)
    if plain(name) in known:
        return known[plain(name)]
    shown = {plain(word): word for word in (*tags.values(), *METHOD_WORDS, *methods)}
    raise ParameterError(
        f"Unknown method {name!r}; expected one of {', '.join(methods)}."
        f"{did_you_mean(nearest(plain(name), shown))}",
        parameter="method",
    )


def method_table() -> pd.DataFrame:
    """Return a table of the tags of all methods, with one row per method.

    Returns
    -------
    DataFrame with the columns
        ``method``; ``handles``, the hardest problem type; ``unlabelled``, whether it
        learns from unlabelled rows; ``summary``, in a few words.

    Examples
    --------
    >>> from hilabel.tasks import method_table
    >>> method_table().set_index("method").loc["SSHMCBLI", "handles"]
    '(DAG, MPL, PD)'
    """
    return pd.DataFrame(
        [
            {
                "method": name,
                "handles": str(method.method_tags.problem_types[-1]),
                "unlabelled": method.method_tags.semi_supervised,
                "summary": method.method_tags.summary or _summary(method),
            }
            for name, method in list_methods().items()
        ]
    )


def _is_method(value: object) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, BaseHierarchicalClassifier)
        and not inspect.isabstract(value)
    )


def _summary(method: type) -> str:
    """Return the first line of a docstring, with cross-references as plain names."""
    first = (inspect.getdoc(method) or "").partition("\n")[0]
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", first)
