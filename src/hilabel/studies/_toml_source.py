"""A TOML file with the line number of each key."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

from hilabel.exceptions import StudyConfigError

Keys = tuple[str | int, ...]

# An estimator within an estimator needs four levels.
_MOST_LEVELS = 40


class _Statement(NamedTuple):
    """One header or one ``key = value`` statement, with its lines."""

    keys: Keys
    first_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class TomlSource:
    """The contents of a TOML file, with line numbers.

    The parser of the standard library does not report line numbers, so the text is
    split into statements, each of which is the shortest block of lines that can be
    parsed on its own.
    """

    path: Path
    text: str
    table: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file; syntax errors are reported with their line numbers."""
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise StudyConfigError(
                f"{path}: this study file does not exist; check the path."
            ) from None
        except UnicodeDecodeError as error:
            raise StudyConfigError(
                f"{path}: expected UTF-8 text, got {error.reason} at byte "
                f"{error.start}; save the file as UTF-8."
            ) from None
        try:
            source = cls(path, text, tomllib.loads(text))
            is_too_deep = _depth(source.table) > _MOST_LEVELS
        except ValueError as error:  # also for dates and numbers out of range
            raise StudyConfigError(
                f"{path}: expected TOML, got: {error}; fix that line."
            ) from None
        except RecursionError:
            is_too_deep = True
        if is_too_deep:
            raise StudyConfigError(
                f"{path}: expected tables and lists of at most {_MOST_LEVELS} levels, "
                "got more; reduce the nesting."
            )
        return source

    def value(self, keys: Keys) -> Any:
        """Return the value at a path of nested keys, or None."""
        table: Any = self.table
        for key in keys:
            if not isinstance(table, dict) or key not in table:
                return None
            table = table[key]
        return table

    def fail(self, keys: Keys, expected: str, got: Any, remedy: str) -> NoReturn:
        """Raise a one-line error with the expected value, the given value and a fix."""
        shown = got if isinstance(got, _Words) else repr(got)
        self.refuse(keys, f"expected {expected}, got {shown}; {remedy}.", got)

    def refuse(self, keys: Keys, message: str, got: Any = None) -> NoReturn:
        """Raise an error whose message starts with the file, the line and the key."""
        name = ".".join(map(str, keys)) or "the file"
        line = self.line_of(keys, got)
        raise StudyConfigError(f"{self.path}, line {line}: {name}: {message}")

    def missing(self, keys: Keys, expected: str, remedy: str) -> NoReturn:
        """Raise the error for a missing key."""
        self.fail(keys, expected, _Words("nothing"), remedy)

    def check_choice(
        self,
        keys: Keys,
        value: Any,
        allowed: Sequence[str],
        remedy: str = "choose one of those",
    ) -> None:
        """Raise an error if a value is not allowed."""
        if value not in allowed:
            self.fail(keys, f"one of {', '.join(allowed)}", value, remedy)

    def refuse_unknown(self, keys: Keys, table: Any, allowed: Sequence[str]) -> None:
        """Raise an error if the table at ``keys`` has an unknown key."""
        for key in table:
            self.check_choice((*keys, key), key, allowed, "remove or rename it")

    def line_of(self, keys: Keys, value: Any = None) -> int:
        """Return the line number of a key, or of the table that it would belong to.

        Within a multi-line value, it is the first line that contains ``value`` or a
        key.
        """
        above = [s for s in self._statements() if s.keys == keys[: len(s.keys)]]
        if not above:
            return 1
        best = max(above, key=lambda statement: len(statement.keys))
        wanted = [str(key) for key in keys[len(best.keys) :] if isinstance(key, str)]
        wanted += [str(value)] if isinstance(value, str | int | float) else []
        for offset, line in enumerate(best.lines):
            if any(word in line for word in wanted):
                return best.first_line + offset
        return best.first_line

    def _statements(self) -> list[_Statement]:
        lines = self.text.splitlines()
        statements: list[_Statement] = []
        n_tables: dict[Keys, int] = {}
        prefix: Keys = ()
        start = 0
        while start < len(lines):
            end = _end_of_statement(lines, start)
            part = tuple(lines[start:end])
            stripped = part[0].strip()
            if stripped.startswith("["):
                prefix = _nested_keys(tomllib.loads(stripped))
                if stripped.startswith("[["):
                    number = n_tables.get(prefix, 0)
                    n_tables[prefix] = number + 1
                    prefix = (*prefix, number)
                statements.append(_Statement(prefix, start + 1, part))
            elif stripped and not stripped.startswith("#"):
                keys = (*prefix, *_left_side(part[0]))
                statements.append(_Statement(keys, start + 1, part))
            start = end
        return statements


def _depth(value: Any) -> int:
    """Return the nesting depth of tables and lists."""
    depth, level = 0, [value]
    while level:
        depth += 1
        inner = [part.values() if isinstance(part, dict) else part for part in level]
        level = [v for part in inner for v in part if isinstance(v, dict | list)]
    return depth


class _Words(str):
    """Text to show without quotes."""

    __slots__ = ()


def _end_of_statement(lines: Sequence[str], start: int) -> int:
    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[start:end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    return start + 1


def _left_side(line: str) -> Keys:
    for place, character in enumerate(line):
        if character == "=":
            try:
                return _nested_keys(tomllib.loads(f"{line[:place]}= 0"))
            except tomllib.TOMLDecodeError:
                continue
    return ()


def _nested_keys(table: Any) -> Keys:
    keys: list[str] = []
    while table:
        if isinstance(table, list):  # for a header in double brackets
            table = table[0]
            continue
        if not isinstance(table, dict):
            break
        [(key, table)] = table.items()
        keys.append(key)
    return tuple(keys)
