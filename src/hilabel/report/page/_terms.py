"""The terms on a page, and the data shown for each of them."""

from typing import Any

import numpy as np

from hilabel.report.page._content import PageContent
from hilabel.report.page._term_numbers import TermNumbers


def term_columns(content: PageContent, numbers: TermNumbers) -> dict[str, Any]:
    """Return the columns that describe terms."""
    model, features = content.model, content.features
    nodes, hierarchy, decision = numbers.nodes, model.hierarchy, content.decision
    aspects = model.ontology.aspects
    n_positive = model.n_positive
    # If no row has any term, the labels are unknown.
    is_counted = bool(n_positive.any())
    unknown = [None] * nodes.size
    return {
        "id": [hierarchy.names[node] for node in nodes],
        "name": [hierarchy.titles[node] for node in nodes],
        "aspect": [aspects[hierarchy.names[node]] for node in nodes]
        if any(aspects.values())
        else None,
        "depth": hierarchy.depth[nodes],
        "parents": [numbers.of(hierarchy.parents(int(node))) for node in nodes],
        "rows": n_positive[nodes] if is_counted else unknown,
        "frequency": model.prior[nodes] if is_counted else unknown,
        **_measured(content, numbers),
        "threshold": decision.threshold[nodes],
        "precision": decision.node_precision[nodes],
        "recall": decision.node_recall[nodes],
        "features": None
        if features is None
        else [list(features.of_node.get(int(node), ())) for node in nodes],
        "features_are": None if features is None else features.kind,
        "is_uninformative": ~model.informative[nodes],
    }


def _measured(content: PageContent, numbers: TermNumbers) -> dict[str, Any]:
    """Return what was measured of each term, and None for what was not."""
    judgement, nodes = content.judgement, numbers.nodes
    if judgement is None:
        unknown = [None] * nodes.size
        return dict.fromkeys(("ap", "reliable", "calibration_error"), unknown)
    # Uninformative terms and terms that no row has are not measured.
    is_measured = judgement.informative & ~np.isnan(judgement.node_quality)
    quality, error = (
        np.where(is_measured, values, np.nan)[nodes]
        for values in (judgement.node_quality, judgement.node_error)
    )
    return {
        "ap": quality,
        "reliable": [
            bool(judgement.reliable[node]) if is_measured[node] else None
            for node in nodes
        ],
        "calibration_error": error,
    }
