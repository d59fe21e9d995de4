"""Files of genes with two aspects, of which many genes are annotated in one alone.

All that the annotations leave out is known to the tests, as hidden truth.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hilabel.datasets import make_hierarchical_classification
from hilabel.hierarchy import Hierarchy

ASPECTS = {"P": "biological_process", "F": "molecular_function"}
# A root for each aspect, which all genes have, and two layers of terms below it.
EDGES = [
    (parent, child)
    for aspect in ASPECTS
    for parent, child in [
        *((aspect, f"{aspect}{i}") for i in range(4)),
        *((f"{aspect}{i}", f"{aspect}{i}{j}") for i in range(4) for j in range(2)),
    ]
]
HIERARCHY = Hierarchy.from_edges(EDGES)


@dataclass(frozen=True)
class Genes:
    """The files, and which genes are annotated in which aspect."""

    features: Path
    labels: Path
    hierarchy: Path
    truth: Path  # annotations of all genes in all aspects
    new: Path  # the features of genes that are annotated in truth alone
    is_known: dict[str, np.ndarray]  # by aspect, the genes annotated in it


def write_genes(folder, n_genes=300, n_new=200, n_not=20, seed=0):
    """Write the files; the last ``n_new`` genes are those of ``new``."""
    generator = np.random.default_rng(seed)
    data = make_hierarchical_classification(
        n_genes + n_new, 8, hierarchy=HIERARCHY, labels_per_row=6, random_state=seed
    )
    Y = data.Y > 0
    Y[:, HIERARCHY.roots] = True
    ids = [f"G{row:04d}" for row in range(n_genes + n_new)]
    side = generator.random(n_genes)
    is_known = {"P": side < 0.45, "F": side > 0.3}
    trained, hidden = [], []
    for row, labels in enumerate(HIERARCHY.most_specific(Y)):
        for node in np.flatnonzero(labels):
            term = HIERARCHY.names[node]
            is_given = row < n_genes and is_known[term[0]][row]
            (trained if is_given else hidden).append(_line(ids[row], term))
    for row in np.flatnonzero(~is_known["P"])[:n_not]:
        lacking = [f"P{i}" for i in range(4) if not Y[row, HIERARCHY.node(f"P{i}")]]
        trained += [_line(ids[row], term, "NOT|involved_in") for term in lacking[:1]]
    folder = Path(folder)
    paths = {
        "features.csv": ["gene," + ",".join(f"x{i}" for i in range(8))]
        + [f"{ids[row]},{_joined(data.X[row])}" for row in range(n_genes)],
        "new.csv": ["gene," + ",".join(f"x{i}" for i in range(8))]
        + [f"{i},{_joined(x)}" for i, x in zip(ids[n_genes:], data.X[n_genes:])],
        "annotations.gaf": ["!gaf-version: 2.2", *trained],
        "truth.gaf": ["!gaf-version: 2.2", *trained, *hidden],
        "terms.obo": _obo_lines(),
    }
    for name, lines in paths.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return Genes(
        folder / "features.csv",
        folder / "annotations.gaf",
        folder / "terms.obo",
        folder / "truth.gaf",
        folder / "new.csv",
        is_known,
    )


def _joined(values):
    return ",".join(f"{value:.4f}" for value in values)


def _line(gene, term, qualifier="involved_in"):
    cells = ["EX", gene, gene, qualifier, f"GO:{term}", "R:1", "IDA", "", term[0]]
    return "\t".join([*cells, "", "", "protein", "taxon:1", "20240101", "EX", "", ""])


def _obo_lines():
    lines = ["format-version: 1.2", ""]
    for node, name in enumerate(HIERARCHY.names):
        lines += ["[Term]", f"id: GO:{name}", f"name: {name}"]
        lines.append(f"namespace: {ASPECTS[name[0]]}")
        lines += [f"is_a: GO:{HIERARCHY.names[p]}" for p in HIERARCHY.parents(node)]
        lines.append("")
    return lines
