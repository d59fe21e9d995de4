"""Input files, and the options for reading them."""

import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hilabel._label_matrix import LabelMatrix
from hilabel._table_options import MIN_COUNT_TO_TRAIN, TableOptions
from hilabel._typing import FilePath
from hilabel.datasets._links.files import LinkFiles
from hilabel.datasets._tables.features import FeatureTable
from hilabel.datasets._tables.load import load_table
from hilabel.datasets._tables.match_report import MatchReport
from hilabel.datasets._tables.table_data import TableData
from hilabel.hierarchy import Ontology


@dataclass(frozen=True)
class TableFiles(TableOptions):
    """Files with features, labels and a hierarchy, joined by identifier.

    Attributes
    ----------
    features, labels, hierarchy : path-like
        See :func:`load_table`; without a hierarchy, the terms have no edges.
    valid, valid_labels : path-like or None
        Features of the validation rows, for :func:`~hilabel.tasks.fit_table`, and their
        labels; by default, these are also in ``labels``.
    links : path-like, mapping of str to path-like, or iterable of (kind, path)
        Files with links between rows, see :func:`read_links`, each with the name of
        their kind or None; they are stored as a tuple of pairs.
    links_both_ways : bool
        Whether a link also leads from its target to its source.
    groups : float or None
        Keep rows that are linked at least as strongly in one fold; see
        :func:`load_table`.
    min_count : int or None
        Terms with fewer labelled rows are not learned; None means 5, or what a preset
        says. All other options are as in :class:`TableOptions`.

    Examples
    --------
    >>> from hilabel.datasets import TableFiles
    >>> files = TableFiles("genes.csv", "genes.gaf", "go-basic.obo", drop=["notes"])
    >>> files.options()["min_count"]
    5
    """

    features: FilePath
    labels: FilePath
    hierarchy: FilePath | None = None
    valid: FilePath | None = field(default=None, kw_only=True)
    valid_labels: FilePath | None = field(default=None, kw_only=True)
    links: Any = field(default=(), kw_only=True)
    links_both_ways: bool = field(default=True, kw_only=True)
    groups: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "links", LinkFiles.of(self.links).named)

    def options(self) -> dict[str, Any]:
        """Return the options for :func:`load_table`."""
        given = {part.name: getattr(self, part.name) for part in fields(TableOptions)}
        return {**given, "min_count": self.counting(MIN_COUNT_TO_TRAIN).min_count}

    def counting(self, default: int) -> "TableFiles":
        """Return a copy with a minimum count, which is the default unless given."""
        return self if self.min_count is not None else replace(self, min_count=default)

    def labels_of(self, features: FilePath) -> FilePath:
        """Return the file with the labels of another table of features.

        That is the table itself if the training table contains its labels, too.
        """
        if os.path.samefile(self.features, self.labels):
            return features
        return self.labels

    def paths(self) -> tuple[Path, ...]:
        """Return the paths of all files that are read."""
        data = (self.features, self.labels, self.hierarchy, self.ids)
        named = (*data, self.valid, self.valid_labels)
        of_links = LinkFiles.of(self.links).paths()
        return (*(Path(path) for path in named if path is not None), *of_links)

    def read(self) -> TableData:
        """Read and join the files."""
        return load_table(
            self.features,
            self.labels,
            self.hierarchy,
            links=self.links or None,
            links_both_ways=self.links_both_ways,
            groups=self.groups,
            **self.options(),
        )


def read_labels_over(
    table: FeatureTable, files: TableFiles, ontology: Ontology
) -> tuple[LabelMatrix, MatchReport]:
    """Read the labels of a table's rows for the terms of a model.

    If the files include a hierarchy, a label that is not a term of the model is
    replaced with its ancestors in the model. Otherwise, such labels are dropped, except
    for identifiers that have been replaced and for paths that start with a term of the
    model. No term is too rare.

    Parameters
    ----------
    table : FeatureTable
        The rows, which are not prepared; ``files.features`` is not read.
    files : TableFiles
    ontology : Ontology
        The terms of the model.

    Returns
    -------
    labels : LabelMatrix of shape (n_rows, n_nodes)
    report : MatchReport
        How rows, annotations and the terms of the files were matched.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel import Hierarchy
    >>> from hilabel.datasets import TableFiles, read_features, read_labels_over
    >>> from hilabel.datasets import write_example
    >>> from hilabel.hierarchy import Ontology
    >>> terms = Ontology(Hierarchy(["food", "spaceships"]), {}, frozenset())
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     table = read_features(files.features)
    ...     labels, report = read_labels_over(table, files, terms)
    >>> labels.shape, report.n_labeled, labels.n_positive[1]
    ((240, 2), 120, np.int64(0))
    """
    hierarchy: Any = files.hierarchy
    options = {**files.options(), "min_count": 1}
    if hierarchy is None:
        hierarchy, options["unknown_terms"] = ontology, "drop"
    data = load_table(table, files.labels, hierarchy, **options)
    return data.labels_over(ontology), data.report
