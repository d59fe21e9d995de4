"""The gain from unlabelled rows."""

from dataclasses import dataclass

from hilabel._saved_types import saved_type


@saved_type
@dataclass(frozen=True)
class UnlabeledGain:
    """The gain from unlabelled rows, in out-of-fold micro average precision.

    Uninformative roots are left out. For each fold, the weights of the models in the
    mean were chosen on the other folds, so neither score is biased by this choice. With
    fewer than 50 labelled rows, the single best candidate was chosen instead of a mean.

    Attributes
    ----------
    score_with, score_without : float
        Score of the best mean with methods that use unlabelled rows, and without them.
    error : float
        Standard error of the difference, estimated by leaving out groups of rows.
    score_by_chance : float
        Score of label frequencies if rows with equal frequencies are in random order,
        which is what a method that learned nothing scores. It is somewhat higher than
        the score of the constant predictor, where such rows are tied.
    chance_error : float
        Standard error of the difference between ``score_with`` and
        ``score_by_chance``.
    gain_of_columns : float or None
        If there are links between rows, the part of the gain that methods without links
        have; the rest comes over links.

    Examples
    --------
    >>> from hilabel.semi_supervised import UnlabeledGain
    >>> gain = UnlabeledGain(0.9, 0.8, 0.02, score_by_chance=0.3, chance_error=0.02)
    >>> print(gain)
    unlabelled rows help: ...
    """

    score_with: float
    score_without: float
    error: float
    score_by_chance: float
    chance_error: float
    gain_of_columns: float | None = None

    @property
    def gain(self) -> float:
        """The score with unlabelled rows minus the score without them."""
        return self.score_with - self.score_without

    @property
    def learns(self) -> bool:
        """Whether the blend scores clearly higher than by chance."""
        return self.score_with - self.score_by_chance > 2 * self.chance_error

    @property
    def helps(self) -> bool:
        """Whether unlabelled rows are used, which requires a gain of at least 0."""
        return self.gain >= 0 and self.learns

    def __str__(self) -> str:
        figures = (
            f"{self.score_with:.3f} with them, {self.score_without:.3f} without, "
            f"difference {self.gain:+.3f}, standard error {self.error:.3f}"
        )
        if self.gain_of_columns is not None:
            figures += f"; {self.gain_of_columns:+.3f} without links"
        if not self.learns:
            return (
                "unlabelled rows are not used, since nothing that was learned is "
                "clearly better than label frequencies in random order, "
                f"{self.score_by_chance:.3f}: {figures}"
            )
        if not self.helps:
            return f"unlabelled rows do not help, and are not used: {figures}"
        if self.gain == 0:
            return f"unlabelled rows make no difference: {figures}"
        if self.gain > 2 * self.error:
            return f"unlabelled rows help: {figures}"
        return f"unlabelled rows seem to help, though it may be chance: {figures}"
