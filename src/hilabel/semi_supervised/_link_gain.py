"""The gain from links between rows."""

from dataclasses import dataclass

from hilabel._saved_types import saved_type


@saved_type
@dataclass(frozen=True)
class LinkGain:
    """The gain from links between rows, in out-of-fold micro average precision.

    Attributes
    ----------
    score_with, score_without : float
        Score of the best mean of all candidates, and of those that use no links.
    error : float
        Standard error of the difference, estimated by leaving out groups of rows.

    Examples
    --------
    >>> from hilabel.semi_supervised import LinkGain
    >>> print(LinkGain(0.8, 0.6, 0.01))
    links help: 0.800 with them, 0.600 without, difference +0.200, standard error 0.010
    """

    score_with: float
    score_without: float
    error: float

    @property
    def gain(self) -> float:
        """The score with links minus the score without them."""
        return self.score_with - self.score_without

    def __str__(self) -> str:
        figures = (
            f"{self.score_with:.3f} with them, {self.score_without:.3f} without, "
            f"difference {self.gain:+.3f}, standard error {self.error:.3f}"
        )
        if self.gain > 2 * self.error:
            return f"links help: {figures}"
        return f"links hardly help: {figures}"
