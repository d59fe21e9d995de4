"""The files of a job, and how to read them."""

from dataclasses import dataclass
from os import PathLike
from typing import Literal

from hilabel.datasets import TableData, load_table

__all__ = ["TableFiles"]


@dataclass(frozen=True)
class TableFiles:
    """Features, labels and a hierarchy in files, joined by identifier.

    Attributes
    ----------
    features, labels, hierarchy : path-like
        See :func:`~hilabel.datasets.load_table`; without a hierarchy the terms have no
        edges.
    id_column : str or None
        The column of ``features`` that identifies a row; None is the first.
    categorical, drop : tuple of str
        Columns of names that look like numbers, and columns to leave out.
    relations : tuple of str
        Of an OBO file, the relations that make edges.
    evidence, exclude_evidence : tuple of str
        Of a GAF file, the evidence codes to keep and to drop; none given keeps all.
    unknown_terms : {"raise", "drop"}
    min_rows : int
        Terms with fewer labelled rows are not learned.

    Examples
    --------
    >>> from hilabel.tasks import TableFiles
    >>> TableFiles("genes.csv", "genes.gaf", "go-basic.obo").min_rows
    5
    """

    features: str | PathLike[str]
    labels: str | PathLike[str]
    hierarchy: str | PathLike[str] | None = None
    id_column: str | None = None
    categorical: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    relations: tuple[str, ...] = ("is_a", "part_of")
    evidence: tuple[str, ...] = ()
    exclude_evidence: tuple[str, ...] = ()
    unknown_terms: Literal["raise", "drop"] = "raise"
    min_rows: int = 5

    def load(self) -> TableData:
        """Read and join the files."""
        return load_table(
            self.features,
            self.labels,
            self.hierarchy,
            id_column=self.id_column,
            categorical=self.categorical,
            drop=self.drop,
            relations=self.relations,
            evidence=self.evidence or None,
            exclude_evidence=self.exclude_evidence or None,
            unknown_terms=self.unknown_terms,
            min_count=self.min_rows,
        )
