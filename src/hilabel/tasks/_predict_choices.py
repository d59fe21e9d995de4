"""Which predictions to return, and in which format."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal

from hilabel.exceptions import ParameterError


@dataclass(frozen=True)
class PredictChoices:
    """Which predictions to return, and in which format.

    Attributes
    ----------
    form : {"long", "wide", "cafa"}
        One row per id and term; one row per id and one column per term; or the three
        columns of CAFA, without a header.
    top : int or None
        At most this many terms per id, the most probable ones. With ``terms``, the
        number of ids per term.
    branches : int or None
        The most probable terms of an id, until this many of them are most specific;
        terms with a selected descendant are not counted.
    threshold : float, "model" or None
        Only terms with at least this probability; ``"model"`` shows the terms that the
        model decides on, by the rule chosen in training. None shows probabilities from
        0.01, and all in the wide format.
    most_specific : bool
        Only selected terms without a selected descendant.
    roots : bool
        Whether to also show roots that nearly all rows have, and so say nothing.
    new_only : bool
        Only terms that the id did not have in training, annotated or implied.
    reliable_only : bool
        Only terms that were predicted better than by chance in training.
    terms : sequence of str
        Only these terms, each with the ids most likely to have it.
    out_of_fold : bool
        Whether labelled training rows are scored by models that were trained without
        their labels; otherwise, the model, which knows their labels, scores them.

    Examples
    --------
    >>> from hilabel.tasks import PredictChoices
    >>> PredictChoices(top=3).threshold is None
    True
    """

    form: Literal["long", "wide", "cafa"] = "long"
    top: int | None = None
    branches: int | None = None
    threshold: float | Literal["model"] | None = None
    most_specific: bool = False
    roots: bool = False
    new_only: bool = False
    reliable_only: bool = False
    terms: Sequence[str] = ()
    out_of_fold: bool = True

    def check(self) -> None:
        """Raise an error if choices contradict each other."""
        if self.form not in ("long", "wide", "cafa"):
            raise ParameterError(
                f"Expected the format 'long', 'wide' or 'cafa', got {self.form!r}.",
                parameter="form",
            )
        is_number = isinstance(self.threshold, Real) and 0 <= self.threshold <= 1
        if not (is_number or self.threshold in (None, "model")):
            raise ParameterError(
                "Expected a threshold from 0 to 1, 'model' or None, got "
                f"{self.threshold!r}.",
                parameter="threshold",
            )
        for name in ("top", "branches"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise ParameterError(
                    f"Expected at least 1 term, got {number}.", parameter=name
                )
        if self.terms and self.branches is not None:
            raise ParameterError(
                "Branches are those of an id, so they cannot be combined with terms; "
                "choose the number of ids per term with top.",
                parameter=("branches", "terms"),
            )
        if self.terms and self.reliable_only:
            raise ParameterError(
                "Named terms are shown even if unreliable; remove one of the two.",
                parameter=("terms", "reliable_only"),
            )
        if self.terms and (self.form == "wide" or self.most_specific):
            raise ParameterError(
                "The ids of given terms are written one per line; this cannot be "
                "combined with the wide format or the most specific terms.",
                parameter=("form",) if self.form == "wide" else ("most_specific",),
            )
