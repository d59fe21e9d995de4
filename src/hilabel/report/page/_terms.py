"""The terms on a page, and the data shown for each of them."""

from typing import Any

import numpy as np

from hilabel.report.page._about import AboutModel
from hilabel.report.page._term_numbers import TermNumbers


def term_columns(about: AboutModel, numbers: TermNumbers) -> dict[str, Any]:
    """Return the columns that describe terms."""
    nodes, hierarchy, quality = numbers.nodes, about.hierarchy, about.quality
    nothing = np.full(hierarchy.n_nodes, np.nan)
    # Roots that all rows have and terms that no row has cannot be measured.
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
    # If no row has any term, the labels are unknown.
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
