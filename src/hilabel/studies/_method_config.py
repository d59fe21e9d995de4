"""One method of a study file, checked down to the values of its grid."""

from typing import Any

from hilabel.studies._methods import (
    build_estimator,
    find_class,
    known_classes,
    parameters_of,
)
from hilabel.studies._specs import MethodSpec, Preprocessing
from hilabel.studies._toml_source import Keys, TomlSource

__all__ = ["read_method"]


def read_method(
    source: TomlSource, name: str, table: dict[str, Any], preprocessing: Preprocessing
) -> MethodSpec:
    """Return the method of a table, or raise with the line of what is wrong."""
    keys: Keys = ("methods", name)
    path = _class_path(source, keys, table.get("class"))
    cls = find_class(path)
    for part in ("params", "grid"):
        _check_names(source, (*keys, part), table.get(part, {}), cls)
    grid = table.get("grid", {})
    for parameter, values in grid.items():
        place = (*keys, "grid", parameter)
        if not isinstance(values, list) or not values:
            source.fail(place, "a list of values", values, "write [first, second]")
        if parameter in table.get("params", {}):
            source.fail(
                place, "a parameter that is not fixed", parameter, "remove one of both"
            )
    method = MethodSpec(name, path, table.get("params", {}), grid, preprocessing)
    _check_values(source, keys, method)
    return method


def _class_path(source: TomlSource, keys: Keys, given: Any) -> str:
    place = (*keys, "class")
    known = known_classes()
    advice = "use one of those, or the full path of a class of your own"
    listed = ", ".join(sorted(known))
    if given is None:
        source.missing(place, f"one of {listed}", 'add class = "..."')
    if not isinstance(given, str):
        source.fail(place, f"one of {listed}", given, advice)
    path = known.get(given, given)
    try:
        cls = find_class(path)
    except ValueError as error:
        source.fail(place, f"one of {listed} ({error})", given, advice)
    for needed in ("fit", "predict_proba"):
        if not hasattr(cls, needed):
            source.fail(place, f"a class with {needed}", given, advice)
    return path


def _check_names(source: TomlSource, keys: Keys, values: Any, cls: type) -> None:
    if not isinstance(values, dict):
        source.fail(keys, "a table", values, "write { parameter = value }")
    allowed = parameters_of(cls)
    for parameter in values:
        if parameter not in allowed:
            source.fail(
                (*keys, parameter),
                f"a parameter of {cls.__name__}: {', '.join(allowed)}",
                parameter,
                "correct or remove it",
            )


def _check_values(source: TomlSource, keys: Keys, method: MethodSpec) -> None:
    """Build the estimator with every value once, and let it check itself."""
    _check_point(source, (*keys, "params"), method, {})
    for parameter, values in method.grid.items():
        for value in values:
            place = (*keys, "grid", parameter)
            _check_point(source, place, method, {parameter: value})


def _check_point(
    source: TomlSource, keys: Keys, method: MethodSpec, point: dict[str, Any]
) -> None:
    shown = point or method.params
    try:
        estimator = build_estimator(method, point, seed=0)
        check = getattr(estimator, "_validate_params", None)
        if check is not None:
            check()
    except (ValueError, TypeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        source.fail(keys, f"values it can take ({reason})", shown, "correct them")
