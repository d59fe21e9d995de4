"""The output of a command: text and tables, a JSON object, or errors only."""

import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hilabel._progress import Report, say_nothing
from hilabel.cli._cells import cell, cells
from hilabel.cli._progress_bar import ProgressBar
from hilabel.cli._progress_lines import ProgressLines
from hilabel.exceptions import HilabelWarning

# A shortened column keeps at least this many characters, even on a narrow screen.
_LEAST_CUT = 12
# Lines of a table of passes, rounds or batches.
STEPS_SHOWN = 12


class Screen:
    """Print human-readable text and tables, a single JSON object, or errors only."""

    def __init__(
        self, quiet: bool = False, as_json: bool = False, details: bool = False
    ) -> None:
        from rich.console import Console

        self.quiet = quiet
        self.as_json = as_json
        self.details = details
        self.notes: list[str] = []
        self._out = Console(file=sys.stdout, highlight=False, markup=False)
        self._err = Console(file=sys.stderr, highlight=False, markup=False)

    @property
    def is_silent(self) -> bool:
        """Whether to suppress text and tables."""
        return self.quiet or self.as_json

    @property
    def width(self) -> int:
        """Number of characters in a line."""
        return int(self._out.width)

    def say(self, text: str) -> None:
        """Print a sentence, wrapped to the width of the screen."""
        if not self.is_silent:
            self._out.print(text)

    def detail(self, text: str) -> None:
        """Print a sentence if the user asked for details."""
        if self.details:
            self.say(text)

    def alarm(self, text: str) -> None:
        """Print an important message in red to standard error, even in quiet mode."""
        self.notes.append(text)
        if not self.as_json:
            self._err.print(f"hilabel: {text}", style="bold red")

    def say_path(self, text: str) -> None:
        """Print a line without wrapping, so that it can be copied."""
        if not self.is_silent:
            self._out.print(text, soft_wrap=True)

    def head(self, text: str) -> None:
        """Print a heading."""
        if not self.is_silent:
            self._out.print(f"\n{text}", style="bold")

    def facts(self, facts: Mapping[str, Any]) -> None:
        """Print pairs of names and values, one pair per line."""
        if self.is_silent:
            return
        from rich.table import Table

        grid = Table.grid(padding=(0, 2))
        for name, value in facts.items():
            grid.add_row(name, cell(value, name))
        self._out.print(grid)

    def table(
        self,
        frame: Any,
        *,
        uncut: str = "",
        cut: Sequence[str] = (),
        most: int | None = None,
    ) -> None:
        """Print a data frame, with the digits that its numbers deserve.

        Parameters
        ----------
        frame : DataFrame
        uncut : str, optional
            Never shorten this column, so that its values can be copied; the last column
            is shortened instead.
        cut : sequence of str, optional
            Columns to shorten if a row does not fit on a line, starting with the first.
        most : int, optional
            The most lines to print; lines in the middle are left out.
        """
        if self.is_silent:
            return
        from rich import box
        from rich.table import Table

        columns = {
            str(name).replace("_", " "): _ends(cells(frame[name], str(name)), most)
            for name in frame.columns
        }
        for name in cut or ([frame.columns[-1]] if uncut else []):
            _fit_line(columns, name.replace("_", " "), self._out.width)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for title, name in zip(columns, frame.columns, strict=True):
            is_number = frame[name].dtype.kind in "fiu"
            table.add_column(
                title,
                justify="right" if is_number else "left",
                no_wrap=name == uncut,
            )
        for row in zip(*columns.values(), strict=True):
            table.add_row(*row)
        self._out.print(table)

    def detail_table(self, title: str, frame: Any, **how: Any) -> None:
        """Print a table under a heading if the user asked for details.

        Parameters
        ----------
        title : str
        frame : DataFrame
        **how
            As in :meth:`table`.
        """
        if self.details:
            self.head(title)
            self.table(frame, **how)

    def json(self, value: Mapping[str, Any]) -> None:
        """Print the JSON object for ``--json``, including notes."""
        if self.as_json:
            content = plain({**value, "notes": self.notes})
            # A pipe on Windows may not support all characters.
            can_take_all = (sys.stdout.encoding or "").lower().startswith("utf")
            text = json.dumps(content, indent=2, ensure_ascii=not can_take_all)
            sys.stdout.write(text + "\n")

    @contextmanager
    def working(self) -> Iterator[Report]:
        """Yield a function that shows progress; print warnings as they occur."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", HilabelWarning)
            warnings.showwarning = self._note
            with self._progress() as report:
                yield report

    def _note(self, message: Warning | str, *_: Any, **__: Any) -> None:
        told = str(message)
        if told not in self.notes:
            self.notes.append(told)
            if not self.is_silent:
                self._err.print(f"note: {told}")

    @contextmanager
    def _progress(self) -> Iterator[Report]:
        if self.is_silent:
            yield say_nothing
            return
        shown: ProgressBar | ProgressLines
        shown = ProgressBar(self._err) if self._err.is_terminal else ProgressLines()
        with shown:
            yield shown.report


def plain(value: Any) -> Any:
    """Convert a value to types that JSON supports; NaN and infinities become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return plain(value.to_dict("records"))
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _ends(texts: list[str], most: int | None) -> list[str]:
    """Return the first and the last texts, with dots for those that are left out."""
    if most is None or len(texts) <= most:
        return texts
    return [*texts[: most // 2], "...", *texts[len(texts) - (most - 1) // 2 :]]


def _fit_line(columns: dict[str, list[str]], cut: str, width: int) -> None:
    """Shorten the texts of one column so that each row fits on a line."""
    widest = {title: max(map(len, [title, *texts])) for title, texts in columns.items()}
    # Two spaces between columns, and one at each side of the table.
    others = sum(widest.values()) - widest[cut] + 2 * len(columns)
    room = max(width - others, _LEAST_CUT)
    columns[cut] = [_cut(text, room) for text in columns[cut]]


def _cut(text: str, room: int) -> str:
    """Shorten a text to the available width, cutting between words if possible."""
    if len(text) <= room:
        return text
    kept = text[: room - 2]
    words = kept[: kept.rfind(" ")].rstrip(" ,;:") if " " in kept.strip() else ""
    return f"{words.rstrip() or text[: room - 3]}..."
