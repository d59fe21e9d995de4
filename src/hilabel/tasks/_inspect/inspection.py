"""The result of inspecting a file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from hilabel.tasks._inspect.problem import Problem


@dataclass(frozen=True, eq=False)
class Inspection:
    """The contents of a file, and the problems found in it.

    Attributes
    ----------
    title : str
    facts : dict
        Names and plain values.
    tables : dict of DataFrame
    sentences : tuple of str
        For a model, the sentences printed in training.
    lists : dict of tuple
        For a table with labels, all identifiers that did not match; ``facts`` has their
        number and the first ones.
    problems : tuple of Problem
        The problems, most severe first, and how to fix them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import inspect_file
    >>> with TemporaryDirectory() as folder:
    ...     found = inspect_file(write_example(folder, "shop")["features"])
    >>> found.problems
    ()
    """

    title: str
    facts: dict[str, Any]
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    lists: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether training is possible, that is, whether there are no errors."""
        return all(problem.severity != "error" for problem in self.problems)

    def problem_table(self, name_of: Callable[[str], str | None] = str) -> pd.DataFrame:
        """Return the problems as a table; see :meth:`Problem.remedy`."""
        rows = [
            {
                "severity": problem.severity,
                "problem": problem.what,
                "file": Path(problem.where).name,
                "fix": problem.remedy(name_of),
            }
            for problem in self.problems
        ]
        return pd.DataFrame(rows)

    @classmethod
    def of(
        cls, title: str, problems: Iterable[Problem], facts: dict[str, Any], **more: Any
    ) -> "Inspection":
        """Return an inspection that lists each problem once, most severe first."""
        found = {(problem.what, problem.where): problem for problem in problems}
        order = ("error", "warning", "note")
        ranked = sorted(found.values(), key=lambda one: order.index(one.severity))
        return cls(title, facts, problems=tuple(ranked), **more)


def named(names: Any, shown: int = 5) -> str:
    """Return the number of names and the first ones, as a fact."""
    names = list(names)
    if not names:
        return "0"
    more = ", ..." if len(names) > shown else ""
    return f"{len(names)} ({', '.join(map(str, names[:shown]))}{more})"
