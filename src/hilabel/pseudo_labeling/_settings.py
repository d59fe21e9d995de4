"""Combine a variant and a profile into the settings of the pseudo-labelling loop."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Final, Literal, Self, get_args

from hilabel._saved_types import Count, Number, saved_type

VARIANTS: Final[dict[str, dict[str, bool]]] = {
    "v1": {"exclude_self": False, "grows": False},
    "v2": {"exclude_self": True, "grows": False},
    "v3": {"exclude_self": True, "grows": True},
}
"""What distinguishes the paper's three variants."""
FLAGS: Final[dict[Any, tuple[bool | None, ...]]] = {
    bool: (True, False),
    bool | None: (True, False, None),
}


@saved_type
@dataclass(frozen=True, kw_only=True)
class Profile:
    """The choices on which the paper's text and its published scores disagree.

    ``Profile()`` and :meth:`paper` follow the text; :meth:`authors` follows the program
    that produced the scores. Both methods accept other choices as keyword arguments.

    Parameters
    ----------
    similarity_average : {"pairs", "members"}, default="pairs"
        Divide the summed distances between k neighbours by k(k-1)/2 (paper) or by k.
    similarity_set : {"neighbors", "contributors"}, default="neighbors"
        Compare with all neighbours (paper), or with those that have a proposed label.
    acceptance : {"at_least", "above"}, default="at_least"
        Whether a similarity equal to the threshold is sufficient (paper) or not.
    convergence : {"accepted", "proposed"}, default="accepted"
        Which labels must stay the same to stop: those that passed the similarity test
        (paper), or all labels that were voted for.
    stop_on_cycle : bool, default=False
        Also stop when the labels equal those of two passes ago. The paper does not.
    iteration_limit : {"beyond", "at"}, default="beyond"
        Stop in the pass after ``max_iter`` (paper) or in pass ``max_iter``.
    growth : {"after", "in"}, default="after"
        When V3 adds a neighbour: after each ``k_step`` passes (paper), so that pass
        11 is the first with one more, or in each ``k_step``-th pass, so that it is
        pass 10.
    negatives_order : {"siblings_first", "index", "authors", "random"}, \
default="siblings_first"
        For the classifier trained at the end, if it is the method's own: siblings, then
        uncles and so on (paper), or as in the program (authors); see
        :func:`~hilabel.classifiers.balanced_bottom_up`.
    single_path : bool, default=True
        For :class:`~hilabel.semi_supervised.SSHCBLI`: reduce proposals to one path.
    exclude_self : bool or None, default=None
        Exclude an accepted row from its own neighbours; None follows the variant.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import Profile
    >>> Profile.authors(stop_on_cycle=False).similarity_average
    'members'
    >>> Profile.of({"base": "authors", "stop_on_cycle": False}).stop_on_cycle
    False
    >>> Profile.paper() == Profile() == Profile.of("paper")
    True
    """

    similarity_average: Literal["pairs", "members"] = "pairs"
    similarity_set: Literal["neighbors", "contributors"] = "neighbors"
    acceptance: Literal["at_least", "above"] = "at_least"
    convergence: Literal["accepted", "proposed"] = "accepted"
    stop_on_cycle: bool = False
    iteration_limit: Literal["beyond", "at"] = "beyond"
    growth: Literal["after", "in"] = "after"
    negatives_order: Literal["siblings_first", "index", "authors", "random"] = (
        "siblings_first"
    )
    single_path: bool = True
    exclude_self: bool | None = None

    def __post_init__(self) -> None:
        for field in fields(Profile):
            known = FLAGS.get(field.type) or get_args(field.type)
            value = getattr(self, field.name)
            if value not in known:
                offered = ", ".join(map(repr, known))
                raise ValueError(
                    f"Expected {field.name} of a profile to be one of {offered}, got "
                    f"{value!r}."
                )

    @classmethod
    def paper(cls, **changes: Any) -> Self:
        """Return the profile matching the paper's text, with the given changes."""
        return cls(**changes)

    @classmethod
    def authors(cls, **changes: Any) -> Self:
        """Return the profile matching the published scores, with the given changes."""
        choices: dict[str, Any] = {
            "similarity_average": "members",
            "similarity_set": "contributors",
            "acceptance": "above",
            "convergence": "proposed",
            "stop_on_cycle": True,
            "iteration_limit": "at",
            "growth": "in",
            "negatives_order": "authors",
            "single_path": False,
        }
        return cls(**choices | changes)

    @classmethod
    def of(cls, value: "str | Mapping[str, Any] | Profile") -> "Profile":
        """Return the profile specified by a name, a mapping of changes or a profile.

        A mapping contains the choices that differ from those of its ``"base"``, which
        is ``"paper"`` by default.
        """
        if isinstance(value, Profile):
            return value
        changes = {"base": value} if isinstance(value, str) else dict(value)
        base = changes.pop("base", "paper")
        if base not in ("paper", "authors"):
            raise ValueError(f"Expected profile 'paper' or 'authors', got {base!r}.")
        known = [field.name for field in fields(Profile)]
        unknown = sorted(set(changes) - set(known))
        if unknown:
            raise ValueError(
                f"A profile has no {unknown[0]!r}; it has base, {', '.join(known)}."
            )
        return cls.paper(**changes) if base == "paper" else cls.authors(**changes)


