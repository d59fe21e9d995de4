"""Links from the rows of a table to the training rows of a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from hilabel._warning import warn_user
from hilabel.datasets import LinkFiles
from hilabel.links import Links, LinkTable
from hilabel.models import TableModel


@dataclass(frozen=True, eq=False)
class RowsLinked:
    """Links from rows to training rows, and what a user should know about them.

    Attributes
    ----------
    links : Links of shape (n_rows, n_training) or None
        None if the model does not use links, or if there are none.
    counts : dict of str to int
    """

    links: Links | None = None
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def told(self) -> tuple[str, ...]:
        """The counts as a sentence, if there are any."""
        told = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        return (told,) if told else ()

    @classmethod
    def of(cls, model: TableModel, ids: Sequence[str], links: Any) -> Self:
        """Match links with rows and training rows; warn if some are missing or ignored.

        Parameters
        ----------
        model : TableModel
        ids : sequence of str
            The ids of the rows.
        links : LinkTable, files of links, or None
            Files in any form that :func:`~hilabel.datasets.link_new_rows` accepts.
        """
        if not has_links(links):
            if model.uses_links:
                warn_user(_about_none(model))
            return cls()
        if not model.uses_links:
            warn_user(
                f"the links were ignored: the model, a {model.record.method}, was "
                "trained without links"
            )
            return cls()
        found = model.link(ids, links)
        n_linked = _n_linked(found.to_training)
        counts = {
            "rows linked to training rows": n_linked,
            "links to training rows": found.to_training.n_links,
        }
        ignored = {
            "links to unknown ids": found.report.n_unknown,
            "links between other ids, ignored": found.report.n_elsewhere,
        }
        counts |= {name: count for name, count in ignored.items() if count}
        if not n_linked:
            warn_user(
                f"no row is linked to a training row, such as {model.sample_ids[0]!r}; "
                f"{_from_columns(model)}"
            )
        if found.ignored_kinds:
            warn_user(
                f"links of the kinds {', '.join(found.ignored_kinds)} were ignored: "
                "there were none in training"
            )
        return cls(found.to_training, counts)


def has_links(links: Any) -> bool:
    """Return whether any links were given."""
    if links is None or isinstance(links, LinkTable):
        return links is not None
    return bool(LinkFiles.of(links).named)


def link_paths(links: Any) -> tuple[Path, ...]:
    """Return the paths of files of links."""
    if links is None or isinstance(links, LinkTable):
        return ()
    return LinkFiles.of(links).paths()


def _n_linked(links: Links) -> int:
    """Return the number of rows with links."""
    has_some = np.zeros(links.n_rows, dtype=bool)
    for matrix in links.kinds.values():
        has_some |= np.diff(matrix.indptr) > 0
    return int(has_some.sum())


def _about_none(model: TableModel) -> str:
    return (
        f"the model was trained with links, and none were given: {_from_columns(model)}"
    )


def _from_columns(model: TableModel) -> str:
    if model.preparation.has_no_columns:
        return "without links, rows get the label frequencies"
    return "all rows are predicted like rows without links"
