"""Match links between ids with rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._accessions import accession_of, row_finder
from hilabel._typing import BoolArray, Int32Array
from hilabel.exceptions import LinkError
from hilabel.links._canonical import canonical_links
from hilabel.links._id_numbers import IdNumbers
from hilabel.links._link_list import LinkList
from hilabel.links._links import Links
from hilabel.links._report import LinkReport

_LISTED: Final = 3
"""Number of unknown ids that a report lists."""


def match_links(
    ids: Sequence[str],
    kinds: Mapping[str, LinkList],
    row_ids: Sequence[str],
    target_ids: Sequence[str] | None,
    *,
    both_ways: bool,
) -> tuple[Links, LinkReport]:
    """Return the links between rows, or from rows to targets; see LinkTable.over."""
    if not kinds:
        raise LinkError("Expected at least one kind of links, got none.")
    row_of = _places(ids, row_ids)
    target_of = row_of if target_ids is None else _places(ids, target_ids)
    n_targets = len(row_ids if target_ids is None else target_ids)
    protein = IdNumbers().of(map(accession_of, ids))
    shape = len(row_ids), n_targets
    ends = _Ends(row_of, target_of, protein, shape, target_ids is None)
    tally = _Tally(len(ids))
    made = {
        name: _matrix(name, links, ends, tally, both_ways or links.is_undirected)
        for name, links in kinds.items()
    }
    has_links = np.zeros(len(row_ids), dtype=bool)
    for matrix in made.values():
        has_links |= np.diff(matrix.indptr) > 0
    unknown = np.flatnonzero(tally.is_unknown)
    report = LinkReport(
        n_given=sum(links.n_links for links in kinds.values()),
        **tally.counts,
        n_unknown_ids=unknown.size,
        unknown_ids=tuple(ids[number] for number in unknown[:_LISTED]),
        n_rows=len(row_ids),
        n_rows_without=int((~has_links).sum()),
        both_ways=both_ways,
    )
    return Links(made, report.n_self), report


@dataclass(frozen=True, eq=False)
class _Ends:
    """The row and the target of each id, -1 if there is none.

    Two ids are the same protein if they have the same number in ``protein``.
    """

    row_of: Int32Array
    target_of: Int32Array
    protein: Int32Array
    shape: tuple[int, int]
    is_square: bool


def _places(ids: Sequence[str], row_ids: Sequence[str]) -> Int32Array:
    """Return the row of each id, -1 if there is none."""
    find = row_finder(row_ids)
    return np.fromiter(map(find, ids), dtype=np.int32, count=len(ids))


class _Tally:
    """What became of the links of all kinds, and the unknown ids among them."""

    def __init__(self, n_ids: int) -> None:
        self.is_unknown = np.zeros(n_ids, dtype=bool)
        self.counts: Counter[str] = Counter()

    def add(self, counts: Mapping[str, Any]) -> None:
        self.counts.update({f"n_{what}": int(count) for what, count in counts.items()})


def _matrix(
    name: str, links: LinkList, ends: _Ends, tally: _Tally, both_ways: bool
) -> sp.csr_array:
    """Return the links of one kind, and count what became of each."""
    is_good = _usable(links, ends, tally)
    way = partial(_one_way, links, ends, f"the {name!r} links")
    matrix, led = way(is_good)
    n_distinct = matrix.nnz
    if both_ways and ends.is_square:
        matrix = _wider(matrix, sp.csr_array(matrix.T))
    elif both_ways:
        back, led_back = way(is_good & ~led, backwards=True)
        n_distinct += back.nnz
        matrix = _wider(matrix, back)
        if led.any():  # rows may be targets, too
            matrix = _wider(matrix, way(led, backwards=True)[0])
        led |= led_back
    n_led = int(led.sum())
    tally.add({"used": n_distinct, "duplicates": n_led - n_distinct})
    tally.add({"elsewhere": is_good.sum() - n_led})
    return matrix


def _usable(links: LinkList, ends: _Ends, tally: _Tally) -> BoolArray:
    """Return which links are between two known ids, and not from an id to itself."""
    known = (ends.row_of >= 0) | (ends.target_of >= 0)
    is_known = known[links.sources] & known[links.targets]
    for numbers in (links.sources, links.targets):
        found = numbers[~is_known]
        tally.is_unknown[found[~known[found]]] = True
    is_self = ends.protein[links.sources] == ends.protein[links.targets]
    is_self &= is_known
    is_other = is_known & ~is_self
    is_good = is_other & (links.weights > 0)
    tally.add({"unknown": (~is_known).sum(), "self": is_self.sum()})
    tally.add({"zero": is_other.sum() - is_good.sum()})
    return is_good


def _one_way(
    links: LinkList,
    ends: _Ends,
    what: str,
    chosen: BoolArray,
    *,
    backwards: bool = False,
) -> tuple[sp.csr_array, BoolArray]:
    """Return the chosen links that lead from rows to targets, and which these are."""
    first, second = links.sources, links.targets
    first, second = (second, first) if backwards else (first, second)
    row, target = ends.row_of[first], ends.target_of[second]
    led = chosen & (row >= 0) & (target >= 0)
    cells = sp.coo_array(
        (links.weights[led], (row[led], target[led])), shape=ends.shape
    )
    return canonical_links(cells, ends.shape, what), led


def _wider(one: sp.csr_array, other: sp.csr_array) -> sp.csr_array:
    """Return the larger weight of each cell, in canonical format."""
    both = sp.csr_array(one.maximum(other))
    both.sort_indices()
    return both
