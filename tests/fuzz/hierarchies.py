"""Deep and wide hierarchies in small files: commands end, in time and memory.

A chain, a parent of many, a node between many parents and many children, and terms
without edges. All have few rows, so that what takes long is the hierarchy.
"""

import contextlib
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from random import Random

from click.testing import CliRunner

from fuzz.memory import limited_memory
from hilabel.classifiers import POLICIES
from hilabel.cli import app

N_ROWS = 30
SIZES = [1000, 3000, 5000]
SHAPES = ["chain", "star", "hub", "roots"]
# Of processor time. A square of thousands would take minutes.
SECONDS = 60
DATA = ["x.csv", "-l", "y.csv", "-H", "h.csv", "--folds", "2", "--jobs", "1"]
FITS = [
    ["--fast"],
    ["--method", "SSHMCBLI"],
    *(
        ["--method", "LocalClassifierPerNode", "--set", f"policy={policy}"]
        for policy in POLICIES
    ),
]
USES = [
    ["predict", "model.hilabel", "x.csv", "-o", "terms.csv"],
    ["explain", "model.hilabel", "r1", "--features", "x.csv"],
    ["evaluate", *DATA[:5], "-m", "model.hilabel"],
    ["inspect", *DATA[:5], "--min-count", "0"],
    ["inspect", "model.hilabel"],
]


def edges_of(shape: str, n_terms: int) -> list[tuple[str, str]]:
    """Return the (parent, child) pairs of a shape; no parent is the empty name."""
    terms = [f"t{number}" for number in range(n_terms)]
    half = n_terms // 2
    return {
        "chain": [*pairwise(terms)],
        "star": [(terms[0], term) for term in terms[1:]],
        "hub": [
            *((term, "hub") for term in terms[:half]),
            *(("hub", term) for term in terms[half:]),
        ],
        "roots": [("", term) for term in terms],
    }[shape]


def write_files(folder: Path, shape: str, n_terms: int, random: Random) -> None:
    """Write a hierarchy and rows with a term each."""
    edges = "".join(f"{parent},{child}\n" for parent, child in edges_of(shape, n_terms))
    (folder / "h.csv").write_text(f"parent,child\n{edges}")
    rows = [(random.random(), random.randrange(n_terms)) for _ in range(N_ROWS)]
    table = "".join(f"r{row},{x}\n" for row, (x, _) in enumerate(rows))
    (folder / "x.csv").write_text(f"id,x\n{table}")
    labels = "".join(f"r{row},t{term}\n" for row, (_, term) in enumerate(rows))
    (folder / "y.csv").write_text(f"id,term\n{labels}")


def failure_of(use: list[str], folder: Path) -> str | None:
    """Run a command in a folder; return what went wrong."""
    start = time.process_time()
    with contextlib.chdir(folder), limited_memory():
        outcome = CliRunner().invoke(app, use, prog_name="hilabel")
    seconds = time.process_time() - start
    shown = f"hilabel {' '.join(use)}"
    if outcome.exit_code not in (0, 3):  # 3 is a model that is no better than none
        return f"{shown}: exit code {outcome.exit_code}, {outcome.stderr[-200:]!r}"
    return f"{shown}: {seconds:.0f} s" if seconds > SECONDS else None


def run(n_cases: int, seed: int) -> list[str]:
    """Train on so many hierarchies, and use the models; return what failed."""
    failures = []
    for number in range(n_cases):
        random = Random(f"{seed} {number}")
        shape, n_terms = SHAPES[number % len(SHAPES)], random.choice(SIZES)
        how = FITS[number // len(SHAPES) % len(FITS)]
        fit = ["fit", *DATA, "--min-count", "0", "-o", "model.hilabel", *how]
        with tempfile.TemporaryDirectory() as name:
            write_files(Path(name), shape, n_terms, random)
            for use in (fit, *USES):
                failure = failure_of(use, Path(name))
                if failure is not None:
                    failures.append(f"{shape} of {n_terms}: {failure}")
                    break
    return failures
