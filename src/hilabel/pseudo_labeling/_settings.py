"""A variant and a profile become one small object that the loop obeys."""

from dataclasses import dataclass
from typing import Any, Literal

from hilabel._saved_types import saved_type

__all__ = ["PROFILES", "VARIANTS", "PseudoLabelSettings", "resolve_settings"]

VARIANTS: dict[str, dict[str, Any]] = {
    "v1": {"exclude_self": False, "grows": False},
    "v2": {"exclude_self": True, "grows": False},
    "v3": {"exclude_self": True, "grows": True},
}
"""What distinguishes the paper's three variants."""

PROFILES: dict[str, dict[str, Any]] = {
    "paper": {
        "similarity_average": "pairs",
        "similarity_set": "neighbors",
        "acceptance": "at_least",
        "convergence": "accepted",
        "stop_on_cycle": False,
        "iteration_limit": "beyond",
    },
    "authors": {
        "similarity_average": "members",
        "similarity_set": "contributors",
        "acceptance": "above",
        "convergence": "proposed",
        "stop_on_cycle": True,
        "iteration_limit": "at",
    },
}
"""Where the paper's text and its published figures part ways."""


@saved_type
@dataclass(frozen=True)
class PseudoLabelSettings:
    """Everything that the pseudo-labelling loop needs to know.

    Attributes
    ----------
    n_neighbors : int
    similarity_threshold, label_threshold : float
        The paper's THR and t2label.
    similarity_span : float
        The paper's n in SISI, for which it gives no value; 3 in the published figures.
    max_iter : int
    k_step : int or None
        Add a neighbour in every ``k_step``-th pass; None never does.
    exclude_self : bool
        Bar an accepted row from being its own neighbour.
    similarity_average : {"pairs", "members"}
        What the summed distances between neighbours are divided by.
    similarity_set : {"neighbors", "contributors"}
        Compare with all neighbours, or only with those that share a proposed label.
    acceptance : {"at_least", "above"}
        Whether a similarity equal to the threshold is enough.
    convergence : {"accepted", "proposed"}
        Which labels must stay the same to stop: those that passed the similarity
        test, or all that were voted for.
    stop_on_cycle : bool
        Also stop when the labels equal those of two passes ago.
    iteration_limit : {"beyond", "at"}
        Whether pass ``max_iter`` may still be followed by one that only checks.
    single_path : bool
        Cut proposals to one path, for problems in which rows have one.
    """

    n_neighbors: int
    similarity_threshold: float
    label_threshold: float
    similarity_span: float
    max_iter: int
    k_step: int | None
    exclude_self: bool
    similarity_average: Literal["pairs", "members"]
    similarity_set: Literal["neighbors", "contributors"]
    acceptance: Literal["at_least", "above"]
    convergence: Literal["accepted", "proposed"]
    stop_on_cycle: bool
    iteration_limit: Literal["beyond", "at"]
    single_path: bool = False

    @property
    def max_passes(self) -> int:
        """The most passes that the loop makes."""
        return self.max_iter + (self.iteration_limit == "beyond")

    def neighbors_at(self, iteration: int) -> int:
        """Return the number of neighbours in a pass; passes count from 1."""
        if self.k_step is None:
            return self.n_neighbors
        # The first pass never grows, also when every pass would.
        return self.n_neighbors + iteration // self.k_step - (self.k_step == 1)


def resolve_settings(
    *,
    variant: str,
    profile: str,
    k_step: int,
    overrides: dict[str, Any],
    **common: Any,
) -> PseudoLabelSettings:
    """Combine variant, profile and explicit choices; an override of None is none.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import resolve_settings
    >>> settings = resolve_settings(
    ...     variant="v3", profile="authors", k_step=10, n_neighbors=3,
    ...     similarity_threshold=0.5, label_threshold=0.5, similarity_span=3.0,
    ...     max_iter=50, overrides={"stop_on_cycle": False},
    ... )
    >>> settings.neighbors_at(9), settings.neighbors_at(10), settings.stop_on_cycle
    (3, 4, False)
    """
    chosen = {**VARIANTS[variant], **PROFILES[profile]}
    chosen.update({key: value for key, value in overrides.items() if value is not None})
    grows = chosen.pop("grows")
    return PseudoLabelSettings(k_step=k_step if grows else None, **chosen, **common)
