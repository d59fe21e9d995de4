"""Match the links of files with the rows of a table, or with new rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hilabel._typing import IntArray
from hilabel.datasets._links.files import LinkFiles
from hilabel.datasets._links.groups import group_rows
from hilabel.exceptions import DatasetFormatError, LinkError
from hilabel.links import LinkReport, Links, LinkTable


@dataclass(frozen=True, eq=False)
class RowLinks:
    """The links between the rows of a table.

    Attributes
    ----------
    links : Links of shape (n_rows, n_rows)
    report : LinkReport
    groups : int array of shape (n_rows,) or None
        The group of each row, if rows are grouped by strong links.
    """

    links: Links
    report: LinkReport
    groups: IntArray | None = None


def links_over_rows(
    value: Any,
    ids: Sequence[str],
    source: str,
    *,
    both_ways: bool,
    strip_version: bool,
    groups: float | None = None,
) -> RowLinks:
    """Return the links between the rows of a table.

    Parameters
    ----------
    value : LinkTable or files
        See :meth:`LinkFiles.of`.
    ids : sequence of str
        The ids of the rows.
    source : str
        The file of the rows, for messages.
    both_ways, strip_version : bool
    groups : float, optional
        Group rows by links that are at least as strong; see :func:`group_rows`.

    Raises
    ------
    DatasetFormatError
        If no link is between two rows.
    """
    table = _table(value, ids, strip_version)
    links, report = table.over(ids, both_ways=both_ways)
    if not links.n_links and report.n_unknown:
        raise DatasetFormatError(
            f"no link is between two rows of {source or 'the features'}. Expected ids "
            f"such as {ids[0]!r}, got ids such as {report.unknown_ids[0]!r}.",
            source=table.source,
            parameter=() if strip_version else "strip_version",
        )
    found = None if groups is None else group_rows(table, ids, groups)
    return RowLinks(links, report, found)


@dataclass(frozen=True, eq=False)
class NewLinks:
    """The links of rows that were not in training.

    Attributes
    ----------
    to_training : Links of shape (n_new, n_training)
    among_new : Links of shape (n_new, n_new)
    report : LinkReport
        What became of the links to training rows.
    ignored_kinds : tuple of str
        Kinds that training did not have.

    Examples
    --------
    >>> from hilabel.datasets import link_new_rows
    >>> from hilabel.links import LinkTable
    >>> table = LinkTable.of([("new", "old", 3.0), ("new", "newer", 1.0)])
    >>> found = link_new_rows(table, ["new", "newer"], ["old"])
    >>> found.to_training.n_links, found.among_new.n_links
    (1, 2)
    """

    to_training: Links
    among_new: Links
    report: LinkReport
    ignored_kinds: tuple[str, ...] = ()


def link_new_rows(
    links: Any,
    new_ids: Sequence[str],
    training_ids: Sequence[str],
    *,
    kinds: Sequence[str] | None = None,
    both_ways: bool = True,
    strip_version: bool = False,
) -> NewLinks:
    """Find the links of new rows: to training rows, and among each other.

    Rows without links are rows of zeros.

    Parameters
    ----------
    links : LinkTable, path-like, mapping of str to path-like, or (kind, path) pairs
        Links between ids, or files with them; see :func:`read_links`.
    new_ids, training_ids : sequence of str
    kinds : sequence of str, optional
        The kinds of links in training, which the result has in this order; a kind that
        is missing has no links. If there is one kind in both, its name does not matter.
    both_ways : bool, default=True
        Whether a link also leads from its target to its source, as in training.
    strip_version : bool, default=False
        Whether to strip versions from ids in files.

    Returns
    -------
    NewLinks

    Raises
    ------
    LinkError
        If there is no link of a kind that training had.

    Examples
    --------
    >>> from hilabel.datasets import link_new_rows
    >>> from hilabel.links import LinkTable
    >>> hits = LinkTable.of({"blast": [("old", "new")]})
    >>> link_new_rows(hits, ["new"], ["old"], kinds=["hits"]).to_training.names
    ('hits',)
    """
    table = _table(links, training_ids, strip_version)
    ignored: tuple[str, ...] = ()
    if kinds is not None:
        table, ignored = _as_in_training(table, tuple(kinds))
    to_training, report = table.over(new_ids, training_ids, both_ways=both_ways)
    among_new, _ = table.over(new_ids, both_ways=both_ways)
    if kinds is not None:
        to_training = to_training.of_kinds(kinds)
        among_new = among_new.of_kinds(kinds)
    return NewLinks(to_training, among_new, report, ignored)


def _table(value: Any, ids: Sequence[str], strip_version: bool) -> LinkTable:
    if isinstance(value, LinkTable):
        return value
    return LinkFiles.of(value, strip_version).read(ids)


def _as_in_training(
    table: LinkTable, kinds: tuple[str, ...]
) -> tuple[LinkTable, tuple[str, ...]]:
    """Return the kinds of training, and the names of the others."""
    if len(kinds) == len(table.kinds) == 1:
        (only,) = table.kinds.values()
        return replace(table, kinds={kinds[0]: only}), ()
    known = {name: one for name, one in table.kinds.items() if name in kinds}
    if not known:
        raise LinkError(
            f"expected links of the kinds {', '.join(kinds)}, as in training, got "
            f"{', '.join(table.kinds)}; name the kind of each file.",
            source=table.source or None,
            parameter="links",
        )
    return replace(table, kinds=known), tuple(sorted(set(table.kinds) - set(known)))
