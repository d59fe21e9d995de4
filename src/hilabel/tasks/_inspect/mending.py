"""Read a file in spite of its errors, to find all of them."""

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from hilabel.exceptions import HilabelError
from hilabel.tasks._inspect.problem import Problem, counted

_T = TypeVar("_T")

# A file is read again after each error, at most this often.
_MOST_READS: Final = 10
# The values of options that work around an error.
_REMEDIES: Final[dict[str, Any]] = {
    "merge_duplicates": "first",
    "unknown_terms": "drop",
    "min_count": 1,
    "lenient": True,
    "evidence": (),
    "exclude_evidence": (),
    "strip_version": True,
}
# What the fix of an error shows as the value of an option.
_VALUES_SHOWN: Final = {"min_count": "N", "ids": "FILE", "strip_version": ""}


def mended(
    read: Callable[..., _T],
    options: dict[str, Any],
    problems: list[Problem],
    file: str,
) -> tuple[_T | None, dict[str, Any]]:
    """Return the result of ``read``, or None if it fails, and the options used.

    Each error is added to ``problems`` and then worked around: repeated ids are merged,
    invalid columns are dropped, and so on. In this way, later problems are found too.
    An error that names no file is a problem of ``file``.
    """
    for _ in range(_MOST_READS):
        try:
            return read(**options), options
        except OSError as error:
            problems.append(Problem("error", str(error), str(error.filename or file)))
            break
        except ImportError as error:
            problems.append(Problem("error", str(error), error.path or file))
            break
        except HilabelError as error:
            problems += _problems_of(error, error.source or file)
            changed = {**options, **_remedy(error, options)}
            if changed == options:
                break
            options = changed
    return None, options


def _remedy(error: HilabelError, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that work around an error, if there are any."""
    if "drop" not in error.parameter or not error.culprits:
        return {name: _REMEDIES[name] for name in error.parameter if name in _REMEDIES}
    wrong = error.culprits
    left = {
        name: tuple(column for column in options.get(name, ()) if column not in wrong)
        for name in ("categorical", "text")
    }
    return {**left, "drop": (*options.get("drop", ()), *sorted(wrong))}


def _problems_of(error: HilabelError, where: str) -> Iterator[Problem]:
    """Yield the problems reported by an error, one per column or one in total."""
    culprits, named = error.culprits, error.parameter
    options: tuple[tuple[str, str], ...]
    pairs = [f"{name} ({why})" for name, why in culprits.items()]
    if culprits and "drop" in named:
        for column, why in culprits.items():
            remedies = [
                name for name in ("drop", "categorical", "text") if name in named
            ]
            options = tuple((name, column) for name in remedies)
            what = f"column {column!r} has {why}"
            yield Problem("error", what, where, "fix them", options, (column,))
    elif culprits and "merge_duplicates" in named:
        what = counted("id", "with several rows", pairs)
        options = (("merge_duplicates", "mean"), ("merge_duplicates", "first"))
        yield Problem("error", what, where, "", options, tuple(culprits))
    elif culprits:
        what = counted("row", "that could not be read", pairs)
        options = tuple((name, "NAME") for name in named)
        yield Problem("error", what, where, "fix them", options, tuple(culprits))
    else:
        what = ": ".join(filter(None, (error.position, error.reason)))
        options = tuple((name, _VALUES_SHOWN.get(name, "NAME")) for name in named)
        yield Problem("error", what, where, "", options)
