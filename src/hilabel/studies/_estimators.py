"""Create estimators from the names in a study file."""

import inspect
from functools import partial
from pathlib import Path
from typing import Any

from hilabel._methods import list_methods
from hilabel.hierarchy import Hierarchy
from hilabel.studies._specs import MethodSpec
from hilabel.studies._user_code import find_class, find_function, reference_kind


def class_paths() -> dict[str, str]:
    """Return the class path of each method, that is, its public package and name.

    Results are stored under these paths, so they may not change.
    """
    return {
        name: ".".join([*method.__module__.split(".")[:2], name])
        for name, method in list_methods().items()
    }


def parameters_of(cls: type) -> list[str]:
    """Return the names of the parameters that a study may set."""
    names = list(inspect.signature(cls).parameters)
    return [name for name in names if name != "hierarchy"]


def estimator_at(
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
        return find_class(class_paths().get(path, path), folder)(**params)
    function = find_function(path, folder)
    return partial(function, **params) if params else function
