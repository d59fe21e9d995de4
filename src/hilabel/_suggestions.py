"""Suggestions for misspelt names."""

import difflib
from collections.abc import Iterable, Mapping


def closest(name: str, known: Iterable[str] | Mapping[str, str]) -> list[str]:
    """Return the known name most similar to ``name``, if any is similar enough.

    For a mapping, return the value of the most similar key. Case is ignored.
    """
    meant = known if isinstance(known, Mapping) else {word: word for word in known}
    folded = {word.casefold(): value for word, value in meant.items()}
    found = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.7)
    return [folded[word] for word in found]


def did_you_mean(names: Iterable[str]) -> str:
    """Return a question to append to an error message; "" if there are no names."""
    listed = [repr(name) for name in names]
    return f" Did you mean {' or '.join(listed)}?" if listed else ""
