"""Inspect hierarchies."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from hilabel._typing import FilePath
from hilabel.datasets import read_hierarchy
from hilabel.hierarchy import Hierarchy
from hilabel.tasks._inspect.inspection import Inspection
from hilabel.tasks._inspect.mending import mended
from hilabel.tasks._inspect.problem import Problem


def inspect_hierarchy(path: FilePath, **options: Any) -> Inspection:
    """Describe a file with a hierarchy."""
    problems: list[Problem] = []
    title = f"Hierarchy {path}"
    ontology, _ = mended(partial(read_hierarchy, path), options, problems, str(path))
    if ontology is None:
        return Inspection.of(title, problems, {})
    hierarchy = ontology.hierarchy
    facts = {
        **hierarchy_facts(hierarchy),
        "replaced identifiers": len(ontology.replaced),
        "obsolete identifiers": len(ontology.obsolete),
    }
    tables = {"nodes per depth": depth_table(hierarchy)}
    return Inspection.of(title, problems, facts, tables=tables)


def hierarchy_facts(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the size and the shape of a hierarchy."""
    n_parents = np.diff(hierarchy.parents_ptr)
    return {
        "nodes": hierarchy.n_nodes,
        "edges": hierarchy.n_edges,
        "structure": "tree" if hierarchy.is_tree else "directed acyclic graph",
        "roots": hierarchy.roots.size,
        "leaves": hierarchy.leaves.size,
        "depth": hierarchy.max_depth,
        "nodes with several parents": int((n_parents > 1).sum()),
    }


def depth_table(hierarchy: Hierarchy, counts: Any = None) -> pd.DataFrame:
    """Return the number of nodes per depth, and of the rows that they label."""
    depths = np.arange(1, hierarchy.max_depth + 1)
    is_leaf = np.zeros(hierarchy.n_nodes, dtype=bool)
    is_leaf[hierarchy.leaves] = True
    table = {
        "depth": depths,
        "nodes": [int((hierarchy.depth == d).sum()) for d in depths],
        "leaves": [int((is_leaf & (hierarchy.depth == d)).sum()) for d in depths],
    }
    if counts is not None:
        table["median labelled rows"] = [
            int(np.median(counts[hierarchy.depth == d])) for d in depths
        ]
    return pd.DataFrame(table)
