"""What a command shows fits the screen."""

import os
import re
import threading
import time

import click
import pandas as pd
import pytest

from hilabel.cli._options import details_option, screen_options
from hilabel.cli._screen import Screen, _cut


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


# Details ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "is_shown"),
    [
        ({"details": True}, True),
        ({}, False),
        ({"details": True, "quiet": True}, False),
        ({"details": True, "as_json": True}, False),
    ],
)
def test_details_are_shown_on_request_alone(options, is_shown, capsys):
    screen = Screen(**options)
    screen.detail("the seed is 0")
    screen.detail_table("Passes", pd.DataFrame({"pass": range(9)}), most=3)
    shown = " ".join(capsys.readouterr().out.replace("─", "").split())
    assert shown == ("the seed is 0 Passes pass 0 ... 8" if is_shown else "")


@pytest.mark.parametrize("name", ["fit", "evaluate", "compare", "inspect"])
def test_commands_with_details_have_an_option_for_them(name, run):
    assert "--details" in run(name, "--help").stdout


def test_a_command_may_have_an_option_for_details(capsys):
    @click.command
    @details_option
    @screen_options
    def told(screen):
        screen.say("always")
        screen.detail("on request")

    told.main([], standalone_mode=False)
    assert capsys.readouterr().out == "always\n"
    told.main(["--details"], standalone_mode=False)
    assert capsys.readouterr().out == "always\non request\n"
    told.main(["--details", "--quiet"], standalone_mode=False)
    assert capsys.readouterr().out == ""


# Progress ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["quiet", "as_json"])
@pytest.mark.parametrize("is_terminal", [False, True])
def test_silent_screens_show_no_progress(kind, is_terminal, monkeypatch, capsys):
    if is_terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
    n_threads = threading.active_count()
    with Screen(**{kind: True}).working() as report:
        report("Training", 1, 3)
        assert threading.active_count() == n_threads
    assert capsys.readouterr() == ("", "")


def test_short_work_is_quiet_outside_of_terminals(capsys):
    with Screen().working() as report:
        report("Training", 0, 3)
    assert capsys.readouterr() == ("", "")


FIT = ["fit", "products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]


def test_a_short_command_in_a_pipe_tells_nothing_of_its_progress(shop, command):
    done = command(*FIT, "--fast", "-o", "fast.hilabel", cwd=shop)
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.skipif(
    not os.environ.get("HILABEL_SLOW_TESTS"),
    reason="trains for over ten seconds; set HILABEL_SLOW_TESTS=1",
)
def test_a_long_command_in_a_pipe_tells_every_ten_seconds_what_it_does(shop, command):
    begin = time.monotonic()
    genes = ["features.csv", "-l", "annotations.gaf", "-H", "terms.obo"]
    done = command("fit", *genes, "-o", "long.hilabel", "--jobs", 1, cwd=shop)
    seconds = time.monotonic() - begin
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert all(line.startswith("hilabel: ") for line in lines)
    start = r"hilabel: Training Blend: trying .+, \d+ of \d+"
    trying = [line for line in lines if re.match(start, line)]
    # A stage may get a line of its own: trying, selecting and training.
    assert (seconds - 10) // 10 - 1 <= len(lines) <= seconds / 10 + 3
    assert trying
    assert any("about " in line and line.endswith(" left") for line in trying)
