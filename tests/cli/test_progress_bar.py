"""The bar fits on a line and belongs to the outermost steps."""

import io

import pytest
from rich.console import Console

from hilabel.cli._progress_bar import ProgressBar


@pytest.fixture
def console():
    return Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)


def drawn(bar, console):
    with console.capture() as captured:
        console.print(bar._drawn())
    (line,) = captured.get().splitlines()
    return line.rstrip()


@pytest.mark.parametrize(("done", "n_filled"), [(0, 0), (7, 10), (14, 20)])
def test_it_fills_with_the_steps_done_and_names_what_runs(console, done, n_filled):
    bar = ProgressBar(console)
    bar.report(f"Trying forest, {done} of 14", done, 14)
    line = drawn(bar, console)
    assert line.count("━") == n_filled
    assert f"Trying forest, {done} of 14" in line


def test_a_long_message_is_cut_and_the_times_stay(console):
    bar = ProgressBar(console)
    bar.report("Trying network, 14 of 17: " + "deep, 160 steps " * 9, 13, 17)
    line = drawn(bar, console)
    assert len(line) <= 80
    assert "Trying network, 14 of 17: deep" in line
    assert "…" in line
    assert line.endswith("0:00:00")


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_it_disappears_at_the_end(console, error):
    try:
        with ProgressBar(console) as bar:
            bar.report("Training", 1, 3)
            if error is not None:
                raise error
    except KeyboardInterrupt:
        pass
    written = console.file.getvalue()
    assert "Training" in written
    assert written.endswith("\x1b[2K")  # the line is erased
    assert "\x1b[?25h" in written  # and the cursor is back
