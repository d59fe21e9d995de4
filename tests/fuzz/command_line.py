"""Wrong uses of the command line: each ends in one line, and harms no file."""

import contextlib
import os
import tempfile
from pathlib import Path
from random import Random

from click.testing import CliRunner

from hilabel.cli import app
from hilabel.datasets import write_example

DATA = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
FEW = [
    "--method",
    "PredictiveClusteringForest",
    "--set",
    "n_estimators=2",
    "--folds",
    "2",
    "--jobs",
    "1",
]
STUDY = """fractions = [0.5]
datasets = [{ name = "t", source = "synthetic", n_samples = 40, n_nodes = 4 }]
[methods.constant]
class = "PriorClassifier"
"""
USES = [
    ["fit", *DATA, "-o", "new.hilabel", *FEW],
    ["fit", *DATA, "-o", "new.hilabel", "--no-measure", *FEW],
    ["predict", "model.hilabel", "products.csv", "-o", "out.csv", "--top", "3"],
    ["predict", "model.hilabel", "products.csv", "-o", "out.csv", "--threshold", "0.5"],
    ["evaluate", *DATA, "-o", "folder", *FEW],
    ["evaluate", *DATA, "-m", "model.hilabel", "-o", "folder"],
    ["compare", *DATA, "--methods", "PriorClassifier", "--folds", "2", "--jobs", "1"],
    ["explain", "model.hilabel", "P0001", "--features", "products.csv", "--top", "2"],
    ["inspect", *DATA],
    ["inspect", "model.hilabel"],
    ["inspect", "terms.obo"],
    ["datasets", "list"],
    ["datasets", "convert", "small.arff", "folder"],
    ["demo", "--write-files", "folder", "--example", "shop"],
    ["study", "run", "small.toml", "-o", "results", "--n-jobs", "1", "--quiet"],
    ["study", "status", "small.toml", "-o", "results"],
    ["study", "report", "results"],
]
# Files, also by other names, that may be given where something else is expected.
FILES = [
    *("products.csv", "labels.csv", "taxonomy.csv", "model.hilabel", "small.toml"),
    *("./labels.csv", "folder/../labels.csv", "link.csv", "small.arff", "terms.obo"),
    *("nowhere/file.csv", "nowhere", ".", "/", "/dev/null", "", "-", "empty.csv"),
]
VALUES = [
    *("", " ", "-1", "0", "1", "2.5", "-5", "nan", "inf", "1e400", str(2**70)),
    *("99999", "none", "list", "a=b", "max_depth=" + str(2**70), "max_depth=[[[["),
    *("n_estimators=0", "=", "policy=\x00", "\ufeff", "GO/none", "é" * 300, "x" * 5000),
    *("SSHMCBLI", "PCNB", "default:knn:estimator__n_neighbors=" + str(2**70), ":::"),
]
OPTIONS = [
    *("--folds", "--jobs", "--seed", "--method", "--base", "--set", "--min-count"),
    *("--top", "--threshold", "--term", "--ids", "--id-column", "--drop", "-o"),
    *("--separators", "--relation", "--evidence", "--lenient", "--without", "--png"),
    *("--n-jobs", "--methods", "--as", "--format", "--quiet", "--json", "--preset"),
]


def prepare(folder: Path) -> None:
    """Write the files of all uses, and train a model."""
    write_example(folder, "shop")
    write_example(folder, "go")
    (folder / "small.toml").write_text(STUDY)
    (folder / "empty.csv").write_text("")
    (folder / "small.arff").write_text(
        "@RELATION r\n@ATTRIBUTE a numeric\n@ATTRIBUTE class hierarchical x,x/y\n"
        "@DATA\n1,x\n2,x/y\n"
    )
    (folder / "link.csv").symlink_to("labels.csv")
    with contextlib.chdir(folder):
        for use in (["fit", *DATA, "-o", "model.hilabel", *FEW], USES[14]):
            outcome = CliRunner().invoke(app, use, prog_name="hilabel")
            assert outcome.exit_code == 0, outcome.output


def misuse(random: Random) -> list[str]:
    """Return the arguments of a command that is used in a wrong way, most often."""
    use = [*random.choice(USES)]
    for _ in range(random.choice([1, 1, 2])):
        at = random.randrange(1, len(use) + 1)
        what = random.randrange(4)
        if what == 0 and at < len(use):
            use[at] = random.choice(FILES)
        elif what == 1 and at < len(use):
            use[at] = random.choice(VALUES)
        elif what == 2:
            use[at:at] = [random.choice(OPTIONS), random.choice([*VALUES, *FILES])]
        elif at < len(use):
            del use[at]
    return use


def failure_of(use: list[str], folder: Path) -> str | None:
    """Run a command in a folder; return what it did wrong."""
    before = contents(folder)
    # What a use may replace: only what it was told to write.
    inputs = {name for name in before if not name.startswith(("results/", "folder/"))}
    with contextlib.chdir(folder):
        outcome = CliRunner().invoke(app, use, prog_name="hilabel")
    after = contents(folder)
    shown = f"hilabel {' '.join(arg[:60] for arg in use)}"
    if "unexpected error" in outcome.output or outcome.exit_code not in (0, 2, 3):
        return f"{shown}: exit code {outcome.exit_code}, {outcome.output[-200:]!r}"
    changed = {name for name in inputs if after.get(name) != before[name]}
    if changed & {*use, *(os.path.normpath(arg) for arg in use[:1])} and (
        outcome.exit_code != 0 or changed & set(_read_by(use))
    ):
        return f"{shown}: overwrote {changed}"
    left = [name for name in after if ".unfinished" in name]
    return f"{shown}: left {left}" if left else None


def _read_by(use: list[str]) -> list[str]:
    """Return all arguments but what follows -o: these are read."""
    return [
        os.path.normpath(arg)
        for at, arg in enumerate(use)
        if use[at - 1] not in ("-o", "--output")
    ]


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def run(n_cases: int, seed: int) -> list[str]:
    """Misuse the command line so many times; return what failed."""
    failures = []
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source"
        source.mkdir()
        prepare(source)
        whole = contents(source)
        for number in range(n_cases):
            random = Random(f"{seed} {number}")
            use = misuse(random)
            failure = failure_of(use, source)
            if failure is not None:
                failures.append(failure)
            restore(source, whole)
    return failures


def restore(folder: Path, whole: dict[str, bytes]) -> None:
    """Put a folder's files back to what they were."""
    for name, content in contents(folder).items():
        if name not in whole:
            (folder / name).unlink()
        elif content != whole[name]:
            (folder / name).write_bytes(whole[name])
    for name in whole.keys() - contents(folder).keys():
        (folder / name).write_bytes(whole[name])
