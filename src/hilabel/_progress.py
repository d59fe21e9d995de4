"""Tell a waiting user how far a long fit has come."""

import sys
import time

__all__ = ["Progress"]

# Work that ends sooner than this needs no report.
_PATIENCE_SECONDS = 2.0


class Progress:
    """Write lines to standard error, once the work has taken a while.

    Parameters
    ----------
    verbose : int
        0 writes nothing, 1 writes after two seconds, 2 writes from the start.
    """

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._start = time.monotonic()

    def report(self, message: str) -> None:
        """Write a line with the seconds passed, if it is wanted by now."""
        elapsed = time.monotonic() - self._start
        if self._verbose >= 2 or (self._verbose == 1 and elapsed > _PATIENCE_SECONDS):
            sys.stderr.write(f"[{elapsed:6.1f} s] {message}\n")
            sys.stderr.flush()
