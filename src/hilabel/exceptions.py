"""Errors and warnings of hilabel.

Every error is a ``ValueError``, so code written against scikit-learn catches it, and
every message says what was expected, what was found and what to do.
"""

from collections.abc import Iterable, Mapping

__all__ = [
    "DatasetFormatError",
    "DatasetNotFoundError",
    "FeatureError",
    "HierarchyError",
    "HilabelError",
    "HilabelWarning",
    "LabelError",
    "ModelFileError",
    "ParameterError",
    "ScoreError",
    "StudyConfigError",
    "StudyStoreError",
]


class HilabelError(ValueError):
    """Base class of all errors raised by hilabel.

    Parameters
    ----------
    message : str
    parameter : str or iterable of str, default=()
        The parameters to change, by their names in Python. The message ends with them;
        the command line names its options instead.
    culprits : mapping of str to str, optional
        Everything with the same kind of error, such as columns, and what is wrong with
        each. The message only shows the first.

    Examples
    --------
    >>> from hilabel.exceptions import LabelError
    >>> print(LabelError("Term 'teaa' is unknown.", parameter="unknown_terms"))
    Term 'teaa' is unknown. (parameter: unknown_terms)
    """

    def __init__(
        self,
        message: str = "",
        *,
        parameter: str | Iterable[str] = (),
        culprits: Mapping[str, str] | None = None,
    ):
        super().__init__(message)
        self.message = message
        self.culprits = dict(culprits or {})
        self.parameter = (parameter,) if isinstance(parameter, str) else (*parameter,)

    def __str__(self) -> str:
        return self.naming("parameter", self.parameter)

    def naming(self, kind: str, names: Iterable[str]) -> str:
        """Return the message followed by the names of parameters or options."""
        listed = ", ".join(names)
        return f"{self.message} ({kind}: {listed})" if listed else self.message


class ParameterError(HilabelError):
    """A parameter has an invalid value, or two parameters contradict each other."""


class HierarchyError(HilabelError):
    """The nodes and edges do not form a hierarchy, or do not match the data."""


class FeatureError(HilabelError):
    """A feature value is outside the supported range."""


class LabelError(HilabelError):
    """A label matrix has the wrong shape, values or hierarchy."""


class ScoreError(HilabelError):
    """A score matrix has the wrong shape, or holds NaN or infinite values."""


class DatasetFormatError(HilabelError):
    """A data file does not follow its format; the message names file and line."""


class DatasetNotFoundError(FileNotFoundError, ValueError):
    """A data set is not on this machine; the message says how to get it."""

    # OSError's own __str__ would print an errno pair instead of the message.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ModelFileError(HilabelError):
    """A model file is damaged, too new, or contains types that must not be loaded."""


class StudyConfigError(HilabelError):
    """A study file is invalid; the message names file and line."""


class StudyStoreError(HilabelError):
    """A results folder cannot be read; the message names the file."""


class HilabelWarning(UserWarning):
    """Base class of all warnings issued by hilabel."""
