"""How fast this machine is."""

import time
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from threadpoolctl import ThreadpoolController

from hilabel.costs._coefficients import coefficients

# The shortest of several measurements is used, since other processes may disturb some.
_REPEATS: Final = 12
_N_VALUES: Final = 400_000
_N_GATHERED: Final = 200_000
_SIDE: Final = 160


@cache
def machine_factor() -> float:
    """Return how many times as long as the reference machine this one takes.

    It is measured once per process, in about a tenth of a second.

    Examples
    --------
    >>> from hilabel.costs import machine_factor
    >>> machine_factor() > 0
    True
    """
    here, there = measure_machine(), coefficients()["machine"]["measured"]
    ratios = [here[name] / there[name] for name in there]
    return float(np.exp(np.mean(np.log(ratios))))


def measure_machine() -> dict[str, float]:
    """Return the seconds of some work that is typical of training, on one thread."""
    random = np.random.default_rng(0)
    values = random.random(_N_VALUES, dtype=np.float32)
    places = random.integers(0, _N_VALUES, _N_GATHERED)
    square = random.random((_SIDE, _SIDE))
    with ThreadpoolController().limit(limits=1, user_api="blas"):
        return {
            "gather": _shortest(lambda: values[places].sum()),
            "product": _shortest(lambda: square @ square),
            "sort": _shortest(lambda: np.sort(values[: _SIDE * _SIDE])),
        }


def _shortest(work: Callable[[], Any]) -> float:
    seconds = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
