"""Choose some of the runs of a study."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from hilabel._suggestions import closest, did_you_mean
from hilabel.exceptions import ParameterError
from hilabel.studies._data import COLLECTIONS
from hilabel.studies._specs import DatasetSpec, RunSpec


def select_runs(
    plan: Sequence[RunSpec],
    *,
    datasets: str | Iterable[str] | None = None,
    fractions: float | Iterable[float] | None = None,
    methods: str | Iterable[str] | None = None,
    repetitions: int | Iterable[int] | None = None,
) -> list[RunSpec]:
    """Return the runs of a plan that have one of the values of every argument.

    Arguments that are None or empty select everything. Raises ``ParameterError`` for a
    value that no run has, and if no run has all the values.
    """
    names = {name: run.cell.dataset.name for run in plan for name in _names(run)}
    chosen_datasets = {names[name] for name in _known("data set", datasets, names)}
    chosen_fractions = _known(
        "labelled fraction", fractions, [run.cell.fraction for run in plan]
    )
    chosen_methods = _known("method", methods, [run.method.name for run in plan])
    chosen_repetitions = _known(
        "repetition", repetitions, [run.cell.repetition for run in plan]
    )
    chosen = [
        run
        for run in plan
        if run.cell.dataset.name in chosen_datasets
        and run.cell.fraction in chosen_fractions
        and run.method.name in chosen_methods
        and run.cell.repetition in chosen_repetitions
    ]
    if not chosen:
        raise ParameterError(
            "Expected a selection with at least one run, got none: all rows are "
            "labelled only for methods that are named under 'supervised'; choose "
            "another fraction or method."
        )
    return chosen


def _names(run: RunSpec) -> list[str]:
    """Return the names of a run's data set; collections have a long and a short one."""
    spec: DatasetSpec = run.cell.dataset
    if spec.source in COLLECTIONS and "/" not in spec.name:
        return [spec.name, f"{spec.source}/{spec.name}"]
    return [spec.name]


def _known(what: str, given: Any, in_plan: Iterable[Any]) -> list[Any]:
    """Return the given values as they are in the plan; all if none are given."""
    known = list(dict.fromkeys(in_plan))
    if given is None or (not isinstance(given, str | float | int) and not [*given]):
        return known
    found = []
    for value in [given] if isinstance(given, str | float | int) else given:
        same = [one for one in known if _is_same(one, value)]
        if not same:
            _refuse(what, value, known)
        found += same
    return found


def _is_same(one: Any, value: Any) -> bool:
    if isinstance(one, float) and isinstance(value, float | int):
        return math.isclose(one, value)  # 1 - 0.9 is meant to be 0.1
    return bool(one == value)


def _refuse(what: str, value: Any, known: list[Any]) -> None:
    listed = ", ".join(map(_text, known))
    if all(isinstance(one, int) for one in known):  # there may be thousands
        listed = f"{min(known)} to {max(known)}"
    is_name = isinstance(value, str) and all(isinstance(one, str) for one in known)
    raise ParameterError(
        f"Expected a {what} of this study, one of {listed}; got {_text(value)!r}."
        + did_you_mean(closest(value, known) if is_name else ())
    )


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
