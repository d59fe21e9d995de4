"""A table of all methods, for people who choose one."""

import inspect
import re

import pandas as pd

from hilabel._methods._registry import list_methods


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


def _summary(method: type) -> str:
    """Return the first line of a docstring, with cross-references as plain names."""
    first = (inspect.getdoc(method) or "").partition("\n")[0]
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", first)
