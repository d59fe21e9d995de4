"""Find methods, that is, public hierarchical classifiers, by name."""

import inspect
import re

import pandas as pd

from hilabel import classifiers, semi_supervised
from hilabel._suggestions import closest, did_you_mean
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
    """Return the method with a given name, ignoring case, hyphens and underscores.

    Parameters
    ----------
    name : str

    Raises
    ------
    ParameterError
        If there is no such method; the message lists the names.

    Examples
    --------
    >>> from hilabel.tasks import find_method
    >>> find_method("sshmc-bli").__name__
    'SSHMCBLI'
    """
    methods = {_plain(known): method for known, method in list_methods().items()}
    if _plain(name) not in methods:
        names = {plain: method.__name__ for plain, method in methods.items()}
        raise ParameterError(
            f"Unknown method {name!r}; expected one of {', '.join(list_methods())}."
            f"{did_you_mean(closest(_plain(name), names))}",
            parameter="method",
        )
    return methods[_plain(name)]


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


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
