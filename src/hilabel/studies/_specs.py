"""The parts of a study: data sets, preparation, methods, and runs with stable names."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Preprocessing:
    """What is done to the features, learned on the training rows.

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
    """Which data to load.

    Attributes
    ----------
    name : str
    source : {"GO", "FUN", "arff", "table", "synthetic"}
    options : tuple of (str, value)
        Arguments of the loader.
    contents : tuple of (str, str)
        Of tables, what each file holds, as a hash: a changed file is another data set.
    folder : Path
        Where relative paths start; not part of what the data set is.

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
        """Return the content as plain values."""
        options = dict(self.options)
        content = {"name": self.name, "source": self.source, "options": options}
        if self.contents:
            content["contents"] = dict(self.contents)
        return content

    def fold(self, repetition: int) -> int | None:
        """Return which of the folds a repetition tests on, None without folds."""
        n_folds = dict(self.options).get("folds")
        return (repetition - 1) % n_folds if n_folds else None


@dataclass(frozen=True)
class MethodSpec:
    """A method and how it is set.

    Attributes
    ----------
    name : str
        What tables call it.
    class_path : str
        Package and class, such as ``hilabel.semi_supervised.SSHMCBLI``, or file and
        class, such as ``my_method.py:MyMethod``.
    params, grid : dict
        Fixed parameters, and lists of values to choose from on the validation rows.
    preprocessing : Preprocessing
    folder : Path
        Where the paths of files start; not part of what the method is.
    unlabeled : bool
        Whether it is given unlabelled rows.

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
        """The class without its package or file."""
        return self.class_path.replace(":", ".").rpartition(".")[2]

    def grid_points(self) -> Iterator[dict[str, Any]]:
        """Yield the parameters of each grid point, the last one changing fastest."""
        for values in product(*self.grid.values()):
            yield dict(zip(self.grid, values))

    def described(self) -> dict[str, Any]:
        """Return the content as plain values."""
        content: dict[str, Any] = {
            "name": self.name,
            "class": self.class_path,
            "params": self.params,
            "grid": [list(pair) for pair in self.grid.items()],
            "preprocessing": asdict(self.preprocessing),
        }
        if not self.unlabeled:  # so that other runs keep their names
            content["unlabeled"] = False
        return content


@dataclass(frozen=True)
class CellSpec:
    """One choice of labelled rows, on which every method is tried.

    Attributes
    ----------
    dataset : DatasetSpec
    fraction : float
        Share of the training rows that keep their labels.
    repetition : int
        From 1.
    seed : int
        Of the study.
    stratified : bool
    nested_in : tuple of float
        With nested choices all fractions of the study, since each is chosen among the
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
        """What to call it in a message."""
        return f"{self.dataset.name} {100 * self.fraction:g}% #{self.repetition}"

    @property
    def id(self) -> str:
        """A name that depends on the content alone."""
        return stable_hash(self.described())

    @property
    def label_seed(self) -> int:
        """Seed of the choice of labelled rows."""
        # Nested choices are made for all fractions at once.
        fraction = None if self.nested_in else self.fraction
        return derive_seed(
            "labels", self.seed, self.dataset.name, fraction, self.repetition
        )

    @property
    def model_seed(self) -> int:
        """Seed of the estimators: the same for all methods, which are compared."""
        return derive_seed(
            "models", self.seed, self.dataset.name, self.fraction, self.repetition
        )

    def described(self) -> dict[str, Any]:
        """Return the content as plain values."""
        return {**vars(self), "dataset": self.dataset.described()}


@dataclass(frozen=True)
class RunSpec:
    """One method in one cell: the unit that is computed, stored and counted.

    Attributes
    ----------
    cell : CellSpec
    method : MethodSpec
    measures : tuple of str
    tune_on : str
        The measure by which a grid point is chosen.

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
        """A name that depends on the content alone, whatever else the study holds."""
        return stable_hash(self.described())

    @property
    def title(self) -> str:
        """What to call it in a message."""
        return f"{self.method.name} on {self.cell.title}"

    def described(self) -> dict[str, Any]:
        """Return the content as plain values."""
        content = {
            "cell": self.cell.described(),
            "method": self.method.described(),
            "measures": list(self.measures),
        }
        if self.method.grid:
            content["tune_on"] = self.tune_on
        return content


def stable_hash(content: Any) -> str:
    """Return 16 hexadecimal digits that are the same on every machine."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def derive_seed(*parts: Any) -> int:
    """Return a seed below 2**31 that depends on all parts."""
    return int(stable_hash(list(parts)), 16) % 2**31
