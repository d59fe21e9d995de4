"""What a misspelt name may have meant."""

import difflib
from collections.abc import Iterable, Mapping


def closest(name: str, known: Iterable[str] | Mapping[str, str]) -> list[str]:
    """Return the known name that is most like ``name``; none if all are too far off.

    Of a mapping, the value of the key that is most like it. Case does not matter.
    """
    meant = known if isinstance(known, Mapping) else {word: word for word in known}
    folded = {word.casefold(): value for word, value in meant.items()}
    found = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.7)
    return [folded[word] for word in found]


def did_you_mean(names: Iterable[str]) -> str:
    """Return the question that ends an error; "" without names."""
    listed = [repr(name) for name in names]
    return f" Did you mean {' or '.join(listed)}?" if listed else ""
