"""What a release says in several places is the same everywhere."""

import os
import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from click.shell_completion import get_completion_class
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def constraints():
    lines = read("constraints.txt").splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_constraints_are_dated_and_name_one_version_of_each_package():
    _, made, *_ = read("constraints.txt").splitlines()
    assert re.fullmatch(r"# Written on \d{4}-\d\d-\d\d by: make constraints", made)
    pinned = [re.fullmatch(r"([\w.-]+)==[\w.]+", line) for line in constraints()]
    assert all(pinned), constraints()  # no paths, no addresses
    names = [canonicalize_name(line[1]) for line in pinned]
    assert len(names) == len(set(names))


def test_constraints_have_an_allowed_version_of_everything_that_make_installs():
    pinned = dict(line.split("==") for line in constraints())
    pinned = {canonicalize_name(name): version for name, version in pinned.items()}
    for text in ["cmake", "ninja", *PYPROJECT["build-system"]["requires"]]:
        assert canonicalize_name(Requirement(text).name) in pinned
    for text in set(requirements()) - set(PROJECT["optional-dependencies"]["bench"]):
        required = Requirement(text)
        version = pinned[canonicalize_name(required.name)]
        assert required.specifier.contains(version), text


@pytest.mark.skipif(
    os.name == "nt" or shutil.which("make") is None, reason="needs make and a shell"
)
def test_make_installs_the_constraints_again_when_they_change_unless_latest(tmp_path):
    # If make runs this test, its options are in the environment.
    own = {"MAKEFLAGS", "MFLAGS", "LATEST", "VENV"}
    environment = {key: value for key, value in os.environ.items() if key not in own}

    def commands(*options):
        # -n shows commands without running them.
        made = subprocess.run(
            ["make", "-n", "setup", "COMPILERS=c++", *options],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        return [line for line in made.stdout.splitlines() if " install " in line]

    for stamp in (".installed", ".ready"):
        (tmp_path / stamp).touch()
    installed = f"VENV={tmp_path}"
    assert commands(installed) == []
    changed = commands(installed, "--what-if", "constraints.txt")
    assert [" --constraint constraints.txt " in line for line in changed] == [
        *(True, True, True),  # tools, tools of the engine, hilabel with dependencies
        False,  # hilabel alone
    ]
    newest = commands(installed, "LATEST=1")
    assert [" --upgrade " in line for line in newest] == [True, True, True, False]
    assert not any("constraints.txt" in line for line in newest)
    assert all(line.startswith(".venv-latest/") for line in commands("LATEST=1"))


def test_the_oldest_python_is_the_same_everywhere():
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py311"
    built = [f"cp{version.replace('.', '')}-*" for version in PYTHONS]
    assert PYPROJECT["tool"]["cibuildwheel"]["build"] == built
    tests = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"]["tests"]
    latest = yaml.safe_load(read(".github/workflows/nightly.yml"))["jobs"]["latest"]
    for job in (tests, latest):
        assert job["strategy"]["matrix"]["python"] == [PYTHONS[0], PYTHONS[-1]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_asks_for_little_and_makes_what_there_is(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    for job in workflow["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        asked = set(matrix.get("target", []))
        for step in job["steps"]:
            made = re.fullmatch(r"make ([a-z ]+?)( LATEST=1)?", step.get("run", ""))
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
