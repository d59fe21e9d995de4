"""Errors and warnings of hilabel.

Every error is a ``ValueError``, so code written against scikit-learn catches it, and
every message says what was expected, what came, and what to do.
"""

__all__ = [
    "DatasetFormatError",
    "DatasetNotFoundError",
    "HierarchyError",
    "HilabelWarning",
    "LabelError",
    "ModelFileError",
    "ScoreError",
    "StudyConfigError",
    "StudyStoreError",
]


class HierarchyError(ValueError):
    """The nodes and edges given do not form a hierarchy, or do not fit the data."""


class LabelError(ValueError):
    """A label matrix has the wrong shape, values or hierarchy."""


class ScoreError(ValueError):
    """A score matrix has the wrong shape, or holds NaN or infinite values."""


class DatasetFormatError(ValueError):
    """A data file does not follow its format; the message names file and line."""


class DatasetNotFoundError(FileNotFoundError, ValueError):
    """A named data set is not on this machine; the message says how to get it."""

    # OSError's own __str__ would print an errno pair; the message is the point here.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ModelFileError(ValueError):
    """A model file is damaged, too new, or holds what must not be loaded."""


class StudyConfigError(ValueError):
    """A study file is not as it should be; the message names file and line."""


class StudyStoreError(ValueError):
    """A results folder cannot be read; the message names the file."""


class HilabelWarning(UserWarning):
    """Base of all warnings given by hilabel."""
