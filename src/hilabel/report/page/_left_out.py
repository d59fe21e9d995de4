"""What a page leaves out, in sentences."""

import re
from typing import Any, Final

import numpy as np

from hilabel.report.page._bounds import (
    LABELS,
    MOST_TO_CHECK,
    SMALLEST_SHOWN,
    VOTES,
    cells_per_row,
)
from hilabel.report.page._content import PageContent
from hilabel.report.page._evidence import NEAREST
from hilabel.report.page._given_rows import GivenRows
from hilabel.report.page._row_scan import RowScan
from hilabel.report.page._term_numbers import TermNumbers

_CODE: Final = re.compile(r"\w*?[:_.]?\d{3,}")


def terms_left_out(content: PageContent, numbers: TermNumbers) -> list[str]:
    """Return sentences on terms, and on what is not known of them."""
    model, judgement, features = content.model, content.judgement, content.features
    n_nodes, n_kept = model.hierarchy.n_nodes, numbers.nodes.size
    sentences = []
    if _has_codes_only(content):
        sentences.append(
            "No names of terms: the hierarchy file has none, so ids are shown."
        )
    if n_kept < n_nodes:
        sentences.append(
            f"Only the {n_kept:,} most frequent of {n_nodes:,} terms are shown."
        )
    if not model.n_positive.any():
        sentences.append(
            "No counts or frequencies of terms: the labels of the training rows are "
            "not known."
        )
    if judgement is None:
        sentences.append("No quality measures: the model was not measured.")
    else:
        measured = ~np.isnan(judgement.node_quality[judgement.informative])
        n_unknown, n_informative = int((~measured).sum()), judgement.n_informative
        if n_unknown:
            roots = (
                ""
                if n_informative == n_nodes
                else " (not counting uninformative roots)"
            )
            sentences.append(
                f"{n_unknown:,} of {n_informative:,} terms{roots} are not measured: "
                "none of the measured rows has them."
            )
    if features is None:
        sentences.append(
            "No important features of terms: the model does not provide them, and "
            "no features of labelled rows were given."
        )
    elif len(features.of_node) < n_nodes:
        sentences.append(
            f"The most important features are shown for {len(features.of_node):,} of "
            f"{n_nodes:,} terms; the others have too few rows."
        )
    return sentences


def _has_codes_only(content: PageContent) -> bool:
    """Return whether most terms have only a code such as GO:0008150 and no name."""
    names, titles = content.model.hierarchy.names, content.model.hierarchy.titles
    n_codes = sum(map(bool, map(_CODE.fullmatch, names)))
    return list(names) == list(titles) and n_codes > len(names) / 2


def rows_left_out(
    rows: GivenRows, n_given: int, scan: RowScan, columns: dict[str, Any]
) -> list[str]:
    """Return sentences on rows, their terms and their evidence.

    Parameters
    ----------
    rows : GivenRows
    n_given : int
        Number of rows that were given.
    scan : RowScan
    columns : dict
        The rows on the page, as returned by ``row_columns``.
    """
    n_rows, n_chosen, sentences = len(rows), len(columns["id"]), []
    evidence = [one for one in columns["evidence"] if one is not None]
    if n_rows < n_given:
        sentences.append(
            f"Only the first {n_rows:,} of {n_given:,} rows were processed."
        )
    if n_chosen < n_rows:
        sentences.append(
            f"Only {n_chosen:,} of {n_rows:,} rows are shown: those to check first, "
            "and the first of the others."
        )
    sentences.append(
        f"Each row is shown with its {cells_per_row(n_chosen)} most probable terms "
        f"of at least {SMALLEST_SHOWN:g}, its predicted and known terms, and the "
        "ancestors of all."
    )
    if not evidence:
        sentences.append(
            "No evidence for single rows: the method stores none, or their features "
            "were not given."
        )
    else:
        if len(evidence) < n_chosen:
            sentences.append(
                f"Only {len(evidence):,} rows are shown with evidence, starting with "
                "those to check first."
            )
        near = f"up to {NEAREST} neighbours of each kind"
        votes = ""
        if any(one["votes"] for one in evidence):
            near, votes = "its voting neighbours", f", and up to {VOTES} votes"
        sentences.append(
            f"A row has as evidence {near}, each with up to {LABELS} labels{votes}."
        )
    n_seen = int(rows.is_seen.sum())
    if n_seen:
        sentences.append(
            f"{n_seen:,} rows are not in the lists of what to check: the model was "
            "trained on their labels, and has no out-of-fold scores."
        )
    interest = (scan.new[2], scan.surprising[2], scan.uncertainty)
    if max(int((value > 0).sum()) for value in interest) > MOST_TO_CHECK:
        sentences.append(f"Each list of what to check shows the first {MOST_TO_CHECK}.")
    return sentences
