"""Work on blocks of rows, since what reaches a row may be a large part of all rows."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from joblib import Parallel, delayed

from hilabel._matrices import row_blocks

# With up to 30,000 links followed for each row, shares of a block take up to 200 MB.
_ROWS_AT_ONCE: Final = 512

Found = TypeVar("Found")


def map_blocks(
    work: Callable[[slice], Found], n_rows: int, n_jobs: int | None = None
) -> list[Found]:
    """Return the result of work for each block of rows, in order.

    The first block is done before the others, so that these find what it caches.

    Examples
    --------
    >>> from hilabel.classifiers._link_blocks import map_blocks
    >>> map_blocks(lambda rows: rows.stop - rows.start, 1100)
    [512, 512, 76]
    """
    # An empty block, too, since results may be arrays to stack.
    blocks = list(row_blocks((n_rows, 1), _ROWS_AT_ONCE)) or [slice(0, 0)]
    first = work(blocks[0])
    if len(blocks) == 1:
        return [first]  # starting threads takes longer than most blocks
    others: Any = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(work)(block) for block in blocks[1:]
    )
    return [first, *others]


def for_each_block(
    work: Callable[[slice], None], n_rows: int, n_jobs: int | None = None
) -> None:
    """Do some work for each block of rows."""
    map_blocks(work, n_rows, n_jobs)