@saved_type
@dataclass(frozen=True, kw_only=True)
class PseudoLabelSettings(Profile):
    """All settings of the pseudo-labelling loop.

    The settings include all attributes of a :class:`~hilabel.semi_supervised.Profile`,
    with ``exclude_self`` set according to the variant if the profile does not set it.

    Attributes
    ----------
    n_neighbors : int
    similarity_threshold, label_threshold : float
        The paper's THR and t2label.
    similarity_span : float
        The paper's n in SISI, whose value it does not state; 3 for the published
        scores.
    max_iter : int
    k_step : int or None
        Add a neighbour every ``k_step`` passes; None never does.

    Examples
    --------
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> model = SSHMCBLI(variant="v2").fit([[0.0], [1.0]], [[1], [0]])
    >>> model.settings_.exclude_self, model.settings_.n_neighbors
    (True, 3)
    """

    n_neighbors: Annotated[int, Count(1)]
    similarity_threshold: Annotated[float, Number(0, 1)]
    label_threshold: Annotated[float, Number(0, 1)]
    similarity_span: Annotated[float, Number(1)]
    max_iter: Annotated[int, Count(1)]
    k_step: Annotated[int, Count(1)] | None
    exclude_self: bool = False
    single_path: bool = False

    @property
    def max_passes(self) -> int:
        """The maximum number of passes."""
        return self.max_iter + (self.iteration_limit == "beyond")

    def neighbors_at(self, iteration: int) -> int:
        """Return the number of neighbours used in a pass; the first pass is 1."""
        if self.k_step is None:
            return self.n_neighbors
        if self.growth == "after":
            return self.n_neighbors + (iteration - 1) // self.k_step
        # The first pass never grows, even if every pass does.
        return self.n_neighbors + iteration // self.k_step - (self.k_step == 1)


def resolve_settings(
    *,
    variant: str,
    profile: str | Mapping[str, Any] | Profile,
    k_step: int,
    single_path: bool = False,
    **common: Any,
) -> PseudoLabelSettings:
    """Combine a variant and a profile into the settings of the loop.

    With ``single_path``, the profile determines whether proposals are reduced to one
    path.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import Profile, resolve_settings
    >>> settings = resolve_settings(
    ...     variant="v3", profile=Profile.authors(stop_on_cycle=False), k_step=10,
    ...     n_neighbors=3, similarity_threshold=0.5, label_threshold=0.5,
    ...     similarity_span=3.0, max_iter=50,
    ... )
    >>> settings.neighbors_at(9), settings.neighbors_at(10), settings.stop_on_cycle
    (3, 4, False)
    """
    chosen = asdict(Profile.of(profile))
    if chosen["exclude_self"] is None:
        chosen["exclude_self"] = VARIANTS[variant]["exclude_self"]
    chosen["single_path"] &= single_path
    grows = VARIANTS[variant]["grows"]
    return PseudoLabelSettings(k_step=k_step if grows else None, **chosen, **common)
