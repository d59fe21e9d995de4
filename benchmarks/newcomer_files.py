"""Files like those of a new user, with the hidden truth.

The files are genes with features, an OBO file with three aspects and a GAF file with
all the difficulties of real ones, and a shop with titles and paths. ``python -m
benchmarks.newcomer_files FOLDER`` writes them; the same seed always produces the same
bytes.
"""

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hilabel.datasets import (
    SyntheticData,
    make_hierarchical_classification,
    make_hierarchy,
)
from hilabel.hierarchy import Hierarchy


class Aspect(NamedTuple):
    """A part of the ontology: its letter in GAF files, its root, its share of terms."""

    name: str
    letter: str
    root: str
    share: float


ASPECTS = (
    Aspect("biological_process", "P", "GO:0008150", 0.5),
    Aspect("molecular_function", "F", "GO:0003674", 0.3),
    Aspect("cellular_component", "C", "GO:0005575", 0.2),
)
# Probabilities of annotations in 1, 2 and 3 aspects: curators annotate what they read.
_COVERED = (0.5, 0.2, 0.3)
_CODES = ("EXP", "IDA", "IMP", "ISS", "TAS")
_ELECTRONIC = 0.25  # share of the lines without a curator
_ASTRAY = 0.1  # share of those with a wrong term
_OLD_IDS = 0.1  # share of the terms with an obsolete identifier


@dataclass(frozen=True)
class GeneFiles:
    """The files of :func:`write_genes`, and the hidden truth.

    Attributes
    ----------
    features, labels, hierarchy : Path
        ``genes.csv``, ``genes.gaf`` and ``terms.obo``.
    truth : Path
        ``truth.csv``: id and term of the genes without annotation, ancestors included.
    hidden, no_data : tuple of str
        These genes, and those among them that have lines without data (ND).
    """

    features: Path
    labels: Path
    hierarchy: Path
    truth: Path
    hidden: tuple[str, ...]
    no_data: tuple[str, ...]


