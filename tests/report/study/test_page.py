"""A page for any study, however small, broken or oddly named."""

import sys

import pytest

from hilabel.report.study._page import StudyPage


def page_of(results):
    return StudyPage(results).html()


def test_one_run_makes_a_page(record, results_of):
    text = page_of(results_of([record("a", 0.5)]))
    assert "Ranks need at least two methods" in text
    assert "Pseudo-labelling" not in text
    assert "All 1 runs finished without an error." in text


def test_a_study_of_failures_tells_them(record, results_of):
    text = page_of(results_of([record("a", None, error="ValueError: <b> & no")]))
    assert "ValueError: &lt;b&gt; &amp; no" in text
    assert "1 of 1 runs failed" in text


def test_names_from_a_study_file_cannot_break_the_page(record, results_of):
    name = '<i>"a" & b</i>'
    records = [record(name, 0.5, d) for d in ("x y", "é?&#")]
    records += [record("plain", 0.4, d) for d in ("x y", "é?&#")]
    text = page_of(results_of(records))
    assert "<i>" not in text.replace("<i style", "").split("<script")[0]
    assert "?dataset=%C3%A9%3F%26%23" in text


def test_the_page_of_a_study_like_the_papers_stays_small(record, results_of):
    methods = [
        "constant",
        "LCN",
        "LCN prior",
        "forest",
        "V1",
        "V2",
        "V3",
        "STML",
        "STHC",
    ]
    depths = [
        {
            "depth": depth,
            "n_nodes": 100,
            "n_positive": 1234,
            "micro_average_precision": 0.123456 + depth / 97,
            "macro_average_precision": 0.234567 + depth / 89,
        }
        for depth in range(1, 14)
    ]
    records = [
        record(method, 0.5 + number / 1013, f"set{dataset}", fraction, repetition,
               depths=depths)
        for dataset in range(10)
        for fraction in (0.1, 0.3, 0.5, 0.7, 0.9)
        for repetition in (1, 2, 3)
        for number, method in enumerate(methods)
    ]  # fmt: skip
    page = page_of(results_of(records))
    assert len(page.encode()) < 5e6
    assert "are not independent" in page
    assert "they come from 10 data sets" in page


def test_nodes_are_seen_through_the_best_method_that_uses_unlabelled_rows(
    record, results_of
):
    node = {"node": "x", "depth": 1, "n_positive": 2, "roc_auc": 0.5}
    nodes = [{**node, "average_precision": 0.5}]
    told = {"iteration": 1, "n_accepted": 1, "n_newly_accepted": 1, "n_dropped": 0}
    scores = {"LCN": 0.4, "forest": 0.9, "V1": 0.5, "V2": 0.6}
    records = [
        record(
            method,
            score,
            dataset,
            nodes=nodes,
            passes=[told] if method.startswith("V") else [],
        )
        for dataset in ("d", "e")
        for method, score in scores.items()
    ]
    results = results_of(records, list(scores), supervised="LCN")
    assert StudyPage(results).focus == "V2"


def test_without_jinja_the_error_says_how_to_get_it(monkeypatch, record, results_of):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[study\]'"):
        page_of(results_of([record("a", 0.5)]))
