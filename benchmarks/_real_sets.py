"""Real data at real size, as the files that a user has.

Each set has a table of all rows, the annotations of some, and a hierarchy. The rows of
the test are in the table, but not in the annotations: they are unlabelled. Files are
written to ``.benchmarks/real`` on first use.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks._few_labels import GO_SETS
from benchmarks._real_files import (
    copy_gaf_without,
    copy_lines,
    copy_rows,
    copy_sequences,
    ids_in,
    made,
    read_rows,
    table_lines,
    write_lines,
    write_rows,
)
from benchmarks._real_proteins import write_mers
from hilabel.datasets import HMCDataset, HMCSplits, TableFiles, load_go, write_example
from hilabel.model_selection import mask_labels

FOLDER = Path(".benchmarks/real")
FEW = 0.1
EXAMPLES = ("go", "shop", "titles")


@dataclass(frozen=True)
class RealSet:
    """Files of a set, and how to read and measure them.

    Attributes
    ----------
    name : str
    features : Path
        All rows.
    labels : Path
        The annotations of the labelled rows.
    hierarchy : Path or None
        None if the terms are paths.
    all_labels : Path
        The annotations of all rows.
    test_features : Path or None
        The rows of the test; None if the set has none.
    test_ids : frozenset of str
    min_count : int
        Terms are measured that so many rows outside the test have, labelled or not.
    learned_from : int
        Terms are learned that so many labelled rows have.
    n_top : int
        Terms to predict for a row; all others count as 0.
    text : tuple of str
        The columns of words.
    links : Path or None
        Links between all rows.
    lenient : bool
        Whether the hierarchy has lines that must be skipped.
    leaves_roots_out : bool
        Whether no root counts; otherwise, only roots that nearly all rows have are left
        out, as ``fit`` does.
    """

    name: str
    features: Path
    labels: Path
    hierarchy: Path | None
    all_labels: Path
    test_features: Path | None = None
    test_ids: frozenset[str] = frozenset()
    min_count: int = 5
    learned_from: int = 5
    n_top: int = 200
    text: tuple[str, ...] = ()
    links: Path | None = None
    lenient: bool = False
    leaves_roots_out: bool = False

    def files(self, labels: Path) -> TableFiles:
        """Return all rows with some annotations, and all terms."""
        how: dict[str, Any] = {"min_count": 0, "lenient": self.lenient}
        return TableFiles(self.features, labels, self.hierarchy, **how)

    def arguments(self) -> list[str]:
        """Return the words by which ``hilabel fit`` reads the set."""
        words = [str(self.features), "-l", str(self.labels)]
        if self.hierarchy is not None:
            words += ["-H", str(self.hierarchy)]
        words += self.of_links()
        return [*words, "--lenient"] if self.lenient else words

    def of_links(self) -> list[str]:
        """Return the words by which commands read the links."""
        return [] if self.links is None else ["--links", str(self.links)]


def data_folder() -> Path:
    """Return the folder of the data sets."""
    folder = os.environ.get("HILABEL_DATA")
    if folder is None or not Path(folder).is_dir():
        raise FileNotFoundError(
            "Expected HILABEL_DATA to be the folder with wordnet/, proteins/ and GO/, "
            f"got {folder!r}; set it."
        )
    return Path(folder)


# Words and proteins -----------------------------------------------------------------


def wordnet(few: bool = False) -> RealSet:
    """Nouns of WordNet by their words and glosses; the terms are their hypernyms."""
    source = data_folder() / "wordnet"
    folder = FOLDER / ("wordnet10" if few else "wordnet")
    words, pairs = source / "words.csv.gz", source / "hypernyms.csv.gz"
    test = ids_in(source / "test_ids.txt")
    labeled = [row[0] for row in table_lines(words)][1:]
    labeled = [one for one in labeled if one not in test]
    if few:
        labeled = few_of(labeled)
    return RealSet(
        folder.name,
        features=words,
        labels=made(folder / "labels.csv", partial(copy_lines, pairs, labeled)),
        hierarchy=source / "hierarchy.csv.gz",
        all_labels=pairs,
        test_features=made(folder / "test.csv", partial(copy_lines, words, test)),
        test_ids=test,
        learned_from=1 if few else 5,
        text=("lemmas", "gloss"),
    )


def linked_words(few: bool = False) -> RealSet:
    """Nouns of WordNet, and links between them that are no hypernyms."""
    one = wordnet(few)
    links = data_folder() / "wordnet" / "links.csv.gz"
    return replace(one, name=f"{one.name}-links", links=links)


def linked_proteins(few: bool = False) -> RealSet:
    """Proteins as a user has them: sequences, and hits between them."""
    source, one = data_folder() / "proteins", proteins()
    name = "proteins10-links" if few else "proteins-links"
    folder = FOLDER / name
    fasta, labels = source / "proteins.fasta.gz", one.labels
    if few:
        known = truth_ids(one)
        others = {*known} - {*few_of(known)}
        copy = partial(copy_gaf_without, one.labels, others)
        labels = made(folder / "labels.gaf", copy)
    test = partial(copy_sequences, fasta, one.test_ids)
    return replace(
        one,
        name=name,
        features=fasta,
        labels=labels,
        test_features=made(folder / "test.fasta", test),
        links=source / "hits.m8.gz",
        learned_from=1 if few else 5,
    )


def truth_ids(one: RealSet) -> list[str]:
    """Return the ids of the labelled rows, in the order of the table."""
    tables = one.files(one.labels).read()
    return [*compress(tables.table.ids, tables.labels.labeled)]


def few_of(ids: list[str]) -> list[str]:
    """Return a tenth of the ids, always the same."""
    drawn = np.random.default_rng(0).permutation(len(ids))[: round(FEW * len(ids))]
    return [ids[place] for place in np.sort(drawn)]


def proteins() -> RealSet:
    """Proteins by runs of up to three of their amino acids; terms of the GO."""
    source, folder = data_folder() / "proteins", FOLDER / "proteins"
    test = ids_in(source / "test_ids.txt")
    gaf, fasta = source / "annotations.gaf.gz", source / "proteins.fasta.gz"
    features = made(folder / "mers_of_3.npz", partial(write_mers, fasta))
    return RealSet(
        "proteins",
        features=features,
        labels=made(folder / "labels.gaf", partial(copy_gaf_without, gaf, test)),
        hierarchy=source / "go2014.obo.gz",
        all_labels=gaf,
        test_features=made(folder / "test.npz", partial(copy_rows, features, test)),
        test_ids=test,
        n_top=600,
        lenient=True,
        leaves_roots_out=True,
    )


# Yeast ------------------------------------------------------------------------------


def yeast(name: str, few: bool = False, *, whole: bool = False) -> RealSet:
    """Genes of yeast; training and validation rows, or a tenth of them, are labelled.

    ``whole`` keeps all terms, as in published results, not only those of fifty rows.
    """
    data_folder()
    kind = "whole" if whole else "yeast10" if few else "yeast"
    folder = FOLDER / kind / name
    if not folder.exists():
        # The folder appears once it is complete.
        aside = folder.with_name(f"part_{name}")
        aside.mkdir(parents=True, exist_ok=True)
        splits = load_go(name, min_count=None) if whole else load_go(name)
        _write_yeast(splits, few, aside)
        aside.rename(folder)
    ids, *_ = read_rows(folder / "test.npz")
    return RealSet(
        f"{kind}/{name}",
        features=folder / "rows.npz",
        labels=folder / "labels.csv",
        hierarchy=folder / "hierarchy.csv",
        all_labels=folder / "all_labels.csv",
        test_features=folder / "test.npz",
        test_ids=frozenset(ids),
        min_count=0,
        learned_from=1,
        n_top=10_000,
        leaves_roots_out=whole,
    )


def _write_yeast(splits: HMCSplits, few: bool, folder: Path) -> None:
    parts = [splits.train, splits.valid, splits.test]
    hierarchy = splits.train.hierarchy
    columns, names = _distinct(splits.train.feature_names), hierarchy.names
    # The rows have no names, so that they get numbers.
    n_rows = sum(part.n_samples for part in parts)
    n_known = n_rows - splits.test.n_samples
    ids = [f"g{row:05d}" for row in range(n_rows)]
    Y = np.vstack([part.Y for part in parts]).astype(np.int8)
    known = mask_labels(Y[:n_known], FEW, random_state=0) if few else Y[:n_known]
    X = _stacked(parts)
    write_rows(folder / "rows.npz", ids, X, columns)
    write_rows(folder / "test.npz", ids[n_known:], X[n_known:], columns)
    links = (
        (names[parent], names[child])
        for child in range(hierarchy.n_nodes)
        for parent in hierarchy.parents(child)
    )
    write_lines(folder / "hierarchy.csv", ("parent", "child"), links)
    for file, labels in (("labels.csv", known), ("all_labels.csv", Y)):
        pairs = ((ids[row], names[node]) for row, node in zip(*np.nonzero(labels > 0)))
        write_lines(folder / file, ("id", "term"), pairs)


def _distinct(names: Iterable[str]) -> list[str]:
    """Return names with a number where the set has a name twice."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _stacked(parts: list[HMCDataset]) -> Any:
    if sp.issparse(parts[0].X):
        return sp.csr_array(sp.vstack([part.X for part in parts]))
    return np.vstack([part.X for part in parts])


# Examples ---------------------------------------------------------------------------


def example(kind: str) -> RealSet:
    """The example files of ``hilabel demo --write-files``, which have no test rows."""
    files = write_example(FOLDER / "demo" / kind, kind)  # type: ignore[arg-type]
    features, labels = files["features"], files["labels"]
    name, hierarchy = f"demo/{kind}", files.get("hierarchy")
    return RealSet(name, features, labels, hierarchy, all_labels=labels)


SETS: dict[str, Callable[[], RealSet]] = {
    "wordnet": wordnet,
    "wordnet10": partial(wordnet, few=True),
    "wordnet-links": linked_words,
    "wordnet10-links": partial(linked_words, few=True),
    "proteins": proteins,
    "proteins-links": linked_proteins,
    "proteins10-links": partial(linked_proteins, few=True),
    **{f"demo/{kind}": partial(example, kind) for kind in EXAMPLES},
    **{f"yeast/{name}": partial(yeast, name) for name in GO_SETS},
    **{f"yeast10/{name}": partial(yeast, name, few=True) for name in GO_SETS},
    **{f"whole/{name}": partial(yeast, name, whole=True) for name in GO_SETS},
}
"""Functions that return a set, and write its files if they do not exist."""
