"""Values as JSON that may stand in a page."""

import json
import math
from typing import Any, Final

# Four digits: more than anybody reads, and a third of the characters.
_DIGITS: Final = 4
# No tag and no entity can begin inside a script then.
_ESCAPED: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def json_text(value: Any) -> str:
    """Return JSON without ``<``, ``>`` and ``&``, NaN as null, numbers shortened."""
    text = json.dumps(
        plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    for letter, code in _ESCAPED.items():
        text = text.replace(letter, code)
    # Half of a letter, which some files have, cannot be written to another.
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(value: Any) -> Any:
    """Return what JSON has in place of arrays and their numbers."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    return value
