"""Errors and warnings of hilabel.

Every error is a ``ValueError``, so code written for scikit-learn catches it, and every
message states what was expected, what was found and what to do.
"""

from collections.abc import Iterable, Mapping
from os import PathLike, fspath

__all__ = [
    "DatasetFormatError",
    "DatasetNotFoundError",
    "FeatureError",
    "HierarchyError",
    "HilabelError",
    "HilabelWarning",
    "LabelError",
    "LinkError",
    "ModelFileError",
    "ParameterError",
    "ScoreError",
    "StudyConfigError",
    "StudyStoreError",
]


class HilabelError(ValueError):
    """Base class for all errors raised by hilabel.

    Parameters
    ----------
    reason : str
    source : path-like, optional
        The file with the error.
    line, row : int, optional
        The position of the error in the file, counted from 1: a line of a text file, or
        a row of another table.
    parameter : str or iterable of str, default=()
        The parameters to change, by their names in Python. The message ends with them;
        the command line names its options instead.
    culprits : mapping of str to str, optional
        Everything with the same kind of error, such as columns, and what is wrong with
        each. The message only shows the first.

    Attributes
    ----------
    message : str
        The file, the position and the reason, as far as they are known.

    Examples
    --------
    >>> from hilabel.exceptions import LabelError
    >>> print(LabelError("Term 'teaa' is unknown.", parameter="unknown_terms"))
    Term 'teaa' is unknown. (parameter: unknown_terms)

    The message starts with the file and the line, which are also attributes:

    >>> from hilabel.exceptions import DatasetFormatError
    >>> error = DatasetFormatError("the id is empty.", source="shop.csv", line=3)
    >>> print(error)
    shop.csv, line 3: the id is empty.
    >>> error.source, error.line, error.reason
    ('shop.csv', 3, 'the id is empty.')
    """

    def __init__(
        self,
        reason: str = "",
        *,
        source: str | PathLike[str] | None = None,
        line: int | None = None,
        row: int | None = None,
        parameter: str | Iterable[str] = (),
        culprits: Mapping[str, str] | None = None,
    ):
        self.reason = reason
        self.source = None if source is None else fspath(source)
        self.line, self.row = line, row
        place = ", ".join(filter(None, (self.source, self.position)))
        self.message = ": ".join(filter(None, (place, reason)))
        super().__init__(self.message)
        self.culprits = dict(culprits or {})
        self.parameter = (parameter,) if isinstance(parameter, str) else (*parameter,)

    def __str__(self) -> str:
        return self.naming("parameter", self.parameter)

    @property
    def position(self) -> str:
        """The line or the row in words, such as ``line 3``; "" if it is unknown."""
        if self.line is not None:
            return f"line {self.line}"
        return "" if self.row is None else f"row {self.row}"

    def naming(self, kind: str, names: Iterable[str]) -> str:
        """Return the message, followed by the names of parameters or options."""
        listed = ", ".join(names)
        return f"{self.message} ({kind}: {listed})" if listed else self.message


class ParameterError(HilabelError):
    """A parameter has an invalid value, or two parameters contradict each other.

    Examples
    --------
    >>> from hilabel.tasks import find_method
    >>> find_method("Forrest")
    Traceback (most recent call last):
        ...
    hilabel.exceptions.ParameterError: ...
    """


class HierarchyError(HilabelError):
    """The nodes and edges do not form a hierarchy, or do not match the data.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> Hierarchy.from_edges([("a", "b"), ("b", "a")])
    Traceback (most recent call last):
        ...
    hilabel.exceptions.HierarchyError: ...
    """


class FeatureError(HilabelError):
    """A feature value is outside the supported range.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> PriorClassifier().fit([[1e31]], [[1]])
    Traceback (most recent call last):
        ...
    hilabel.exceptions.FeatureError: ...
    """


class LabelError(HilabelError):
    """Labels have the wrong shape or invalid values, or do not match the hierarchy.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> PriorClassifier().fit([[0.0]], [[7]])
    Traceback (most recent call last):
        ...
    hilabel.exceptions.LabelError: ...
    """


class LinkError(HilabelError):
    """Links have the wrong shape or invalid weights.

    Examples
    --------
    >>> from hilabel.links import Links
    >>> Links.of([[0, -1], [0, 0]], n_rows=2)
    Traceback (most recent call last):
        ...
    hilabel.exceptions.LinkError: ...
    """


class ScoreError(HilabelError):
    """A score matrix has the wrong shape, or contains NaN or infinite values.

    Examples
    --------
    >>> from hilabel.metrics import average_precision
    >>> average_precision([[1, 0]], [[0.5, float("nan")]])
    Traceback (most recent call last):
        ...
    hilabel.exceptions.ScoreError: ...
    """


class DatasetFormatError(HilabelError):
    """A data file does not follow its format; the message names the file and line.

    They are also in ``source`` and ``line``; see :class:`HilabelError`.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> from hilabel.datasets import read_features
    >>> with NamedTemporaryFile(suffix=".csv") as empty:
    ...     read_features(empty.name)
    Traceback (most recent call last):
        ...
    hilabel.exceptions.DatasetFormatError: ...
    """


class DatasetNotFoundError(FileNotFoundError, ValueError):
    """A data set is not on this machine; the message explains how to get it.

    Examples
    --------
    >>> from hilabel.datasets import load_go
    >>> load_go("cellcycle", data_home="no such folder")
    Traceback (most recent call last):
        ...
    hilabel.exceptions.DatasetNotFoundError: ...
    """

    # OSError's own __str__ would print an errno pair instead of the message.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ModelFileError(HilabelError):
    """A model file is damaged or too new, or contains types that must not be loaded.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> from hilabel.persistence import load_model
    >>> with NamedTemporaryFile(suffix=".hilabel") as empty:
    ...     load_model(empty.name)
    Traceback (most recent call last):
        ...
    hilabel.exceptions.ModelFileError: ...
    """


class StudyConfigError(HilabelError):
    """A study file is invalid; the message names the file and line.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> from hilabel.studies import read_study
    >>> with NamedTemporaryFile(suffix=".toml") as empty:
    ...     read_study(empty.name)
    Traceback (most recent call last):
        ...
    hilabel.exceptions.StudyConfigError: ...
    """


class StudyStoreError(HilabelError):
    """A results folder cannot be read; the message names the file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import read_results
    >>> with TemporaryDirectory() as empty:
    ...     read_results(empty)
    Traceback (most recent call last):
        ...
    hilabel.exceptions.StudyStoreError: ...
    """


class HilabelWarning(UserWarning):
    """Base class for all warnings issued by hilabel.

    Examples
    --------
    >>> import warnings
    >>> from hilabel.classifiers import LocalClassifierPerNode
    >>> from hilabel.exceptions import HilabelWarning
    >>> model = LocalClassifierPerNode()
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", HilabelWarning)
    ...     _ = model.fit([[0.0], [1.0]], [[1, 0], [1, 1]])  # all rows have the first
    >>> caught[0].category.__name__
    'HilabelWarning'
    """
