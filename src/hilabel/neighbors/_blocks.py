"""Blocks of rows, one after the other or in threads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

__all__ = ["for_each_block", "one_blas_thread"]


def for_each_block(
    function: Callable[[slice], None], n_rows: int, step: int, n_jobs: int | None
) -> None:
    """Call ``function`` with every slice of ``step`` rows; order is not promised.

    With several jobs the blocks run in threads, and BLAS inside keeps to one.
    """
    blocks = [
        slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)
    ]
    if len(blocks) < 2 or effective_n_jobs(n_jobs) == 1:
        for block in blocks:
            function(block)
        return
    with one_blas_thread():
        Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(function)(block) for block in blocks
        )


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread; it cannot know how many threads call it."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield
