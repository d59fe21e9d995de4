"""Every Python block in the documents runs."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
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
