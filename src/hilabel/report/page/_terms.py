"""The terms of a page, and what is known of each."""

from typing import Any

import numpy as np

from hilabel.report.page._about import AboutModel
from hilabel.report.page._term_numbers import TermNumbers


def term_columns(about: AboutModel, numbers: TermNumbers) -> dict[str, Any]:
    """Return a list for each thing told of terms."""
    nodes, hierarchy, quality = numbers.nodes, about.hierarchy, about.quality
    nothing = np.full(hierarchy.n_nodes, np.nan)
    # A root that all rows have is never wrong, and a term that none has never right.
    is_measured = np.zeros(hierarchy.n_nodes, dtype=bool)
    if quality is not None:
        is_measured = about.says & ~np.isnan(quality.worth.quality)
    precision = nothing if quality is None else quality.worth.quality
    error = nothing if quality is None else quality.term_error
    reliable = [
        None
        if quality is None or not is_measured[node]
        else bool(quality.worth.reliable[node])
        for node in nodes
    ]
    aspects, features = about.aspects, about.features
    # Where no row has any term, nobody has said which rows have which.
    is_counted = bool(about.n_positive.any())
    unknown = [None] * nodes.size
    return {
        "id": [hierarchy.names[node] for node in nodes],
        "name": [hierarchy.titles[node] for node in nodes],
        "aspect": None if aspects is None else [aspects[node] for node in nodes],
        "depth": hierarchy.depth[nodes],
        "parents": [numbers.of(hierarchy.parents(int(node))) for node in nodes],
        "rows": about.n_positive[nodes] if is_counted else unknown,
        "frequency": about.frequency[nodes] if is_counted else unknown,
        "ap": np.where(is_measured, precision, np.nan)[nodes],
        "reliable": reliable,
        "calibration_error": np.where(is_measured, error, np.nan)[nodes],
        "threshold": about.thresholds[nodes],
        "features": None
        if features is None
        else [list(features.of_node.get(int(node), ())) for node in nodes],
        "features_are": None if features is None else features.kind,
        "is_root": ~about.says[nodes],
    }
