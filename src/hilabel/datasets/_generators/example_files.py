"""Generate example input files: a table, annotations and a hierarchy."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from hilabel._typing import BoolArray, FilePath
from hilabel._writing import folder_aside, written_aside
from hilabel.datasets._generators.example_proteins import write_proteins
from hilabel.datasets._generators.synthetic import (
    SyntheticData,
    make_hierarchical_classification,
)
from hilabel.hierarchy import Hierarchy

N_GENES: Final = 400
N_ANNOTATED: Final = 150
N_PRODUCTS: Final = 240
N_SORTED: Final = 120
N_TITLES: Final = 900
N_SORTED_TITLES: Final = 450
# One out of this many cells is missing.
MISSING_EVERY: Final = 25

SHELVES: Final = (
    "food/bakery/bread",
    "food/bakery/cake",
    "food/drinks/tea",
    "food/drinks/coffee",
    "food/drinks/juice",
    "home/kitchen/pans",
    "home/kitchen/knives",
    "home/garden/seeds",
    "home/garden/tools",
    "books/novels",
    "books/cookbooks",
)
OBO_HEAD: Final = "format-version: 1.2\nontology: example\n"


def write_example(
    folder: FilePath,
    kind: Literal["go", "shop", "titles", "proteins"] = "go",
    seed: int = 0,
) -> dict[str, Path]:
    """Write generated example files that can be used as a starting point.

    ``"go"`` is a gene-function problem: ``features.csv`` with 400 genes, described by
    numbers and words, with missing values; ``annotations.gaf`` for 150 of these genes,
    with ``NOT`` rows, evidence codes, a replaced term, an obsolete term, a duplicate,
    and genes that are not in the table; and an ontology, ``terms.obo``. ``"shop"`` is a
    product taxonomy in plain CSV: ``products.csv``, ``labels.csv`` and
    ``taxonomy.csv``. ``"titles"`` is a shop whose products have titles and whose labels
    are paths, so no hierarchy file is needed: ``products.csv`` with 900 rows,
    ``labels.csv`` for 450 of these rows, and ``truth.csv`` for all of them.
    ``"proteins"`` is for links between rows: ``proteins.fasta`` with 300 sequences,
    their ``hits.m8``, ``annotations.gaf`` for 60 of them, ``terms.obo``, and the
    sequences and hits of 24 further proteins, ``new_proteins.fasta`` and
    ``new_hits.m8``.

    Parameters
    ----------
    folder : path-like
        Created if missing; files with the same names are replaced.
    kind : {"go", "shop", "titles", "proteins"}, default="go"
    seed : int, default=0

    Returns
    -------
    dict of Path
        ``"features"``, ``"labels"`` and ``"hierarchy"``, or ``"truth"`` for titles; for
        proteins, also ``"links"``, ``"new"`` and ``"new_links"``.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import load_table, write_example
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_example(folder, "shop")
    ...     data = load_table(files["features"], files["labels"], files["hierarchy"])
    >>> data.dataset
    HMCDataset(products: 240 rows, 120 labelled, ...)
    """
    writers = {
        "go": _write_genes,
        "shop": _write_products,
        "titles": _write_titles,
        "proteins": write_proteins,
    }
    if kind not in writers:
        known = ", ".join(map(repr, writers))
        raise ValueError(f"Expected kind to be one of {known}, got {kind!r}.")
    with folder_aside(folder) as aside:
        written = writers[kind](aside, seed)
    return {name: Path(folder) / path.name for name, path in written.items()}


# Genes ------------------------------------------------------------------------------


def _write_genes(folder: Path, seed: int) -> dict[str, Path]:
    data = make_hierarchical_classification(
        N_GENES, 8, n_nodes=16, structure="dag", labels_per_row=4, random_state=seed
    )
    terms = [f"GO:{node + 1:07d}" for node in range(data.hierarchy.n_nodes)]
    genes = [f"G{row + 1:04d}" for row in range(N_GENES)]
    rng = np.random.default_rng(seed)
    annotated = np.sort(rng.permutation(N_GENES)[:N_ANNOTATED])
    paths = {
        "features": folder / "features.csv",
        "labels": folder / "annotations.gaf",
        "hierarchy": folder / "terms.obo",
    }
    # The table is shuffled: rows are matched by id, never by order.
    order = rng.permutation(N_GENES)
    header = ["gene", *(f"expression_{i + 1}" for i in range(7)), "strand"]
    rows = ([genes[row], *_gene_cells(data, row)] for row in order)
    _write_rows(paths["features"], [header, *rows])
    _write_lines(paths["labels"], _gaf_lines(data, genes, terms, annotated))
    _write_lines(paths["hierarchy"], _obo_lines(data.hierarchy, terms))
    return paths


def _gene_cells(data: SyntheticData, row: int) -> list[str]:
    values = [f"{value:.4f}" for value in data.X[row]]
    if row % MISSING_EVERY == 0:
        values[row // MISSING_EVERY % 7] = ""
    return [*values[:7], "+" if data.X[row, 7] > 0 else "-"]


def _gaf_lines(
    data: SyntheticData, genes: Sequence[str], terms: Sequence[str], rows: Any
) -> Iterable[str]:
    yield "!gaf-version: 2.2"
    specific = data.hierarchy.most_specific(data.Y > 0)
    for row in rows:
        for node in _nodes_to_write(specific[row], data.hierarchy):
            evidence = "IEA" if node % 4 == 0 else "EXP"
            # The first term is annotated with an identifier that was merged into it.
            term = "GO:9000001" if node == 0 else terms[node]
            yield _gaf_line(genes[row], "enables", term, evidence)
    yield _gaf_line(genes[rows[0]], "enables", terms[2], "IEA")
    yield _gaf_line(genes[rows[0]], "NOT|enables", terms[1], "EXP")
    yield _gaf_line(genes[rows[0]], "enables", "GO:9000002", "EXP")
    yield _gaf_line("G9998", "enables", terms[1], "EXP")
    yield _gaf_line("G9999", "enables", terms[2], "IEA")


def _nodes_to_write(labels: BoolArray, hierarchy: Hierarchy) -> Any:
    """Return the labels of a row, or a root term if it has no labels."""
    found = np.flatnonzero(labels)
    return found if found.size else hierarchy.roots[:1]


def _gaf_line(gene: str, qualifier: str, term: str, evidence: str) -> str:
    cells = ["EX", gene, gene.lower(), qualifier, term, "REF:1", evidence, "", "F"]
    return "\t".join([*cells, "", "", "protein", "taxon:1", "20240101", "EX", "", ""])


def _obo_lines(hierarchy: Hierarchy, terms: Sequence[str]) -> Iterable[str]:
    yield OBO_HEAD
    for node, term in enumerate(terms):
        yield from ("[Term]", f"id: {term}", f"name: function {node + 1}")
        if node == 0:
            yield "alt_id: GO:9000001"
        yield from (f"is_a: {terms[parent]}" for parent in hierarchy.parents(node))
        yield ""
    yield from ("[Term]", "id: GO:9000002", "name: retired", "is_obsolete: true")


# Products ---------------------------------------------------------------------------


def _write_products(folder: Path, seed: int) -> dict[str, Path]:
    taxonomy = Hierarchy.from_paths(SHELVES)
    rng = np.random.default_rng(seed)
    leaves = [taxonomy.node(path) for path in SHELVES]
    centers = rng.normal(size=(taxonomy.n_nodes, 4))
    brands = ("Arbo", "Brio", "Corso", "Duna")
    paths = {
        "features": folder / "products.csv",
        "labels": folder / "labels.csv",
        "hierarchy": folder / "taxonomy.csv",
    }
    rows, labels = [], []
    for number in range(N_PRODUCTS):
        leaf = leaves[rng.integers(len(leaves))]
        path = [leaf, *taxonomy.ancestors(leaf)]
        x = centers[path].sum(axis=0) + rng.normal(scale=0.5, size=4)
        brand = brands[leaf % 3 if rng.random() < 0.7 else 3]
        product = f"P{number + 1:04d}"
        rows.append([product, *(f"{value:.3f}" for value in x), brand])
        labels.append([product, taxonomy.names[leaf].split("/")[-1]])
    header = ["product", "price", "weight", "width", "height", "brand"]
    _write_rows(paths["features"], [header, *rows])
    sorted_ones = sorted(rng.permutation(N_PRODUCTS)[:N_SORTED].tolist())
    _write_rows(
        paths["labels"],
        [["product", "category"], *(labels[row] for row in sorted_ones)],
    )
    names = [name.split("/")[-1] for name in taxonomy.names]
    edges = [[names[parent], names[child]] for parent, child in taxonomy.edges]
    _write_rows(paths["hierarchy"], [["parent", "child"], *edges])
    return paths


# Titles -----------------------------------------------------------------------------


def _write_titles(folder: Path, seed: int) -> dict[str, Path]:
    rng = np.random.default_rng(seed)
    words = _made_up_words(rng, 40 + 10 * len(SHELVES))
    common, special = words[:40], words[40:].reshape(len(SHELVES), 10)
    rows, labels = [], []
    for number in range(N_TITLES):
        shelf = int(rng.integers(len(SHELVES)))
        title = [*rng.choice(common, 3, replace=False)]
        title += [*rng.choice(special[shelf], 2, replace=False)]
        if rng.random() < 0.2:  # a misleading word
            title.append(rng.choice(special.ravel()))
        product = f"P{number + 1:04d}"
        title = [*rng.permutation(title), f"{rng.integers(1, 20) * 50} g"]
        rows.append([product, " ".join(title), f"{rng.lognormal(2):.2f}"])
        labels.append([product, SHELVES[shelf].title().replace("/", " > ")])
    paths = {name: folder / f"{name}.csv" for name in ("products", "labels", "truth")}
    heading = ["product", "category"]
    _write_rows(paths["products"], [["product", "title", "price"], *rows])
    # Rows are in random order, so the first ones are not special.
    _write_rows(paths["labels"], [heading, *labels[:N_SORTED_TITLES]])
    _write_rows(paths["truth"], [heading, *labels])
    return {"features": paths.pop("products"), **paths}


def _made_up_words(rng: np.random.Generator, number: int) -> Any:
    """Return distinct words of three syllables each."""
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    found: dict[str, None] = {}
    while len(found) < number:
        found["".join(rng.choice(syllables, 3))] = None
    return np.array(list(found))


def _write_rows(path: Path, rows: Iterable[Sequence[str]]) -> None:
    with (
        written_aside(path) as aside,
        aside.open("w", newline="", encoding="utf-8") as file,
    ):
        csv.writer(file, lineterminator="\n").writerows(rows)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with written_aside(path) as aside:
        aside.write_text("\n".join(lines) + "\n", encoding="utf-8")
