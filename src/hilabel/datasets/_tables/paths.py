"""Read hierarchies from lists of paths: food/drinks/tea, or Food > Drinks > Tea."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hilabel._typing import FilePath
from hilabel.datasets._tables.annotations import is_heading
from hilabel.exceptions import DatasetFormatError
from hilabel.hierarchy import Hierarchy, Ontology

SEPARATORS: Final = (">", "|", "/")
"""The possible separators of steps; ties are resolved in favour of the first."""

_HEADING_WORDS: Final = {"full", "hierarchy", "name", "names", "taxonomy"}

Lines = list[tuple[int, str]]


def is_path_heading(lines: Lines) -> bool:
    """Return whether the first line is a header rather than the start of a path."""
    first = lines[0][1]
    words = re.split("[ _]+", first.lower())
    if not is_heading(first) and not all(
        is_heading(word) or word in _HEADING_WORDS for word in words
    ):
        return False
    return not any(
        re.match(rf"{re.escape(first)}\s*([>|/]|$)", line) for _, line in lines[1:]
    )


def read_paths(path: FilePath, lines: Lines, separator: str | None) -> Ontology:
    """Return the hierarchy defined by one path per line; node names are whole paths."""
    lines = [(number, _unquoted(line)) for number, line in lines]
    if is_path_heading(lines):
        lines = lines[1:]
    if not lines:
        raise DatasetFormatError(
            "expected one path per line, got only a header.", source=path
        )
    if separator is None:
        joint = _find_joint([line for _, line in lines])
    else:
        joint = _Joint(separator, separator)
    steps = [joint.steps(path, number, line) for number, line in lines]
    hierarchy = Hierarchy.from_paths(steps, joint.text)
    if hierarchy.n_edges == 0 and hierarchy.n_nodes > 1:
        raise _no_edges(path, len(lines), separator)
    return Ontology(hierarchy, {}, frozenset(), joint.text)


def paths_of_terms(terms: Iterable[str]) -> Ontology | None:
    """Return the hierarchy that the terms define, or None if they are not paths.

    The terms are paths if most of them contain a separator such as ``>``; names that
    are the first step of another path are not counted. Since a slash may be part of a
    plain name, as in TV/Video, at least two paths with slashes must have the same first
    step.
    """
    listed = sorted(set(terms))
    joint = _find_joint(listed)
    steps = [joint.split(term) for term in listed]
    begins = [path[0] for path in steps if len(path) > 1]
    n_others = sum(len(path) == 1 and path[0] not in begins for path in steps)
    begin_alike = len({path[0] for path in steps}) < len(steps)
    if len(begins) <= n_others or not (begin_alike or ">" in joint.text):
        return None
    if not all(step for path in steps for step in path):
        return None
    hierarchy = Hierarchy.from_paths(steps, joint.text)
    return Ontology(hierarchy, {}, frozenset(), joint.text)


@dataclass(frozen=True)
class _Joint:
    """What separates steps: the text in node names, and the mark that splits lines."""

    text: str
    mark: str

    def split(self, line: str) -> list[str]:
        """Return the steps; a separator at the start or the end of a line is ignored.

        If nothing is left, the result is a single empty step.
        """
        # With spaces around it, a mark at the end of a stripped line is a separator.
        steps = [step.strip() for step in f" {line} ".split(self.mark)]
        filled = [at for at, step in enumerate(steps) if step]
        return steps[filled[0] : filled[-1] + 1] if filled else [""]

    def steps(self, path: FilePath, number: int, line: str) -> list[str]:
        steps = self.split(line)
        if not all(steps):
            raise DatasetFormatError(
                f"the path {line!r} has an empty step; expected names separated by "
                f"{self.text!r}.",
                source=path,
                line=number,
            )
        return steps


def _find_joint(lines: list[str]) -> _Joint:
    counts = {mark: sum(mark in line for line in lines) for mark in SEPARATORS}
    mark = max(SEPARATORS, key=counts.__getitem__)
    spaced = f" {mark} "
    n_spaced = sum(spaced in f" {line} " for line in lines)
    if 0 < n_spaced == counts[mark]:
        # Without spaces, the separator is then part of a name: TV/Video / Cables.
        return _Joint(spaced, spaced)
    return _Joint(spaced if 2 * n_spaced > counts[mark] else mark, mark)


def _unquoted(line: str) -> str:
    is_quoted = len(line) > 1 and line.startswith('"') and line.endswith('"')
    return line[1:-1].replace('""', '"').strip() if is_quoted else line


def _no_edges(
    path: FilePath, n_lines: int, separator: str | None
) -> DatasetFormatError:
    marks = [separator] if separator is not None else ["/", ">", "|"]
    return DatasetFormatError(
        f"expected paths such as 'food{marks[0]}drinks{marks[0]}tea', but none of the "
        f"{n_lines} lines separates names by {' or '.join(map(repr, marks))}, so no "
        "term is above another. Fix the file, or omit the hierarchy: the terms are "
        "then treated as unrelated.",
        source=path,
    )
