"""How a user's files are read, declared once: for Python and for the command line."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Final, Literal

MIN_COUNT_TO_TRAIN: Final = 5
"""A term with fewer labelled rows is not learned, unless one is asked to."""


def _shown(help: str, metavar: str = "NAME", **more: Any) -> dict[str, Any]:
    """Return what the command line shows of a field."""
    return {"help": help, "metavar": metavar, **more}


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How to read features, labels and a hierarchy from files.

    Attributes
    ----------
    id_column : str or None
        The column of the features that identifies a row; None is the first.
    categorical : iterable of str
        Columns of the features whose values are names even if they look like numbers
        or text.
    text : iterable of str
        Columns of the features that hold text, such as titles, whatever they look
        like; their words are features.
    drop : iterable of str
        Columns of the features to leave out; of signatures also all of one source, such
        as ``Pfam`` or ``KEGG_ko``.
    ids : path-like or None
        Of arrays (``.npy``, ``.npz``), a file with the id of each row, one a line; of
        signatures (InterProScan, eggNOG-mapper), the ids to make rows of.
    relations : sequence of str
        Of an OBO file, the relations that make edges.
    lenient : bool
        Of an OBO file, leave out lines that break a rule, and count them in a warning.
        None is left out otherwise: the file is refused.
    evidence, exclude_evidence : iterable of str
        Of a GAF file, the evidence codes to keep and those to drop, such as ``"IEA"``
        for electronic annotations, or groups of them, such as ``"experimental"``; none
        given keeps all. See :func:`read_annotations`.
    label_columns : iterable of str
        Of a table of labels with more than two columns, the one that has the terms, or
        several that have the steps of a path, the first step first. Where features and
        labels are the same file, they are no features.
    separators : str or None
        Of labels in two columns, the characters that join terms in a cell. None is
        ``;`` and ``|``, and a comma where the hierarchy has the parts and not the
        whole.
    strip_version : bool
        Leave out the version at the end of an id, in features and labels:
        ``ENSG00000139618.5`` is then ``ENSG00000139618``.
    merge_duplicates : {"mean", "first"} or None
        Make one row of those with the same id: the mean of numbers and the first of
        words, or the first row. None refuses them.
    assume_complete : bool
        Whether a row with an annotation lacks all terms that it is not annotated with.
        By default it lacks those of the aspects in which it is annotated, and is
        unknown (-1) in the others: of an OBO file its namespaces, such as
        ``biological_process``; other hierarchies have one aspect. A ``NOT`` line of a
        GAF file then says that the row lacks the term and all below it.
    unknown_terms : {"raise", "drop"}
        What to do with a term that the hierarchy has never heard of. Where terms are
        paths, ``"drop"`` lets one count for the longest beginning that is known.
    min_count : int
        Keep the nodes with at least so many labelled rows, ancestors' labels included;
        0 keeps all nodes. A row whose nodes are all dropped stays labelled, with 0
        everywhere. Without labels all nodes are kept.

    Examples
    --------
    >>> from hilabel.datasets import TableOptions
    >>> TableOptions(drop=["notes"]).relations
    ('is_a', 'part_of')
    """

    id_column: str | None = field(
        default=None, metadata=_shown("Id column [default: first].")
    )
    categorical: Iterable[str] = field(
        default=(), metadata=_shown("Column of names, whatever they look like.*")
    )
    text: Iterable[str] = field(
        default=(), metadata=_shown("Column of text, such as titles.*")
    )
    drop: Iterable[str] = field(default=(), metadata=_shown("Column to ignore.*"))
    ids: str | PathLike[str] | None = field(
        default=None,
        metadata=_shown("Ids of .npy rows, one a line.", "FILE", is_file=True),
    )
    relations: Iterable[str] = field(
        default=("is_a", "part_of"),
        metadata=_shown("Of OBO [default: is_a, part_of].*", option="--relation"),
    )
    lenient: bool = field(
        default=False, metadata=_shown("Of OBO: skip faulty lines.", "")
    )
    evidence: Iterable[str] = field(
        default=(), metadata=_shown("Of GAF: keep only these.*", "CODE")
    )
    exclude_evidence: Iterable[str] = field(
        default=(), metadata=_shown("Of GAF: drop these.*", "CODE")
    )
    label_columns: Iterable[str] = field(
        default=(),
        metadata=_shown(
            "Of wider labels: the terms, or steps.*", option="--label-column"
        ),
    )
    separators: str | None = field(
        default=None, metadata=_shown("Between terms in a cell.", "CHARS")
    )
    strip_version: bool = field(
        default=False, metadata=_shown("Ids end before '.5'.", "")
    )
    merge_duplicates: Literal["mean", "first"] | None = field(
        default=None,
        metadata=_shown(
            "mean or first, of rows with one id.", "HOW", choices=["mean", "first"]
        ),
    )
    assume_complete: bool = field(
        default=False, metadata=_shown("Aspects without a line: absent.", "")
    )
    unknown_terms: Literal["raise", "drop"] = field(
        default="raise",
        metadata=_shown(
            "On terms not in the hierarchy.", "[raise|drop]", choices=["raise", "drop"]
        ),
    )
    min_count: int = field(
        default=1,
        metadata=_shown("Rows that a term needs.", "N", to_train=MIN_COUNT_TO_TRAIN),
    )
