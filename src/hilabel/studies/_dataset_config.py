"""The data sets of a study file, validated before anything is loaded."""

import hashlib
import inspect
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hilabel._validation import LARGEST_SETTING
from hilabel.datasets import list_datasets
from hilabel.exceptions import HilabelError, StudyConfigError
from hilabel.studies._data import (
    COLLECTIONS,
    SOURCES,
    load_dataset,
    name_in_collection,
    options_of,
)
from hilabel.studies._specs import DatasetSpec
from hilabel.studies._tables import CONTENTS_FILE, FILES, link_files
from hilabel.studies._toml_source import Keys, TomlSource

# The options that are file paths, by source.
_FILES: Final = {"arff": ("train", "valid", "test"), "table": FILES}


def read_datasets(
    source: TomlSource, entries: Mapping[str | int, Any]
) -> tuple[DatasetSpec, ...]:
    """Return the data sets of a study file; error messages include the line number.

    If two collections have a data set of the same name, such as ``GO/pheno`` and
    ``FUN/pheno``, both names include the collection.
    """
    specs = [
        _named(source, ("datasets", place), entry)
        if isinstance(entry, str)
        else _described(source, place, entry)
        for place, entry in entries.items()
    ]
    times = Counter(spec.name for spec in specs)
    specs = [
        replace(spec, name=f"{spec.source}/{spec.name}")
        if times[spec.name] > 1 and spec.source in COLLECTIONS
        else spec
        for spec in specs
    ]
    names = [spec.name for spec in specs]
    for number, (place, name) in enumerate(zip(entries, names)):
        if name in names[:number]:
            keys = ("datasets", place)
            source.fail(keys, "distinct names", name, "rename it")
    return tuple(specs)


def dataset_files(spec: DatasetSpec) -> tuple[Path, ...]:
    """Return the paths of the files given for a data set; they need not exist.

    The files of collections are not included.
    """
    options = dict(spec.options)
    named = [name for name in _FILES.get(spec.source, ()) if name in options]
    links = link_files(options.get("links", ()), spec.folder)
    return (
        *(spec.folder / options[name] for name in named),
        *(path for _, path in links),
    )


def check_dataset(source: TomlSource, number: int, spec: DatasetSpec) -> None:
    """Raise an error if the files of a data set are missing or unreadable."""
    place: Any = number
    if isinstance(source.table["datasets"], dict):
        place = [*source.table["datasets"]][number]
    keys: Keys = ("datasets", place)
    if spec.source in COLLECTIONS:
        wanted = spec.source, name_in_collection(spec)
        [known] = [d for d in list_datasets() if (d.collection, d.name) == wanted]
        if not known.present:
            source.fail(
                keys,
                f"the files of this data set in {known.folder}",
                "/".join(wanted),
                "put them there, set HILABEL_DATA, or remove it",
            )
    options = dict(spec.options)
    for option in _FILES.get(spec.source, ()):
        if option in options and not (spec.folder / options[option]).is_file():
            source.fail(
                (*keys, option),
                "a file; paths are relative to the folder of the study file",
                options[option],
                "correct the path",
            )
    for _, path in link_files(options.get("links", ()), spec.folder):
        if not path.is_file():
            source.fail(
                (*keys, "links"),
                "files; paths are relative to the folder of the study file",
                str(path),
                "correct the path",
            )
    if spec.source == "table":
        try:
            load_dataset(spec)
        except HilabelError as error:
            # The parameter of the error may be an option of the data set.
            named = [name for name in error.parameter if name in options_of("table")]
            source.refuse((*keys, *named[:1]), error.message)


def _named(source: TomlSource, keys: Keys, entry: str) -> DatasetSpec:
    collection, _, name = entry.partition("/")
    _check_known(source, keys, entry)
    return DatasetSpec(name, collection)


def _check_known(source: TomlSource, keys: Keys, name: str) -> None:
    known = [f"{d.collection}/{d.name}" for d in list_datasets()]
    advice = "choose one, or describe your own data set in a table"
    source.check_choice(keys, name, known, advice)


