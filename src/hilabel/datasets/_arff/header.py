"""The header of an ARFF file: its attributes and the list of classes."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from hilabel.datasets._arff.text import (
    QUOTED,
    ArffText,
    Place,
    split_fields,
    unquote,
)
from hilabel.exceptions import DatasetFormatError

Kind = Literal["numeric", "nominal", "text", "hierarchical"]

_NUMERIC_TYPES = frozenset({"numeric", "real", "integer"})
_TEXT_TYPES = frozenset({"string", "key"})
_BINARY_VALUES = ("1", "0")  # how Clus interprets the type "binary"
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({QUOTED}|\S+)\s+(.+)", re.IGNORECASE | re.DOTALL
)
_HIERARCHICAL = re.compile(r"hierarchical\b\s*(.*)", re.IGNORECASE | re.DOTALL)
# Only after white space: attribute names such as "0.02%_MMS" contain the character too.
_TRAILING_COMMENT = re.compile(rf"((?:{QUOTED}|[^'\"])*?)\s%.*", re.DOTALL)


@dataclass(frozen=True)
class Attribute:
    """One ``@ATTRIBUTE`` line; ``values`` are the declared values or the classes."""

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    is_key: bool = False


@dataclass(frozen=True)
class Header:
    """The attributes of a file, with the hierarchical one last."""

    attributes: tuple[Attribute, ...]  # in the order of the fields of a row
    label_line: int  # number of the line of the hierarchical attribute

    @property
    def classes(self) -> tuple[str, ...]:
        """The class list of the hierarchical attribute."""
        return self.attributes[-1].values

    @cached_property
    def features(self) -> list[int]:
        """Positions of the numeric and nominal attributes."""
        kinds = ("numeric", "nominal")
        return [i for i, a in enumerate(self.attributes) if a.kind in kinds]

    @cached_property
    def identifier(self) -> int | None:
        """Position of the attribute that identifies rows, or None.

        This is the first key or, if there is no key, the first string attribute.
        """
        texts = [i for i, a in enumerate(self.attributes) if a.kind == "text"]
        keys = [i for i in texts if self.attributes[i].is_key]
        return next(iter(keys + texts), None)


def parse_header(text: ArffText) -> Header:
    """Read the attributes; raise ``DatasetFormatError`` if a line is invalid."""
    attributes: list[Attribute] = []
    lines: list[int] = []
    for number, line in enumerate(text.header.split("\n"), start=1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@attribute":
            attributes.append(_parse_attribute(line, text.place(number)))
            lines.append(number)
        elif keyword != "@relation":
            raise DatasetFormatError(
                "expected '@RELATION', '@ATTRIBUTE', '@DATA' or a comment with '%', "
                f"got {_shortened(line)!r}.",
                **text.place(number),
            )
    _check_label(attributes, lines, text)
    return Header(tuple(attributes), lines[-1])


def check_same_header(first: Header, other: Header, path: str, other_path: str) -> None:
    """Raise ``DatasetFormatError`` for the first difference between headers."""
    pairs = zip(first.attributes, other.attributes)
    for position, (one, two) in enumerate(pairs, start=1):
        if one != two:
            raise DatasetFormatError(
                f"expected the attributes of {path}, but attribute {position} is "
                f"{_difference(two, one)}.",
                source=other_path,
            )
    if len(first.attributes) != len(other.attributes):
        raise DatasetFormatError(
            f"expected the {len(first.attributes)} attributes of {path}, got "
            f"{len(other.attributes)}.",
            source=other_path,
        )


def _parse_attribute(line: str, where: Place) -> Attribute:
    commented = _TRAILING_COMMENT.fullmatch(line) if "%" in line else None
    line = commented.group(1).strip() if commented else line
    found = _ATTRIBUTE.fullmatch(line)
    if found is None:
        raise DatasetFormatError(
            f"expected '@ATTRIBUTE name type', got {_shortened(line)!r}.", **where
        )
    name, kind = unquote(found.group(1)), found.group(2).strip()
    hierarchical = _HIERARCHICAL.fullmatch(kind)
    if hierarchical:
        classes = _listed(hierarchical.group(1))
        if not classes:
            raise DatasetFormatError(
                f"expected classes after 'hierarchical' in {name!r}.", **where
            )
        return Attribute(name, "hierarchical", classes)
    if kind.startswith("{"):
        return Attribute(name, "nominal", _nominal_values(kind, name, where))
    return _plain_attribute(name, kind, where)


def _plain_attribute(name: str, kind: str, where: Place) -> Attribute:
    word = kind.lower()
    if word in _NUMERIC_TYPES:
        return Attribute(name, "numeric")
    if word in _TEXT_TYPES:
        return Attribute(name, "text", is_key=word == "key")
    if word == "binary":
        return Attribute(name, "nominal", _BINARY_VALUES)
    raise DatasetFormatError(
        f"attribute {name!r} has the type {_shortened(kind)!r}; expected numeric, "
        "real, integer, binary, string, key, hierarchical or values in braces.",
        **where,
    )


def _nominal_values(kind: str, name: str, where: Place) -> tuple[str, ...]:
    if not kind.endswith("}"):
        raise DatasetFormatError(
            f"the values of attribute {name!r} have no closing brace.", **where
        )
    # A declared "?" is not a separate value: it is added if rows have it.
    values = [value for value in _listed(kind[1:-1]) if value != "?"]
    if not values:
        raise DatasetFormatError(f"attribute {name!r} declares no values.", **where)
    if len(set(values)) < len(values):
        repeated = next(value for value in values if values.count(value) > 1)
        raise DatasetFormatError(
            f"attribute {name!r} declares {repeated!r} more than once.", **where
        )
    return tuple(values)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(field for field in split_fields(text) if field)


def _check_label(attributes: list[Attribute], lines: list[int], text: ArffText) -> None:
    found = [i for i, a in enumerate(attributes) if a.kind == "hierarchical"]
    if not found:
        raise DatasetFormatError(
            "expected a hierarchical attribute ('@ATTRIBUTE class hierarchical ...'), "
            f"found none among {len(attributes)} attributes.",
            source=text.path,
        )
    if len(found) > 1:
        raise DatasetFormatError(
            "expected one hierarchical attribute, got a second.",
            **text.place(lines[found[1]]),
        )
    if found[0] != len(attributes) - 1:
        raise DatasetFormatError(
            "expected the hierarchical attribute to be the last one, but "
            f"{attributes[found[0] + 1].name!r} follows; move it to the end.",
            **text.place(lines[found[0]]),
        )


def _difference(got: Attribute, expected: Attribute) -> str:
    if got.name != expected.name:
        return f"named {got.name!r}, not {expected.name!r}"
    if got.kind != expected.kind:
        return f"{got.name!r} of kind {got.kind}, not {expected.kind}"
    only_got = [value for value in got.values if value not in set(expected.values)]
    missing = [value for value in expected.values if value not in set(got.values)]
    if only_got:
        return f"{got.name!r} with the extra value {only_got[0]!r}"
    if missing:
        return f"{got.name!r} without the value {missing[0]!r}"
    return f"{got.name!r} with its values in another order or number"


def _shortened(text: str, length: int = 60) -> str:
    return text if len(text) <= length else f"{text[:length]}..."
