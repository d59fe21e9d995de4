"""What a release says in several places is the same everywhere."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml
from click.shell_completion import get_completion_class

import hilabel
from hilabel.cli import app

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHONS = [
    version
    for classifier in PROJECT["classifiers"]
    for version in re.findall(r"Python :: (3\.\d+)$", classifier)
]
REQUIREMENT = re.compile(r"([a-z0-9-]+)>=([0-9.]+)")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def requirements():
    extras = PROJECT["optional-dependencies"].values()
    for group in [PROJECT["dependencies"], *extras]:
        yield from (name for name in group if not name.startswith("hilabel["))


def test_the_version_is_written_once_and_cited():
    assert "version" in PROJECT["dynamic"]
    source = PYPROJECT["tool"]["scikit-build"]["metadata"]["version"]["input"]
    assert f'\n__version__ = "{hilabel.__version__}"\n' in read(source)
    assert yaml.safe_load(read("CITATION.cff"))["version"] == hilabel.__version__


def test_the_changelog_starts_with_this_version_and_dates_it_when_it_is_released():
    version, is_development = re.subn(r"\.dev\d+$", "", hilabel.__version__)
    [heading] = re.findall(r"^## (.*)$", read("CHANGELOG.md"), re.MULTILINE)[:1]
    released = yaml.safe_load(read("CITATION.cff")).get("date-released")
    assert (released is None) == bool(is_development)
    assert heading == f"{version} ({released or 'unreleased'})"


def test_every_requirement_has_one_lower_bound():
    lowest = {}
    for requirement in requirements():
        if requirement.startswith("clang-format=="):
            continue
        bounded = REQUIREMENT.fullmatch(requirement)
        assert bounded, requirement
        assert lowest.setdefault(bounded[1], bounded[2]) == bounded[2], requirement


def test_the_lowest_environment_has_all_lower_bounds():
    pytest.importorskip("nox", reason="the dev extra")
    noxfile = runpy.run_path(str(ROOT / "noxfile.py"))
    bounds = {name.replace(">=", "==") for name in requirements()}
    assert bounds <= set(noxfile["lowest_versions"]())
    assert noxfile["PYTHONS"] == PYTHONS


def test_the_oldest_python_is_the_same_everywhere():
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py311"
    built = [f"cp{version.replace('.', '')}-*" for version in PYTHONS]
    assert PYPROJECT["tool"]["cibuildwheel"]["build"] == built
    tests = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"]["tests"]
    assert tests["strategy"]["matrix"]["python"] == [PYTHONS[0], PYTHONS[-1]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_asks_for_little_and_makes_what_there_is(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    for job in workflow["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        asked = set(matrix.get("target", []))
        for step in job["steps"]:
            made = re.fullmatch(r"make ([a-z ]+)", step.get("run", ""))
            asked |= set(made[1].split()) if made else set()
        assert asked <= targets


def test_links_of_the_long_description_are_absolute_and_lead_to_files():
    hook = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = read(hook["fragments"][0]["path"])
    for rule in hook["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    home = re.escape(PROJECT["urls"]["Source"])
    raw = home.replace("github", "raw.githubusercontent", 1)
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", text)
    assert links
    for is_image, link in links:
        start = rf"{raw}/main/" if is_image else rf"{home}/blob/main/"
        own = re.fullmatch(rf"{start}([^#]*)(#.*)?", link)
        assert own or link.startswith("https://"), link
        assert own is None or (ROOT / own[1]).exists(), link


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_those_of_click(shell):
    # To write one: _HILABEL_COMPLETE=bash_source hilabel > completions/hilabel.bash
    made = get_completion_class(shell)(app, {}, "hilabel", "_HILABEL_COMPLETE").source()
    assert read(f"completions/hilabel.{shell}").strip() == made.strip()
