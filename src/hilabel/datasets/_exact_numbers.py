"""How pandas is asked to round a number in a text to the nearest float."""

from typing import Any, Final

import pandas as pd

# From 3.1 on pandas always does, and warns when asked to.
EXACT_NUMBERS: Final[dict[str, Any]] = (
    {"float_precision": "round_trip"}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    else {}
)
