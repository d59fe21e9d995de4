"""Join rows, annotations and terms by id."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import scipy.sparse as sp

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import BoolArray, LabelArray
from hilabel.datasets._tables.annotations import Annotations
from hilabel.datasets._tables.coverage import Coverage
from hilabel.datasets._tables.gaf import without_version
from hilabel.exceptions import DatasetFormatError
from hilabel.hierarchy import Hierarchy, Ontology, spread_labels

IMPLIED: Final = 1
ANNOTATED: Final = 2


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

    @property
    def n_unlabeled(self) -> int:
        """Number of rows without a usable annotation."""
        return self.n_rows - self.n_labeled

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
        lines += self.notes
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Matched:
    """The labels that result from joining the files.

    Attributes
    ----------
    Y : int8 array of shape (n_rows, n_nodes_kept)
    hierarchy : Hierarchy
        The hierarchy of the kept nodes.
    report : MatchReport
    marks : csr_array of the shape of Y
        ``ANNOTATED``, or ``IMPLIED`` by an annotation.
    coverage : Coverage
        The aspects in which each row is annotated.
    """

    Y: LabelArray
    hierarchy: Hierarchy
    report: MatchReport
    marks: sp.csr_array
    coverage: Coverage


@dataclass
class _Pairs:
    """The (row, node) pairs that were found, and the terms and ids without a match."""

    row_node: dict[tuple[int, int], None]
    n_seen: int
    unmatched: dict[str, None]
    replaced: dict[str, str]
    obsolete: dict[str, None]
    unknown: dict[str, None]


def match(
    ids: tuple[str, ...],
    source: str,
    annotations: Annotations,
    ontology: Ontology,
    *,
    drop_unknown: bool,
    min_count: int,
    assume_complete: bool,
) -> Matched:
    """Join rows, annotations and terms."""
    pairs = _find_pairs(ids, annotations, ontology, drop_unknown)
    if not pairs.row_node:
        raise _nothing_matched(ids, source, annotations, pairs)
    full = ontology.hierarchy
    direct = _label_matrix([*pairs.row_node], len(ids), full)
    closed = full.close(direct)
    counts = np.bincount(closed.indices, minlength=full.n_nodes)
    kept = np.flatnonzero(counts >= min_count)
    if kept.size == 0:
        raise DatasetFormatError(
            f"{annotations.source}: no node has {min_count} labelled rows; the most "
            f"frequent has {counts.max()}. Require fewer.",
            parameter="min_count",
        )
    hierarchy = full if kept.size == full.n_nodes else full.restrict(kept)
    coverage = Coverage.of(direct, ontology)
    denied: list[tuple[int, int]] = []
    n_contradicted = 0
    if assume_complete:
        coverage = coverage.complete()
    else:
        denied, n_contradicted = _denied_pairs(ids, annotations, ontology, closed)
    Y = closed[:, kept].toarray().astype(np.int8)
    coverage.forget(Y, hierarchy, ontology)
    if denied:
        direct_lacks = _label_matrix(denied, len(ids), full)
        lacked = spread_labels(direct_lacks, full.children_ptr, full.children_idx)
        Y[lacked[:, kept].nonzero()] = 0
    labeled = np.asarray(Y.max(axis=1) >= 0)
    report = MatchReport(
        n_rows=len(ids),
        n_labeled=int(labeled.sum()),
        n_annotations=len(pairs.row_node),
        n_duplicates=pairs.n_seen - len(pairs.row_node),
        n_not=annotations.n_not,
        n_filtered=annotations.n_filtered,
        n_denied=len(denied),
        n_contradicted=n_contradicted,
        unknown_rows=coverage.unknown_rows(labeled, hierarchy, ontology),
        n_no_data=len(annotations.no_data),
        n_rows_no_data=len(_unlabeled(ids, labeled) & set(annotations.no_data)),
        unmatched_ids=tuple(pairs.unmatched),
        replaced_terms=tuple(pairs.replaced.items()),
        obsolete_terms=tuple(pairs.obsolete),
        unknown_terms=tuple(pairs.unknown),
        n_nodes=full.n_nodes,
        n_nodes_kept=kept.size,
        matched_by=annotations.matched_by,
        unknown_codes=annotations.unknown_codes,
    )
    marks = IMPLIED * closed + (ANNOTATED - IMPLIED) * direct
    marks = sp.csr_array(marks[:, kept], dtype=np.int8)
    return Matched(Y, hierarchy, report, marks, coverage)


def _unlabeled(ids: tuple[str, ...], labeled: BoolArray) -> set[str]:
    return {row_id for row_id, has in zip(ids, labeled, strict=True) if not has}


def _some(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    return f" ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})"


def _find_pairs(
    ids: tuple[str, ...], annotations: Annotations, ontology: Ontology, drop: bool
) -> _Pairs:
    row_of = {row_id: row for row, row_id in enumerate(ids)}
    pairs = _Pairs({}, 0, {}, {}, {}, {})
    for row_id, term, line in _with_lists(annotations, ontology):
        if row_id not in row_of:
            pairs.unmatched[row_id] = None
            continue
        living = ontology.resolve(term)
        if living is None and drop:
            # A path that continues below a leaf of the hierarchy counts for its prefix.
            living = ontology.known_part(term)
        if living is None:
            if term in ontology.obsolete:
                pairs.obsolete[term] = None
                continue
            if not drop:
                raise _unknown_term(term, line, annotations.source, ontology)
            pairs.unknown[term] = None
            continue
        if living != term:
            pairs.replaced[term] = living
        pairs.row_node[row_of[row_id], ontology.hierarchy.node(living)] = None
        pairs.n_seen += 1
    return pairs


def _with_lists(
    annotations: Annotations, ontology: Ontology
) -> Iterator[tuple[str, str, int]]:
    """Yield (id, term, line); split comma-separated lists that contain known terms."""
    for row_id, term, line in zip(
        annotations.ids, annotations.terms, annotations.lines, strict=True
    ):
        parts = [term]
        if "," in term and not ontology.knows(term):
            several = [part.strip() for part in term.split(",") if part.strip()]
            parts = several if any(map(ontology.knows, several)) else parts
        yield from ((row_id, part, line) for part in parts)


def _unknown_term(
    term: str, line: int, source: str, ontology: Ontology
) -> DatasetFormatError:
    hierarchy = ontology.hierarchy
    hint = " If the line is a header, name its columns 'id' and 'term'."
    return DatasetFormatError(
        f"{source}, line {line}: term {term!r} is not in the hierarchy of "
        f"{hierarchy.n_nodes} nodes, such as {hierarchy.names[0]!r}; fix one of the "
        "files, or drop unknown "
        f"terms.{did_you_mean(_meant(term, ontology))}{hint if line == 1 else ''}",
        parameter="unknown_terms",
    )


def _meant(term: str, ontology: Ontology) -> list[str]:
    """Return suggestions for a misspelt ``term``, or none if terms are codes."""
    hierarchy = ontology.hierarchy
    if hierarchy.titles != hierarchy.names:
        return []
    several = ontology.paths_ending_in(term)
    if several:
        return several[:3]
    known = {name: name for name in hierarchy.names}
    if ontology.separator:
        ends = {name.rsplit(ontology.separator, 1)[-1]: name for name in known}
        known = {**ends, **known}
    return closest(term, known)


def _nothing_matched(
    ids: tuple[str, ...], source: str, annotations: Annotations, pairs: _Pairs
) -> DatasetFormatError:
    no_id_matched = len(pairs.unmatched) == len(set(annotations.ids))
    parameter: str | tuple[str, ...] = "id_column" if no_id_matched else ()
    if no_id_matched:
        also = ", nor is any symbol or synonym" if annotations.matched_by else ""
        reason = (
            f"none of its {len(pairs.unmatched)} ids is in "
            f"{source or 'the features'}{also}. "
            f"Expected ids such as {ids[0]!r}, got ids such as "
            f"{annotations.ids[0]!r}; choose another id column."
        )
        if {*map(without_version, ids)} & {*map(without_version, annotations.ids)}:
            parameter = "strip_version"
            reason = (
                "ids only match without their versions, such as the .5 in G1.5; strip "
                "them."
            )
    else:
        reason = (
            f"all terms of the matching ids were dropped: {len(pairs.obsolete)} "
            f"obsolete, {len(pairs.unknown)} unknown, such as "
            f"{next(iter(pairs.obsolete | pairs.unknown))!r}."
        )
    return DatasetFormatError(
        f"{annotations.source}: no row has a label; {reason}",
        parameter=parameter,
    )


def _label_matrix(
    pairs: list[tuple[int, int]], n_rows: int, hierarchy: Hierarchy
) -> sp.csr_array:
    rows, nodes = np.array(pairs, dtype=np.int64).T
    return sp.csr_array(
        (np.ones(rows.size, dtype=np.int8), (rows, nodes)),
        shape=(n_rows, hierarchy.n_nodes),
    )


def _denied_pairs(
    ids: tuple[str, ...],
    annotations: Annotations,
    ontology: Ontology,
    closed: sp.csr_array,
) -> tuple[list[tuple[int, int]], int]:
    """Return the (row, node) pairs from NOT lines that are not contradicted by a label.

    The number of contradicted pairs is also returned. Lines whose id is not in ``ids``,
    or whose term is obsolete or unknown, are ignored.
    """
    row_of = {row_id: row for row, row_id in enumerate(ids)}
    found: dict[tuple[int, int], None] = {}
    for row_id, term in annotations.denied:
        living = ontology.resolve(term)
        if row_id in row_of and living is not None:
            found[row_of[row_id], ontology.hierarchy.node(living)] = None
    denied = [pair for pair in found if not closed[pair]]
    return denied, len(found) - len(denied)
