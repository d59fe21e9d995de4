"""Every Python block and every command in the documents runs."""

import re
import shlex
from pathlib import Path

import matplotlib as mpl
import pytest
from click.testing import CliRunner

from hilabel.cli import app

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"^\$ hilabel (.*)$", re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks():
    for path in DOCUMENTS:
        for number, code in enumerate(BLOCK.findall(path.read_text(encoding="utf-8"))):
            yield pytest.param(code, id=f"{path.relative_to(ROOT)}-{number}")


# A cluster warns of its own sockets while it is taken down.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("code", list(blocks()))
def test_block_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    exec(compile(code, "block", "exec"), {"__name__": "__main__"})


def commands_of(path):
    blocks = CONSOLE.findall(path.read_text(encoding="utf-8"))
    return [command for block in blocks for command in COMMAND.findall(block)]


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if commands_of(path)], ids=lambda p: p.name
)
def test_commands_run_one_after_the_other(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in commands_of(path):
        result = CliRunner().invoke(app, shlex.split(command), prog_name="hilabel")
        assert result.exit_code == 0, f"{command}: {result.stderr}"
