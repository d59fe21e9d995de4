"""Process blocks of rows, sequentially or in threads."""

from collections.abc import Callable
from functools import cache

from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import ThreadpoolController


def for_each_block(
    function: Callable[[slice], None], n_rows: int, step: int, n_jobs: int | None
) -> None:
    """Call ``function`` for every slice of ``step`` rows, in any order.

    Jobs run in threads. BLAS uses a single thread in each of them, so that only
    ``n_jobs`` determines the number of cores used.
    """
    blocks = [
        slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)
    ]
    if len(blocks) < 2:
        for block in blocks:
            function(block)
        return
    with _libraries().limit(limits=1, user_api="blas"):
        if effective_n_jobs(n_jobs) == 1:
            for block in blocks:
                function(block)
        else:
            Parallel(n_jobs=n_jobs, require="sharedmem")(
                delayed(function)(block) for block in blocks
            )


@cache
def _libraries() -> ThreadpoolController:
    """Return a cached controller for BLAS threads, because creating one is slow."""
    return ThreadpoolController()
