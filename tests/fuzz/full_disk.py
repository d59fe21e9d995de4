"""Commands that run out of disk: one line tells of it, and nothing half written stays.

No file can grow beyond some bytes (``RLIMIT_FSIZE``): the system refuses the rest as a
full disk does, and it takes no rights to set up.
"""

import contextlib
import resource
import tempfile
from pathlib import Path
from random import Random

from click.testing import CliRunner

from fuzz.command_line import DATA, FEW, contents, prepare, restore
from hilabel.cli import app

# What is written lies in the folder "out", which has files of an earlier day.
OLD = ["old.hilabel", "old.csv", "measures.csv"]
TRIED = ["predict", "model.hilabel", "products.csv", "-o"]
USES = [
    ["fit", *DATA, *FEW, "-o", "out/new.hilabel"],
    ["fit", *DATA, *FEW, "-o", "out/old.hilabel"],
    [*TRIED, "out/new.csv"],
    [*TRIED, "out/old.csv"],
    [*TRIED, "out/new.csv.gz"],
    [*TRIED, "out/new.parquet"],
    ["evaluate", *DATA, "-m", "model.hilabel", "-o", "out/new/folder"],
    ["evaluate", *DATA, "-m", "model.hilabel", "-o", "out"],
    ["compare", *DATA, "--methods", "PriorClassifier", "--folds", "2", "-o", "out/new"],
    ["explain", "model.hilabel", "P0001", "--png", "out/new.png"],
    ["datasets", "convert", "small.arff", "out/new"],
    ["demo", "--write-files", "out/new", "--example", "shop"],
    ["study", "run", "small.toml", "-o", "out/new", "--quiet"],
    ["study", "report", "results", "-o", "out/new"],
]
SIZES = [0, 1, 10, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000]


@contextlib.contextmanager
def files_of_at_most(n_bytes: int):
    """Within this block, let no file of this process grow larger."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def failure_of(use: list[str], folder: Path, disk) -> str | None:
    """Run a command in a folder on a small disk; return what it did wrong."""
    before = _found(folder)
    with contextlib.chdir(folder):
        with disk:
            outcome = _run(use)
        after = _found(folder)
        left = sorted(n for n in after if n not in before or after[n] != before[n])
        shown = f"hilabel {' '.join(use)}"
        if outcome.exit_code in (0, 3):
            return None
        told = outcome.stderr.strip()
        if outcome.exit_code != 2 or not told.startswith("hilabel: ") or "\n" in told:
            return f"{shown}: exit code {outcome.exit_code}, {told[-300:]!r}"
        if use[:2] == ["study", "run"]:  # what is done is kept, and the rest goes on
            left = [name for name in left if ".unfinished" in name]
            left += [] if _run(use).exit_code == 0 else ["a study that cannot go on"]
    return f"{shown}: left {left}" if left else None


def _run(use: list[str]):
    return CliRunner().invoke(app, use, prog_name="hilabel")


def _found(folder: Path) -> dict[str, bytes | None]:
    """Return all files by name, and folders."""
    folders = (path for path in folder.rglob("*") if path.is_dir())
    return {**contents(folder), **{str(p.relative_to(folder)): None for p in folders}}


def prepare_old(folder: Path) -> None:
    """Write the files of all uses, and those of an earlier day."""
    prepare(folder)
    (folder / "out").mkdir()
    for name in OLD:
        (folder / "out" / name).write_text("old")


def run(n_cases: int, seed: int) -> list[str]:
    """Run out of disk so many times; return what failed."""
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare_old(folder)
        whole = contents(folder)
        for number in range(n_cases):
            random = Random(f"{seed} {number}")
            use, n_bytes = random.choice(USES), random.choice(SIZES)
            failure = failure_of(use, folder, files_of_at_most(n_bytes))
            if failure is not None:
                failures.append(f"{n_bytes} bytes: {failure}")
            restore(folder, whole)
    return failures
