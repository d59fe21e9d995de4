"""``hilabel demo``: what it computes, what it prints, what it leaves behind."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console
from sklearn.metrics import average_precision_score
from sklearn.tree import DecisionTreeClassifier

from hilabel.cli.demo import demo, print_demo, run_demo, save_figures
from hilabel.datasets import make_artificial

PUBLISHED = {"LCN": "0.4492", "V1": "0.4817", "V2": "0.4526", "V3": "0.4573"}
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
FIGURES = ["pseudo_labels_paper.png", "pseudo_labels_authors.png"]


def score_lines(output, profile):
    """Return {method: cells} of the rows of the table that have the profile."""
    rows = [line.split() for line in output.splitlines()]
    return {cells[0]: cells[2:] for cells in rows if cells[1:2] == [profile]}


def assert_published_scores_are_reproduced(output):
    rows = score_lines(output, "authors")
    assert {method: cells[-2:] for method, cells in rows.items()} == {
        method: [score, score] for method, score in PUBLISHED.items()
    }


@pytest.fixture(scope="module")
def quick():
    """Return the demo with trees in place of forests."""
    return run_demo(DecisionTreeClassifier(random_state=0))


def printed(result, width=80):
    file = io.StringIO()
    print_demo(result, Console(file=file, width=width))
    return file.getvalue()


def test_the_installed_command_tells_the_whole_story(tmp_path):
    folder = tmp_path / "new" / "figures"
    command = [sys.executable, "-m", "hilabel", "demo", "-o", str(folder)]
    # No display, a narrow screen.
    environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"}
    environment |= {"COLUMNS": "80", "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert_published_scores_are_reproduced(done.stdout)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FIGURES)
    for name in FIGURES:
        assert f"  {folder / name}\n" in done.stdout
        assert (folder / name).read_bytes().startswith(PNG_SIGNATURE)


def test_without_matplotlib_the_table_still_comes(quick, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    # The scores with forests are those of the installed command, above.
    monkeypatch.setattr(sys.modules["hilabel.cli.demo"], "run_demo", lambda **_: quick)
    folder = tmp_path / "figures"
    result = CliRunner().invoke(
        demo, ["--output", str(folder)], env={"COLUMNS": "80"}, catch_exceptions=False
    )
    assert result.exit_code == 0
    assert printed(quick).strip() in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    assert result.output.splitlines()[-1].endswith("pip install 'hilabel[plot]'")
    assert not folder.exists()


def test_a_file_in_place_of_the_folder_is_refused_before_the_work(tmp_path):
    path = tmp_path / "taken"
    path.write_text("")
    result = CliRunner().invoke(demo, ["--output", str(path)])
    assert result.exit_code == 2
    assert "is a file" in result.output


def test_the_rows_are_the_methods_of_both_profiles(quick):
    assert [(row.profile, row.method) for row in quick.rows] == [
        ("", "constant"),
        *(("paper", m) for m in ("LCN", "LCN calibrated", "V1", "V2", "V3")),
        *(("authors", m) for m in ("LCN", "V1", "V2", "V3")),
    ]


def test_rows_report_what_the_models_say(quick):
    n_checked = 0
    for row in quick.rows:
        if row.n_iter is None:
            assert row.stop_reason is None
            assert row.n_pseudo_labeled is None
            continue
        model = quick.models[row.profile][row.method]
        assert (model.variant.upper(), model.profile) == (row.method, row.profile)
        accepted = (model.transduction_[12:] >= 0).all(axis=1)
        assert row.n_pseudo_labeled == accepted.sum()
        assert row.n_iter == len(model.history_)
        assert row.stop_reason == model.termination_condition_
        n_checked += 1
    assert n_checked == 6


@pytest.mark.parametrize("is_closed", [True, False])
def test_scores_are_those_of_scikit_learn(quick, is_closed):
    Y = make_artificial(closed_test=is_closed).Y_test
    for row in quick.rows:
        if row.n_iter is None:
            continue
        model = quick.models[row.profile][row.method]
        expected = average_precision_score(
            Y, model.predict_proba(quick.data.X_test), average="micro"
        )
        field = "average_precision" if is_closed else "unclosed_average_precision"
        assert getattr(row, field) == pytest.approx(expected)


def test_the_constant_predictor_has_the_scores_worked_out_by_hand(quick):
    # Shares: 6 of 12 rows for nodes 0 and 1, 2 of 12 for the other four. The first
    # two columns come first, with 150 of 300 positives each, then all: 500 of 1800.
    expected = 300 / 500 * 300 / 600 + 200 / 500 * 500 / 1800
    assert quick.rows[0].average_precision == pytest.approx(expected)
    # A row's own node alone: one positive in six, whatever comes first.
    assert quick.rows[0].unclosed_average_precision == pytest.approx(1 / 6)


def test_progress_is_reported_once_per_method():
    messages = []
    local = DecisionTreeClassifier(random_state=0)
    run_demo(local, report=lambda *message: messages.append(message))
    assert len(messages) == 10
    assert messages[0] == ("Training constant", 0, 10)
    assert messages[-1] == ("Training V3 (authors)", 9, 10)


def test_nothing_is_cut_or_wrapped_in_80_columns(quick):
    lines = printed(quick).splitlines()
    assert max(map(len, lines)) <= 80
    # The ellipsis stands where rich cuts a cell short.
    assert "\N{HORIZONTAL ELLIPSIS}" not in printed(quick)
    for profile in ("paper", "authors"):
        for cells in score_lines(printed(quick), profile).values():
            assert len(cells) >= 6


def test_the_screen_shows_data_tree_and_problem_type(quick):
    text = printed(quick)
    assert "(DAG, MPL, PD)" in text
    assert text.count("4  (2 parents)") == 2
    assert "330" in text
    assert "not closed over ancestors" in " ".join(text.split())


def test_the_screen_can_be_plain_ascii(quick):
    buffer = io.BytesIO()
    file = io.TextIOWrapper(buffer, encoding="ascii")
    print_demo(quick, Console(file=file, width=80))
    file.flush()
    assert b"authors" in buffer.getvalue()


def test_figures_show_both_nodes_of_the_paper(quick, tmp_path):
    paths = save_figures(quick, tmp_path)
    assert [path.name for path in paths] == FIGURES
    for path in paths:
        header = path.read_bytes()[:24]
        assert header.startswith(PNG_SIGNATURE)
        width, height = np.frombuffer(header[16:24], dtype=">u4")
        # Four panels side by side, two nodes above each other.
        assert 1.5 < width / height < 4
