"""Where a file of links has ids, weights and kinds."""

from dataclasses import dataclass
from typing import Final

LinkColumns = dict[str, int]
"""The positions of source, target and, if there are any, weight, identity and kind."""

BLANKS: Final = r"\s+"
"""The delimiter of columns that are separated by any number of blanks."""

TABLE: Final = "a table"
"""The form of CSV and TSV, whose cells may be quoted."""


@dataclass(frozen=True)
class Layout:
    """How to read a file of links.

    Attributes
    ----------
    form : str
        The name of the format, for messages.
    delimiter : str
        A character, or ``BLANKS``.
    columns : dict of str to int
        The position of each role.
    n_columns : int
        Number of columns of a line, unless lines may differ.
    n_skipped : int
        Number of lines before the first link: comments and a header.
    kind : str
        The name of the kind if there is no column of kinds.
    divisor : float
        Weights are divided by it.
    unweighted : str or None
        The word for a missing weight, which becomes 1; others become positive.
    separator : str or None
        What separates several ids in a cell, of which the first is used.
    is_undirected : bool
    is_sif : bool
        Whether a line has one source, a kind, and any number of targets.
    """

    form: str
    delimiter: str
    columns: LinkColumns
    n_columns: int
    n_skipped: int = 0
    kind: str = "links"
    divisor: float = 1.0
    unweighted: str | None = None
    separator: str | None = None
    is_undirected: bool = False
    is_sif: bool = False

    @property
    def is_quoted(self) -> bool:
        """Whether cells may be quoted, as in CSV."""
        return self.form == TABLE and self.delimiter != BLANKS
