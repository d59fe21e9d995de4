"""Help, completion and exit codes of the command as a whole."""

import errno
import os
import re
import signal
import subprocess
import sys

import click
import pytest

from hilabel.cli import app
from hilabel.cli._group import CommandGroup
from hilabel.tasks import list_methods

COMMANDS = [
    "fit",
    "predict",
    "evaluate",
    "compare",
    "explain",
    "report",
    "inspect",
    "link",
    "datasets",
]
COMMANDS += ["study", "plot", "demo"]
HELPS = [
    [],
    *([name] for name in COMMANDS),
    *(["datasets", name] for name in ("list", "fetch", "convert")),
    *(
        ["plot", name]
        for name in ("pseudo-labels", "label-fraction", "critical-difference")
    ),
]


def test_help_fits_a_screen_and_gives_an_example(run):
    for path in HELPS:
        result = run(*path, "--help")
        lines = result.stdout.splitlines()
        assert result.exit_code == 0
        assert len(lines) <= 50, path
        assert max(map(len, lines)) <= 80, path
        assert "Example:" in result.stdout
        assert f"hilabel {' '.join(path)}".strip() in result.stdout


def test_a_group_without_a_command_shows_its_help(run):
    for path in ([], ["study"], ["datasets"]):
        result = run(*path)
        assert result.exit_code == 2
        assert result.stdout == run(*path, "--help").stdout


def test_every_command_is_listed_with_its_help(run):
    listed = run("--help").stdout
    context = click.Context(app)
    for name in app.list_commands(context):
        assert f"\n  {name} " in listed
        assert app.get_command(context, name).name == name


def test_help_imports_nothing_heavy():
    """What takes long to import is left to the work, so that help comes at once."""
    code = (
        "import sys\n"
        "from hilabel.cli import app\n"
        "for name in [[], *([name] for name in sys.argv[1:])]:\n"
        "    try:\n        app([*name, '--help'], prog_name='hilabel')\n"
        "    except SystemExit:\n        pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    names = ["fit", "predict", "evaluate", "explain", "report", "inspect"]
    command = [sys.executable, "-c", code, *names]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.count("Usage: ") == 1 + len(names)
    loaded = {module.split(".")[0] for module in done.stderr.split()}
    assert not loaded & {"numpy", "scipy", "sklearn", "pandas", "rich"}


def complete(command, words, folder):
    """Return what the shell would offer for the last of the words."""
    done = command(
        cwd=folder,
        _HILABEL_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(words),
        COMP_CWORD=str(len(words) - 1),
    )
    assert done.stderr == ""
    return [line.split(",", 1)[1] for line in done.stdout.splitlines()]


def test_tab_completes_commands_options_and_methods(tmp_path):
    def command(*, cwd, **environment):
        code = "from hilabel.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=cwd,
            env={**os.environ, **environment},
        )

    assert complete(command, ["hilabel", "ex"], tmp_path) == ["explain"]
    assert set(complete(command, ["hilabel", ""], tmp_path)) == set(COMMANDS)
    assert complete(command, ["hilabel", "fit", "--pre"], tmp_path) == ["--preset"]
    offered = complete(command, ["hilabel", "fit", "--method", "SSH"], tmp_path)
    assert offered == [name for name in list_methods() if name.startswith("SSH")]


def test_the_script_for_the_shell_is_given(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "from hilabel.cli import main; main()"],
        capture_output=True,
        text=True,
        env={**os.environ, "_HILABEL_COMPLETE": "zsh_source"},
    )
    assert "#compdef hilabel" in done.stdout


def test_the_version_is_told(run):
    from hilabel import __version__

    assert __version__ in run("--version").stdout


def test_methods_are_listed_with_what_they_handle(run):
    result = run("fit", "--method", "list")
    assert result.exit_code == 0
    assert all(name[:20] in result.stdout for name in list_methods())
    assert "(DAG, MPL, PD)" in result.stdout


