"""The rows on a page, with known labels, predictions, and their evidence."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy.special import rel_entr

from hilabel._typing import FloatArray, IntArray
from hilabel.report.page._about import AboutModel, AboutRows
from hilabel.report.page._bounds import MOST_EVIDENCE
from hilabel.report.page._json_text import json_text
from hilabel.report.page._row_scan import RowScan
from hilabel.report.page._term_numbers import TermNumbers

# Number of rows whose evidence is collected at a time.
_ROWS_AT_ONCE: Final = 100
# Number of terms per row with the scores of the members of a blend.
_TERMS_EXPLAINED: Final = 20
_LEAST: Final = 1e-4

Precision = Callable[[FloatArray], FloatArray]


def precision_of(about: AboutModel) -> Precision:
    """Return a function that maps a probability to the precision at or above it."""
    if about.quality is None:
        return lambda values: np.full(np.shape(values), np.nan)
    return about.quality.worth.precision_from


def row_columns(
    about: AboutModel,
    rows: AboutRows,
    scan: RowScan,
    chosen: IntArray,
    numbers: TermNumbers,
) -> tuple[dict[str, Any], int]:
    """Return the columns that describe rows, and the number of rows with evidence."""
    specific = about.hierarchy.most_specific(rows.known[chosen].astype(np.int8))
    evidence, n_explained = _evidence(about, rows, scan, chosen, numbers)
    precision = precision_of(about)
    columns = {
        "id": [str(rows.ids[row]) for row in chosen],
        "known": [numbers.of(_row(specific, at)) for at in range(len(chosen))],
        "negative": [numbers.of(rows.lacking.get(int(row), ())) for row in chosen],
        "predicted": [_predicted(scan, row, precision, numbers) for row in chosen],
        "implied": [numbers.of(_row(scan.implied, row)) for row in chosen],
        "n_predicted": scan.n_predicted[chosen],
        "n_new": scan.n_new[chosen],
        "most_informative": [
            numbers.one(node) if bits > 0 else None
            for node, _, bits in zip(*(part[chosen] for part in scan.new), strict=True)
        ],
        "state": [rows.states[row] for row in chosen],
        "oof": rows.is_held_out[chosen],
        "evidence": evidence,
    }
    return columns, n_explained


def _row(matrix: Any, row: int) -> Any:
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]


def _predicted(
    scan: RowScan, row: int, precision: Precision, numbers: TermNumbers
) -> list[list[Any]]:
    """Return the terms shown for a row, most probable first."""
    place = slice(scan.cells.indptr[row], scan.cells.indptr[row + 1])
    nodes, values = scan.cells.indices[place], scan.cells.data[place]
    order = np.argsort(-values, kind="stable")
    found = zip(nodes[order], values[order], precision(values[order]), strict=True)
    return [
        [number, float(value), float(share)]
        for node, value, share in found
        if (number := numbers.one(node)) >= 0
    ]


def _evidence(
    about: AboutModel,
    rows: AboutRows,
    scan: RowScan,
    chosen: IntArray,
    numbers: TermNumbers,
) -> tuple[list[Any], int]:
    """Return the evidence for as many rows as fit on the page, and None for the others.

    Rows that should be checked have priority.
    """
    found: dict[int, Any] = {}
    if rows.explain is None:
        return [None] * len(chosen), 0
    to_check = [row for part in scan.listed().values() for row in part]
    waiting = list(dict.fromkeys([*to_check, *chosen]))
    waiting = [row for row in waiting if row in set(chosen.tolist())]
    n_letters = 0
    for start in range(0, len(waiting), _ROWS_AT_ONCE):
        some = np.array(waiting[start : start + _ROWS_AT_ONCE])
        nodes = [_to_explain(about, scan, row) for row in some]
        for row, one in zip(some, rows.explain(some, nodes), strict=True):
            if one is not None and n_letters <= MOST_EVIDENCE:
                found[int(row)] = _renumbered(one, numbers)
                n_letters += len(json_text(found[int(row)]))
        if n_letters > MOST_EVIDENCE:
            break
    return [found.get(int(row)) for row in chosen], len(found)


def _to_explain(about: AboutModel, scan: RowScan, row: int) -> IntArray:
    """Return the terms for which a row's predictions are most informative.

    Informativeness is the relative entropy between the probability and the frequency of
    a term.
    """
    place = slice(scan.cells.indptr[row], scan.cells.indptr[row + 1])
    nodes = scan.cells.indices[place]
    usual = np.clip(about.frequency[nodes], _LEAST, 1 - _LEAST)
    bits = rel_entr(scan.cells.data[place], usual)
    bits += rel_entr(1 - scan.cells.data[place], 1 - usual)
    says = about.says[nodes]
    best = np.argsort(-bits[says], kind="stable")[:_TERMS_EXPLAINED]
    return np.asarray(nodes[says][best])


def _renumbered(evidence: Any, numbers: TermNumbers) -> dict[str, Any]:
    """Return the evidence with nodes replaced with their numbers on the page."""

    def pairs(listed: Any) -> list[list[Any]]:
        return [
            [number, value]
            for node, value in listed
            if (number := numbers.one(node)) >= 0
        ]

    return {
        "neighbours": [
            {**one, "labels": numbers.of(one["labels"])}
            for one in evidence["neighbours"]
        ],
        "votes": pairs(evidence["votes"]),
        "decisions": evidence["decisions"],
        "sums": pairs(evidence["sums"]),
        "candidates": [
            {**one, "scores": pairs(one["scores"])} for one in evidence["candidates"]
        ],
    }
