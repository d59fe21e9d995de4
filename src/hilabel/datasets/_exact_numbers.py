"""The pandas option that rounds parsed numbers to the nearest float."""

from typing import Any, Final

import pandas as pd

# Since version 3.1, pandas always does this, and warns about the option.
EXACT_NUMBERS: Final[dict[str, Any]] = (
    {"float_precision": "round_trip"}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    else {}
)
