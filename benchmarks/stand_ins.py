"""Stand-ins of hom and struc, and paper_go on them; ``python -m benchmarks.stand_ins``.

The two sets of the paper that are no longer available have tens of thousands of sparse
attributes. This script writes made-up files of their shape into a temporary data folder
beside links to the ten other sets, and runs the study ``paper_go`` with all twelve sets
on these two at one labelled fraction. It writes the time and the memory of each method
to ``benchmarks/results/stand_ins.md``. The labels are those of rows of seq, and the
attributes depend on them.

``--fraction 0.5`` runs another fraction, and ``--method V2`` only some methods. With
``--folder``, the files are kept in a folder, and finished runs are not repeated.
"""

import argparse
import gzip
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks._data import missing_data_reason
from benchmarks._results import FOLDER
from hilabel.datasets import HMCDataset, HMCSplits, load_go
from hilabel.studies import bundled_studies, read_results

_SPLITS = ("train", "valid", "test")
_MIN_COUNT = 50


class Shape(NamedTuple):
    """The numbers of a data set, and how its attributes are written."""

    n_rows: tuple[int, int, int]
    n_attributes: int
    n_nodes: int
    per_row: int  # attributes of a row that are not zero
    numeric: float  # share of the attributes that are numeric; the others are 0 or 1


# The last two numbers of each are guesses; the others are published.
SHAPES = {
    "hom": Shape((1661, 867, 1309), 47_034, 166, 400, 0.0),
    "struc": Shape((1659, 859, 1306), 19_628, 169, 150, 0.5),
}


def write_stand_in(
    folder: Path, name: str, shape: Shape, donor: HMCSplits, seed: int = 0
) -> None:
    """Write the three files of a data set with labels of another one."""
    random = np.random.default_rng(seed)
    rows = _rows_with(donor, shape, random)
    hierarchy = donor.hierarchy
    # Each node has attributes of its own, and others belong to none.
    owner = random.integers(-hierarchy.n_nodes, hierarchy.n_nodes, shape.n_attributes)
    is_numeric = random.random(shape.n_attributes) < shape.numeric
    head = _head(name, hierarchy, is_numeric)
    place = folder / "GO" / name
    place.mkdir(parents=True)
    for part, split, chosen in zip(donor, _SPLITS, rows):
        path = place / f"{name}_GO.{split}.arff.gz"
        with gzip.open(path, "wt", compresslevel=1, encoding="ascii") as file:
            file.write(head)
            for row in chosen:
                file.write(_line(part, row, owner, is_numeric, shape.per_row, random))


def _rows_with(
    donor: HMCSplits, shape: Shape, random: np.random.Generator
) -> list[np.ndarray]:
    """Return rows of each part such that the wanted number of nodes is frequent."""
    for _ in range(10_000):
        rows = [
            np.sort(random.permutation(part.n_samples)[:n])
            for part, n in zip(donor, shape.n_rows)
        ]
        counts = donor.train.Y[rows[0]].sum(axis=0)
        if (counts >= _MIN_COUNT).sum() == shape.n_nodes:
            break
    return rows


def _head(name: str, hierarchy: Any, is_numeric: np.ndarray) -> str:
    lines = [f"@RELATION '{name}'"]
    lines += [
        f"@ATTRIBUTE a{number} {'numeric' if numeric else '{0,1}'}"
        for number, numeric in enumerate(is_numeric)
    ]
    names = hierarchy.names
    edges = [f"root/{names[top]}" for top in hierarchy.roots]
    edges += [f"{names[parent]}/{names[child]}" for parent, child in hierarchy.edges]
    lines += [f"@ATTRIBUTE class hierarchical {','.join(edges)}", "", "@DATA", ""]
    return "\n".join(lines)


