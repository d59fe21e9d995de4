"""The lines or rows of a file that the rows of a table come from, for messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Places:
    """Positions of rows, formatted for messages only on demand to save memory."""

    kind: Literal["line", "row"]
    numbers: Sequence[int]

    @classmethod
    def of_rows(cls, n_rows: int) -> "Places":
        """Return the places of rows that are numbered from 1."""
        return cls("row", range(1, n_rows + 1))

    def part(self, rows: slice) -> "Places":
        """Return the places of a block of rows."""
        return Places(self.kind, self.numbers[rows])

    def name(self, row: int) -> str:
        """Return the place of a row in words, such as ``line 3``."""
        return f"{self.kind} {self.numbers[row]}"

    def field(self, row: int) -> dict[str, Any]:
        """Return the field of an error that holds the place of a row."""
        return {self.kind: self.numbers[row]}
