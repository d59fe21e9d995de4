"""Try all points of a grid of parameters, and keep the best on validation rows."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from hilabel._methods import set_parameters
from hilabel._progress import Report, progress_of_step
from hilabel._score_matrix import ScoreMatrix
from hilabel._warning import warn_user
from hilabel.classifiers import BaseHierarchicalClassifier, TrainingData
from hilabel.exceptions import HilabelWarning
from hilabel.metrics import average_precision
from hilabel.neighbors import NeighborMemory
from hilabel.tasks._validation_rows import ValidationRows

MEASURE = "micro average precision"


@dataclass(frozen=True, eq=False)
class Tuned:
    """The best model of a grid, trained without the validation rows.

    Attributes
    ----------
    estimator : fitted hierarchical classifier
    best : dict
        The parameters of the best grid point.
    summary : dict
        All grid points and their scores, as plain values.
    """

    estimator: BaseHierarchicalClassifier
    best: dict[str, Any]
    summary: dict[str, Any]

    def __str__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.best.items())
        points = self.summary["points"]
        best = max(one["score"] for one in points if one["score"] is not None)
        return (
            f"tuned: {chosen}, the best of {len(points)} grid points by {MEASURE} "
            f"({best:.3f}) on {self.summary['rows']:,} validation rows "
            f"({self.summary['source']}; not used for training)"
        )


def grid_points(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of values; the last parameter varies fastest."""
    return [dict(zip(grid, values)) for values in product(*grid.values())]


def check_points(
    estimator: BaseHierarchicalClassifier, points: Sequence[Mapping[str, Any]]
) -> None:
    """Raise an error for a value that the method does not accept."""
    for point in points:
        set_parameters(clone(estimator), point)


def tune(
    estimator: BaseHierarchicalClassifier,
    points: Sequence[Mapping[str, Any]],
    data: TrainingData,
    valid: ValidationRows,
    report: Report,
) -> Tuned:
    """Train a model for each grid point, and return the best on the validation rows.

    Since these rows train no model, the best need not be trained again. Ties go to the
    earlier point. A point that fails is listed with its error, unless all of them fail.

    Parameters
    ----------
    points : sequence of dict
        The parameters of each grid point.
    data : TrainingData
        Uninformative roots of its labels are not measured.
    """
    known = valid.labels.without_nodes(~data.informative)
    data = replace(data, fold=None)
    best: tuple[float, dict[str, Any], BaseHierarchicalClassifier] | None = None
    listed: list[dict[str, Any]] = []
    first: ValueError | None = None
    with _neighbors_shared(estimator), _warnings_once():
        for number, point in enumerate(points):
            told = f"Training grid point {number + 1} of {len(points)}"
            model = clone(estimator).set_params(**point)
            score, error = None, ""
            try:
                with progress_of_step(report, told, number, len(points)):
                    model.fit_checked(data)
                linked = {"links": valid.links} if _uses_links(model) else {}
                found = np.asarray(model.predict_proba(valid.X, **linked))
                scores = ScoreMatrix.of(found)
                score = float(average_precision(known, scores))
            except ValueError as failure:
                error, first = str(failure), first or failure
            if score is not None and (best is None or score > best[0]):
                best = score, dict(point), model
            listed.append({"parameters": _plain(point), "score": score, "error": error})
    if best is None:
        assert first is not None  # a grid has at least one point
        raise first
    _, chosen, model = best
    if "memory" in model.get_params(deep=False):
        model.set_params(memory=None)  # only the grid points share it
    summary = {
        "measure": MEASURE,
        "rows": len(valid.labels),
        "source": valid.source,
        "points": listed,
        "best": _plain(chosen),
    }
    return Tuned(model, chosen, summary)


def _uses_links(model: Any) -> bool:
    return bool(getattr(model, "uses_links", False))


def tuning_table(summary: Mapping[str, Any]) -> pd.DataFrame:
    """Return the grid points of a summary as a table, in the order they were tried.

    The columns are the parameters, ``micro_AP`` and ``chosen``; if a point failed, also
    ``error``.
    """
    points = summary["points"]
    frame = pd.DataFrame([one["parameters"] for one in points])
    scores = [one["score"] for one in points]
    frame["micro_AP"] = pd.array(scores, dtype="float64")
    chosen = [one["parameters"] == summary["best"] for one in points]
    frame["chosen"] = ["yes" if is_best else "" for is_best in chosen]
    errors = [one["error"] for one in points]
    return frame.assign(error=errors) if any(errors) else frame


@contextmanager
def _neighbors_shared(estimator: BaseHierarchicalClassifier) -> Iterator[None]:
    """Let clones of an estimator share their lists of neighbours."""
    if "memory" not in estimator.get_params(deep=False):
        yield
        return
    estimator.set_params(memory=NeighborMemory())
    try:
        yield
    finally:
        estimator.set_params(memory=None)


@contextmanager
def _warnings_once() -> Iterator[None]:
    """Issue each warning of hilabel once, although many models are trained."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HilabelWarning)
        yield
    texts: list[str] = []
    for one in caught:
        if issubclass(one.category, HilabelWarning):
            texts.append(str(one.message))
        else:  # recording is all or nothing, so this has not been shown yet
            warnings.warn_explicit(
                one.message, one.category, one.filename, one.lineno, source=one.source
            )
    for text in dict.fromkeys(texts):
        warn_user(text)


def _plain(point: Mapping[str, Any]) -> dict[str, Any]:
    simple = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, simple) else repr(value)
        for name, value in point.items()
    }
