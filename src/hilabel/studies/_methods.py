"""Create estimators from the names in a study file."""

import inspect
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hilabel import classifiers, semi_supervised
from hilabel._paper_words import Meaning, method_words
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.hierarchy import Hierarchy
from hilabel.studies._specs import MethodSpec
from hilabel.studies._user_code import find_class, find_function, reference_kind


def known_classes() -> dict[str, str]:
    """Return a mapping from short names of hierarchical estimators to class paths."""
    return {name: f"{package}.{name}" for package, name, _ in _estimators()}


def known_words() -> dict[str, Meaning]:
    """Return the methods that words of the paper and of the literature stand for."""
    return method_words({name: cls.method_tags.name for _, name, cls in _estimators()})


def _estimators() -> Iterator[tuple[str, str, type[BaseHierarchicalClassifier]]]:
    """Yield the package, the name and the class of each hierarchical estimator."""
    for package in (classifiers, semi_supervised):
        for name in package.__all__:
            value = getattr(package, name)
            if (
                inspect.isclass(value)
                and issubclass(value, BaseHierarchicalClassifier)
                and not inspect.isabstract(value)
            ):
                yield package.__name__, name, value


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
    """Replace ``{class = "...", ...}`` with an estimator; return other values as is.

    ``{function = "...", ...}`` is replaced with a function, to which the other values
    of the table are passed as arguments.
    """
    kind = reference_kind(value)
    if not kind:
        return value
    given = dict(value)
    path = str(given.pop(kind))
    params = {name: _built(inner, folder) for name, inner in given.items()}
    if kind == "class":
        return find_class(known_classes().get(path, path), folder)(**params)
    function = find_function(path, folder)
    return partial(function, **params) if params else function
