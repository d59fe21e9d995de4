"""The rows on a page, with known labels, predictions, and their evidence."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy.special import rel_entr

from hilabel._typing import FloatArray, IntArray
from hilabel.report.page._bounds import CONTRIBUTIONS_EXPLAINED, MOST_EVIDENCE
from hilabel.report.page._content import PageContent
from hilabel.report.page._evidence import EvidenceFinder
from hilabel.report.page._evidence_json import plain_evidence
from hilabel.report.page._given_rows import GivenRows
from hilabel.report.page._json_text import json_text
from hilabel.report.page._lacking import lacking_terms
from hilabel.report.page._row_scan import RowScan
from hilabel.report.page._term_numbers import TermNumbers

# Number of rows whose evidence is collected at a time.
_ROWS_AT_ONCE: Final = 100
# Number of terms per row with the scores of the members of a blend.
_TERMS_EXPLAINED: Final = 20
_LEAST: Final = 1e-4

Precision = Callable[[FloatArray], FloatArray]


def precision_of(content: PageContent) -> Precision:
    """Return a function that maps a probability to the precision at or above it."""
    if content.judgement is None:
        return lambda values: np.full(np.shape(values), np.nan)
    return content.judgement.precision.precision_from


def row_columns(
    content: PageContent,
    rows: GivenRows,
    scan: RowScan,
    chosen: IntArray,
    numbers: TermNumbers,
) -> dict[str, Any]:
    """Return the columns that describe rows, one entry per row."""
    hierarchy = content.model.hierarchy
    specific = hierarchy.most_specific(rows.known[chosen].astype(np.int8))
    lacking: dict[int, list[int]] = {}
    if rows.labels is not None:
        lacking = lacking_terms(rows.labels, chosen, hierarchy)
    shown = [_shown(content, scan, row, numbers) for row in chosen]
    return {
        "id": [str(rows.ids[row]) for row in chosen],
        "known": [numbers.of(_nodes(specific, at)) for at in range(len(chosen))],
        "negative": [numbers.of(lacking.get(int(row), ())) for row in chosen],
        "predicted": [predicted for predicted, _ in shown],
        "others": [others for _, others in shown],
        "n_predicted": scan.n_predicted[chosen],
        "n_new": scan.n_new[chosen],
        "most_informative": [
            numbers.one(node) if bits > 0 else None
            for node, _, bits in zip(*(part[chosen] for part in scan.new), strict=True)
        ],
        "state": [rows.state(row) for row in chosen],
        "scored": [rows.scored(row) for row in chosen],
        "evidence": _evidence(content, rows, scan, chosen, numbers),
    }


def _nodes(matrix: Any, row: int) -> Any:
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]


def _shown(
    content: PageContent, scan: RowScan, row: int, numbers: TermNumbers
) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return the terms that a row gets, and the others shown, most probable first."""
    place = slice(scan.cells.indptr[row], scan.cells.indptr[row + 1])
    nodes, values = scan.cells.indices[place], scan.cells.data[place]
    order = np.argsort(-values, kind="stable")
    decided = set(_nodes(scan.decided, row).tolist())
    precision = precision_of(content)(values[order])
    predicted: list[list[Any]] = []
    others: list[list[Any]] = []
    for node, value, share in zip(nodes[order], values[order], precision, strict=True):
        if (number := numbers.one(node)) >= 0:
            one = [number, float(value), float(share)]
            (predicted if node in decided else others).append(one)
    return predicted, others


def _evidence(
    content: PageContent,
    rows: GivenRows,
    scan: RowScan,
    chosen: IntArray,
    numbers: TermNumbers,
) -> list[Any]:
    """Return the evidence for as many rows as fit on the page, and None for the others.

    Rows that should be checked have priority.
    """
    found: dict[int, Any] = {}
    if rows.X is None:
        return [None] * len(chosen)
    finder = EvidenceFinder(rows)
    to_check = [row for part in scan.listed().values() for row in part]
    on_page = set(chosen.tolist())
    waiting = [row for row in dict.fromkeys([*to_check, *chosen]) if row in on_page]
    n_letters = 0
    for start in range(0, len(waiting), _ROWS_AT_ONCE):
        some = np.array(waiting[start : start + _ROWS_AT_ONCE])
        nodes = [_to_explain(content, scan, row) for row in some]
        evidence = finder.find(some, nodes, CONTRIBUTIONS_EXPLAINED)
        for row, one in zip(some, evidence, strict=True):
            if not one.is_empty and n_letters <= MOST_EVIDENCE:
                found[int(row)] = plain_evidence(one, numbers)
                n_letters += len(json_text(found[int(row)]))
        if n_letters > MOST_EVIDENCE:
            break
    return [found.get(int(row)) for row in chosen]


def _to_explain(content: PageContent, scan: RowScan, row: int) -> IntArray:
    """Return the terms for which a row's predictions are most informative.

    Informativeness is the relative entropy between the probability and the frequency of
    a term.
    """
    place = slice(scan.cells.indptr[row], scan.cells.indptr[row + 1])
    nodes, values = scan.cells.indices[place], scan.cells.data[place]
    usual = np.clip(content.model.prior[nodes], _LEAST, 1 - _LEAST)
    bits = rel_entr(values, usual) + rel_entr(1 - values, 1 - usual)
    informative = content.model.informative[nodes]
    best = np.argsort(-bits[informative], kind="stable")[:_TERMS_EXPLAINED]
    return np.asarray(nodes[informative][best])
