"""Environments in which hilabel must pass its tests: nox -l lists them.

Each is created from scratch and installs hilabel as pip does, with its own engine.
"""

import os
import tomllib
from pathlib import Path

import nox

PROJECT = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = [
    classifier.rpartition(" ")[2]
    for classifier in PROJECT["project"]["classifiers"]
    if classifier.startswith("Programming Language :: Python :: 3.")
]

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["tests", "lowest"]


def lowest_versions() -> list[str]:
    """Return every requirement of the project at its lower bound."""
    extras = PROJECT["project"]["optional-dependencies"].values()
    needed = [
        *PROJECT["build-system"]["requires"],
        *PROJECT["project"]["dependencies"],
        *(requirement for extra in extras for requirement in extra),
    ]
    foreign = {name for name in needed if not name.startswith("hilabel[")}
    return sorted(name.replace(">=", "==") for name in foreign)


def install(session: nox.Session, *versions: str) -> None:
    """Install hilabel for development; the tools that build it first.

    In an isolated build, constraints would not apply to them.
    """
    tools = PROJECT["build-system"]["requires"]
    session.install(*versions, "cmake", "ninja", *tools)
    session.install(*versions, "--no-build-isolation", "--editable", ".[dev]")


def run_tests(session: nox.Session, *options: str) -> None:
    """Run pytest on the tests given after ``--``, or on all tests."""
    session.run(
        *("python", "-m", "pytest", "--numprocesses", "2", "--dist", "loadfile"),
        *(*options, *session.posargs),
        env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests with the versions of constraints.txt, as ``make test`` does."""
    install(session, "--constraint", "constraints.txt")
    run_tests(session)


@nox.session(python=PYTHONS)
def latest(session: nox.Session) -> None:
    """Run the tests with the newest versions of all dependencies."""
    install(session)
    run_tests(session)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """Run the tests with the lowest versions that pyproject.toml allows."""
    constraints = Path(session.create_tmp()) / "lowest.txt"
    constraints.write_text("\n".join(lowest_versions()) + "\n", encoding="utf-8")
    install(session, "--constraint", os.fspath(constraints.resolve()))
    # Old packages use functions that their dependencies have deprecated.
    run_tests(session, "-W", "ignore::DeprecationWarning")


@nox.session(venv_backend="none")
def sanitize(session: nox.Session) -> None:
    """Run the tests of the engine under AddressSanitizer and UBSan."""
    session.run("make", "sanitize", external=True)


@nox.session(venv_backend="none")
def site(session: nox.Session) -> None:
    """Build the documentation, with warnings as errors."""
    session.run("make", "site", external=True)
