"""Calibrate, decide and measure: from scores of unseen rows to a judgement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._progress import Report, say_nothing
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, IntArray
from hilabel.calibration import (
    PREDICTED_FROM,
    ScoreCalibration,
    best_cells,
    calibrate_by_folds,
    depth_groups,
    node_errors,
    term_groups,
)
from hilabel.hierarchy import Hierarchy, informative_nodes
from hilabel.judgement._decision import Decision, choose_decision, measure_decision
from hilabel.judgement._judgement import OUT_OF_FOLD, TEST_ROWS, Judgement
from hilabel.judgement._quality import Quality
from hilabel.metrics import (
    PrecisionByProbability,
    ScoreCounts,
    average_precision,
    constant_predictor,
    information_accretion,
    per_node_table,
    reliable_nodes,
)
from hilabel.model_selection import OutOfFold
from hilabel.semi_supervised import Candidate, LinkGain, UnlabeledGain

LABELS_TO_CALIBRATE: Final = 50
"""With fewer labels in total, a calibration would only fit noise."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A judgement, and what predictions for other rows need of it.

    Attributes
    ----------
    judgement : Judgement
    calibration : ScoreCalibration or None
        Fitted on all rows; None if it is not kept.
    probabilities : ScoreMatrix of shape (n_rows, n_nodes)
        Of the rows, each fold calibrated on the other folds.
    labels : LabelMatrix of the same shape
        Cells of uninformative nodes are unknown.
    best : csr_array of the same shape
        The most probable cells of each row, those of its labels, and those that the
        rule gives it.
    """

    judgement: Judgement
    calibration: ScoreCalibration | None
    probabilities: ScoreMatrix
    labels: LabelMatrix
    best: sp.csr_array

    def best_of(self, rows: IntArray, n_rows: int) -> sp.csr_array:
        """Return ``best`` in a table of ``n_rows``, empty in all but the given rows."""
        counts = np.zeros(n_rows, dtype=np.int64)
        counts[rows] = np.diff(self.best.indptr)
        parts = (self.best.data, self.best.indices, np.append(0, counts.cumsum()))
        return sp.csr_array(parts, (n_rows, self.best.shape[1]))


@dataclass(frozen=True, eq=False)
class _Calibrated:
    """Probabilities, and why they are calibrated or not."""

    probabilities: ScoreMatrix
    calibration: ScoreCalibration | None
    error: float
    raw_error: float
    why_not: str


def judge(
    found: OutOfFold,
    hierarchy: Hierarchy,
    *,
    method: str,
    calibrate: bool = True,
    candidates: Sequence[Candidate] = (),
    gain: UnlabeledGain | None = None,
    link_gain: LinkGain | None = None,
    report: Report = say_nothing,
) -> Judged:
    """Calibrate out-of-fold scores, choose the decision rule and measure both.

    Parameters
    ----------
    found : OutOfFold
    hierarchy : Hierarchy
    method : str
        Its name, to be shown.
    calibrate : bool, default=True
        Whether to calibrate if that helps.
    candidates : sequence of Candidate, optional
        What the method tried and skipped.
    gain : UnlabeledGain, optional
        What unlabelled rows gave, as measured by the method.
    link_gain : LinkGain, optional
        Likewise, what links gave.
    report : callable, optional

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel._score_matrix import ScoreMatrix
    >>> from hilabel.judgement import judge
    >>> from hilabel.model_selection import OutOfFold
    >>> Y = np.array([[1, 1], [1, 0], [1, 1], [1, 0]])  # all rows have the root
    >>> scores = ScoreMatrix.of(np.array([[1, 0.9], [1, 0.2], [1, 0.8], [1, 0.1]]))
    >>> found = OutOfFold(LabelMatrix.of(Y), scores, np.array([0, 0, 1, 1]))
    >>> judged = judge(found, Hierarchy.from_edges([("a", "b")]), method="mine")
    >>> judged.judgement.informative, judged.judgement.quality.micro
    (array([False,  True]), 1.0)
    >>> round(judged.judgement.decision.overall, 2)
    0.8
    """
    labels, fold = found.labels, found.fold
    informative = informative_nodes(hierarchy, labels.n_positive, labels.n_known)
    known = labels.without_nodes(~informative)
    information = information_accretion(labels, hierarchy)
    report("Measuring", 0, 0)
    raw = Quality.measure(known, found.scores, information, fold)
    per_node = per_node_table(known, found.scores, hierarchy)
    constant = constant_predictor(labels, fold, hierarchy, prior=found.prior)
    report("Calibrating", 0, 0)
    probable = _calibrated(found, hierarchy, known, calibrate)
    scores, calibrated = probable.probabilities, None
    if probable.calibration is not None:
        report("Measuring probabilities", 0, 0)
        calibrated = Quality.measure(known, scores, information, fold)
    report("Choosing thresholds", 0, 0)
    decision = choose_decision(known, scores, fold, hierarchy)
    of_constant = choose_decision(known, constant, fold, hierarchy, per_node=False)
    report("Drawing curves", 0, 0)
    judgement = Judgement(
        method=method,
        measured_on=OUT_OF_FOLD,
        is_own=found.model is not None,
        n_rows=len(labels),
        n_others=found.n_others,
        n_folds=found.n_folds,
        informative=informative,
        raw=raw,
        calibrated=calibrated,
        constant=Quality.measure(known, constant, information, fold),
        error=probable.error,
        raw_error=probable.raw_error,
        why_not_calibrated=probable.why_not,
        decision=decision,
        constant_decision=of_constant,
        **_by_node(known, scores, constant, hierarchy, informative, per_node),
        gain=gain,
        link_gain=link_gain,
        candidates=tuple(candidates),
    )
    best = best_cells(labels, scores, hierarchy, decision.threshold)
    return Judged(judgement, probable.calibration, scores, known, best)


def judge_hidden(
    found: OutOfFold, hierarchy: Hierarchy
) -> tuple[ScoreCalibration | None, float]:
    """Calibrate scores of rows whose labels were hidden, and measure them.

    Returns
    -------
    calibration : ScoreCalibration or None
        None if it does not help.
    quality : float
        Micro average precision without uninformative roots.
    """
    labels = found.labels
    informative = informative_nodes(hierarchy, labels.n_positive, labels.n_known)
    known = labels.without_nodes(~informative)
    probable = _calibrated(found, hierarchy, known, wanted=True)
    if not known.positive.nnz:
        return None, float("nan")
    quality = float(average_precision(known, probable.probabilities))
    return probable.calibration, quality


def judge_predictions(
    labels: LabelMatrix,
    probabilities: ScoreMatrix,
    hierarchy: Hierarchy,
    *,
    method: str,
    informative: BoolArray,
    prior: Any,
    rule: Decision,
    is_calibrated: bool = True,
    report: Report = say_nothing,
) -> Judgement:
    """Measure a trained model on other labelled rows, with its own decision rule.

    Parameters
    ----------
    labels : LabelMatrix of shape (n_rows, n_nodes)
    probabilities : ScoreMatrix of the same shape
    hierarchy : Hierarchy
    method : str
    informative : bool array of shape (n_nodes,)
        As found in training.
    prior : ndarray of shape (n_nodes,)
        Label frequencies in training, which the constant predictor predicts.
    rule : Decision
    is_calibrated : bool, default=True
        Whether the model calibrates its scores.
    report : callable, optional
    """
    report("Measuring", 0, 0)
    known = labels.without_nodes(~informative)
    fold: IntArray = np.zeros(len(labels), dtype=np.int64)
    constant = constant_predictor(labels, fold, hierarchy, prior=prior)
    information = information_accretion(labels, hierarchy)
    quality = Quality.measure(known, probabilities, information, fold)
    per_node = per_node_table(known, probabilities, hierarchy)
    error = ScoreCounts.of(known, probabilities).error(floor=PREDICTED_FROM)
    return Judgement(
        method=method,
        measured_on=TEST_ROWS,
        is_own=False,
        n_rows=len(labels),
        n_others=0,
        n_folds=0,
        informative=informative,
        raw=quality,
        calibrated=quality if is_calibrated else None,
        constant=Quality.measure(known, constant, information, fold),
        error=error,
        raw_error=float("nan") if is_calibrated else error,
        why_not_calibrated="" if is_calibrated else "the model does not calibrate",
        decision=measure_decision(rule, known, probabilities, hierarchy),
        constant_decision=choose_decision(
            known, constant, fold, hierarchy, per_node=False
        ),
        **_by_node(known, probabilities, constant, hierarchy, informative, per_node),
    )


def _calibrated(
    found: OutOfFold, hierarchy: Hierarchy, known: LabelMatrix, wanted: bool
) -> _Calibrated:
    """Calibrate scores, unless that does not make probabilities more accurate."""
    before = ScoreCounts.of(known, found.scores)
    raw_error = before.error(floor=PREDICTED_FROM)
    as_they_are = (found.scores, None, raw_error, raw_error)
    if not wanted:
        return _Calibrated(*as_they_are, "it was disabled")
    n_labels = known.positive.nnz
    if n_labels < LABELS_TO_CALIBRATE:
        return _Calibrated(
            *as_they_are,
            f"{n_labels} labels are too few: it takes {LABELS_TO_CALIBRATE}",
        )
    calibration, probabilities = calibrate_by_folds(
        found.labels, found.scores, found.fold, hierarchy
    )
    after = ScoreCounts.of(known, probabilities)
    error = after.error(floor=PREDICTED_FROM)
    pair = error, raw_error
    if np.isnan(pair).any():  # no probability of 0.1 on one side
        pair = after.error(), before.error()
    if not pair[0] < pair[1]:
        return _Calibrated(
            *as_they_are,
            f"it does not help: the mean error is {pair[1]:.3f} without it and "
            f"{pair[0]:.3f} with it",
        )
    return _Calibrated(probabilities, calibration, error, raw_error, "")


def _by_node(
    known: LabelMatrix,
    scores: ScoreMatrix,
    constant: ScoreMatrix,
    hierarchy: Hierarchy,
    informative: BoolArray,
    per_node: Any,
) -> dict[str, Any]:
    """Return the fields of a judgement by node, by depth and by probability."""
    counts = ScoreCounts.of(known, scores)
    names, masks = depth_groups(hierarchy, informative)
    of_constant = term_groups(known, constant, constant, names[:1], masks[:1])
    return {
        "overall_error": counts.error(),
        "n_positive": known.n_positive,
        "n_known": known.n_known,
        "node_error": node_errors(known, scores),
        "reliable": reliable_nodes(per_node),
        "precision": PrecisionByProbability.of_counts(counts),
        "groups": term_groups(known, scores, constant, names, masks),
        "constant_group": of_constant[0] if of_constant else None,
    }
