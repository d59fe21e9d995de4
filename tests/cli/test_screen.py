"""What a command shows fits the screen."""

import pandas as pd
import pytest

from hilabel.cli._screen import Screen, TimeLeft, _cut


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("exactlytwelv", "exactlytwelv"),
        ("cut between words", "cut..."),
        ("first, second", "first..."),
        ("onelongwordalone", "onelongwo..."),
        ("      indented name", "      ind..."),
    ],
)
def test_texts_are_cut_between_words(text, shown):
    assert _cut(text, 12) == shown
    assert len(shown) <= 12


def test_a_cut_column_keeps_each_row_on_a_line(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    frame = pd.DataFrame(
        {"name": ["  a long name of a term " * 3] * 2, "own": [0.5, 0.25], "why": "x"}
    )
    Screen().table(frame, cut=["name"])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert len(lines) == 4  # heading, rule, two rows
    assert max(map(len, lines)) <= 40
    assert all("0." in line and "..." in line for line in lines[2:])
    assert lines[2].startswith("   a long")


@pytest.mark.parametrize(
    ("n_lines", "most", "shown"),
    [
        (4, 4, ["0", "1", "2", "3"]),
        (9, 4, ["0", "1", "...", "8"]),
        (9, 5, ["0", "1", "...", "7", "8"]),
        (3, None, ["0", "1", "2"]),
    ],
)
def test_long_tables_are_cut_in_the_middle(n_lines, most, shown, capsys):
    Screen().table(pd.DataFrame({"pass": range(n_lines)}), most=most)
    assert capsys.readouterr().out.split()[2:] == shown  # heading, rule


def test_the_time_left_is_told_at_the_pace_of_the_part_that_runs():
    times = iter([0.0, 10.0, 20.0, 25.0, 30.0, 40.0])
    left = TimeLeft(lambda: next(times))
    assert left.after(0, 0) == ""
    assert left.after(0, 400) == ""
    assert left.after(100, 400) == ", about 30 s left"
    assert left.after(400, 400) == ""
    assert left.after(0, 3) == ""
    assert left.after(1, 3) == ", about 20 s left"