def group_that(raises):
    def fail():
        raise raises

    group = CommandGroup(name="test", commands_by_module={}, version="1")
    group.add_command(click.Command("fail", callback=fail))
    return group


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ValueError("a\n  b"), 2, "hilabel: a b\n"),
        (FileNotFoundError(2, "No such file", "x.csv"), 2, "hilabel: x.csv: No such"),
        (ImportError("needs pyarrow"), 2, "hilabel: needs pyarrow\n"),
        (RuntimeError("odd"), 1, "hilabel: unexpected error, RuntimeError: odd"),
        (KeyboardInterrupt(), 130, "hilabel: interrupted"),
    ],
)
def test_exit_codes_are_as_documented(error, code, line):
    from click.testing import CliRunner

    result = CliRunner().invoke(group_that(error), ["fail"])
    assert result.exit_code == code
    assert line in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unexpected_error_can_be_traced(monkeypatch):
    from click.testing import CliRunner

    monkeypatch.setenv("HILABEL_TRACEBACK", "1")
    result = CliRunner().invoke(group_that(RuntimeError("odd")), ["fail"])
    assert isinstance(result.exception, RuntimeError)


# A shell lets its jobs in the background ignore interruptions, which their children
# inherit, and so would the command. Set before the command is started, by a function
# of this process, it would need a fork, of which JAX warns once it has been used.
LISTENING_COMMAND = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("hilabel", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
def test_an_interruption_leaves_nothing_unfinished(shop):
    # A pipe can be opened when the command reads it: then it is at work.
    labels = shop / "pipe.gaf"
    os.mkfifo(labels)
    before = {path.name for path in shop.iterdir()}
    args = ["fit", "features.csv", "-l", "pipe.gaf", "-H", "terms.obo"]
    args += ["--set", "estimator__n_estimators=200000", "-o", "out.hilabel"]
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENING_COMMAND, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=shop,
    )
    with process:
        labels.write_bytes((shop / "annotations.gaf").read_bytes())
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert errors.strip().endswith("interrupted; no unfinished file was left behind.")
    assert {path.name for path in shop.iterdir()} == before


def test_no_command_writes_over_its_input(shop, run):
    os.symlink("labels.csv", shop / "link.csv")
    (shop / "per_node.csv").write_bytes((shop / "labels.csv").read_bytes())
    data = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
    tests = ["predict", "model.hilabel", "products.csv"]
    named = ["evaluate", "products.csv", "-l", "per_node.csv", "-H", "taxonomy.csv"]
    before = {path: path.read_bytes() for path in shop.iterdir()}
    for use in (
        ["fit", *data, "-o", "labels.csv"],
        ["fit", *data, "-o", f"{shop}/../shop/taxonomy.csv"],
        ["fit", *data, "-o", "link.csv"],
        [*tests, "-o", "products.csv"],
        [*tests, "--without", "link.csv", "-o", "labels.csv"],
        [*named, "-m", "model.hilabel", "-o", "."],
    ):
        result = run(*use)
        assert result.exit_code == 2, use
        assert "is also an input" in result.stderr
    assert before == {path: path.read_bytes() for path in shop.iterdir()}


def test_every_number_has_a_range(shop, run):
    data = ["fit", "products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
    for options, told in {
        ("--jobs", "-5"): "not in the range -1<=x<=1024",
        ("--jobs", "0"): "expected a positive number or -1, got 0",
        ("--folds", "500"): "labelled row for each of 500 folds",
        ("--fast", "--set", f"max_depth={2**70}"): "'max_depth' .* at most 2147483647",
        ("--fast", "--set", f"n_estimators={10**9}"): "'n_estimators' .*1000000",
        ("--method", ""): "Unknown method ''",
        ("--base", ""): "Unknown base ''",
    }.items():
        result = run(*data, "-o", "new.hilabel", *options)
        assert result.exit_code == 2, options
        assert re.search(told, result.stderr), result.stderr
    assert not (shop / "new.hilabel").exists()


def test_a_full_disk_leaves_no_half_of_a_folder(shop, run, monkeypatch):
    data = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
    seen = []

    def full(*args):
        seen.append(args)
        if len(seen) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = run("evaluate", *data, "-m", "model.hilabel", "-o", "new/folder")
    assert (result.exit_code, len(seen)) == (2, 3)
    assert "No space left" in result.stderr
    assert not (shop / "new").exists()
