"""The values of tables as text, with the digits that they deserve."""

from collections.abc import Iterable
from typing import Any

# Integers that are names rather than amounts.
_NAMES = ("seed", "random_state")


def cells(values: Iterable[Any], name: str) -> list[str]:
    """Return the values of a column as text; the name of the column says what they are.

    Whole numbers are counts even if missing values have turned them into floats.
    """
    values = [*values]
    floats = [value for value in values if _is_float(value) and value == value]
    # A score may be 0 or 1, but not more.
    may_count = name.startswith("n_") or max(floats, default=0) > 1
    is_count = may_count and not name.endswith("seconds")
    if is_count and all(float(value).is_integer() for value in floats):
        values = [int(x) if _is_float(x) and x == x else x for x in values]
    return [cell(value, name) for value in values]


def cell(value: Any, name: str = "") -> str:
    """Return a value as text: scores have three decimals, and seconds one.

    Examples
    --------
    >>> from hilabel.cli._cells import cell
    >>> cell(0.5), cell(12345), cell(61.25, "seconds"), cell(None), cell(True)
    ('0.500', '12,345', '61.2', '-', 'yes')
    """
    kind = type(value).__name__
    if value is None or kind == "NAType" or value != value:
        return "-"
    if kind in ("bool", "bool_"):
        return "yes" if value else "no"
    if _is_float(value):
        decimals = 1 if name.endswith("seconds") else 0 if abs(value) >= 1000 else 3
        return f"{round(value, decimals) + 0.0:,.{decimals}f}"  # no -0.000
    if kind.startswith(("int", "uint")) and name not in _NAMES:
        return f"{value:,}"
    return str(value)


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or type(value).__name__.startswith("float")
