"""Input files, and the options for reading them."""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hilabel._table_options import MIN_COUNT_TO_TRAIN, TableOptions
from hilabel._typing import FilePath
from hilabel.datasets import TableData, load_table


@dataclass(frozen=True)
class TableFiles(TableOptions):
    """Files with features, labels and a hierarchy, joined by identifier.

    Attributes
    ----------
    features, labels, hierarchy : path-like
        See :func:`~hilabel.datasets.load_table`; without a hierarchy, the terms have no
        edges.
    valid, valid_labels : path-like or None
        Features of the validation rows, for :func:`fit_table`, and their labels; by
        default, these are also in ``labels``.
    min_count : int or None
        Terms with fewer labelled rows are not learned; None means 5, or what the preset
        of :class:`FitChoices` says. All other options are as in
        :class:`~hilabel.datasets.TableOptions`.

    Examples
    --------
    >>> from hilabel.tasks import TableFiles
    >>> files = TableFiles("genes.csv", "genes.gaf", "go-basic.obo", drop=["notes"])
    >>> files.options()["min_count"]
    5
    """

    features: FilePath
    labels: FilePath
    hierarchy: FilePath | None = None
    valid: FilePath | None = field(default=None, kw_only=True)
    valid_labels: FilePath | None = field(default=None, kw_only=True)

    def options(self) -> dict[str, Any]:
        """Return the options for :func:`~hilabel.datasets.load_table`."""
        given = {part.name: getattr(self, part.name) for part in fields(TableOptions)}
        return {**given, "min_count": self.counting(MIN_COUNT_TO_TRAIN).min_count}

    def counting(self, default: int) -> "TableFiles":
        """Return a copy with a minimum count, which is the default unless given."""
        return self if self.min_count is not None else replace(self, min_count=default)

    def paths(self) -> tuple[Path, ...]:
        """Return the paths of all files that are read."""
        data = (self.features, self.labels, self.hierarchy, self.ids)
        named = (*data, self.valid, self.valid_labels)
        return tuple(Path(path) for path in named if path is not None)

    def load(self) -> TableData:
        """Read and join the files."""
        return load_table(self.features, self.labels, self.hierarchy, **self.options())
