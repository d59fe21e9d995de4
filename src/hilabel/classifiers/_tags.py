"""What a method says about itself: the problems it handles and how it learns."""

from dataclasses import dataclass
from itertools import product
from typing import Literal

from hilabel.hierarchy import ProblemType

# The values of each part of a problem type, the easier one first.
STRUCTURES = ("T", "DAG")
PATHS = ("SPL", "MPL")
DEPTHS = ("FD", "PD")


@dataclass(frozen=True)
class MethodTags:
    """The hardest problem a method handles, and how it learns.

    A class attribute ``method_tags`` of every hierarchical classifier. The check suite
    of :mod:`hilabel.testing` chooses its data by it, and the table of methods in the
    documentation is made from it.

    Parameters
    ----------
    structure : {"T", "DAG"}, default="DAG"
        ``"T"`` handles trees alone, ``"DAG"`` also nodes with several parents.
    paths : {"SPL", "MPL"}, default="MPL"
        ``"SPL"`` handles one path of labels per row, ``"MPL"`` several.
    depth : {"FD", "PD"}, default="PD"
        ``"FD"`` handles paths that reach a leaf, ``"PD"`` also those that end early
        and rows without any label.
    semi_supervised : bool, default=False
        Whether unlabelled rows change what is learned.
    inductive : bool, default=True
        Whether rows that were not there in ``fit`` can be predicted.
    transductive : bool, default=False
        Whether ``fit`` labels unlabelled rows and keeps them as ``transduction_``.
    name : str, optional
        What the method is called in the literature, if not as its class.
    summary : str, optional
        How it works, in at most twenty characters: what a table on a screen of 80 has
        left. Without it the first line of the docstring stands there.
    use : str, optional
        When to use it, in one line.
    consistent : bool, default=True
        Whether no score exceeds a parent's and every predicted label comes with its
        ancestors.
    partial_labels : bool, default=False
        Whether single cells of ``y`` may be unknown (-1) in rows that have labels.
    scores_left_out : bool, default=False
        Whether training leaves scores of the labelled rows by models that have not
        seen them: ``oof_decision_``, in the order of ``oof_rows_``.
    caps : type, optional
        The method whose scores, each lowered to the least among the node and its
        ancestors, are those of this one, given the same parameters. A study trains
        the two once.
    extra : str, optional
        The extra of hilabel that it needs, such as ``"networks"``.

    Examples
    --------
    >>> from hilabel.classifiers import MethodTags
    >>> tags = MethodTags(structure="T", paths="SPL")
    >>> tags.handles("T", "SPL", "FD"), tags.handles("DAG", "SPL", "FD")
    (True, False)
    >>> [str(problem) for problem in tags.problem_types]
    ['(T, SPL, FD)', '(T, SPL, PD)']
    """

    structure: Literal["T", "DAG"] = "DAG"
    paths: Literal["SPL", "MPL"] = "MPL"
    depth: Literal["FD", "PD"] = "PD"
    semi_supervised: bool = False
    inductive: bool = True
    transductive: bool = False
    name: str = ""
    summary: str = ""
    use: str = ""
    consistent: bool = True
    partial_labels: bool = False
    scores_left_out: bool = False
    caps: type | None = None
    extra: str = ""

    def __post_init__(self) -> None:
        for value, known in (
            (self.structure, STRUCTURES),
            (self.paths, PATHS),
            (self.depth, DEPTHS),
        ):
            if value not in known:
                raise ValueError(
                    f"Expected {known[0]!r} or {known[1]!r}, got {value!r}."
                )

    @property
    def problem_types(self) -> tuple[ProblemType, ...]:
        """All problem types that the method handles, the easiest first."""
        return tuple(
            ProblemType(*problem)
            for problem in product(STRUCTURES, PATHS, DEPTHS)
            if self.handles(*problem)
        )

    def handles(self, structure: str, paths: str, depth: str) -> bool:
        """Say whether problems of this type can be learned.

        Parameters
        ----------
        structure : {"T", "DAG"}
        paths : {"SPL", "MPL"}
        depth : {"FD", "PD"}
        """
        return (
            STRUCTURES.index(structure) <= STRUCTURES.index(self.structure)
            and PATHS.index(paths) <= PATHS.index(self.paths)
            and DEPTHS.index(depth) <= DEPTHS.index(self.depth)
        )