def write_genes(
    folder: Path, n_genes: int = 3000, n_terms: int = 130, seed: int = 0
) -> GeneFiles:
    """Write genes; two in five are hidden, and one in eight of those has ND lines.

    The ids of the features have versions, those of the annotations have none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    ontology, aspect_of = _ontology(n_terms, seed)
    data = make_hierarchical_classification(
        n_genes,
        25,
        hierarchy=_without_roots(ontology),
        labels_per_row=0.09 * n_terms,
        noise=0.1,
        random_state=seed,
    )
    has = _labels(ontology, data)
    genes = [f"ENSG{11 * row + 100:08d}" for row in range(n_genes)]
    order = rng.permutation(n_genes)
    n_hidden = 2 * n_genes // 5
    hidden, annotated = np.sort(order[:n_hidden]), np.sort(order[n_hidden:])
    no_data = hidden[:: max(1, n_hidden // max(1, n_hidden // 8))]
    gaf = _Gaf(ontology, aspect_of, has, genes, rng)
    paths = [folder / name for name in ("genes.csv", "genes.gaf", "terms.obo")]
    _write_rows(paths[0], _feature_rows(genes, data.X, rng))
    _write_lines(paths[1], gaf.lines(annotated, no_data))
    _write_lines(paths[2], _obo_lines(ontology, aspect_of))
    truth = folder / "truth.csv"
    cells = ((genes[row], ontology.names[node]) for row, node in np.argwhere(has))
    unseen = {genes[row] for row in hidden}
    _write_rows(truth, [("id", "term"), *(c for c in cells if c[0] in unseen)])
    return GeneFiles(
        *paths,
        truth,
        tuple(genes[row] for row in hidden),
        tuple(genes[row] for row in no_data),
    )


def _ontology(n_terms: int, seed: int) -> tuple[Hierarchy, dict[str, Aspect]]:
    """Return three DAGs in one, and the aspect of each term."""
    edges: list[tuple[str, str]] = []
    aspect_of: dict[str, Aspect] = {}
    for number, aspect in enumerate(ASPECTS):
        size = max(4, round(aspect.share * n_terms))
        # Below the root, so that it is the parent of all terms without another.
        part = make_hierarchy(
            size, "dag", max_parents=2, n_roots=3, random_state=seed + number
        )
        names = [f"GO:{(number + 1) * 10000 + node:07d}" for node in range(size)]
        aspect_of |= dict.fromkeys([aspect.root, *names], aspect)
        edges += [(aspect.root, names[node]) for node in part.roots]
        edges += [(names[above], names[below]) for above, below in part.edges]
    return Hierarchy.from_edges(edges), aspect_of


def _labels(ontology: Hierarchy, data: SyntheticData) -> Any:
    """Return the truth of all genes; each has terms in every aspect."""
    inner = [ontology.node(name) for name in data.hierarchy.names]
    has = np.zeros((data.n_samples, ontology.n_nodes), dtype=bool)
    probabilities = np.zeros(has.shape)
    has[:, inner], probabilities[:, inner] = data.Y > 0, data.probabilities
    for root in ontology.roots:
        tops = ontology.children(root)
        idle = np.flatnonzero(~has[:, tops].any(axis=1))
        has[idle, tops[probabilities[np.ix_(idle, tops)].argmax(axis=1)]] = True
    return np.asarray(ontology.close(has), dtype=bool)


def _without_roots(ontology: Hierarchy) -> Hierarchy:
    inner = np.setdiff1d(np.arange(ontology.n_nodes), ontology.roots)
    return ontology.restrict(inner)


def _feature_rows(
    genes: Sequence[str], X: Any, rng: np.random.Generator
) -> Iterator[Sequence[str]]:
    n_columns = X.shape[1]
    yield ["gene", *(f"expression_{i + 1}" for i in range(n_columns - 1)), "chromosome"]
    chromosomes = [f"chr{number}" for number in range(1, 9)]
    for row in rng.permutation(len(genes)):
        cells = [f"{value:.4f}" for value in X[row, :-1]]
        if rng.random() < 0.1:  # a failed measurement
            cells[rng.integers(n_columns - 1)] = ""
        version = rng.integers(1, 9)
        yield [f"{genes[row]}.{version}", *cells, str(rng.choice(chromosomes))]


@dataclass(frozen=True, eq=False)
class _Gaf:
    ontology: Hierarchy
    aspect_of: dict[str, Aspect]
    has: Any
    genes: Sequence[str]
    rng: np.random.Generator

    def lines(self, annotated: Any, no_data: Any) -> Iterator[str]:
        yield "!gaf-version: 2.2"
        specific = np.asarray(self.ontology.most_specific(self.has), dtype=bool)
        for row in annotated:
            yield from self._of_gene(row, specific[row])
        for row in no_data:
            for aspect in ASPECTS:
                yield self._line(row, aspect.root, "ND")

    def _of_gene(self, row: int, labels: Any) -> Iterator[str]:
        names = self.ontology.names
        n_aspects = self.rng.choice([1, 2, 3], p=_COVERED)
        order = self.rng.permutation(len(ASPECTS))
        covered = {ASPECTS[number] for number in order[:n_aspects]}
        found = [names[node] for node in np.flatnonzero(labels)]
        for term in found:
            if self.aspect_of[term] not in covered:
                continue
            code = str(self.rng.choice(_CODES))
            if self.rng.random() < _ELECTRONIC:
                code = "IEA"
                if self.rng.random() < _ASTRAY:
                    aspect = self.aspect_of[term]
                    others = [t for t, a in self.aspect_of.items() if a == aspect]
                    term = str(self.rng.choice(others))
            old = _old_id(term)
            is_old = _has_old_id(term) and self.rng.random() < 0.3
            yield self._line(row, old if is_old else term, code)
        if self.rng.random() < 0.1:
            absent = [
                n for n in np.flatnonzero(~self.has[row]) if names[n] not in found
            ]
            yield self._line(row, names[self.rng.choice(absent)], "IDA", is_not=True)

    def _line(self, row: int, term: str, code: str, *, is_not: bool = False) -> str:
        gene = self.genes[row]
        letter = self.aspect_of[_living(term)].letter
        relation = {"P": "involved_in", "F": "enables", "C": "located_in"}[letter]
        qualifier = f"NOT|{relation}" if is_not else relation
        cells = ["EX", gene, f"abc{row}", qualifier, term, "REF:1", code, "", letter]
        end = ["", "", "protein", "taxon:1", "20240101", "EX", "", ""]
        return "\t".join([*cells, *end])


def _has_old_id(term: str) -> bool:
    return int(term[3:]) % round(1 / _OLD_IDS) == 0 and term[3] == "0"


def _old_id(term: str) -> str:
    return f"GO:9{term[4:]}"


def _living(term: str) -> str:
    return f"GO:0{term[4:]}"


def _obo_lines(ontology: Hierarchy, aspect_of: dict[str, Aspect]) -> Iterator[str]:
    yield "format-version: 1.2\nontology: newcomer\n"
    for node, term in enumerate(ontology.names):
        aspect = aspect_of[term]
        title = aspect.name if term == aspect.root else f"term {node}"
        yield from ("[Term]", f"id: {term}", f"name: {title}")
        yield f"namespace: {aspect.name}"
        if _has_old_id(term):
            yield f"alt_id: {_old_id(term)}"
        parents = ontology.parents(node)
        yield from (f"is_a: {ontology.names[parent]}" for parent in parents)
        yield ""


@dataclass(frozen=True)
class ShopFiles:
    """The files of :func:`write_shop`.

    Attributes
    ----------
    features, labels : Path
        ``products.csv`` with titles, and ``labels.csv`` with the paths of half of the
        products.
    truth : Path
        ``truth.csv``, the paths of the other half; one in ten is one step deeper than
        any path in the labels.
    """

    features: Path
    labels: Path
    truth: Path


def write_shop(folder: Path, n_products: int = 2000, seed: int = 0) -> ShopFiles:
    """Write products whose titles determine their shelf, at depth two or three."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    words = _made_up_words(rng, 260)
    common, special = words[:20], words[20:].reshape(24, 10)
    names = [word.title() for word in words[20::10]]
    shelves = [
        f"{names[top]} > {names[4 + 2 * top + half]} > {names[12 + 3 * top + third]}"
        for top in range(4)
        for half in range(2)
        for third in range(3)
    ]
    rows, labels, truth = [], [], []
    for number in range(n_products):
        shelf = int(rng.integers(len(shelves)))
        title = [*rng.choice(common, 2), *rng.choice(special[shelf], 3, replace=False)]
        product, path = f"P{number:05d}", shelves[shelf]
        cells = [" ".join(rng.permutation(title)), f"{rng.lognormal(2):.2f}"]
        rows.append([product, *cells, str(rng.choice(names[:6]))])
        if number % 2:
            truth.append([product, f"{path} > Small" if number % 20 == 1 else path])
        else:
            labels.append([product, path])
    paths = [folder / name for name in ("products.csv", "labels.csv", "truth.csv")]
    _write_rows(paths[0], [["product", "title", "price", "brand"], *rows])
    _write_rows(paths[1], [["product", "category"], *labels])
    _write_rows(paths[2], [["product", "category"], *truth])
    return ShopFiles(*paths)


def _made_up_words(rng: np.random.Generator, number: int) -> Any:
    """Return distinct words of three syllables each."""
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    found: dict[str, None] = {}
    while len(found) < number:
        found["".join(rng.choice(syllables, 3))] = None
    return np.array(list(found))


def _write_rows(path: Path, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    print(write_genes(Path(sys.argv[1]) / "genes"))
    print(write_shop(Path(sys.argv[1]) / "shop"))
