"""Sentences that say what the numbers say."""

from dataclasses import replace

import pytest

from hilabel.report.study._findings import constant_losses, constant_sentence, findings
from hilabel.report.study._verdict import compare_study


@pytest.fixture
def with_constant(record, results_of):
    """LCN loses to the constant predictor on one of two sets, V on none."""
    scores = {"d": (0.5, 0.4, 0.8), "e": (0.5, 0.6, 0.9)}
    names = ["constant", "LCN", "V"]
    records = [
        record(name, value, dataset, n_pseudo_labeled=3 if name == "V" else None)
        for dataset, values in scores.items()
        for name, value in zip(names, values)
    ]
    records += [record("LCN", 0.8, dataset, 1.0) for dataset in scores]
    return results_of(records, names, supervised="LCN")


def test_losses_to_the_constant_predictor_are_counted(with_constant):
    table = constant_losses(with_constant).set_index("method")
    assert table.loc["LCN"].to_list() == [1, 2, 1, 2]
    assert table.loc["V"].to_list() == [0, 2, 0, 2]


def test_the_place_of_the_constant_predictor_is_stated_plainly(with_constant):
    assert constant_sentence(with_constant, compare_study(with_constant)) == (
        "The constant predictor (constant), which ignores the features, beats LCN on "
        "1 of 2 data sets; it never beats V. Its mean rank is 2.500, place 2 of 3."
    )


def test_many_methods_are_counted_instead_of_named(record, results_of):
    names = [f"m{number}" for number in range(9)]
    records = [record("constant", 0.5), record("bad", 0.4)]
    records += [record(name, 0.9) for name in names]
    sentence = constant_sentence(results_of(records), None)
    assert sentence.endswith("it never beats any of the other 9 methods.")


def test_without_a_constant_predictor_nothing_is_said(record, results_of):
    results = results_of([record("a", 0.5)])
    assert constant_losses(results).empty
    assert constant_sentence(results, None) == ""


def test_the_main_results_are_those_of_the_tables(with_constant):
    said = findings(with_constant, compare_study(with_constant), None, None)
    assert said[0].startswith("By micro AP, V ranks best: mean rank 1.000 among 3")
    # (.8 - .4) / (.8 - .4) and (.9 - .6) / (.8 - .6): 100 % and 150 %.
    assert "V closes most of the gap to LCN with all labels: 125 %" in said[2]
    assert "(median over blocks; 117 % in total)" in said[2]  # (.4 + .3) / (.4 + .2)


def test_a_study_too_small_for_tests_says_so(record, results_of):
    results = results_of([record("a", 0.5)])
    [sentence] = findings(results, None, None, None)
    assert "too few blocks" in sentence


def test_failures_are_said(record, results_of):
    results = results_of([record("a", 0.5), record("b", None, error="ValueError: no")])
    assert findings(results, None, None, None)[-1] == (
        "1 of 2 finished runs failed; their results are missing."
    )


def test_stale_results_are_counted_for_each_method(record, results_of):
    results = replace(results_of([record("V1", 0.5)]), stale={"mine": 1, "ours": 2})
    assert findings(results, None, None, None)[-1] == (
        "1 result of method mine is stale: its code has changed. 2 results of method "
        "ours are stale: its code has changed. 'hilabel study run' computes stale "
        "results again."
    )


def test_unlabelled_rows_can_be_used_without_pseudo_labels(record, results_of):
    records = [record("LCN", 0.5), record("Blend", 0.6), record("V", 0.4)]
    records.append(record("LCN", 0.7, fraction=1.0))
    results = results_of(records, ["LCN", "Blend", "V"], supervised="LCN")
    assert results.semi_supervised == {"Blend"}
    said = " ".join(findings(results, None, None, None))
    assert "Blend closes most of the gap to LCN with all labels: 50 % (" in said


def test_harm_is_called_so(record, results_of):
    records = [record("LCN", 0.5), record("V", 0.4, n_pseudo_labeled=1)]
    records.append(record("LCN", 0.7, fraction=1.0))
    results = results_of(records, ["LCN", "V"], supervised="LCN")
    said = " ".join(findings(results, None, None, None))
    assert "No method that uses unlabelled rows closes the gap to LCN" in said
    assert "closes \N{MINUS SIGN}50 %" in said
