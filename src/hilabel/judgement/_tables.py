"""A judgement as tables."""

import pandas as pd

from hilabel.hierarchy import Hierarchy
from hilabel.judgement._decision import Decision
from hilabel.judgement._judgement import Judgement
from hilabel.judgement._quality import Quality

_LOWER_IS_BETTER = frozenset({"Smin", "Hamming loss"})


def measure_table(judgement: Judgement) -> pd.DataFrame:
    """Return measures of the method beside those of the constant predictor.

    The columns are ``measure``, ``model``, ``constant`` and ``better`` ("higher" or
    "lower"). Measures of label sets are those of the decision rule and, for the
    constant predictor, of its best rule.
    """
    ours = _measures(judgement.quality, judgement.decision)
    constant = _measures(judgement.constant, judgement.constant_decision)
    return pd.DataFrame(
        {
            "measure": list(ours),
            "model": list(ours.values()),
            "constant": list(constant.values()),
            "better": [
                "lower" if name in _LOWER_IS_BETTER else "higher" for name in ours
            ],
        }
    )


def _measures(quality: Quality, decision: Decision) -> dict[str, float]:
    return {
        **quality.measures(),
        "precision": decision.precision,
        "recall": decision.recall,
        "F1": decision.f1,
        "exact match": decision.exact,
        "Hamming loss": decision.wrong,
    }


def depth_table(judgement: Judgement) -> pd.DataFrame:
    """Return average precision for all informative nodes, and depth by depth.

    The columns are ``nodes`` (which), ``model``, ``constant`` and ``frequency`` (share
    of positive cells, the value of random scores).
    """
    return pd.DataFrame(
        [
            {
                "nodes": group.label,
                "model": group.average_precision,
                "constant": group.constant,
                "frequency": group.frequency,
            }
            for group in judgement.groups
        ],
        columns=["nodes", "model", "constant", "frequency"],
    )


def node_table(judgement: Judgement, hierarchy: Hierarchy) -> pd.DataFrame:
    """Return a table with one row per informative node.

    The columns are ``node``, ``name``, ``title``, ``depth``, ``n_known``,
    ``n_positive``, ``average_precision``, ``reliable`` (better than by chance),
    ``calibration_error``, ``threshold``, ``precision`` and ``recall``.
    """
    decision = judgement.decision
    table = pd.DataFrame(
        {
            "node": range(hierarchy.n_nodes),
            "name": hierarchy.names,
            "title": hierarchy.titles,
            "depth": hierarchy.depth,
            "n_known": judgement.n_known,
            "n_positive": judgement.n_positive,
            "average_precision": judgement.node_quality,
            "reliable": judgement.reliable,
            "calibration_error": judgement.node_error,
            "threshold": decision.threshold,
            "precision": decision.node_precision,
            "recall": decision.node_recall,
        }
    )
    return table[judgement.informative].reset_index(drop=True)
