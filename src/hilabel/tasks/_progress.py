"""How a job tells what it is doing."""

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Report", "say_nothing"]

Report: TypeAlias = Callable[[str, int, int], None]
"""Called with a few words on what comes next, how much is done, and of how much."""


def say_nothing(message: str, done: int, total: int) -> None:
    """Take a report of progress and leave it."""
