"""Generate example files of proteins whose hits tell more than their sequences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hilabel._writing import written_aside

N_FUNCTIONS: Final = 12
N_GROUPS: Final = 4
"""Groups of functions, their parents in the ontology."""
N_PER_FUNCTION: Final = 27
N_NEW: Final = 24
N_ANNOTATED: Final = 60
"""As many of each function."""

_LETTERS: Final = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
_LENGTH: Final = 150
# From protein to protein of a function, so that a few steps hide the relation.
_CHANGED: Final = 0.4
# One of this many proteins is nearly the same as the one before it.
_TWIN_EVERY: Final = 7
_CHANGED_IN_TWINS: Final = 0.03
_LEAST_IDENTITY: Final = 0.35
"""Less similar sequences have no hits."""
_N_CHANCE_HITS: Final = 150


@dataclass(frozen=True, eq=False)
class _Proteins:
    """Generated sequences in random order, with the function of each."""

    names: list[str]
    sequences: Any
    function: Any

    @classmethod
    def draw(cls, rng: np.random.Generator) -> "_Proteins":
        sequences, function = [], []
        for number in range(N_FUNCTIONS):
            one = rng.integers(_LETTERS.size, size=_LENGTH)
            for member in range(N_PER_FUNCTION):
                is_twin = member % _TWIN_EVERY == _TWIN_EVERY - 1
                share = _CHANGED_IN_TWINS if is_twin else _CHANGED
                other = rng.integers(_LETTERS.size, size=_LENGTH)
                one = np.where(rng.random(_LENGTH) < share, other, one)
                sequences.append(one)
                function.append(number)
        order = rng.permutation(len(sequences))
        names = [f"P{place + 1:03d}" for place in range(len(sequences))]
        return cls(names, np.array(sequences)[order], np.array(function)[order])

    def some_of_each_function(self, rows: Any, rng: np.random.Generator) -> Any:
        """Return some rows, of which each function has as many."""
        shuffled = rng.permutation(rows)
        each = N_ANNOTATED // N_FUNCTIONS
        parts = [
            shuffled[self.function[shuffled] == number][:each]
            for number in range(N_FUNCTIONS)
        ]
        return np.sort(np.concatenate(parts))

    def hits(self, queries: Any, targets: Any, by_chance: Any) -> Iterator[str]:
        """Yield lines of outfmt 6, also of a protein and itself."""
        is_target = np.isin(np.arange(len(self.names)), targets)
        for query in queries:
            same = (self.sequences == self.sequences[query]).mean(axis=1)
            found = np.flatnonzero((same >= _LEAST_IDENTITY) & is_target)
            for target in found[np.argsort(-same[found], kind="stable")]:
                yield self._hit(query, target, float(same[target]))
        for query, target in by_chance:
            yield self._hit(query, target, 0.25)

    def _hit(self, query: int, target: int, same: float) -> str:
        length = _LENGTH if same > _LEAST_IDENTITY else 40
        bits = max(2.1 * length * (same - 0.05), 30.0)
        different = round(length * (1 - same))
        evalue = 10.0 ** (4 - 0.3 * bits)
        cells = [
            *(self.names[query], self.names[target], f"{100 * same:.1f}"),
            *(length, different, 0, 1, length, 1, length),
            *(f"{evalue:.2g}", f"{bits:.1f}"),
        ]
        return "\t".join(map(str, cells))

    def fasta(self, rows: Any) -> Iterator[str]:
        for row in rows:
            yield f">{self.names[row]} generated protein"
            yield "".join(_LETTERS[self.sequences[row]])


def write_proteins(folder: Path, seed: int) -> dict[str, Path]:
    """Write sequences, hits, annotations and an ontology; return their paths."""
    rng = np.random.default_rng(seed)
    proteins = _Proteins.draw(rng)
    n_rows = len(proteins.names)
    old, new = np.arange(n_rows - N_NEW), np.arange(n_rows - N_NEW, n_rows)
    annotated = proteins.some_of_each_function(old, rng)
    by_chance = rng.choice(old, size=(_N_CHANCE_HITS, 2))
    none = np.empty((0, 2), dtype=np.int64)
    lines = {
        "features": ("proteins.fasta", proteins.fasta(old)),
        "links": ("hits.m8", proteins.hits(old, old, by_chance)),
        "labels": ("annotations.gaf", _gaf_lines(proteins, annotated)),
        "hierarchy": ("terms.obo", _obo_lines()),
        "new": ("new_proteins.fasta", proteins.fasta(new)),
        "new_links": ("new_hits.m8", proteins.hits(new, old, none)),
    }
    paths = {}
    for role, (name, content) in lines.items():
        paths[role] = folder / name
        _write_lines(paths[role], [*content])
    return paths


def _term(number: int) -> str:
    return f"GO:{number:07d}"


def _obo_lines() -> Iterator[str]:
    """Yield a root, groups of functions below it, and functions."""
    yield "format-version: 1.2\nontology: example\n"
    terms: list[tuple[str, int | None]] = [("molecular function", None)]
    terms += [(f"group {number + 1}", 0) for number in range(N_GROUPS)]
    terms += [
        (f"function {number + 1}", 1 + number % N_GROUPS)
        for number in range(N_FUNCTIONS)
    ]
    for number, (name, parent) in enumerate(terms):
        yield from ("[Term]", f"id: {_term(number + 1)}", f"name: {name}")
        if parent is not None:
            yield f"is_a: {_term(parent + 1)}"
        yield ""


def _gaf_lines(proteins: _Proteins, rows: Sequence[int]) -> Iterator[str]:
    yield "!gaf-version: 2.2"
    for row in rows:
        name = proteins.names[row]
        term = _term(2 + N_GROUPS + int(proteins.function[row]))
        cells = ["EX", name, name.lower(), "enables", term, "REF:1", "EXP", "", "F"]
        yield "\t".join(
            [*cells, "", "", "protein", "taxon:1", "20240101", "EX", "", ""]
        )


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    with written_aside(path) as aside:
        aside.write_text("\n".join(lines) + "\n", encoding="utf-8")
