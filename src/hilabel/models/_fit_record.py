"""How a model was made: its method, its files and what was found while training."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Self

from hilabel._saved_types import Count, saved_type
from hilabel.semi_supervised import PseudoLabelingSummary

# Number of unmatched identifiers that are kept; a whole proteome is too many.
_NAMES_KEPT = 20


@saved_type
@dataclass(frozen=True, kw_only=True)
class FitRecord:
    """How a model was made, as plain values.

    Attributes
    ----------
    method : str
        The class of the estimator.
    settings : dict
        The parameters that were chosen; all others are the method's defaults.
    parameters : dict
        All parameters of the method.
    seed : int
    preset : str or None
    files : dict of str
        The names of the files, by their role.
    problem_type : str
    matching : dict
        How rows, annotations and terms were matched: counts, and the first names.
    tuning : dict or None
        The grid points that were tried, and their scores.
    pseudo_labeling : dict or None
        See :class:`~hilabel.semi_supervised.PseudoLabelingSummary`.
    statements : tuple of str
        The choices and their reasons, to be shown.
    """

    method: str
    settings: dict[str, Any]
    parameters: dict[str, Any]
    seed: Annotated[int, Count(0, 2**32 - 1)]
    preset: str | None
    files: dict[str, str]
    problem_type: str
    matching: dict[str, Any]
    tuning: dict[str, Any] | None
    pseudo_labeling: dict[str, Any] | None
    statements: tuple[str, ...]

    @classmethod
    def of_estimator(cls, estimator: Any, n_rows: int, n_labeled: int) -> Self:
        """Return what is known about an estimator that was fitted in Python."""
        n_nodes = estimator.hierarchy_.n_nodes
        return cls(
            method=type(estimator).__name__,
            settings={},
            parameters=plain_parameters(estimator),
            seed=0,
            preset=None,
            files={},
            problem_type="",
            matching={
                "n_rows": n_rows,
                "n_labeled": n_labeled,
                "n_nodes_kept": n_nodes,
            },
            tuning=None,
            pseudo_labeling=None,
            statements=(),
        )

    def is_sound(self) -> bool:
        """Return whether the values are plain, and those that are read are there."""
        return (
            _is_plain(asdict(self))
            and self.matching.keys() >= {"n_rows", "n_labeled", "n_nodes_kept"}
            and is_pseudo_labeling(self.pseudo_labeling)
        )

    @property
    def pseudo_labels(self) -> PseudoLabelingSummary | None:
        """What the method did with the unlabelled rows, if it pseudo-labels rows."""
        values = self.pseudo_labeling
        return None if values is None else PseudoLabelingSummary.from_plain(values)


def plain_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as plain values."""
    parameters = estimator.get_params(deep=False)
    parameters.pop("hierarchy", None)
    simple = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, simple) else repr(value)
        for name, value in parameters.items()
        if not hasattr(value, "dtype")
    }


def plain_matching(report: Any) -> dict[str, Any]:
    """Return a match report as plain values, with the first names of each list."""
    return {
        name: {"count": len(value), "first": list(value[:_NAMES_KEPT])}
        if isinstance(value, tuple)
        else value
        for name, value in asdict(report).items()
    }


def is_pseudo_labeling(values: dict[str, Any] | None) -> bool:
    """Return whether values are those of a summary of pseudo-labelling, or None."""
    if values is not None:
        try:
            PseudoLabelingSummary.from_plain(values)
        except ValueError:
            return False
    return True


def _is_plain(value: Any) -> bool:
    """Return whether a value consists only of JSON types."""
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and _is_plain(
            [*value.values()]
        )
    if isinstance(value, list | tuple):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, str | bool | int | float)
