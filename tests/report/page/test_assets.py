"""The script and the style of pages, as they are checked in."""

import hashlib
from importlib import resources
from pathlib import Path

import pytest

ASSETS = resources.files("hilabel.report.page") / "assets"
PARTS = ("model.js", "study.js", "page.css")
SOURCES = Path(__file__).parents[3] / "page"
NEEDS_SOURCES = pytest.mark.skipif(
    not SOURCES.is_dir(), reason="the sources of pages are not here"
)


@NEEDS_SOURCES
def test_they_are_built_from_the_sources_as_they_are():
    digest = hashlib.sha256()
    sources = sorted(f"src/{path.name}" for path in (SOURCES / "src").iterdir())
    for path in ["package-lock.json", *sources]:
        digest.update(path.encode())
        digest.update((SOURCES / path).read_bytes())
    built_from = (ASSETS / "built_from.txt").read_text().strip()
    assert built_from == digest.hexdigest(), "make page builds them again"


def test_they_are_small_and_come_with_their_licences():
    assert sum(len((ASSETS / name).read_bytes()) for name in PARTS) < 300_000
    licences = (ASSETS / "LICENSES.txt").read_text(encoding="utf-8")
    for package in ("d3-hierarchy", "d3-zoom", "@dagrejs/dagre"):
        assert f"\n{package} " in licences


def test_nothing_in_them_ends_the_element_that_holds_them():
    for name in PARTS:
        text = (ASSETS / name).read_text(encoding="utf-8").lower()
        assert "</script" not in text
        assert "</style" not in text


@NEEDS_SOURCES
def test_the_lock_file_names_no_registry():
    assert "resolved" not in (SOURCES / "package-lock.json").read_text()
