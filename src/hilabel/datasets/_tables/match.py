"""Join rows, annotations and terms by id."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp

from hilabel._accessions import row_finder
from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, IntArray
from hilabel.datasets._tables.annotations import Annotations
from hilabel.datasets._tables.coverage import Coverage
from hilabel.datasets._tables.gaf import without_version
from hilabel.datasets._tables.match_report import MatchReport
from hilabel.datasets._tables.pairs import Pairs, find_denied, find_pairs
from hilabel.exceptions import DatasetFormatError
from hilabel.hierarchy import Ontology, spread_labels

IMPLIED: Final = 1
ANNOTATED: Final = 2


@dataclass(frozen=True, eq=False)
class Matched:
    """The labels that result from joining the files.

    Attributes
    ----------
    labels : LabelMatrix of shape (n_rows, n_nodes_kept)
    ontology : Ontology
        The terms of the kept nodes.
    report : MatchReport
    marks : csr_array of the shape of the labels
        ``ANNOTATED``, or ``IMPLIED`` by an annotation.
    coverage : Coverage
        The aspects in which each row is annotated.
    """

    labels: LabelMatrix
    ontology: Ontology
    report: MatchReport
    marks: sp.csr_array
    coverage: Coverage


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
    pairs = find_pairs(ids, annotations, ontology, drop=drop_unknown)
    if not pairs.n_seen:
        raise _nothing_matched(ids, source, annotations, pairs)
    full, direct = ontology.hierarchy, pairs.direct
    closed = spread_labels(direct, full.parents_ptr, full.parents_idx)
    kept = _frequent(closed, min_count, annotations.source)
    coverage = Coverage.of(direct, ontology)
    denied, n_contradicted = sp.csr_array(closed.shape, dtype=bool), 0
    if assume_complete:
        coverage = coverage.complete()
    else:
        stated = find_denied(ids, annotations, ontology)
        denied = sp.csr_array(stated > closed)
        n_contradicted = stated.nnz - denied.nnz
    lacked = spread_labels(denied, full.children_ptr, full.children_idx)
    restricted = full if kept.size == full.n_nodes else full.restrict(kept)
    learned = ontology.of(restricted)
    labels = coverage.labels(_columns(closed, kept), learned, _columns(lacked, kept))
    report = MatchReport(
        n_rows=len(ids),
        n_labeled=int(labels.labeled.sum()),
        n_annotations=direct.nnz,
        n_duplicates=pairs.n_seen - direct.nnz,
        n_not=annotations.n_not,
        n_filtered=annotations.n_filtered,
        n_denied=denied.nnz,
        n_contradicted=n_contradicted,
        unknown_rows=coverage.unknown_rows(labels.labeled, restricted, ontology),
        n_no_data=len(annotations.no_data),
        n_rows_no_data=_n_unlabeled(ids, annotations.no_data, labels.labeled),
        unmatched_ids=pairs.unmatched,
        replaced_terms=tuple(pairs.replaced.items()),
        obsolete_terms=pairs.obsolete,
        unknown_terms=pairs.unknown,
        n_nodes=full.n_nodes,
        n_nodes_kept=kept.size,
        matched_by=annotations.matched_by,
        unknown_codes=annotations.unknown_codes,
    )
    marks = IMPLIED * closed.astype(np.int8)
    marks += (ANNOTATED - IMPLIED) * direct.astype(np.int8)
    return Matched(labels, learned, report, _columns(marks, kept), coverage)


def _frequent(closed: sp.csr_array, min_count: int, source: str) -> IntArray:
    """Return the nodes that enough rows have."""
    counts = np.bincount(closed.indices, minlength=closed.shape[1])
    kept = np.flatnonzero(counts >= min_count)
    if kept.size == 0:
        raise DatasetFormatError(
            f"no node has {min_count} labelled rows; the most frequent has "
            f"{counts.max()}. Require fewer.",
            source=source,
            parameter="min_count",
        )
    return kept


def _columns(matrix: sp.csr_array, kept: IntArray) -> sp.csr_array:
    chosen = sp.csr_array(matrix if kept.size == matrix.shape[1] else matrix[:, kept])
    chosen.sort_indices()
    return chosen


def _n_unlabeled(ids: tuple[str, ...], named: Iterable[str], labeled: BoolArray) -> int:
    """Return how many of the rows that are named have no label."""
    rows = {*map(row_finder(ids), named)} - {-1}
    return sum(not labeled[row] for row in rows)


def _nothing_matched(
    ids: tuple[str, ...], source: str, annotations: Annotations, pairs: Pairs
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
            f"{(pairs.obsolete + pairs.unknown)[0]!r}."
        )
    return DatasetFormatError(
        f"no row has a label; {reason}",
        source=annotations.source,
        parameter=parameter,
    )
