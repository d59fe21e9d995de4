"""Read study files, which define what to compare, on which data and how often."""

from collections.abc import Container
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from hilabel._typing import FilePath
from hilabel.studies._data import IMPUTATIONS, SCALINGS
from hilabel.studies._dataset_config import check_dataset, dataset_files, read_datasets
from hilabel.studies._measures import DEFAULT_MEASURES, MEASURES
from hilabel.studies._method_config import check_method, read_method_spec
from hilabel.studies._specs import DatasetSpec, MethodSpec, Preprocessing
from hilabel.studies._toml_source import Keys, TomlSource

MOST_REPETITIONS: Final = 10_000
LARGEST_SEED: Final = 2**32 - 1

# Tables of a report have one column per method in addition to these.
_TAKEN = (
    *("dataset", "fraction", "method", "node", "depth", "n_positive"),
    *("gain", "rank", "y"),
)


@dataclass(frozen=True)
class Study:
    """A study as described by its file.

    Attributes
    ----------
    name, title : str
    datasets : tuple of DatasetSpec
    fractions : tuple of float
        Labelled fractions of the training rows.
    repetitions : int
        Number of choices of labelled rows per data set and fraction.
    methods : tuple of MethodSpec
    measures : tuple of str
    tune_on : str
        The measure for choosing grid points on the validation rows.
    supervised : dict of str to str
        The supervised counterpart of each method, if one is named.
    seed : int
    stratified, nested : bool
        How the labelled rows are chosen; see ``hilabel.model_selection.mask_labels``.
    source : TomlSource
        The file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import read_study
    >>> text = '''
    ... fractions = [0.1, 0.5]
    ... datasets = [{ name = "tree", source = "synthetic" }]
    ... methods.constant = { class = "PriorClassifier" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     study = read_study(path)
    >>> study.fractions, study.repetitions
    ((0.1, 0.5), 1)
    """

    name: str
    title: str
    datasets: tuple[DatasetSpec, ...]
    fractions: tuple[float, ...]
    repetitions: int
    methods: tuple[MethodSpec, ...]
    measures: tuple[str, ...]
    tune_on: str
    supervised: dict[str, str]
    seed: int
    stratified: bool
    nested: bool
    source: TomlSource = field(repr=False, compare=False)

    @property
    def counterparts(self) -> set[str]:
        """The methods that are also run with all rows labelled."""
        return set(self.supervised.values())

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The study file and all files named in it."""
        named = (path for spec in self.datasets for path in dataset_files(spec))
        return (self.source.path, *named)

    def check_data(self, names: Container[str] | None = None) -> None:
        """Raise an error before any work is done if files of a data set are missing.

        If ``names`` is given, only these data sets are checked.
        """
        for number, spec in enumerate(self.datasets):
            if names is None or spec.name in names:
                check_dataset(self.source, number, spec)


def read_study(path: FilePath, *, check_methods: bool = True) -> Study:
    """Read and validate a study file, without checking whether its data exist.

    Parameters
    ----------
    path : path-like
        A TOML file. ``bundled_studies()["smoke"]`` shows every key.
    check_methods : bool, default=True
        Import the classes of the methods and validate their parameters. If False, the
        study can be read, but not run, even if classes are missing.

    Raises
    ------
    StudyConfigError
        If the file is invalid. The message names file, line and key, what was expected,
        what was found and what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import read_study
    >>> text = '''
    ... fractions = [0.1, 0.5]
    ... datasets = [{ name = "tree", source = "synthetic" }]
    ... methods.constant = { class = "PriorClassifier" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     study = read_study(path)
    >>> [method.name for method in study.methods]
    ['constant']
    """
    source = TomlSource.read(Path(path))
    table = source.table
    keys = [part.name for part in fields(Study) if part.name != "source"]
    source.refuse_unknown((), table, [*keys, "preprocessing"])
    default = _preprocessing(source, ("preprocessing",), table, Preprocessing())
    methods = _methods(source, default)
    if check_methods:
        for method in methods:
            check_method(source, method)
    measures = _measures(source)
    return Study(
        name=_name(source),
        title=_typed(source, ("title",), str, "a title", default=""),
        datasets=read_datasets(source, _dataset_entries(source)),
        fractions=_fractions(source),
        repetitions=_integer(source, "repetitions", 1, MOST_REPETITIONS, default=1),
        methods=methods,
        measures=measures,
        tune_on=_one_of(source, ("tune_on",), tuple(MEASURES), measures[0]),
        supervised=_supervised(source, [method.name for method in methods]),
        seed=_integer(source, "seed", 0, LARGEST_SEED, default=0),
        stratified=_typed(source, ("stratified",), bool, "true or false", default=True),
        nested=_typed(source, ("nested",), bool, "true or false", default=False),
        source=source,
    )


# Values ----------------------------------------------------------------------------


def _typed(source: TomlSource, keys: Keys, kind: type, what: str, default: Any) -> Any:
    value = source.value(keys)
    if value is None:
        return default
    # Booleans are integers in Python, but not valid integers in a study file.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        source.fail(keys, what, value, "correct the value")
    return value


def _integer(source: TomlSource, key: str, low: int, high: int, default: int) -> int:
    what = f"an integer from {low} to {high}"
    value = _typed(source, (key,), int, what, default)
    if not low <= value <= high:
        source.fail((key,), what, value, "correct the value")
    return int(value)


def _one_of(
    source: TomlSource, keys: Keys, allowed: tuple[str, ...], default: str
) -> str:
    value = source.value(keys)
    if value is None:
        return default
    source.check_choice(keys, value, allowed)
    return str(value)


def _list(source: TomlSource, key: str, what: str, default: Any = None) -> list[Any]:
    value = source.table.get(key, default)
    if value is None:
        source.missing((key,), what, f"add {key} = [...]")
    if not isinstance(value, list) or not value:
        source.fail((key,), what, value, "write a list with at least one entry")
    for number, entry in enumerate(value):
        if entry in value[:number]:
            source.fail((key, number), "each entry once", entry, "remove the duplicate")
    return list(value)


# Parts -----------------------------------------------------------------------------


def _dataset_entries(source: TomlSource) -> dict[str | int, Any]:
    """Return the entries that describe the data sets, keyed by number or by name."""
    what = 'data sets, such as "GO/pheno"'
    tables = source.table.get("datasets")
    if isinstance(tables, dict) and tables:
        return dict(tables)
    return dict(enumerate(_list(source, "datasets", what)))


def _name(source: TomlSource) -> str:
    what = "a valid folder name"
    name: str = _typed(source, ("name",), str, what, default=source.path.stem)
    if not name.strip() or name in (".", "..") or any(c in name for c in '/\\:*?"<>|'):
        source.fail(
            ("name",), what, name, "results are stored under this name; choose another"
        )
    return name


def _fractions(source: TomlSource) -> tuple[float, ...]:
    fractions = _list(source, "fractions", "labelled fractions")
    for number, value in enumerate(fractions):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value <= 1:
            what = "a fraction above 0 and at most 1"
            keys = ("fractions", number)
            source.fail(keys, what, value, "10 % labelled rows are 0.1")
    return tuple(float(value) for value in fractions)


def _measures(source: TomlSource) -> tuple[str, ...]:
    names = _list(source, "measures", "names of measures", list(DEFAULT_MEASURES))
    for number, name in enumerate(names):
        source.check_choice(("measures", number), name, tuple(MEASURES))
    return tuple(names)


def _preprocessing(
    source: TomlSource, keys: Keys, table: Any, default: Preprocessing
) -> Preprocessing:
    given = table.get("preprocessing", {})
    if not isinstance(given, dict):
        source.fail(keys, "a table", given, "write { imputation = ..., scaling = ... }")
    source.refuse_unknown(keys, given, ["imputation", "scaling"])
    return Preprocessing(
        _one_of(source, (*keys, "imputation"), IMPUTATIONS, default.imputation),
        _one_of(source, (*keys, "scaling"), SCALINGS, default.scaling),
    )


def _methods(source: TomlSource, default: Preprocessing) -> tuple[MethodSpec, ...]:
    tables = source.table.get("methods")
    what = "a table for each method, such as [methods.LCN]"
    if not tables:
        source.missing(("methods",), what, "add at least one method")
    if not isinstance(tables, dict):
        source.fail(("methods",), what, tables, "start each with [methods.NAME]")
    methods = []
    for name, table in tables.items():
        keys: Keys = ("methods", name)
        if not isinstance(table, dict):
            source.fail(keys, "a table", table, f"start it with [methods.{name}]")
        if not name.strip() or name in _TAKEN:
            taken = "a name that is not a column of the results"
            source.fail(keys, taken, name, "rename the method")
        allowed = ["class", "params", "grid", "preprocessing", "supervised"]
        source.refuse_unknown(keys, table, [*allowed, "unlabeled"])
        _typed(source, (*keys, "unlabeled"), bool, "true or false", default=True)
        preparation = _preprocessing(source, (*keys, "preprocessing"), table, default)
        methods.append(read_method_spec(source, name, table, preparation))
    return tuple(methods)


def _supervised(source: TomlSource, names: list[str]) -> dict[str, str]:
    common = _one_of(source, ("supervised",), tuple(names), "")
    counterpart = {
        name: _one_of(source, ("methods", name, "supervised"), tuple(names), common)
        for name in names
    }
    return {name: other for name, other in counterpart.items() if other}
