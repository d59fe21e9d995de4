"""Convert values to JSON that can be embedded in a page."""

import json
import math
from typing import Any, Final

# Readers see three; rounded again, these are nearly always the same three.
_DIGITS: Final = 6
# Escaped, so that no tag or entity can start inside a script.
_ESCAPED: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def json_text(value: Any) -> str:
    """Return JSON with ``<``, ``>`` and ``&`` escaped, and with rounded numbers.

    NaN becomes null.
    """
    text = json.dumps(
        plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    for letter, code in _ESCAPED.items():
        text = text.replace(letter, code)
    # Some files contain lone surrogates, which cannot be encoded.
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(value: Any) -> Any:
    """Convert arrays and NumPy numbers to plain values for JSON."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    return value
