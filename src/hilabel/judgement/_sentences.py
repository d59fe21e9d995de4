"""What a judgement says, in sentences; the only place that words it."""

from collections.abc import Iterator, Sequence

import numpy as np

from hilabel._progress import duration
from hilabel.calibration import PREDICTED_FROM
from hilabel.judgement._decision import MIN_POSITIVES, Decision
from hilabel.judgement._judgement import OUT_OF_FOLD, Judgement
from hilabel.judgement._quality import standard_error
from hilabel.semi_supervised import Candidate


def verdict(
    judgement: Judgement, learns: bool, without: Judgement | None = None
) -> list[str]:
    """Return the lines that matter: quality, unlabelled rows, links and decision.

    There is no line about links unless it was measured what they give.

    ``learns`` tells whether the method learns from unlabelled rows; ``without`` is its
    judgement without them, if that was measured.
    """
    return [
        quality_sentence(judgement),
        unlabeled_sentence(judgement, learns, without),
        *link_sentence(judgement),
        decision_sentence(judgement.decision),
    ]


def quality_sentence(judgement: Judgement) -> str:
    """Say how good the method is beside the constant predictor, and on what."""
    ours, constant = judgement.quality, judgement.constant
    if np.isnan(ours.micro):
        return (
            f"quality: unknown, since none of the {judgement.n_rows:,} rows has a term"
        )
    of_all = (
        f" of {judgement.n_rows + judgement.n_others:,}" if judgement.n_others else ""
    )
    return (
        f"quality: micro average precision {ours.micro:.3f}, constant predictor "
        f"{constant.micro:.3f}, on {judgement.n_rows:,}{of_all} labelled rows "
        f"{_how(judgement)}"
    )


def _how(judgement: Judgement) -> str:
    if judgement.measured_on != OUT_OF_FOLD:
        return "that the model has not seen"
    if judgement.is_own or judgement.n_others:
        return "scored by models trained without them"
    return f"cross-validated in {judgement.n_folds} folds"


def unlabeled_sentence(
    judgement: Judgement, learns: bool, without: Judgement | None = None
) -> str:
    """Say what unlabelled rows gave, or why that is not known."""
    if without is not None:
        one, other = judgement.quality, without.quality
        return (
            f"unlabelled rows: {one.micro:.3f} with them, {other.micro:.3f} without, "
            f"difference {one.micro - other.micro:+.3f}, standard error "
            f"{standard_error(one, other):.3f}"
        )
    if judgement.gain is not None:
        # The method itself measures what it gains, before its scores are calibrated.
        before = " (before calibration)" if _changed_by_calibration(judgement) else ""
        return f"{judgement.gain}{before}"
    if not learns:
        return f"unlabelled rows: not used, since {judgement.method} is supervised"
    return "unlabelled rows: what they give was not measured"


def link_sentence(judgement: Judgement) -> list[str]:
    """Say what links gave; return nothing if that was not measured."""
    if judgement.link_gain is None:
        return []
    before = " (before calibration)" if _changed_by_calibration(judgement) else ""
    return [f"{judgement.link_gain}{before}"]


def decision_sentence(decision: Decision) -> str:
    """Say from which probability a row gets a term, and how often that is right."""
    if not decision.is_measured:
        return (
            f"decision: a row gets a term from probability {decision.overall:.2f} on, "
            "which was not measured"
        )
    threshold = (
        f"from probability {decision.overall:.2f} on"
        if not decision.n_own
        else f"from a probability of its own on ({decision.overall:.2f} for rare terms)"
    )
    return (
        f"decision: a row gets a term {threshold}; {decision.precision:.0%} of these "
        f"terms are right, and they are {decision.recall:.0%} of the known ones"
    )


def details(judgement: Judgement) -> Iterator[str]:
    """Yield what else was measured."""
    yield calibration_sentence(judgement)
    if _changed_by_calibration(judgement):
        yield (
            "before calibration: micro average precision "
            f"{judgement.raw.micro:.3f}, Fmax {judgement.raw.fmax:.3f}"
        )
    yield (
        f"terms predicted better than by chance: {judgement.n_reliable:,} of "
        f"{judgement.n_informative:,}"
    )
    n_roots = int((~judgement.informative).sum())
    if n_roots:
        yield (
            f"left out of all measures: {n_roots} "
            f"{'root' if n_roots == 1 else 'roots'} that nearly all rows have"
        )
    if judgement.decision.n_own:
        yield (
            f"thresholds: one for each of the {judgement.decision.n_own:,} terms that "
            f"at least {MIN_POSITIVES} rows have, since F1 is higher with them out of "
            "fold"
        )
    if judgement.unlabeled is not None:
        yield (
            "quality on unlabelled rows of this table: micro average precision "
            f"{judgement.unlabeled:.3f}, estimated by hiding the labels of labelled "
            "rows; probabilities of these rows are calibrated separately"
        )


def _changed_by_calibration(judgement: Judgement) -> bool:
    is_own = judgement.measured_on == OUT_OF_FOLD
    return is_own and judgement.calibrated is not None


def skipped_sentence(candidates: Sequence[Candidate]) -> str:
    """Say which candidates were not tried, and why; "" if all were."""
    skipped = [one for one in candidates if one.status in ("skipped", "failed")]
    if not skipped:
        return ""
    names: dict[str, list[str]] = {}
    for one in skipped:
        names.setdefault(one.reason, []).append(_named(one))
    told = "; ".join(f"{reason} ({'; '.join(same)})" for reason, same in names.items())
    return f"not tried, {len(skipped)} of {len(candidates)} candidates: {told}"


def _named(candidate: Candidate) -> str:
    """Name a skipped candidate, and how long it would have taken, if that is known."""
    seconds = candidate.expected_seconds
    if seconds is None:
        return f"'{candidate.name}'"
    return f"'{candidate.name}', about {duration(max(seconds, 1))}"


def calibration_sentence(judgement: Judgement) -> str:
    """Say how true the probabilities are, and whether they are calibrated."""
    if judgement.calibrated is None:
        return f"calibration: none, since {judgement.why_not_calibrated}"
    if np.isnan(judgement.error):
        return (
            f"calibration: no probability reaches {PREDICTED_FROM:g}, so the error is "
            "unknown"
        )
    before = (
        "" if np.isnan(judgement.raw_error) else f", {judgement.raw_error:.3f} before"
    )
    return (
        f"calibration: mean error {judgement.error:.3f}{before}, for probabilities of "
        f"at least {PREDICTED_FROM:g}"
    )
