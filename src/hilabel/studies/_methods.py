"""Create estimators from the names in a study file."""

import importlib
import inspect
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from hilabel import classifiers, semi_supervised
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.hierarchy import Hierarchy
from hilabel.studies._specs import MethodSpec, stable_hash


def known_classes() -> dict[str, str]:
    """Return a mapping from short names of hierarchical estimators to class paths."""
    found = {}
    for package in (classifiers, semi_supervised):
        for name in package.__all__:
            value = getattr(package, name)
            if (
                inspect.isclass(value)
                and issubclass(value, BaseHierarchicalClassifier)
                and not inspect.isabstract(value)
            ):
                found[name] = f"{package.__name__}.{name}"
    return found


def find_class(path: str, folder: Path = Path()) -> type:
    """Import a class from a path, ``package.module.Class`` or ``file.py:Class``.

    File paths are relative to ``folder``. Raises ``ValueError`` with the reason if
    there is no such class or its module cannot be imported.
    """
    is_file = ":" in path
    module_name, _, class_name = path.rpartition(":" if is_file else ".")
    if not module_name:
        raise ValueError(f"hilabel has no class {path!r}")
    try:
        if is_file:
            module = _import_file((folder / module_name).resolve())
        else:
            module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a module may raise anything on import
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"importing {module_name!r} failed with {reason}") from error
    found = getattr(module, class_name, None)
    if not inspect.isclass(found):
        raise ValueError(f"{module_name!r} has no class {class_name!r}")
    return found


def _import_file(path: Path) -> ModuleType:
    """Import a Python file once, under a unique name."""
    name = f"{path.stem}_{stable_hash(str(path))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("expected a file ending in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # pickle looks for its classes here
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def parameters_of(cls: type) -> list[str]:
    """Return the names of the parameters that a study may set."""
    names = list(inspect.signature(cls).parameters)
    return [name for name in names if name != "hierarchy"]


def build_estimator(
    method: MethodSpec,
    point: dict[str, Any] | None = None,
    *,
    hierarchy: Hierarchy | None = None,
    seed: int | None = None,
) -> Any:
    """Return the estimator for a method at a grid point.

    The values of ``point`` override those of the method. ``seed`` is used as
    ``random_state`` if the estimator has this parameter and the method does not set it.
    """
    cls = find_class(method.class_path, method.folder)
    accepted = inspect.signature(cls).parameters
    params = {**method.params, **(point or {})}
    params = {name: _built(value, method.folder) for name, value in params.items()}
    if "random_state" in accepted:
        params.setdefault("random_state", seed)
    if "hierarchy" in accepted:
        params["hierarchy"] = hierarchy
    return cls(**params)


def _built(value: Any, folder: Path) -> Any:
    """Replace ``{class = "...", ...}`` with an estimator; return other values as is."""
    if not (isinstance(value, dict) and "class" in value):
        return value
    given = dict(value)
    path = str(given.pop("class"))
    params = {name: _built(inner, folder) for name, inner in given.items()}
    return find_class(known_classes().get(path, path), folder)(**params)
