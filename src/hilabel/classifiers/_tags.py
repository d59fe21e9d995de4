"""Tags of a method: the problems that it handles and how it learns."""

from dataclasses import dataclass
from itertools import product
from typing import Literal

from hilabel.hierarchy import ProblemType

# The values of each part of a problem type, the simpler one first.
STRUCTURES = ("T", "DAG")
PATHS = ("SPL", "MPL")
DEPTHS = ("FD", "PD")


@dataclass(frozen=True)
class MethodTags:
    """The most general problem that a method handles, and how it learns.

    Every hierarchical classifier has a class attribute ``method_tags``. The checks in
    :mod:`hilabel.testing` use the tags to choose their data, and the table of methods
    in the documentation is generated from them.

    Parameters
    ----------
    structure : {"T", "DAG"}, default="DAG"
        ``"T"`` handles only trees, ``"DAG"`` also nodes with several parents.
    paths : {"SPL", "MPL"}, default="MPL"
        ``"SPL"`` handles one path of labels per row, ``"MPL"`` several.
    depth : {"FD", "PD"}, default="PD"
        ``"FD"`` handles paths that reach a leaf, ``"PD"`` also paths that end early and
        rows without any label.
    semi_supervised : bool, default=False
        Whether the method learns from unlabelled rows.
    inductive : bool, default=True
        Whether it can predict rows that were not passed to ``fit``.
    transductive : bool, default=False
        Whether ``fit`` labels unlabelled rows and stores the labels as
        ``transduction_``. A method is transductive exactly if it has this attribute,
        and most transductive methods are also inductive.
    separate_nodes : bool, default=False
        Whether every node labels unlabelled rows separately. Then ``transduction_``
        may contain labels without their ancestors, and a row may have labels for some
        nodes and be ``UNLABELED`` for others.
    name : str, optional
        The name of the method in the literature, if it differs from the class name.
    summary : str, optional
        How it works, in at most twenty characters to fit a table of 80 columns. By
        default, the first line of the docstring.
    use : str, optional
        When to use it, in one line.
    consistent : bool, default=True
        Whether no score exceeds a parent's and every predicted label comes with its
        ancestors.
    partial_labels : bool, default=False
        Whether single cells of ``y`` may be unknown (-1) in rows that have labels.
    caps : type, optional
        The method whose scores, capped by those of the ancestors, are the scores of
        this method with the same parameters. A study trains the two only once.
    extra : str, optional
        The extra of hilabel that it needs, such as ``"networks"``.
    links : bool, default=False
        Whether it can learn from links between rows.

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
    separate_nodes: bool = False
    name: str = ""
    summary: str = ""
    use: str = ""
    consistent: bool = True
    partial_labels: bool = False
    caps: type | None = None
    extra: str = ""
    links: bool = False

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
        """All problem types that the method handles, simplest first."""
        return tuple(
            ProblemType(*problem)
            for problem in product(STRUCTURES, PATHS, DEPTHS)
            if self.handles(*problem)
        )

    def handles(self, structure: str, paths: str, depth: str) -> bool:
        """Return whether the method handles problems of this type.

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
