"""The data sets of a study file, checked before anything is loaded."""

import inspect
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hilabel.datasets import list_datasets
from hilabel.studies._data import COLLECTIONS, SOURCES, name_in_collection, options_of
from hilabel.studies._specs import DatasetSpec
from hilabel.studies._toml_source import Keys, TomlSource

_SPLITS = ("train", "valid", "test")


def read_datasets(
    source: TomlSource, entries: Sequence[Any]
) -> tuple[DatasetSpec, ...]:
    """Return the data sets of a list, or raise with the line of what is wrong.

    Where two collections have a set of the same name, as ``GO/pheno`` and
    ``FUN/pheno``, both keep the name of their collection.
    """
    specs = [
        _named(source, number, entry)
        if isinstance(entry, str)
        else _described(source, number, entry)
        for number, entry in enumerate(entries)
    ]
    times = Counter(spec.name for spec in specs)
    specs = [
        replace(spec, name=f"{spec.source}/{spec.name}")
        if times[spec.name] > 1 and spec.source in COLLECTIONS
        else spec
        for spec in specs
    ]
    names = [spec.name for spec in specs]
    for number, name in enumerate(names):
        if name in names[:number]:
            keys = ("datasets", number)
            source.fail(keys, "names that differ", name, "give it another name")
    return tuple(specs)


def check_dataset(source: TomlSource, number: int, spec: DatasetSpec) -> None:
    """Refuse the data set of that number in the list if its files are not here."""
    if spec.source in COLLECTIONS:
        wanted = spec.source, name_in_collection(spec)
        [known] = [d for d in list_datasets() if (d.collection, d.name) == wanted]
        if not known.present:
            source.fail(
                ("datasets", number),
                f"the files of this data set in {known.folder}",
                "/".join(wanted),
                "put them there, set HILABEL_DATA, or leave it out",
            )
    paths = dict(spec.options) if spec.source == "arff" else {}
    for split in _SPLITS:
        if split in paths and not (spec.folder / paths[split]).is_file():
            source.fail(
                ("datasets", number, split),
                "a file; paths start at the folder of the study file",
                paths[split],
                "correct the path",
            )


def _named(source: TomlSource, number: int, entry: str) -> DatasetSpec:
    collection, _, name = entry.partition("/")
    _check_known(source, ("datasets", number), entry)
    return DatasetSpec(name, collection)


def _check_known(source: TomlSource, keys: Keys, name: str) -> None:
    known = [f"{d.collection}/{d.name}" for d in list_datasets()]
    advice = "choose one, or describe a data set of your own in a table"
    source.check_choice(keys, name, known, advice)


def _described(source: TomlSource, number: int, entry: Any) -> DatasetSpec:
    keys: Keys = ("datasets", number)
    if not isinstance(entry, dict):
        source.fail(
            keys,
            'a name such as "GO/pheno", or a table',
            entry,
            'write { name = "...", source = "arff", ... }',
        )
    options = dict(entry)
    name = options.pop("name", None)
    origin = options.pop("source", None)
    if not isinstance(name, str) or not name:
        source.fail((*keys, "name"), "a name", name, "add name = ...")
    source.check_choice((*keys, "source"), origin, tuple(SOURCES), "add source = ...")
    if origin in COLLECTIONS:
        _check_known(source, (*keys, "name"), f"{origin}/{name}")
    source.refuse_unknown(keys, options, ["name", "source", *options_of(origin)])
    for option, parameter in inspect.signature(SOURCES[origin][1]).parameters.items():
        is_needed = parameter.default is inspect.Parameter.empty
        # Without a file to validate on, training rows are set aside.
        if is_needed and option not in ("name", "valid", *options):
            source.missing((*keys, option), "a value", f"add {option} = ...")
    for option, value in options.items():
        _check_option(source, (*keys, option), value, origin)
    if origin == "synthetic":
        # Without a seed every run would have other data.
        options.setdefault("random_state", 0)
    return DatasetSpec(name, origin, tuple(sorted(options.items())), source.path.parent)


def _check_option(source: TomlSource, keys: Keys, value: Any, origin: str) -> None:
    if origin == "arff" and keys[-1] in _SPLITS:
        if not isinstance(value, str):
            source.fail(keys, "the path of a file", value, "write it in quotes")
    elif not isinstance(value, str | int | float):
        source.fail(keys, "a number, a text, true or false", value, "correct the value")
