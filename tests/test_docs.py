"""Every block and command in the documents runs, and every link leads somewhere."""

import re
import shlex
import shutil
from pathlib import Path

import matplotlib as mpl
import pytest
from click.testing import CliRunner

from hilabel.cli import app
from hilabel.studies import read_study

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^\$ hilabel (.*)$", re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(python|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)")


def blocks(wanted):
    for path in DOCUMENTS:
        found = BLOCK.findall(path.read_text(encoding="utf-8"))
        if path.name == "tour.md":  # its blocks follow each other in one session
            session = [code for language, code in found if language == "python"]
            found = [("python", "\n".join(session))]
        for number, (language, code) in enumerate(found):
            if language == wanted:
                yield pytest.param(code, id=f"{path.relative_to(ROOT)}-{number}")


# A cluster warns of its own sockets while it is taken down.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("code", list(blocks("python")))
def test_block_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    exec(compile(code, "block", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("text", list(blocks("toml")))
def test_study_file_is_read(text, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "studies" / "label_propagation.py", tmp_path)
    assert read_study(path).methods


def anchors(path):
    """Return what the headings of a page are called in addresses."""
    for heading in HEADING.findall(path.read_text(encoding="utf-8")):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    for name, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        target = path.parent / name if name else path
        assert target.exists(), name
        assert not anchor or anchor in anchors(target), f"{name}#{anchor}"


def commands_of(path):
    blocks = CONSOLE.findall(path.read_text(encoding="utf-8"))
    return [command for block in blocks for command in COMMAND.findall(block)]


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if commands_of(path)], ids=lambda p: p.name
)
def test_commands_run_one_after_the_other(path, tmp_path, monkeypatch):
    # The reader stands in a clone.
    shutil.copytree(ROOT / "studies", tmp_path / "studies")
    shutil.copytree(ROOT / "examples" / "own_vote", tmp_path / "examples" / "own_vote")
    monkeypatch.chdir(tmp_path)
    for command in commands_of(path):
        result = CliRunner().invoke(app, shlex.split(command), prog_name="hilabel")
        assert result.exit_code == 0, f"{command}: {result.stderr}"
