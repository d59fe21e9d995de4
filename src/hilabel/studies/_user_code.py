"""Import what a study file names, and notice when a user's code has changed."""

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from hilabel.studies._specs import MethodSpec, stable_hash

# The versions of these packages are recorded with every run.
_VERSIONED: Final = {"hilabel", "numpy", "scipy", "sklearn", "joblib"}
# The hash of each package module as it was loaded; a reloaded module has a new spec.
_hashes: dict[str, tuple[ModuleSpec | None, str]] = {}


def find_class(path: str, folder: Path = Path()) -> type:
    """Import a class from a path, ``package.module.Class`` or ``file.py:Class``.

    File paths are relative to ``folder``. Raises ``ValueError`` with the reason if
    there is no such class or its module cannot be imported.
    """
    module_name, _, name = _parts(path, "class")
    found = getattr(_module(path, folder), name, None)
    if not inspect.isclass(found):
        raise ValueError(f"{module_name!r} has no class {name!r}")
    return found


def find_function(path: str, folder: Path = Path()) -> Callable[..., Any]:
    """Import a function, in the same way as :func:`find_class`."""
    module_name, _, name = _parts(path, "function")
    found = getattr(_module(path, folder), name, None)
    if inspect.isclass(found) or not callable(found):
        raise ValueError(f"{module_name!r} has no function {name!r}")
    function: Callable[..., Any] = found
    return function


FINDERS: Final[dict[str, Callable[[str, Path], Any]]] = {
    "class": find_class,
    "function": find_function,
}


def references(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the classes and functions that a parameter's value refers to.

    These are tables such as ``{ class = "...", ... }``, possibly nested. Each is
    yielded as its kind, ``"class"`` or ``"function"``, and its path.
    """
    kind = reference_kind(value)
    if kind:
        yield kind, str(value[kind])
        for inner in value.values():
            yield from references(inner)


def reference_kind(value: Any) -> str:
    """Return ``"class"`` or ``"function"`` if a value is such a table, otherwise ""."""
    if not isinstance(value, dict):
        return ""
    return next((kind for kind in FINDERS if kind in value), "")


# Importing -------------------------------------------------------------------------


def _parts(path: str, kind: str) -> tuple[str, str, str]:
    parts = path.rpartition(":" if ":" in path else ".")
    if not parts[0]:
        raise ValueError(f"hilabel has no {kind} {path!r}")
    return parts


def _module(path: str, folder: Path) -> ModuleType:
    module_name, colon, _ = path.rpartition(":" if ":" in path else ".")
    try:
        if colon == ":":
            return _import_file((folder / module_name).resolve())
        return importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a module may raise anything on import
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"importing {module_name!r} failed with {reason}") from error


def _import_file(path: Path) -> ModuleType:
    """Import a Python file once, under a name that depends on its content.

    If the file is edited in a running session, the next import uses the new content.
    """
    content = path.read_bytes()
    hash_ = _hash(content)
    name = f"{path.stem}_{stable_hash([str(path), hash_])}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("expected a file ending in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # pickle looks for its classes here
    try:
        # Not by the loader, which may take a cached compilation of older content.
        exec(compile(content, str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    _hashes[name] = module.__spec__, hash_
    return module


# Changes ---------------------------------------------------------------------------


def code_files(method: MethodSpec) -> dict[str, str]:
    """Return the files with a user's code that a method uses, and their hashes.

    These are the files that define its classes, their base classes and its functions,
    except those of packages whose version is recorded with every run. There are none if
    one of them cannot be imported, because the method cannot be run then.
    """
    values = [*method.params.values()]
    for points in method.grid.values():
        values += points
    named = [("class", method.class_path)]
    named += [pair for value in values for pair in references(value)]
    files: dict[str, str] = {}
    for kind, path in named:
        if ":" not in path and (_is_versioned(path) or "." not in path):
            continue
        try:
            found = FINDERS[kind](path, method.folder)
        except ValueError:
            return {}
        for module in {_module(path, method.folder), *_defining_modules(found)}:
            files |= _file_of(module)
    return files


def code_id(files: Mapping[str, str]) -> str:
    """Return a hash of the code in files, "" if there is none.

    It does not depend on where the files are.
    """
    return stable_hash(sorted(files.values())) if files else ""


def method_code(method: MethodSpec) -> str:
    """Return the hash of the user's code that a method uses, "" if there is none."""
    return code_id(code_files(method))


def hash_again(files: Mapping[str, str]) -> dict[str, str]:
    """Return the present hashes of files; files that do not exist keep theirs."""
    return {
        name: _hash(Path(name).read_bytes()) if Path(name).is_file() else hash_
        for name, hash_ in files.items()
    }


def _is_versioned(module_name: str) -> bool:
    package = module_name.partition(".")[0]
    return package in _VERSIONED or package in sys.stdlib_module_names


def _defining_modules(found: Any) -> Iterable[ModuleType]:
    owner = found if hasattr(found, "__module__") else type(found)
    names = {one.__module__ for one in getattr(owner, "__mro__", (owner,))}
    return [
        sys.modules[name]
        for name in names
        if name in sys.modules and not _is_versioned(name)
    ]


def _file_of(module: ModuleType) -> dict[str, str]:
    """Return the file of a module and the hash of its content when it was loaded."""
    path, spec = getattr(module, "__file__", None), module.__spec__
    if path is None:  # defined in a notebook, or built in
        return {}
    seen, hash_ = _hashes.get(module.__name__, (None, ""))
    if seen is None or seen is not spec:
        hash_ = _hash(Path(path).read_bytes())
        _hashes[module.__name__] = spec, hash_
    return {str(path): hash_}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
