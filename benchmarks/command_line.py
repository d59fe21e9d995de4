"""The commands on large files; ``python -m benchmarks.command_line``.

The benchmark generates files of the size of a genome project: a table of genes, GO-like
terms in three aspects, and annotations of most genes. ``hilabel fit``, ``evaluate`` and
``predict`` run with the default method, each in its own process, for several numbers of
rows and terms. The table is written to ``benchmarks/results/command_line.md``.

This takes half an hour on two cores. Finished runs are stored in
``.benchmarks/command_line.jsonl`` and are not repeated; ``--again`` starts over. To
select runs, pass their names, such as ``fit/40000x8000``, or prefixes.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._results import write_table

N_FEATURES = 100
LARGEST = (40_000, 8_000)
# Increasing numbers of rows, then of terms.
SIZES = ((10_000, 8_000), (20_000, 8_000), (40_000, 2_000), (40_000, 4_000), LARGEST)
PREDICTED = (1, 100_000, 1_000_000)
BOUNDS = {"fit": (180, 4), "evaluate": (360, None), "predict": (None, None)}
ASPECTS = ("biological_process", "molecular_function", "cellular_component")
ANNOTATED, PER_ASPECT, IN_ASPECT = 0.85, 2, 0.75
_FOLDER = Path(".benchmarks/command_line")
_DONE = Path(".benchmarks/command_line.jsonl")

Row = dict[str, Any]


# Files ------------------------------------------------------------------------------


def make_files(n_rows: int, n_terms: int) -> dict[str, str]:
    """Write features, annotations and hierarchy of this size, if they do not exist."""
    folder = _FOLDER / f"{n_rows}x{n_terms}"
    paths = {
        "features": folder / "genes.parquet",
        "labels": folder / "genes.gaf",
        "hierarchy": folder / "terms.obo",
    }
    if not all(path.exists() for path in paths.values()):
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(0)
        parents = _draw_parents(n_terms, random)
        paths["hierarchy"].write_text(_obo(parents))
        annotated = _draw_annotations(parents, n_rows, random)
        paths["labels"].write_text(_gaf(annotated))
        X = _draw_features(parents, annotated, random)
        _frame(X, "g").to_parquet(paths["features"], index=False)
    return {name: str(path) for name, path in paths.items()}


def make_new_rows(n_rows: int) -> str:
    """Write genes to predict in one row group, as pandas does."""
    path = _FOLDER / f"new_{n_rows}.parquet"
    if not path.exists():
        known = pd.read_parquet(make_files(*LARGEST)["features"]).iloc[:, 1:]
        random = np.random.default_rng(1)
        X = known.to_numpy()[random.integers(0, len(known), n_rows)]
        X += 0.5 * random.normal(size=X.shape)
        _frame(X, "n").to_parquet(path, index=False)
    return str(path)


def _frame(X: Any, letter: str) -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    frame.insert(0, "gene", [f"{letter}{i:07d}" for i in range(len(X))])
    return frame


def _draw_parents(n_terms: int, random: Any) -> list[list[int]]:
    """Draw a DAG: terms 0, 1 and 2 are roots, the others have one or two parents."""
    aspect = np.arange(n_terms) % len(ASPECTS)
    parents: list[list[int]] = [[], [], []]
    for term in range(3, n_terms):
        earlier = np.flatnonzero(aspect[:term] == aspect[term])
        # This gives about eight levels, as in the Gene Ontology.
        drawn = earlier[(len(earlier) * random.random(2) ** 1.5).astype(int)]
        parents.append(
            [int(p) for p in np.unique(drawn[: 1 + (random.random() < 0.3)])]
        )
    return parents


def _draw_annotations(
    parents: list[list[int]], n_rows: int, random: Any
) -> list[list[int]]:
    """Draw the annotated terms of every gene; some genes lack an aspect."""
    n_terms = len(parents)
    by_aspect = [np.arange(a, n_terms, len(ASPECTS)) for a in range(len(ASPECTS))]
    annotated: list[list[int]] = []
    for _ in range(n_rows):
        own: list[int] = []
        if random.random() < ANNOTATED:
            lines = 1 + random.poisson(PER_ASPECT - 1, len(ASPECTS))
            has_aspect = random.random(len(ASPECTS)) < IN_ASPECT
            has_aspect[random.integers(len(ASPECTS))] = True
            for terms, count, is_there in zip(by_aspect, lines, has_aspect):
                if is_there:
                    own += random.choice(terms[1:], count).tolist()
        annotated.append(sorted(set(own)))
    return annotated


def _draw_features(
    parents: list[list[int]], annotated: list[list[int]], random: Any
) -> Any:
    """Draw features around the sum of the effects of a gene's closed terms."""
    place = np.zeros((len(parents), N_FEATURES))
    for term, above in enumerate(parents):
        own = random.normal(size=N_FEATURES) * (random.random(N_FEATURES) < 0.2)
        place[term] = own + (place[above].mean(axis=0) if above else 0)
    noise = random.normal(size=(len(annotated), N_FEATURES))
    return noise + [place[own].sum(axis=0) for own in annotated]


def _name(term: int) -> str:
    return f"GO:{term:07d}"


def _obo(parents: list[list[int]]) -> str:
    lines = ["format-version: 1.2", "ontology: go", ""]
    for term, above in enumerate(parents):
        aspect = ASPECTS[term % len(ASPECTS)]
        title = f"kind {term} of {aspect}" if above else aspect
        lines += ["[Term]", f"id: {_name(term)}", f"name: {title}"]
        lines += [f"namespace: {aspect}", *(f"is_a: {_name(p)}" for p in above), ""]
    return "\n".join(lines)


