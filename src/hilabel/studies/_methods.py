"""From names in a study file to estimators."""

import importlib
import inspect
from typing import Any

from hilabel import classifiers, semi_supervised
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.hierarchy import Hierarchy
from hilabel.studies._specs import MethodSpec

__all__ = ["build_estimator", "find_class", "known_classes", "parameters_of"]


def known_classes() -> dict[str, str]:
    """Return the class path of every hierarchical estimator, by its short name."""
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


def find_class(path: str) -> type:
    """Return the class of a path such as ``package.module.Class``.

    Raises
    ------
    ValueError
        If there is no such class; the message says what is missing.
    """
    module_name, _, class_name = path.rpartition(".")
    if not module_name:
        raise ValueError(f"no class of hilabel is called {path!r}")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ValueError(f"cannot import {module_name!r}: {error}") from None
    found = getattr(module, class_name, None)
    if not inspect.isclass(found):
        raise ValueError(f"{module_name!r} has no class {class_name!r}")
    return found


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
    """Return the estimator of a method at a grid point.

    Parameters
    ----------
    method : MethodSpec
    point : dict, optional
        Values that go before those of the method.
    hierarchy : Hierarchy, optional
    seed : int, optional
        For ``random_state``, where the estimator has one and the method sets none.
    """
    cls = find_class(method.class_path)
    accepted = inspect.signature(cls).parameters
    params = {**method.params, **(point or {})}
    params = {name: _built(value) for name, value in params.items()}
    if "random_state" in accepted:
        params.setdefault("random_state", seed)
    if "hierarchy" in accepted:
        params["hierarchy"] = hierarchy
    return cls(**params)


def _built(value: Any) -> Any:
    """Turn ``{class = "...", ...}`` into that estimator; leave other values."""
    if not (isinstance(value, dict) and "class" in value):
        return value
    params = {name: _built(inner) for name, inner in value.items() if name != "class"}
    path = str(value["class"])
    return find_class(known_classes().get(path, path))(**params)
