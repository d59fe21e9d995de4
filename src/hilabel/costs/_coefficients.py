"""The seconds that a unit of each kind of work takes on the reference machine."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from hilabel.costs._work import Work

FILE: Final = Path(__file__).with_name("coefficients.toml")
"""Written by ``python -m benchmarks.costs``."""

# Twice as many threads take a little more than half the time.
_OF_THREADS: Final = 0.9


@cache
def coefficients() -> dict[str, Any]:
    """Return the content of the file.

    ``machine`` has the seconds of its measurements, for comparison; ``seconds`` has
    those of a unit, by kind of work and part.
    """
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def seconds_of(work: Work) -> float:
    """Return the seconds that work takes on the reference machine."""
    per_unit = coefficients()["seconds"][work.kind]
    total = sum(per_unit[name] * amount for name, amount in work.amounts.items())
    return float(total / work.n_threads**_OF_THREADS)
