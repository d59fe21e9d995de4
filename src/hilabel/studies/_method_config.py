"""Read and validate a method in a study file, including its parameter grid."""

from typing import Any

from hilabel._methods import known_meaning, parameter_meant
from hilabel.studies._estimators import class_paths, estimator_at, parameters_of
from hilabel.studies._specs import MethodSpec, Preprocessing
from hilabel.studies._toml_source import Keys, TomlSource
from hilabel.studies._user_code import FINDERS, find_class, references


def read_method_spec(
    source: TomlSource, name: str, table: dict[str, Any], preprocessing: Preprocessing
) -> MethodSpec:
    """Return the method that a TOML table describes, without validation.

    The paper's names of its methods and parameters become those of hilabel, so that
    results do not depend on which of the two were used.
    """
    path, implied = _class_path(str(table.get("class", "")))
    folder = source.path.parent
    params = _in_own_words(table.get("params", {}), path)
    grid = _in_own_words(table.get("grid", {}), path)
    if implied and isinstance(params, dict):
        for key, value in implied.items():
            if params.get(key, value) != value:
                place = ("methods", name, "params", key)
                advice = f"remove it, or write class = {path.rpartition('.')[2]!r}"
                source.fail(place, f"{key} = {value!r}", params[key], advice)
        params = {**params, **implied}
    unlabeled = table.get("unlabeled", True)
    return MethodSpec(name, path, params, grid, preprocessing, folder, unlabeled)


def _class_path(given: str) -> tuple[str, dict[str, Any]]:
    """Return the class that a study names, and the parameters that the name implies."""
    known, meant = class_paths(), known_meaning(given)
    if given in known or meant is None:
        return known.get(given, given), {}
    return known[meant.method], meant.parameters


def _in_own_words(values: Any, path: str) -> Any:
    """Replace the paper's symbols, such as ``k``, in a table of parameters."""
    classes = {path: name for name, path in class_paths().items()}
    if not isinstance(values, dict) or path not in classes:
        return values
    own = parameters_of(find_class(path))
    named = {parameter_meant(word, own): value for word, value in values.items()}
    # A parameter that was given twice keeps its words, of which one is then unknown.
    return named if len(named) == len(values) else values


def check_method(source: TomlSource, method: MethodSpec) -> None:
    """Import a method's class and check its parameters; errors include the line."""
    keys: Keys = ("methods", method.name)
    cls = _find_class(source, (*keys, "class"), method)
    for part in ("params", "grid"):
        _check_names(source, (*keys, part), getattr(method, part), cls)
    for parameter, value in method.params.items():
        _check_references(source, (*keys, "params", parameter), method, value)
    _check_point(source, (*keys, "params"), method, {})
    for parameter, values in method.grid.items():
        place = (*keys, "grid", parameter)
        if not isinstance(values, list) or not values:
            source.fail(place, "a list of values", values, "write [first, second]")
        if parameter in method.params:
            source.fail(
                place,
                "a parameter without a fixed value",
                parameter,
                "remove one of the two",
            )
        for value in values:
            _check_references(source, place, method, value)
            _check_point(source, place, method, {parameter: value})


def _find_class(source: TomlSource, place: Keys, method: MethodSpec) -> type:
    given = source.value(place)
    listed = ", ".join(sorted(class_paths()))
    what = f"one of {listed}"
    advice = "use one of these, or the path of your own class"
    if given is None:
        source.missing(place, what, 'add class = "..."')
    if not isinstance(given, str):
        source.fail(place, what, given, advice)
    if "." in given:
        what, advice = "a class", "correct the path or the module"
    try:
        cls = find_class(method.class_path, method.folder)
    except ValueError as error:
        source.fail(place, f"{what} ({error})", given, advice)
    for needed in ("fit", "predict_proba"):
        if not hasattr(cls, needed):
            source.fail(place, f"a class with {needed}", given, advice)
    return cls


def _check_references(
    source: TomlSource, keys: Keys, method: MethodSpec, value: Any
) -> None:
    """Import the classes and functions that a parameter refers to."""
    for kind, path in references(value):
        try:
            FINDERS[kind](class_paths().get(path, path), method.folder)
        except ValueError as error:
            what = f"a {kind} ({error})"
            source.fail(keys, what, path, "correct the path or the module")


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


def _check_point(
    source: TomlSource, keys: Keys, method: MethodSpec, point: dict[str, Any]
) -> None:
    shown = point or method.params
    try:
        estimator = estimator_at(method, point, seed=0)
        check = getattr(estimator, "_validate_params", None)
        if check is not None:
            check()
    except (ValueError, TypeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        source.fail(keys, f"valid values ({reason})", shown, "correct them")
