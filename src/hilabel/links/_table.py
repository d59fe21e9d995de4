"""Links between ids, as files have them, before they are matched with rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hilabel.exceptions import LinkError
from hilabel.links import _forms, _match
from hilabel.links._id_numbers import IdNumbers
from hilabel.links._link_list import LinkList
from hilabel.links._links import ONE_KIND, Links
from hilabel.links._report import LinkReport


@dataclass(frozen=True, eq=False)
class LinkTable:
    """Links between ids, of one or several kinds, as files have them.

    :meth:`of` makes a table from a data frame, a graph or a matrix, and
    :func:`hilabel.datasets.read_links` from a file. :meth:`over` matches the ids with
    those of rows.

    Attributes
    ----------
    ids : tuple of str
        All ids, in order of first appearance.
    kinds : dict of str to LinkList
    source : str
        The file, for messages.

    See Also
    --------
    Links : Links between rows, by their numbers.

    Examples
    --------
    >>> from hilabel.links import LinkTable
    >>> table = LinkTable.of([("a", "b", 9.0), ("b", "a", 2.0), ("z", "a", 5.0)])
    >>> table
    LinkTable(3 links of 3 ids: links)

    The ids become row numbers; a link to an id that is no row is counted:

    >>> links, report = table.over(["b", "a"])
    >>> links.kinds["links"].toarray()
    array([[0., 9.],
           [9., 0.]])
    >>> report.n_unknown, report.unknown_ids
    (1, ('z',))

    Rows that are new have links to other rows, their targets:

    >>> links, report = table.over(["z", "y"], ["a", "b"])
    >>> links.kinds["links"].toarray(), report.n_elsewhere
    (array([[5., 0.],
           [0., 0.]]), 2)
    """

    ids: tuple[str, ...]
    kinds: dict[str, LinkList]
    source: str = ""

    @classmethod
    def of(cls, value: Any, ids: Sequence[Any] | None = None) -> "LinkTable":
        """Convert links between ids from any form that users may have.

        Parameters
        ----------
        value : LinkTable, DataFrame, graph, matrix, iterable of tuples, or mapping
            - A data frame, or an iterable of tuples: source, target and, in any order,
              a weight (numbers) and the name of a kind (strings). Columns of a frame
              may also be called ``source``, ``target``, ``weight`` and ``kind``.
            - A graph of networkx. The attribute ``weight`` of an edge is its weight,
              or else 1, and ``kind`` is its kind.
            - A square matrix, sparse or not, with ``ids``: a row of links from each id.
            - A mapping of the names of kinds to any of these.
        ids : sequence, optional
            The ids of the rows and columns of a matrix.

        Raises
        ------
        LinkError
            If a weight is negative, NaN or infinite, or an id is missing.

        Examples
        --------
        >>> import networkx as nx
        >>> from hilabel.links import LinkTable
        >>> LinkTable.of({"hits": nx.path_graph(4), "cites": [(3, 0), (3, 1)]})
        LinkTable(5 links of 4 ids: hits, cites)
        """
        if isinstance(value, LinkTable):
            return value
        if isinstance(value, Mapping) and not _forms.is_graph(value):
            if not value:
                raise LinkError("Expected at least one kind of links, got none.")
            parts = {
                str(name): cls.of(part, ids)._as_kind(str(name))
                for name, part in value.items()
            }
            return cls.join(parts.values())
        numbers = IdNumbers()
        kinds = _forms.kinds_of(value, ids, numbers)
        return cls(numbers.ids, kinds)

    def __len__(self) -> int:
        return sum(one.n_links for one in self.kinds.values())

    def __repr__(self) -> str:
        where = f"{self.source}: " if self.source else ""
        names = ", ".join(self.kinds)
        return f"LinkTable({where}{len(self)} links of {len(self.ids)} ids: {names})"

    @property
    def identities(self) -> "LinkTable":
        """The same links with percentages of identical letters as their weights.

        Kinds without identities are left out.
        """
        found = {
            name: replace(one, weights=one.identities, identities=None)
            for name, one in self.kinds.items()
            if one.identities is not None
        }
        return replace(self, kinds=found)

    @staticmethod
    def join(tables: Iterable["LinkTable"]) -> "LinkTable":
        """Return a table with the kinds of several tables.

        Raises
        ------
        LinkError
            If two tables have a kind of the same name.

        Examples
        --------
        >>> from hilabel.links import LinkTable
        >>> hits = LinkTable.of({"hits": [("a", "b")]})
        >>> LinkTable.join([hits, LinkTable.of({"cites": [("b", "c")]})])
        LinkTable(2 links of 3 ids: hits, cites)
        """
        tables = list(tables)
        if len(tables) == 1:
            return tables[0]
        numbers, kinds = IdNumbers(), dict[str, LinkList]()
        for table in tables:
            number_of = numbers.of(table.ids)
            for name, one in table.kinds.items():
                if name in kinds:
                    raise LinkError(
                        f"Expected kinds of links with different names, got {name!r} "
                        "twice; name the kind of each file, as in hits=FILE."
                    )
                kinds[name] = one.renumbered(number_of)
        source = ", ".join(filter(None, (table.source for table in tables)))
        return LinkTable(numbers.ids, kinds, source)

    def over(
        self,
        row_ids: Sequence[str],
        target_ids: Sequence[str] | None = None,
        *,
        both_ways: bool = True,
    ) -> tuple[Links, LinkReport]:
        """Match the ids with those of rows.

        An id matches a row with the same id or, if there is none, with the same UniProt
        accession: ``sp|P12345|NAME_HUMAN`` and ``P12345`` match each other. Links from
        an id to itself are dropped, and the largest weight of repeated links counts.

        Parameters
        ----------
        row_ids : sequence of str
            The id of each row.
        target_ids : sequence of str, optional
            The id of each row that links may lead to, such as the training rows in
            prediction; by default, links lead to the same rows.
        both_ways : bool, default=True
            Whether a link also leads from its target to its source, with the larger of
            two weights. Otherwise, only undirected kinds do.

        Returns
        -------
        links : Links of shape (n_rows, n_targets)
        report : LinkReport
        """
        return _match.match_links(
            self.ids, self.kinds, row_ids, target_ids, both_ways=both_ways
        )

    def _as_kind(self, name: str) -> "LinkTable":
        """Return a copy whose only kind has another name; others start with it."""
        kinds = {
            name if len(self.kinds) == 1 and own == ONE_KIND else f"{name}.{own}": one
            for own, one in self.kinds.items()
        }
        return replace(self, kinds=kinds)
