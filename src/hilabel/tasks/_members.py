"""The scores that a blend's members give to a row, and the nearest rows they use."""

from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel.persistence import TableModel
from hilabel.semi_supervised import neighbor_finders

NEIGHBORS_SHOWN: Final = 5


def member_frame(model: TableModel, X: Any, shown: Any) -> pd.DataFrame:
    """Return the score of each member for each term; see :class:`Explanation`."""
    estimator: Any = model.estimator
    if not hasattr(estimator, "member_scores"):
        return pd.DataFrame()
    share = {one.name: one.share for one in estimator.candidates_}
    rows = [
        {
            "member": name,
            "share": share[name],
            "term": model.hierarchy.names[node],
            "name": model.hierarchy.titles[node],
            "score": float(scores[0, node]),
        }
        for name, scores in estimator.member_scores(X).items()
        for node in shown
    ]
    return pd.DataFrame(rows)


def around_frame(model: TableModel, X: Any) -> pd.DataFrame:
    """Return the rows nearest to a given row; see :class:`Explanation`."""
    # Stored training rows have the labelled rows first.
    order = np.argsort(~model.labeled, kind="stable")
    rows: list[dict[str, Any]] = []
    for name, finder in neighbor_finders(model.estimator):
        found, distances = finder.neighbors(X)
        rows += [
            {
                "seen_by": name,
                "id": model.sample_ids[order[row]],
                "distance": float(distance),
                "labels_given": bool(model.labeled[order[row]]),
            }
            for row, distance in zip(
                found[0, :NEIGHBORS_SHOWN], distances[0], strict=False
            )
        ]
    return pd.DataFrame(rows)
