"""Report how rows, annotations and terms were matched."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hilabel.links import LinkReport


@dataclass(frozen=True)
class MatchReport:
    """A report on how rows, annotations and terms were matched when joining files.

    Attributes
    ----------
    n_rows, n_labeled, n_unlabeled : int
        Number of rows of the feature table, with and without a usable annotation.
    n_annotations : int
        Number of distinct (row, node) pairs used, before closing over ancestors.
    n_duplicates : int
        Number of duplicate pairs, including those due to replaced identifiers.
    n_not, n_filtered : int
        Number of annotations dropped because of NOT or their evidence code.
    n_denied, n_contradicted : int
        Number of distinct (row, node) pairs of NOT lines: those used, which make the
        row negative for the node and its descendants, and those contradicted by an
        annotation of the same row with the node or a descendant, which takes
        precedence.
    unknown_rows : mapping of str to int
        For each aspect of the hierarchy, the number of labelled rows without an
        annotation in it, which are unknown there; aspects without such rows are
        omitted.
    n_no_data, n_rows_no_data : int
        Number of lines of a GAF file without data (evidence ND), and of unlabelled rows
        with such a line.
    unmatched_ids : tuple of str
        Annotated ids that are not in the feature table, in file order. Their terms are
        ignored.
    replaced_terms : tuple of (str, str)
        Old and new identifiers of replaced terms. This includes the end of a path and
        the whole path, and a path and its prefix if the hierarchy ends there.
    obsolete_terms, unknown_terms : tuple of str
        Terms dropped because they are obsolete without a replacement, or not in the
        hierarchy.
    n_nodes, n_nodes_kept : int
        Number of nodes of the hierarchy, and of those with enough labelled rows.
    has_hierarchy : bool
        Whether there is a hierarchy; otherwise, the terms are treated as unrelated.
    has_paths : bool
        Whether the hierarchy comes from the labels because they are paths.
    empty_columns : tuple of str
        Columns of the feature table without any value.
    wordy_columns : tuple of str
        Categorical columns with mostly distinct values, such as identifiers, or numbers
        that were not recognised.
    n_merged : int
        Number of rows of the feature table merged into another with the same id.
    matched_by : mapping of str to int
        For a GAF file, the number of annotations matched by accession, symbol and
        synonym; see :class:`Annotations`.
    notes : tuple of str
        Other information about the feature table.
    unknown_codes : tuple of str
        Evidence codes of a GAF file that the Gene Ontology does not define.
    links : LinkReport or None
        How links were matched with rows.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import load_table, write_example
    >>> with TemporaryDirectory() as folder:
    ...     files = write_example(folder, "shop")
    ...     shop = load_table(files["features"], files["labels"], files["hierarchy"])
    >>> shop.report.n_labeled, shop.report.n_unlabeled
    (120, 120)
    """

    n_rows: int
    n_labeled: int = 0
    n_annotations: int = 0
    n_duplicates: int = 0
    n_not: int = 0
    n_filtered: int = 0
    n_denied: int = 0
    n_contradicted: int = 0
    unknown_rows: Mapping[str, int] = field(default_factory=dict)
    n_no_data: int = 0
    n_rows_no_data: int = 0
    unmatched_ids: tuple[str, ...] = ()
    replaced_terms: tuple[tuple[str, str], ...] = ()
    obsolete_terms: tuple[str, ...] = ()
    unknown_terms: tuple[str, ...] = ()
    n_nodes: int = 0
    n_nodes_kept: int = 0
    empty_columns: tuple[str, ...] = ()
    wordy_columns: tuple[str, ...] = ()
    n_merged: int = 0
    matched_by: Mapping[str, int] = field(default_factory=dict)
    has_hierarchy: bool = True
    has_paths: bool = False
    notes: tuple[str, ...] = ()
    unknown_codes: tuple[str, ...] = ()
    links: LinkReport | None = None

    @property
    def n_unlabeled(self) -> int:
        """Number of rows without a usable annotation."""
        return self.n_rows - self.n_labeled

    def lost(self) -> str:
        """Return how many ids and terms did not match, or "" if all did."""
        counts = {
            "annotated ids without features": len(self.unmatched_ids),
            "obsolete terms": len(self.obsolete_terms),
            "unknown terms": len(self.unknown_terms),
            "columns without values": len(self.empty_columns),
            "links to unknown ids": 0 if self.links is None else self.links.n_unknown,
        }
        return ", ".join(f"{count} {what}" for what, count in counts.items() if count)

    def __str__(self) -> str:
        lines = [
            f"rows: {self.n_rows}, {self.n_labeled} labelled, "
            f"{self.n_unlabeled} unlabelled",
            f"annotations: {self.n_annotations} used, {self.n_duplicates} repeated, "
            f"{self.n_not} NOT, {self.n_filtered} dropped by evidence",
            f"terms: {len(self.replaced_terms)} replaced, "
            f"{len(self.obsolete_terms)} obsolete{_some(self.obsolete_terms)}, "
            f"{len(self.unknown_terms)} unknown{_some(self.unknown_terms)}",
            f"hierarchy: {self.n_nodes_kept} of {self.n_nodes} nodes kept",
        ]
        if self.has_paths:
            lines[-1] += ", taken from the labels, which are paths"
        if not self.has_hierarchy:
            lines[-1] = (
                f"no hierarchy: the {self.n_nodes_kept} terms are treated as unrelated"
            )
        if self.n_denied or self.n_contradicted:
            lines.append(
                f"NOT annotations: {self.n_denied} used as negatives of the term and "
                f"its descendants; {self.n_contradicted} contradicted by an annotation "
                "of the row, which takes precedence"
            )
        if self.unknown_rows:
            found = [
                f"{count} in {aspect or 'some terms'}"
                for aspect, count in self.unknown_rows.items()
            ]
            lines.append(f"labelled rows unknown in an aspect: {', '.join(found)}")
        if self.n_no_data:
            lines.append(
                f"lines without data (ND): {self.n_no_data}; {self.n_rows_no_data} "
                "rows have nothing else and are unlabelled"
            )
        if self.n_merged:
            lines.append(f"rows merged into others with the same id: {self.n_merged}")
        if any(self.matched_by.get(name) for name in ("symbol", "synonym")):
            found = [f"{n} {name}" for name, n in self.matched_by.items() if n]
            lines.append(f"annotations matched by: {', '.join(found)}")
        if self.unmatched_ids:
            lines.append(
                f"annotated ids without features: {len(self.unmatched_ids)}"
                f"{_some(self.unmatched_ids)}"
            )
        if self.empty_columns:
            lines.append(
                f"columns without values: {len(self.empty_columns)}"
                f"{_some(self.empty_columns)}"
            )
        if self.wordy_columns:
            lines.append(
                "categorical columns with mostly distinct values: "
                f"{len(self.wordy_columns)}{_some(self.wordy_columns)}; they look like "
                "identifiers, dates or numbers with decimal commas: drop or fix them, "
                "or declare them as text"
            )
        if self.links is not None:
            lines.append(str(self.links))
        lines += self.notes
        return "\n".join(lines)


def _some(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    return f" ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})"
