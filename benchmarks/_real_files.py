"""Read and write the files of the real sets."""

import csv
import gzip
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp


def opened(path: Path) -> Any:
    """Open a text file, which may be compressed."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")


def made(path: Path, write: Callable[[Path], object]) -> Path:
    """Return a file, written on first use; it appears once it is complete."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f"part_{path.name}")
        write(aside)
        aside.replace(path)
    return path


# Tables -----------------------------------------------------------------------------


def ids_in(path: Path) -> frozenset[str]:
    """Return the ids in a file with one on each line."""
    return frozenset(path.read_text().split())


def table_lines(path: Path) -> Iterator[list[str]]:
    """Yield the header of a CSV file, and its rows."""
    with opened(path) as file:
        yield from csv.reader(file)


def write_lines(path: Path, header: Iterable[str], rows: Iterable[Any]) -> None:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*header])
        writer.writerows(rows)


def copy_lines(source: Path, ids: Iterable[str], target: Path) -> None:
    """Copy the header of a CSV file, and its rows with these ids."""
    wanted, lines = set(ids), table_lines(source)
    write_lines(target, next(lines), (row for row in lines if row[0] in wanted))


def copy_gaf_without(source: Path, ids: Iterable[str], target: Path) -> None:
    """Copy the lines of a GAF file but those of these ids."""
    hidden = set(ids)
    with opened(source) as lines, target.open("w", encoding="utf-8") as file:
        file.writelines(
            line
            for line in lines
            if line.startswith("!") or line.split("\t")[1] not in hidden
        )


def copy_sequences(source: Path, ids: Iterable[str], target: Path) -> None:
    """Copy the sequences with these ids from a FASTA file."""
    wanted, is_wanted = set(ids), False
    with opened(source) as lines, target.open("w", encoding="utf-8") as file:
        for line in lines:
            if line.startswith(">"):
                is_wanted = line[1:].split()[0] in wanted
            if is_wanted:
                file.write(line)


# Matrices ---------------------------------------------------------------------------


def write_rows(path: Path, ids: Iterable[str], X: Any, names: Iterable[str]) -> None:
    """Write a matrix with the ids of its rows and the names of its columns."""
    named: dict[str, Any] = {
        "ids": np.array([*ids]),
        "feature_names": np.array([*names]),
    }
    with path.open("wb") as file:
        if sp.issparse(X):
            arrays: dict[str, Any] = {
                "data": X.data,
                "indices": X.indices,
                "indptr": X.indptr,
            }
            form = np.array(b"csr")
            np.savez(file, **arrays, **named, shape=X.shape, format=form)
        else:
            np.savez(file, X=X, **named)


def read_rows(path: Path) -> tuple[list[str], Any, list[str]]:
    """Return the ids, the matrix and the column names in a file of rows."""
    with np.load(path) as arrays:
        ids, names = arrays["ids"].tolist(), arrays["feature_names"].tolist()
        if "indptr" not in arrays:
            return ids, arrays["X"], names
        parts = arrays["data"], arrays["indices"], arrays["indptr"]
        return ids, sp.csr_array(parts, shape=tuple(arrays["shape"])), names


def copy_rows(source: Path, ids: Iterable[str], target: Path) -> None:
    """Copy the rows of a matrix with these ids."""
    all_ids, X, names = read_rows(source)
    wanted = set(ids)
    kept = [place for place, one in enumerate(all_ids) if one in wanted]
    write_rows(target, [all_ids[place] for place in kept], X[kept], names)
