"""What a blend tried or skipped, and the sentence about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hilabel._saved_types import saved_type

Status: TypeAlias = Literal["kept", "tried", "skipped", "failed"]


@saved_type
@dataclass(frozen=True)
class Candidate:
    """A model that a blend tried or skipped.

    Attributes
    ----------
    name : str
    uses_unlabeled : bool
    status : {"kept", "tried", "skipped", "failed"}
        ``"kept"`` if it is in the mean, ``"tried"`` if it was not selected.
    score : float
        Out-of-fold micro average precision without uninformative roots; NaN if it was
        not measured.
    share : float
        Weight in the mean; 0 if it is not kept.
    seconds : float
        Time spent on it.
    reason : str
        Why it was skipped or failed; otherwise empty.
    expected_seconds : float or None
        If it was skipped: a rough estimate of its time, from that of the others, if
        known.
    uses_links : bool

    Examples
    --------
    >>> from hilabel.semi_supervised import Candidate
    >>> Candidate("forest", uses_unlabeled=False, status="kept", share=1.0).reason
    ''
    """

    name: str
    uses_unlabeled: bool
    status: Status
    score: float = float("nan")
    share: float = 0.0
    seconds: float = 0.0
    reason: str = ""
    expected_seconds: float | None = None
    uses_links: bool = False

    @property
    def was_tried(self) -> bool:
        """Whether it was trained without an error."""
        return self.status in ("kept", "tried")


def members_sentence(candidates: Sequence[Candidate]) -> str:
    """Say which models a blend averages, and out of how many.

    Examples
    --------
    >>> from hilabel.semi_supervised import Candidate, members_sentence
    >>> print(
    ...     members_sentence(
    ...         [
    ...             Candidate("forest", False, "kept", share=0.75),
    ...             Candidate("neighbours", False, "kept", share=0.25),
    ...             Candidate("network", False, "skipped", reason="it needs JAX"),
    ...         ]
    ...     )
    ... )
    mean of 2 of the 2 models tried: forest (75 %), neighbours (25 %); 1 was not tried
    """
    tried = [one for one in candidates if one.was_tried]
    kept = [one for one in candidates if one.status == "kept"]
    n_left = len(candidates) - len(tried)
    left = f"; {n_left} {'was' if n_left == 1 else 'were'} not tried" if n_left else ""
    if len(kept) != 1:
        told = ", ".join(f"{one.name} ({100 * one.share:.0f} %)" for one in kept)
        return f"mean of {len(kept)} of the {len(tried)} models tried: {told}{left}"
    name = kept[0].name
    if n_left and len(tried) <= 2:  # at most the constant predictor beside it
        reasons = sorted({one.reason for one in candidates if not one.was_tried})
        because = f": {reasons[0]}" if len(reasons) == 1 else ""
        return f"a single model, {name}{left}{because}"
    return f"a single model, {name}, the best of the {len(tried)} models tried{left}"
