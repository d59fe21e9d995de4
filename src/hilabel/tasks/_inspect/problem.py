"""A problem in a user's files, and ways to fix it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

Severity = Literal["error", "warning", "note"]

# Maximum number of names and options to list.
_SHOWN: Final = 3


@dataclass(frozen=True)
class Problem:
    """An error, or a finding that users may not expect.

    Attributes
    ----------
    severity : {"error", "warning", "note"}
        An error prevents training, a warning reports lost data, and a note is
        information.
    what : str
    where : str
        The file.
    mend : str
        What to do, in words; "" if ``options`` are sufficient.
    options : tuple of (str, str)
        Parameters and values, each of which fixes the problem; "" if it takes no value.
    names : tuple of str
        All names concerned; ``what`` shows the first ones.

    Examples
    --------
    >>> from hilabel.tasks import Problem
    >>> ways = (("drop", "price"), ("categorical", "price"))
    >>> problem = Problem("error", "column 'price' has words", "x.csv", "", ways)
    >>> problem.remedy(lambda parameter: f"--{parameter}")
    '--drop price or --categorical price'
    """

    severity: Severity
    what: str
    where: str
    mend: str = ""
    options: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()

    def remedy(self, name_of: Callable[[str], str | None] = str) -> str:
        """Return a description of how to fix the problem, including suitable options.

        ``name_of`` maps a parameter to its displayed name, such as ``--drop``, or to
        None if it is not available.
        """
        ways = [
            f"{name} {value}".strip()
            for parameter, value in self.options
            if (name := name_of(parameter)) is not None
        ]
        parts = [self.mend, " or ".join(ways[:_SHOWN])]
        return ": ".join(part for part in parts if part)


def counted(noun: str, which: str, names: Iterable[str]) -> str:
    """Return the number of names, what they are, and the first ones."""
    listed = [*names]
    nouns = noun if len(listed) == 1 else f"{noun}s"
    more = ", ..." if len(listed) > _SHOWN else ""
    return f"{len(listed)} {nouns} {which}: {', '.join(listed[:_SHOWN])}{more}"
