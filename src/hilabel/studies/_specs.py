"""The parts of a study: data sets, preprocessing, methods, and runs with stable ids."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hilabel.model_selection import grid_points


@dataclass(frozen=True)
class Preprocessing:
    """Preprocessing of the features, fitted on the training rows.

    Attributes
    ----------
    imputation : {"mean", "median", "zero", "none"}
    scaling : {"none", "standard", "minmax"}

    Examples
    --------
    >>> from hilabel.studies import Preprocessing
    >>> Preprocessing(scaling="standard")
    Preprocessing(imputation='mean', scaling='standard')
    """

    imputation: str = "mean"
    scaling: str = "none"


@dataclass(frozen=True)
class DatasetSpec:
    """A data set to load, and the options for loading it.

    Attributes
    ----------
    name : str
    source : {"GO", "FUN", "arff", "table", "synthetic"}
    options : tuple of (str, value)
        Arguments of the loader.
    contents : tuple of (str, str)
        For tables, a hash of each file: a changed file is a different data set.
    folder : Path
        The base of relative paths; not part of the identity of the data set.

    Examples
    --------
    >>> from hilabel.studies import DatasetSpec
    >>> DatasetSpec("tree", "synthetic", options=(("n_samples", 400),)).source
    'synthetic'
    """

    name: str
    source: str
    options: tuple[tuple[str, Any], ...] = ()
    folder: Path = field(default=Path(), compare=False)
    contents: tuple[tuple[str, str], ...] = ()

    def described(self) -> dict[str, Any]:
        """Return the specification as plain values."""
        options = dict(self.options)
        content = {"name": self.name, "source": self.source, "options": options}
        if self.contents:
            content["contents"] = dict(self.contents)
        return content

    def fold(self, repetition: int) -> int | None:
        """Return the test fold of a repetition, or None if there are no folds."""
        n_folds = dict(self.options).get("folds")
        return (repetition - 1) % n_folds if n_folds else None


@dataclass(frozen=True)
class MethodSpec:
    """A method and its settings.

    Attributes
    ----------
    name : str
        The name of the method in tables.
    class_path : str
        Package and class, such as ``hilabel.semi_supervised.SSHMCBLI``, or file and
        class, such as ``my_method.py:MyMethod``.
    params, grid : dict
        Fixed parameters, and lists of values to choose from, on the validation rows.
    preprocessing : Preprocessing
    folder : Path
        The base of file paths; not part of the identity of the method.
    unlabeled : bool
        Whether to pass unlabelled rows.

    Examples
    --------
    >>> from hilabel.studies import MethodSpec
    >>> method = MethodSpec("V2", "hilabel.semi_supervised.SSHMCBLI", {"variant": "v2"})
    >>> method.unlabeled
    True
    """

    name: str
    class_path: str
    params: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, list[Any]] = field(default_factory=dict)
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    folder: Path = field(default=Path(), compare=False)
    unlabeled: bool = True

    @property
    def class_name(self) -> str:
        """The name of the class, without its package or file."""
        return self.class_path.replace(":", ".").rpartition(".")[2]

    def grid_points(self) -> list[dict[str, Any]]:
        """Return the parameters of all grid points."""
        return grid_points(self.grid)

    def described(self) -> dict[str, Any]:
        """Return the specification as plain values."""
        content: dict[str, Any] = {
            "name": self.name,
            "class": self.class_path,
            "params": self.params,
            "grid": [list(pair) for pair in self.grid.items()],
            "preprocessing": asdict(self.preprocessing),
        }
        if not self.unlabeled:  # so that other runs keep their ids
            content["unlabeled"] = False
        return content


@dataclass(frozen=True)
class CellSpec:
    """One selection of labelled rows, which all methods share.

    Attributes
    ----------
    dataset : DatasetSpec
    fraction : float
        Share of the training rows that keep their labels.
    repetition : int
        Starts at 1.
    seed : int
        The seed of the study.
    stratified : bool
    nested_in : tuple of float
        For nested choices, all fractions of the study, since each is chosen among the
        rows of the next larger one; otherwise empty.

    Examples
    --------
    >>> from hilabel.studies import CellSpec, DatasetSpec
    >>> data = DatasetSpec("tree", "synthetic")
    >>> CellSpec(data, fraction=0.1, repetition=1, seed=0).fraction
    0.1
    """

    dataset: DatasetSpec
    fraction: float
    repetition: int
    seed: int
    stratified: bool = True
    nested_in: tuple[float, ...] = ()

    @property
    def title(self) -> str:
        """The name used for the cell in messages."""
        return f"{self.dataset.name} {100 * self.fraction:g}% #{self.repetition}"

    @property
    def id(self) -> str:
        """An id that depends only on the content of the cell."""
        return stable_hash(self.described())

    @property
    def label_seed(self) -> int:
        """Seed for choosing the labelled rows."""
        # Nested choices are made for all fractions at once.
        fraction = None if self.nested_in else self.fraction
        return derive_seed(
            "labels", self.seed, self.dataset.name, fraction, self.repetition
        )

    @property
    def model_seed(self) -> int:
        """Seed for the estimators, which is the same for all methods."""
        return derive_seed(
            "models", self.seed, self.dataset.name, self.fraction, self.repetition
        )

    def described(self) -> dict[str, Any]:
        """Return the specification as plain values."""
        return {**vars(self), "dataset": self.dataset.described()}


@dataclass(frozen=True)
class RunSpec:
    """One method in one cell: the unit of computation and storage.

    Attributes
    ----------
    cell : CellSpec
    method : MethodSpec
    measures : tuple of str
    tune_on : str
        The measure for choosing a grid point.

    Examples
    --------
    >>> from hilabel.studies import CellSpec, DatasetSpec, MethodSpec, RunSpec
    >>> cell = CellSpec(DatasetSpec("tree", "synthetic"), 0.1, repetition=1, seed=0)
    >>> method = MethodSpec("constant", "hilabel.classifiers.PriorClassifier")
    >>> measure = "micro_average_precision"
    >>> run = RunSpec(cell, method, measures=(measure,), tune_on=measure)
    >>> run.method.name
    'constant'
    """

    cell: CellSpec
    method: MethodSpec
    measures: tuple[str, ...]
    tune_on: str

    @property
    def id(self) -> str:
        """An id that depends only on this run, not on the rest of the study."""
        return stable_hash(self.described())

    @property
    def title(self) -> str:
        """The name used for the run in messages."""
        return f"{self.method.name} on {self.cell.title}"

    def described(self) -> dict[str, Any]:
        """Return the specification as plain values."""
        content = {
            "cell": self.cell.described(),
            "method": self.method.described(),
            "measures": list(self.measures),
        }
        if self.method.grid:
            content["tune_on"] = self.tune_on
        return content


def stable_hash(content: Any) -> str:
    """Return a hash of 16 hexadecimal digits that is the same on every machine."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def derive_seed(*parts: Any) -> int:
    """Return a seed below 2**31 that depends on all arguments."""
    return int(stable_hash(list(parts)), 16) % 2**31
