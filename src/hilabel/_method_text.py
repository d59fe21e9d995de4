"""Parse methods and settings that users write on one line."""

import ast
from typing import Any

_OPENING, _CLOSING = "([{", ")]}"


def read_value(text: str) -> Any:
    """Parse a string as a Python literal, or return it unchanged; no code is run.

    >>> read_value("0.5"), read_value("none"), read_value("siblings")
    (0.5, None, 'siblings')
    """
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return text


def split_outside(text: str, mark: str) -> list[str]:
    """Split a string at a separator, except within brackets.

    >>> split_outside("a:w=[1,2],b", ",")
    ['a:w=[1,2]', 'b']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if letter == mark and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