def _described(source: TomlSource, place: str | int, entry: Any) -> DatasetSpec:
    keys: Keys = ("datasets", place)
    if not isinstance(entry, dict):
        source.fail(
            keys,
            'a name such as "GO/pheno", or a table',
            entry,
            'write { name = "...", source = "arff", ... }',
        )
    options = dict(entry)
    name = options.pop("name", place if isinstance(place, str) else None)
    if not options and "/" in str(name):
        return _named(source, keys, str(name))
    origin = options.pop("source", "table" if "features" in options else None)
    if not isinstance(name, str) or not name:
        source.fail((*keys, "name"), "a name", name, "add name = ...")
    source.check_choice((*keys, "source"), origin, tuple(SOURCES), "add source = ...")
    if origin in COLLECTIONS:
        _check_known(source, (*keys, "name"), f"{origin}/{name}")
    source.refuse_unknown(keys, options, ["name", "source", *options_of(origin)])
    parameters = inspect.signature(SOURCES[origin][1]).parameters
    for option, parameter in parameters.items():
        is_needed = parameter.default is inspect.Parameter.empty
        # Without a validation file, some training rows are set aside.
        if is_needed and option not in ("name", "valid", *options):
            source.missing((*keys, option), "a value", f"add {option} = ...")
    for option, value in options.items():
        default = parameters[option].default if origin == "table" else None
        _check_option(source, (*keys, option), value, origin, default)
    _check_valid_rows(source, keys, options)
    if origin == "synthetic":
        # Without a seed, every run would have different data.
        options.setdefault("random_state", 0)
    contents: tuple[tuple[str, str], ...] = ()
    if origin == "table":
        _check_test_rows(source, keys, options)
        contents = _contents(source.path.parent, name, options)
    plain = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
    described = tuple(sorted(plain.items()))
    return DatasetSpec(name, origin, described, source.path.parent, contents)


def _check_option(
    source: TomlSource, keys: Keys, value: Any, origin: str, default: Any
) -> None:
    remedy = "correct the value"
    if isinstance(value, int) and abs(value) > LARGEST_SETTING:
        source.fail(keys, f"an integer of at most {LARGEST_SETTING}", value, remedy)
    if keys[-1] in _FILES.get(origin, ()):
        if not isinstance(value, str):
            source.fail(keys, "the path of a file", value, "write it in quotes")
    elif isinstance(default, tuple):
        is_list = isinstance(value, list)
        if not is_list or not all(isinstance(part, str) for part in value):
            source.fail(keys, 'a list of names, such as ["a"]', value, remedy)
    elif keys[-1] in ("test_fraction", "valid_fraction"):
        if not isinstance(value, float) or not 0 < value < 1:
            source.fail(keys, "a number above 0 and below 1", value, remedy)
    elif isinstance(default, bool):
        if not isinstance(value, bool):
            source.fail(keys, "true or false", value, remedy)
    elif keys[-1] == "folds" or isinstance(default, int):
        least = 2 if keys[-1] == "folds" else 0
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            source.fail(keys, f"an integer of at least {least}", value, remedy)
    elif not isinstance(value, str | int | float):
        source.fail(keys, "a number, a text, true or false", value, remedy)


def _check_test_rows(source: TomlSource, keys: Keys, options: Any) -> None:
    """Raise an error if more than one option selects the test rows of a table."""
    ways = [
        way for way in ("test_features", "test_fraction", "folds") if way in options
    ]
    for way in ways[1:]:
        source.refuse(
            (*keys, way),
            f"{ways[0]} already chooses the test rows; remove one of the two.",
        )
    for kind in ("test", "valid"):
        if f"{kind}_labels" in options and f"{kind}_features" not in options:
            what, key = "the features of these rows", f"{kind}_features"
            source.missing((*keys, key), what, f"add {key} = ...")


def _check_valid_rows(source: TomlSource, keys: Keys, options: Any) -> None:
    """Raise an error if there is a share and a file of validation rows."""
    for file in ("valid", "valid_features"):
        if file in options and "valid_fraction" in options:
            source.refuse(
                (*keys, "valid_fraction"),
                f"{file} already has the validation rows; remove one of the two.",
            )


def _contents(folder: Path, name: str, options: Any) -> tuple[tuple[str, str], ...]:
    """Return the hash of each file, or the stored hash if the file is missing."""
    hashes = _noted(folder / CONTENTS_FILE, name)
    for option in _FILES["table"]:
        path = folder / str(options.get(option, ""))
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
            hashes[option] = digest.hexdigest()[:16]
    for number, (_, path) in enumerate(link_files(options.get("links", ()), folder)):
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
            hashes[f"links {number + 1}"] = digest.hexdigest()[:16]
    return tuple(sorted(hashes.items()))


def _noted(path: Path, name: str) -> dict[str, str]:
    """Return the stored hashes of a data set's files."""
    if not path.is_file():
        return {}
    try:
        noted = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        noted = None
    hashes = noted.get(name, {}) if isinstance(noted, dict) else None
    if isinstance(hashes, dict) and all(isinstance(v, str) for v in hashes.values()):
        return dict(hashes)
    raise StudyConfigError(
        f"{path}: expected the hashes of a study's files, but the content is invalid; "
        "remove the file."
    )