def _line(
    part: HMCDataset,
    row: int,
    owner: np.ndarray,
    is_numeric: np.ndarray,
    per_row: int,
    random: np.random.Generator,
) -> str:
    """Return a sparse row: attributes, half of them of its labels, and the labels."""
    labels = np.flatnonzero(part.Y[row])
    likely = np.flatnonzero(np.isin(owner, labels))
    n_likely = min(per_row // 2, likely.size)
    others = random.integers(0, owner.size, per_row - n_likely)
    used = np.unique(np.append(random.choice(likely, n_likely, replace=False), others))
    values = np.where(is_numeric[used], random.integers(1, 100, used.size) / 100, 1)
    cells = [f"{number} {value:g}" for number, value in zip(used, values)]
    names = "@".join(part.hierarchy.names[node] for node in labels)
    return f"{{{', '.join(cells)}, {owner.size} {names}}}\n"


def link_known_sets(folder: Path, known: Path) -> None:
    """Link the sets that exist into a data folder."""
    (folder / "GO").mkdir(parents=True, exist_ok=True)
    for place in sorted((known / "GO").iterdir()):
        (folder / "GO" / place.name).symlink_to(place, target_is_directory=True)


def study_of_twelve() -> str:
    """Return the text of paper_go with the two sets that it leaves out."""
    text = bundled_studies()["paper_go"].read_text(encoding="utf-8")
    return re.sub(r'("GO/spo",\n)', r'\1  "GO/hom",\n  "GO/struc",\n', text, count=1)


def main() -> None:
    """Write the stand-ins, run the study on them, and write a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fraction", default="0.1")
    parser.add_argument("--method", action="append", default=[])
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if reason := missing_data_reason():
        sys.exit(reason)
    with TemporaryDirectory() as temporary:
        text = "\n".join(_measured(given.folder or Path(temporary), given))
    print(text)
    if not given.method:
        (FOLDER / "stand_ins.md").write_text(text, encoding="utf-8")


def _measured(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Write the files, run the study, and yield the lines of the tables."""
    folder.mkdir(exist_ok=True)
    if not (folder / "data").exists():
        link_known_sets(folder / "data", Path(os.environ["HILABEL_DATA"]).resolve())
        donor = load_go("seq", min_count=None)
        for name, shape in SHAPES.items():
            write_stand_in(folder / "data", name, shape, donor)
    yield from _loaded(folder / "data")
    (folder / "twelve.toml").write_text(study_of_twelve(), encoding="utf-8")
    options = ["--fraction", given.fraction, "--repetition", "1"]
    for option, values in (("dataset", [*SHAPES]), ("method", given.method)):
        options += [word for value in values for word in (f"--{option}", value)]
    command = [sys.executable, "-m", "hilabel", "study", "run", "twelve.toml"]
    subprocess.run(
        [*command, *options, "-o", "results"],
        check=True,
        cwd=folder,
        env={**os.environ, "HILABEL_DATA": str(folder / "data")},
    )
    yield from _table(folder / "results")


def _loaded(data: Path) -> Iterator[str]:
    yield "# Stand-ins of hom and struc\n"
    yield "Written by `python -m benchmarks.stand_ins`; the data are made up.\n"
    yield "| set | rows | attributes | nodes | seconds to load |\n|---|---|---|---|---|"
    for name in SHAPES:
        start = time.perf_counter()
        loaded = load_go(name, data_home=data)
        seconds = time.perf_counter() - start
        rows = "/".join(str(part.n_samples) for part in loaded)
        n_features, n_nodes = loaded.train.n_features, loaded.hierarchy.n_nodes
        yield f"| {name} | {rows} | {n_features:,} | {n_nodes} | {seconds:.1f} |"
    yield ""


def _table(results: Path) -> Iterator[str]:
    runs = read_results(results)["results"].drop_duplicates("run")
    score = "micro AP"
    yield f"| set | labelled | method | {score} | seconds | peak MiB | error |"
    yield "|---|---|---|---|---|---|---|"
    for run in runs.to_dict("records"):
        memory = run["peak_memory"] / 2**20
        yield (
            f"| {run['dataset']} | {run['fraction']:.0%} | {run['method']} | "
            f"{run['value']:.3f} | {run['seconds']:.1f} | {memory:.0f} | "
            f"{run['error']} |"
        )
    yield ""


if __name__ == "__main__":
    main()
