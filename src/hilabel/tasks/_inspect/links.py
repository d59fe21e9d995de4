"""Inspect files of links between rows."""

from typing import Any

import numpy as np
import pandas as pd

from hilabel._typing import FilePath
from hilabel.datasets import read_links
from hilabel.exceptions import HilabelError
from hilabel.links import LinkList
from hilabel.tasks._inspect.inspection import Inspection
from hilabel.tasks._inspect.problem import Problem


def inspect_links(path: FilePath, **options: Any) -> Inspection:
    """Describe a file of links between ids, each kind on a line of a table.

    Parameters
    ----------
    path : path-like
    **options
        ``strip_version``, as in :func:`~hilabel.datasets.read_links`.
    """
    title = f"Links {path}"
    try:
        table = read_links(path, **options)
    except HilabelError as error:
        problem = Problem("error", error.message, str(error.source or path))
        return Inspection.of(title, [problem], {})
    facts = {"links": len(table), "ids": len(table.ids)}
    kinds = [_described(name, links) for name, links in table.kinds.items()]
    return Inspection(title, facts, {"kinds of links": pd.DataFrame(kinds)})


def _described(name: str, links: LinkList) -> dict[str, Any]:
    least, middle, most = np.quantile(links.weights, [0, 0.5, 1])
    return {
        "kind": name,
        "links": links.n_links,
        "to itself": int((links.sources == links.targets).sum()),
        "both ways": "yes" if links.is_undirected else "",
        "least weight": float(least),
        "median": float(middle),
        "most": float(most),
    }
