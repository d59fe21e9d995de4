"""Progress goes to whoever listens, with numbers, and nested steps stay in place."""

import pytest

from hilabel._progress import (
    Progress,
    progress_of_step,
    progress_to,
    say_nothing,
    within_step,
)


@pytest.fixture
def told():
    """Return a list that receives all progress during the test."""
    reports = []
    with progress_to(lambda *report: reports.append(report)):
        yield reports


def test_a_listener_gets_the_message_and_its_numbers(told):
    progress = Progress(0)
    progress.report("Growing trees, 3 of 9", 3, 9)
    progress.report("pass 1")
    progress.announce("stale")
    assert told == [("Growing trees, 3 of 9", 3, 9), ("pass 1", 0, 0), ("stale", 0, 0)]


def test_progress_within_a_step_does_not_move_the_bar_of_the_step(told):
    candidates, trees = Progress(0), Progress(0)
    with candidates.step("Trying forest, 2 of 17", 1, 17):
        trees.report("Growing trees, 5 of 9", 5, 9)
        with trees.step("Growing trees, 6 of 9", 6, 9):
            trees.report("Splitting node 2", 2, 30)
    trees.report("Growing trees, 1 of 9", 1, 9)
    assert told == [
        ("Trying forest, 2 of 17", 1, 17),
        ("Trying forest, 2 of 17: growing trees, 5 of 9", 1, 17),
        ("Trying forest, 2 of 17: growing trees, 6 of 9", 1, 17),
        ("Trying forest, 2 of 17: growing trees, 6 of 9: splitting node 2", 1, 17),
        ("Growing trees, 1 of 9", 1, 9),
    ]


@pytest.mark.parametrize("total", [0, 1])
def test_a_single_step_or_an_unknown_number_leaves_the_bar_to_what_runs_within(
    told, total
):
    with Progress(0).step("Training", 0, total):
        Progress(0).report("Growing trees, 5 of 9", 5, 9)
    assert told[1] == ("Training: growing trees, 5 of 9", 5, 9)


def test_a_step_ends_on_errors_too(told):
    with pytest.raises(ValueError, match="boom"), Progress(0).step("Trying", 1, 2):
        raise ValueError("boom")
    Progress(0).report("Other", 0, 3)
    assert told[-1] == ("Other", 0, 3)


def test_a_report_that_was_passed_on_is_told_of_progress_inside():
    told = []
    with progress_of_step(lambda *report: told.append(report), "Fold 1 of 3", 0, 3):
        Progress(0).report("pass 7")
    assert told == [("Fold 1 of 3", 0, 3), ("Fold 1 of 3: pass 7", 0, 3)]


def test_without_a_report_the_listener_of_the_larger_job_hears_what_is_inside(told):
    with progress_of_step(say_nothing, "Fold 1 of 3", 0, 3):
        Progress(0).report("pass 7")
    assert told == [("pass 7", 0, 0)]


def test_steps_of_steps_are_told_in_one_sentence():
    told = []
    outer = within_step(lambda *report: told.append(report), "forest (1 of 2)", 0, 2)
    within_step(outer, "Training fold 3 of 3", 2, 3)("Growing", 1, 9)
    assert told == [("forest (1 of 2): training fold 3 of 3: growing", 0, 2)]


def test_steps_are_written_to_standard_error_on_request(capsys):
    for verbose in (0, 2):
        with Progress(verbose).step("Trying forest, 2 of 17", 1, 17):
            Progress(verbose).report("Growing trees", 1, 9)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("] ")[1] for line in lines] == [
        "Trying forest, 2 of 17",
        "Growing trees",
    ]
