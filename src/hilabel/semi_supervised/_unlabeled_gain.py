"""What unlabelled rows were worth."""

from dataclasses import dataclass

from hilabel._saved_types import saved_type


@saved_type
@dataclass(frozen=True)
class UnlabeledGain:
    """What unlabelled rows were worth, in micro average precision out of fold.

    Shares were chosen, in each fold, on the other folds, so that the scores of neither
    are flattered by having been chosen. With fewer than 50 labelled rows the single
    best candidate was chosen in place of a mean.

    Attributes
    ----------
    score_with, score_without : float
        Of the best mean with methods that use unlabelled rows, and without.
    error : float
        Standard error of the difference, by leaving out groups of rows.
    score_constant : float
        Of label frequencies, rows in random order: what knowing nothing is worth.
    constant_error : float
        Standard error of the difference between ``score_with`` and that.

    Examples
    --------
    >>> from hilabel.semi_supervised import UnlabeledGain
    >>> gain = UnlabeledGain(0.9, 0.8, 0.02, score_constant=0.3, constant_error=0.02)
    >>> print(gain)
    unlabelled rows help: ...
    """

    score_with: float
    score_without: float
    error: float
    score_constant: float
    constant_error: float

    @property
    def gain(self) -> float:
        """How much better it is with them."""
        return self.score_with - self.score_without

    @property
    def learns(self) -> bool:
        """Whether the features say more than chance would about the labels."""
        return self.score_with - self.score_constant > 2 * self.constant_error

    @property
    def helps(self) -> bool:
        """Whether the blend uses unlabelled rows: also if they make no difference."""
        return self.gain >= 0 and self.learns

    def __str__(self) -> str:
        figures = (
            f"{self.score_with:.3f} with them, {self.score_without:.3f} without, "
            f"difference {self.gain:+.4f}, error {self.error:.4f}"
        )
        if not self.learns:
            return (
                "unlabelled rows are not used, since nothing that was learned is "
                f"clearly better than label frequencies, {self.score_constant:.3f}: "
                f"{figures}"
            )
        if not self.helps:
            return f"unlabelled rows do not help, and are not used: {figures}"
        if self.gain == 0:
            return f"unlabelled rows make no difference: {figures}"
        if self.gain > 2 * self.error:
            return f"unlabelled rows help: {figures}"
        return f"unlabelled rows seem to help, though it may be chance: {figures}"
