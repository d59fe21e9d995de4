"""Options for reading a user's files, both in Python and on the command line."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import Any, Final, Literal

MIN_COUNT_TO_TRAIN: Final = 5
"""By default, terms with fewer labelled rows are not learned."""

OPTIONS_OF: Final = {
    "features": (
        "id_column",
        "categorical",
        "text",
        "drop",
        "ids",
        "strip_version",
        "merge_duplicates",
        "most_unpacked",
    ),
    "labels": (
        "evidence",
        "exclude_evidence",
        "label_columns",
        "separators",
        "strip_version",
        "most_unpacked",
    ),
    "hierarchy": ("relations", "lenient", "most_unpacked"),
}
"""The options of the reader of each kind of file; the others concern all files."""

_NAMES: Final = (
    "categorical",
    "text",
    "drop",
    "relations",
    "evidence",
    "exclude_evidence",
    "label_columns",
)


def _shown(help: str, metavar: str = "NAME", **more: Any) -> dict[str, Any]:
    """Return the metadata that describes a field on the command line."""
    return {"help": help, "metavar": metavar, **more}


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How to read features, labels and a hierarchy from files.

    Several names may be given in any iterable, or a single one as a string; they are
    stored as a tuple.

    Attributes
    ----------
    id_column : str or None
        The feature column that identifies a row; None means the first column.
    categorical : iterable of str
        Feature columns to treat as categories even if they look like numbers or text.
    text : iterable of str
        Feature columns to treat as text, such as titles; their words become features.
    drop : iterable of str
        Feature columns to ignore. For signatures, the name of a source, such as
        ``Pfam`` or ``KEGG_ko``, drops all columns of that source.
    ids : path-like or None
        For arrays (``.npy``, ``.npz``), a file with the id of each row, one per line.
        For signatures (InterProScan, eggNOG-mapper), the ids to use as rows.
    relations : sequence of str
        The relations of an OBO file that become edges.
    lenient : bool
        Skip invalid lines of an OBO file and count them in a warning. Otherwise, an
        invalid line raises an error.
    evidence, exclude_evidence : iterable of str
        The evidence codes of a GAF file to keep and to drop, such as ``"IEA"`` for
        electronic annotations, or groups of codes, such as ``"experimental"``. By
        default, all are kept. See :func:`read_annotations`.
    label_columns : iterable of str
        For a table of labels with more than two columns, the column of terms, or
        several columns with the steps of a path, starting with the first step. If
        features and labels are in the same file, these columns are not used as
        features.
    separators : str or None
        For labels in two columns, the characters that separate terms in a cell. None
        means ``;`` and ``|``, and also a comma if the hierarchy contains the parts but
        not the whole.
    strip_version : bool
        Strip the version at the end of an id, in features and labels:
        ``ENSG00000139618.5`` becomes ``ENSG00000139618``.
    merge_duplicates : {"mean", "first"} or None
        How to merge rows with the same id: ``"mean"`` uses the mean of numbers and the
        first value of other columns, ``"first"`` keeps the first row. None raises an
        error.
    assume_complete : bool
        Whether an annotated row is negative for all terms it is not annotated with. By
        default, it is negative for the terms of the aspects in which it has
        annotations, and unknown (-1) for the others. The aspects are the namespaces of
        an OBO file, such as ``biological_process``; other hierarchies have one aspect.
        A ``NOT`` line of a GAF file then makes the row negative for the term and its
        descendants.
    unknown_terms : {"raise", "drop"}
        What to do with a term that is not in the hierarchy. If terms are paths,
        ``"drop"`` replaces an unknown path by its longest known prefix.
    min_count : int or None
        Keep nodes with at least this many labelled rows, counting rows labelled with a
        descendant; 0 keeps all nodes, and None those with at least one row. A row whose
        nodes are all dropped stays labelled, with 0 everywhere. Without labels, all
        nodes are kept.
    most_unpacked : float or None
        The most bytes that a compressed file may unpack to, including Excel and Parquet
        files. None means 200 times the size of the file, or 512 MiB for small files,
        but at most half of the free memory.

    Examples
    --------
    >>> from hilabel.datasets import TableOptions
    >>> options = TableOptions(drop=["notes"])
    >>> options.drop, options.relations
    (('notes',), ('is_a', 'part_of'))
    """

    id_column: str | None = field(
        default=None, metadata=_shown("Id column [default: first].")
    )
    categorical: Iterable[str] = field(
        default=(), metadata=_shown("Treat this column as categories.*")
    )
    text: Iterable[str] = field(
        default=(), metadata=_shown("Treat this column as text, such as titles.*")
    )
    drop: Iterable[str] = field(default=(), metadata=_shown("Ignore this column.*"))
    ids: str | PathLike[str] | None = field(
        default=None,
        metadata=_shown("Ids of .npy rows, one per line.", "FILE", is_file=True),
    )
    relations: Iterable[str] = field(
        default=("is_a", "part_of"),
        metadata=_shown("OBO relation [default: is_a, part_of].*", option="--relation"),
    )
    lenient: bool = field(
        default=False, metadata=_shown("Skip invalid lines of an OBO file.", "")
    )
    evidence: Iterable[str] = field(
        default=(), metadata=_shown("Keep only this GAF evidence code.*", "CODE")
    )
    exclude_evidence: Iterable[str] = field(
        default=(), metadata=_shown("Drop this GAF evidence code.*", "CODE")
    )
    label_columns: Iterable[str] = field(
        default=(),
        metadata=_shown("Column of terms, or of path steps.*", option="--label-column"),
    )
    separators: str | None = field(
        default=None, metadata=_shown("Separators of terms in a cell.", "CHARS")
    )
    strip_version: bool = field(
        default=False,
        metadata=_shown("Strip versions from ids: 'ID.5' becomes 'ID'.", ""),
    )
    merge_duplicates: Literal["mean", "first"] | None = field(
        default=None,
        metadata=_shown(
            "Merge rows with one id: mean or first.",
            "HOW",
            choices=["mean", "first"],
            hidden=True,  # The error about such rows names it.
        ),
    )
    assume_complete: bool = field(
        default=False, metadata=_shown("Treat unannotated aspects as negative.", "")
    )
    unknown_terms: Literal["raise", "drop"] = field(
        default="raise",
        metadata=_shown(
            "Handling of terms not in the hierarchy.",
            "[raise|drop]",
            choices=["raise", "drop"],
            hidden=True,  # The error about such terms names it.
        ),
    )
    min_count: int | None = field(
        default=None,
        metadata=_shown(
            f"Minimum rows per term [default: {MIN_COUNT_TO_TRAIN}].",
            "N",
            is_count=True,
        ),
    )
    most_unpacked: float | None = field(
        default=None,
        metadata=_shown(
            "Limit of an unpacked file, such as 20G.",
            "SIZE",
            is_size=True,
            # Only few need it, and the error that says so names it.
            hidden=True,
        ),
    )

    def __post_init__(self) -> None:
        # An iterator could only be read once, and a model file only contains tuples.
        for name in _NAMES:
            given = getattr(self, name)
            names = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, names)

    def of_training(self, id_column: str | None) -> "TableOptions":
        """Return the options for files that are read like those of training.

        Parameters
        ----------
        id_column : str or None
            The column that identifies a row, which training has found.

        Examples
        --------
        >>> from hilabel.datasets import TableOptions
        >>> TableOptions(ids="ids.txt", strip_version=True).of_training("gene").ids
        """
        given = {
            option.name: getattr(self, option.name) for option in fields(TableOptions)
        }
        # The ids of another array are in another file.
        return TableOptions(**{**given, "id_column": id_column, "ids": None})

    def reading(self, kind: str) -> dict[str, Any]:
        """Return the options for reading one kind of file, without those that are None.

        Parameters
        ----------
        kind : {"features", "labels", "hierarchy"}

        Returns
        -------
        dict of str to object
            Arguments of :func:`read_features`, :func:`read_annotations` or
            :func:`read_hierarchy`.

        Examples
        --------
        >>> from hilabel.datasets import TableOptions
        >>> TableOptions(drop=["notes"]).reading("hierarchy")
        {'relations': ('is_a', 'part_of'), 'lenient': False}
        """
        given = {name: getattr(self, name) for name in OPTIONS_OF[kind]}
        return {name: value for name, value in given.items() if value is not None}