def _gaf(annotated: list[list[int]]) -> str:
    lines = ["!gaf-version: 2.2"]
    for row, terms in enumerate(annotated):
        gene = f"g{row:07d}"
        for term in terms:
            aspect = "PFC"[term % 3]
            cells = [
                "X",
                gene,
                gene,
                "enables",
                _name(term),
                "PMID:1",
                "IDA",
                "",
                aspect,
            ]
            lines.append("\t".join([*cells, "", "", "protein", "taxon:1", "20260101"]))
    # The seventeen columns of the format, the last ones empty.
    return "\n".join([lines[0], *(f"{line}\tX\t\t" for line in lines[1:])]) + "\n"


# Runs -------------------------------------------------------------------------------


def runs() -> Iterator[str]:
    """Yield the name of every run."""
    for command in ("fit", "evaluate"):
        for size in SIZES:
            yield _key(command, size)
    for n_rows in PREDICTED:
        yield f"predict/{n_rows}"


def _key(command: str, size: tuple[int, int]) -> str:
    return f"{command}/{size[0]}x{size[1]}"


def _arguments(key: str) -> list[str]:
    command, _, size = key.partition("/")
    if command == "predict":
        model = _model(LARGEST)
        if not model.exists():
            measured(_arguments(_key("fit", LARGEST)))
        rows = make_new_rows(int(size))
        output = _FOLDER / f"predicted_{size}.parquet"
        return ["predict", str(model), rows, "--top", "5", "-o", str(output)]
    n_rows, n_terms = map(int, size.split("x"))
    files = make_files(n_rows, n_terms)
    arguments = [command, files["features"], "-l", files["labels"]]
    arguments += ["-H", files["hierarchy"]]
    if command == "fit":
        arguments += ["-o", str(_model((n_rows, n_terms)))]
    return arguments


def _model(size: tuple[int, int]) -> Path:
    return _FOLDER / f"{size[0]}x{size[1]}.hilabel"


def measured(arguments: list[str]) -> Row:
    """Run a command; return wall-clock seconds, CPU seconds, and peak memory."""
    start = time.perf_counter()
    program = [sys.executable, "-m", "hilabel", *arguments]
    process = subprocess.Popen(program, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(arguments)} ended with {status}")
    return {
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "gigabytes": round(usage.ru_maxrss * 1024 / 1e9, 3),
    }


def done() -> dict[str, Row]:
    """Return the finished runs by name."""
    if not _DONE.exists():
        return {}
    return {row.pop("key"): row for row in map(json.loads, _DONE.open())}


def compute(wanted: list[str]) -> None:
    """Do the selected runs that are not finished."""
    finished = done()
    for key in runs():
        is_wanted = not wanted or any(key.startswith(word) for word in wanted)
        if key in finished or not is_wanted:
            continue
        row = measured(_arguments(key))
        with _DONE.open("a") as file:
            file.write(json.dumps({"key": key, **row}) + "\n")
        print(key, row, flush=True)


# Table ------------------------------------------------------------------------------


def write() -> Path:
    """Write the table of the finished runs."""
    rows = done()
    lines = []
    for key in runs():
        if key not in rows:
            continue
        command, _, size = key.partition("/")
        row, (most_seconds, most_memory) = rows[key], BOUNDS[command]
        is_largest = key == _key(command, LARGEST)
        memory = f"{row['gigabytes']:.2f} GB"
        if key == f"predict/{PREDICTED[-1]}" and "predict/1" in rows:
            beyond = row["gigabytes"] - rows["predict/1"]["gigabytes"]
            memory += f", {beyond:.2f} beyond the model; <= 1 wanted"
        elif is_largest and most_memory:
            memory += f"; <= {most_memory} wanted"
        seconds = f"{row['seconds']:.0f} s"
        if is_largest and most_seconds:
            seconds += f"; <= {most_seconds} wanted"
        lines.append(
            (command, _said(size), seconds, f"{row['cpu_seconds']:.0f} s", memory)
        )
    for command in ("fit", "evaluate"):
        for what, first in (("rows", SIZES[0]), ("terms", SIZES[2])):
            pair = [rows.get(_key(command, size)) for size in (first, LARGEST)]
            if None not in pair:
                factor = math.prod(LARGEST) / math.prod(first)
                work = f"{factor:.0f} times the {what}, power of growth"
                powers = [
                    f"{math.log(pair[1][of] / pair[0][of]) / math.log(factor):.2f}"
                    for of in ("seconds", "cpu_seconds", "gigabytes")
                ]
                lines.append((command, work, *powers))
    headings = ("command", "genes x terms", "time", "time of all cores", "peak memory")
    return write_table("command_line", headings, lines)


def _said(size: str) -> str:
    numbers = [f"{int(number):,}" for number in size.split("x")]
    if len(numbers) == 1:
        return f"{numbers[0]} rows, {LARGEST[1]:,} terms, --top 5, Parquet"
    return f"{numbers[0]} x {N_FEATURES} features, {numbers[1]} terms"


def main(arguments: list[str]) -> None:
    if "--again" in arguments:
        arguments.remove("--again")
        _DONE.unlink(missing_ok=True)
        shutil.rmtree(_FOLDER, ignore_errors=True)
    _DONE.parent.mkdir(exist_ok=True)
    compute(arguments)
    print(write())


if __name__ == "__main__":
    main(sys.argv[1:])
