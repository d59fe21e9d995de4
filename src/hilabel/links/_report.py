"""What became of the links of a file once they were matched with rows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LinkReport:
    """How the links of a table were matched with rows.

    Attributes
    ----------
    n_given : int
        Number of links of the table.
    n_used : int
        Number of distinct links between rows, or between rows and targets; one that is
        used both ways counts once.
    n_self : int
        Number of links from an id to itself, which are dropped.
    n_duplicates : int
        Number of links that repeat another, whose largest weight is kept.
    n_zero : int
        Number of links with weight 0, which are no links.
    n_unknown : int
        Number of links with an id that is neither a row nor a target.
    n_unknown_ids : int
        Number of such ids.
    unknown_ids : tuple of str
        Some of these ids.
    n_elsewhere : int
        Number of links between known ids that lead from no row to a target, such as
        those between training rows if the rows are new.
    n_rows, n_rows_without : int
        Number of rows, and of those without links.
    both_ways : bool
        Whether links were used in both directions.

    Examples
    --------
    >>> from hilabel.links import LinkTable
    >>> table = LinkTable.of([("a", "b"), ("a", "a"), ("a", "z")])
    >>> print(table.over(["a", "b", "c"])[1])
    links: 1 used both ways, 1 from a row to itself, 1 to 1 unknown id (z)
    rows without links: 1 of 3
    """

    n_given: int
    n_used: int = 0
    n_self: int = 0
    n_duplicates: int = 0
    n_zero: int = 0
    n_unknown: int = 0
    n_unknown_ids: int = 0
    unknown_ids: tuple[str, ...] = ()
    n_elsewhere: int = 0
    n_rows: int = 0
    n_rows_without: int = 0
    both_ways: bool = True

    def __str__(self) -> str:
        used = f"{self.n_used} used{' both ways' if self.both_ways else ''}"
        ids = "id" if self.n_unknown_ids == 1 else "ids"
        more = ", ..." if self.n_unknown_ids > len(self.unknown_ids) else ""
        counts = {
            "from a row to itself": self.n_self,
            "repeated": self.n_duplicates,
            "with weight 0": self.n_zero,
            "between other known ids": self.n_elsewhere,
            f"to {self.n_unknown_ids} unknown {ids} "
            f"({', '.join(self.unknown_ids)}{more})": self.n_unknown,
        }
        told = [f"{count} {what}" for what, count in counts.items() if count]
        return (
            f"links: {', '.join([used, *told])}\n"
            f"rows without links: {self.n_rows_without} of {self.n_rows}"
        )
