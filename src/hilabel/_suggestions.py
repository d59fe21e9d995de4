"""Suggestions for misspelt names."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

_MOST_OFFERED: Final = 4
# One wrong letter of two, as in "V4", halves the similarity.
_SHORT: Final = 3


def closest(name: str, known: Iterable[str] | Mapping[str, str]) -> list[str]:
    """Return the known name most similar to ``name``, if any is similar enough.

    For a mapping, return the value of the most similar key. Case is ignored.
    """
    meant = known if isinstance(known, Mapping) else {word: word for word in known}
    folded = {word.casefold(): value for word, value in meant.items()}
    found = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.7)
    return [folded[word] for word in found]


def nearest(name: str, known: Mapping[str, str]) -> list[str]:
    """Return the values of the keys that contain ``name`` or are similar to it.

    If the same part of a word occurs in several keys, the word is ambiguous, and all of
    them are offered, up to four.
    """
    within = [key for key in known if name and name in key]
    cutoff = 0.5 if len(name) <= _SHORT else 0.6
    similar = difflib.get_close_matches(name, known, n=_MOST_OFFERED, cutoff=cutoff)
    offered = dict.fromkeys(known[key] for key in (*within, *similar))
    return list(offered)[:_MOST_OFFERED]


def did_you_mean(names: Iterable[str]) -> str:
    """Return a question to append to an error message; "" if there are no names."""
    listed = [repr(name) for name in names]
    return f" Did you mean {' or '.join(listed)}?" if listed else ""
