"""What is left out of a page is said, and nothing else is left out."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers import NeighborsClassifier, PriorClassifier
from hilabel.models import model_of_estimator
from hilabel.report import model_page
from hilabel.report.page._bounds import (
    MOST_ROWS,
    MOST_TERMS,
    MOST_TO_CHECK,
    ROWS_LOOKED_AT,
)

N_TERMS, N_GIVEN = 30, ROWS_LOOKED_AT + 5


@pytest.fixture(scope="module")
def large():
    """Return a page of more rows than it has room for."""
    random = np.random.default_rng(0)
    children = np.arange(1, N_TERMS)
    edges = np.column_stack([children // 4, children])
    names = [f"a term with a long name, {node}" for node in range(N_TERMS)]
    hierarchy = Hierarchy(names, edges)
    X = random.normal(size=(60, 3))
    Y = hierarchy.close(random.random((60, N_TERMS)) < 0.15)
    # A page has room for the evidence of some rows if ids are this long.
    ids = [f"{number:0400}" for number in range(60)]
    model = model_of_estimator(NeighborsClassifier(hierarchy).fit(X, Y), X, Y, ids=ids)
    return model_page(model, random.normal(size=(N_GIVEN, 3))).payload


def test_a_large_page_says_how_much_of_everything_is_there(large):
    said, shown = " ".join(large["left_out"]), large["rows"]
    n_explained = sum(one is not None for one in shown["evidence"])
    assert len(shown["id"]) == MOST_ROWS
    assert 0 < n_explained < MOST_ROWS
    for part in (
        f"Only the first {ROWS_LOOKED_AT:,} of {N_GIVEN:,} rows were processed",
        f"Only {MOST_ROWS:,} of {ROWS_LOOKED_AT:,} rows are shown",
        f"Only {n_explained:,} rows are shown with evidence",
        "up to 5 neighbours of each kind, each with up to 8 labels",
        "No important features of terms",
        "No quality measures",
        "Each row is shown with its 32 most probable terms of at least 0.01",
        f"Each list of what to check shows the first {MOST_TO_CHECK}",
    ):
        assert part in said


def test_every_number_on_a_large_page_leads_somewhere(large):
    shown, parents = large["rows"], large["terms"]["parents"]
    n_terms, n_rows = len(large["terms"]["id"]), len(shown["id"])
    for predicted, others in zip(shown["predicted"], shown["others"], strict=True):
        terms = [term for term, *_ in [*predicted, *others]]
        assert len(terms) == len(set(terms))
        assert all(set(parents[term]) <= set(terms) for term in terms)
    for name in ("new", "surprising"):
        for row, term, *_ in large["to_check"][name]:
            assert 0 <= row < n_rows
            assert 0 <= term < n_terms
    assert len(large["to_check"]["new"]) == MOST_TO_CHECK
    # The rows to be checked are those that have evidence.
    explained = [one is not None for one in shown["evidence"]]
    assert all(explained[row] for row, *_ in large["to_check"]["new"])


def test_of_too_many_terms_the_most_frequent_are_there():
    n_terms = MOST_TERMS + 3
    hierarchy = Hierarchy([f"T{node}" for node in range(n_terms)], [])
    Y = np.ones((4, n_terms), dtype=bool)
    Y[:, 3:5] = False
    X = np.zeros((4, 1))
    model = model_of_estimator(PriorClassifier(hierarchy).fit(X, Y), X, Y)
    payload = model_page(model, X[:2], ids=["0", "new"]).payload
    said = " ".join(payload["left_out"])
    assert f"Only the {MOST_TERMS:,} most frequent of {n_terms:,} terms" in said
    assert not {"T3", "T4"} & set(payload["terms"]["id"])
    # What a row gets is all there.
    assert payload["rows"]["n_predicted"].tolist() == [n_terms - 2] * 2
    assert payload["rows"]["state"] == ["labelled", "new"]
