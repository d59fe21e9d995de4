"""What is left out of a page is said, and nothing else is left out."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel.report.page import (
    AboutModel,
    AboutRows,
    ModelPage,
    TellingFeatures,
    _payload,
    _row_scan,
    _rows,
    _term_numbers,
)

N_TERMS, N_ROWS = 200, 90
MOST_TERMS, MOST_ROWS, MOST_TO_CHECK = 150, 70, 20


def evidence(rows, shown):
    return [
        {
            "neighbours": [
                {"id": "z", "distance": 0.5, "labels": [0, 1], "labelled": True}
            ],
            "votes": [(int(nodes[0]), 0.5)],
            "decisions": ["a sentence that takes some room " * 40],
            "sums": [],
            "candidates": [],
        }
        for nodes in shown
    ]


@pytest.fixture(scope="module")
def large():
    """Return a page that has room for little."""
    random = np.random.default_rng(0)
    children = np.arange(1, N_TERMS)
    edges = np.column_stack([children // 4, children])
    hierarchy = Hierarchy([f"T{node}" for node in range(N_TERMS)], edges)
    frequency = 1 / (1 + np.arange(N_TERMS))
    about = AboutModel(
        title="large",
        method="",
        settings="",
        hierarchy=hierarchy,
        aspects=["one"] * N_TERMS,
        n_positive=N_TERMS - np.arange(N_TERMS),
        frequency=frequency,
        says=np.arange(N_TERMS) > 0,
        thresholds=np.full(N_TERMS, 0.3),
        features=TellingFeatures("made up", {0: [("x", 1.0)]}),
    )
    scores = random.random((N_ROWS, N_TERMS)) ** 4
    for parent, child in edges[::-1]:
        scores[:, parent] = np.maximum(scores[:, parent], scores[:, child])
    rows = AboutRows(
        ids=[f"row {row}" for row in range(N_ROWS)],
        states=["new"] * N_ROWS,
        known=sp.csr_array((N_ROWS, N_TERMS), dtype=bool),
        is_labeled=np.zeros(N_ROWS, dtype=bool),
        is_held_out=np.zeros(N_ROWS, dtype=bool),
        is_seen=np.zeros(N_ROWS, dtype=bool),
        predict=lambda rows: scores[rows],
        explain=evidence,
        n_given=N_ROWS + 5,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_term_numbers, "MOST_TERMS", MOST_TERMS)
        patch.setattr(_row_scan, "MOST_ROWS", MOST_ROWS)
        patch.setattr(_row_scan, "MOST_TO_CHECK", MOST_TO_CHECK)
        patch.setattr(_payload, "MOST_TO_CHECK", MOST_TO_CHECK)
        patch.setattr(_rows, "MOST_EVIDENCE", 80_000)
        return ModelPage.of(about, rows).payload


def test_a_large_page_says_how_much_of_everything_is_there(large):
    said = " ".join(large["left_out"])
    n_terms, shown = len(large["terms"]["id"]), large["rows"]
    n_explained = sum(one is not None for one in shown["evidence"])
    assert n_terms == MOST_TERMS
    assert len(shown["id"]) == MOST_ROWS
    assert 0 < n_explained < MOST_ROWS
    for part in (
        f"Only the {n_terms:,} most frequent of {N_TERMS:,} terms are shown",
        f"Only the first {N_ROWS:,} of {N_ROWS + 5:,} rows were processed",
        f"Only {MOST_ROWS:,} of {N_ROWS:,} rows are shown",
        f"Only {n_explained:,} rows are shown with evidence",
        "up to 5 neighbours of each kind, with 8 labels each, and 20 votes",
        f"The most important features are shown for 1 of {N_TERMS:,} terms",
        "No quality measures",
        "Each row is shown with its 50 most probable terms of at least 0.01",
        "Each list of what to check shows the first 20",
    ):
        assert part in said


def test_every_number_on_a_large_page_leads_somewhere(large):
    n_terms, n_rows = len(large["terms"]["id"]), len(large["rows"]["id"])
    for predicted in large["rows"]["predicted"]:
        terms = [term for term, *_ in predicted]
        assert len(terms) == len(set(terms))
        assert all(
            set(large["terms"]["parents"][term]) <= set(terms)  # closed upward
            for term in terms
        )
    for name in ("new", "surprising"):
        for row, term, *_ in large["to_check"][name]:
            assert 0 <= row < n_rows
            assert 0 <= term < n_terms
    assert len(large["to_check"]["new"]) == MOST_TO_CHECK
    # The rows to be checked are those that have evidence.
    explained = [one is not None for one in large["rows"]["evidence"]]
    assert all(explained[row] for row, *_ in large["to_check"]["new"])
