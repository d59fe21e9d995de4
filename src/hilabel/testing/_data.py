"""Small problems of every type, for testing hierarchical classifiers."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.hierarchy import Hierarchy, ProblemType

N_FEATURES: Final = 4
# Rows with the same labels form a cluster; nodes are about 1 apart in each feature.
SPREAD: Final = 0.3
# Number of label sets with two paths. With more, each would have few rows.
MOST_DOUBLE_SETS: Final = 4

TREE_EDGES: Final = (
    ("a", "a1"),
    ("a", "a2"),
    ("a1", "a11"),
    ("a1", "a12"),
    ("b", "b1"),
    ("b", "b2"),
)
# A diamond below "a" and a node below two roots.
EXTRA_DAG_EDGES: Final = (("a2", "a12"), ("a2", "shared"), ("b", "shared"))

HierarchyKind = Literal["tree", "dag", "forest", "isolated", "one_node"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Labelled, unlabelled and new rows, and the hierarchy of their labels.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    Y : int8 array of shape (n_samples, n_nodes)
        Closed over ancestors.
    X_unlabeled : ndarray of shape (n_unlabeled, n_features)
    X_test : ndarray of shape (n_test, n_features)
    hierarchy : Hierarchy

    Examples
    --------
    >>> from hilabel.testing import make_problem
    >>> problem = make_problem()
    >>> problem.X.shape[1] == problem.X_unlabeled.shape[1] == problem.X_test.shape[1]
    True
    """

    X: FloatArray
    Y: LabelArray
    X_unlabeled: FloatArray
    X_test: FloatArray
    hierarchy: Hierarchy

    @property
    def problem_type(self) -> ProblemType:
        """The structure, paths and depth of the labels."""
        return self.hierarchy.problem_type(self.Y)

    @property
    def n_samples(self) -> int:
        """Number of labelled rows."""
        return self.X.shape[0]

    def mixed(self) -> tuple[FloatArray, LabelArray]:
        """Return ``X`` and ``Y`` for all training rows, mixing in the unlabelled rows.

        Labelled rows keep their order, and so do unlabelled rows. In ``Y``, unlabelled
        rows are filled with ``UNLABELED``.
        """
        n_unlabeled = self.X_unlabeled.shape[0]
        # Relative positions of both kinds of rows.
        place = np.concatenate([_even(self.n_samples), _even(n_unlabeled)])
        order = np.argsort(place, kind="stable")
        hidden = np.full((n_unlabeled, self.Y.shape[1]), UNLABELED, dtype=np.int8)
        X = np.concatenate([self.X, self.X_unlabeled])
        return X[order], np.concatenate([self.Y, hidden])[order]

    def __str__(self) -> str:
        return f"{self.problem_type} of {self.hierarchy!r}"


def make_small_hierarchy(kind: HierarchyKind) -> Hierarchy:
    """Create a fixed hierarchy of the given kind.

    Parameters
    ----------
    kind : {"tree", "dag", "forest", "isolated", "one_node"}
        Eight nodes under two roots; the same with a diamond and a node below both
        roots; three small trees; isolated nodes and a small tree; a single node.

    Examples
    --------
    >>> from hilabel.testing import make_small_hierarchy
    >>> make_small_hierarchy("dag")
    Hierarchy(9 nodes, 9 edges, 2 roots, depth 3, DAG)
    >>> make_small_hierarchy("one_node")
    Hierarchy(1 node, 0 edges, 1 root, depth 1, tree)
    """
    if kind == "tree":
        return Hierarchy.from_edges(TREE_EDGES)
    if kind == "dag":
        return Hierarchy.from_edges([*TREE_EDGES, *EXTRA_DAG_EDGES])
    if kind == "forest":
        # Children before parents, since nothing may rely on the order of columns.
        return Hierarchy.from_edges(
            [("a", "a1"), ("a", "a2"), ("b", "b1"), ("c", "c1")],
            nodes=["a1", "b1", "a", "c", "a2", "c1", "b"],
        )
    if kind == "isolated":
        return Hierarchy.from_dict({"lone": [], "a": ["a1", "a2"], "single": []})
    if kind == "one_node":
        return Hierarchy(["only"])
    raise ValueError(
        f"Expected 'tree', 'dag', 'forest', 'isolated' or 'one_node', got {kind!r}."
    )


def make_problem(
    structure: str = "DAG",
    paths: str = "MPL",
    depth: str = "PD",
    *,
    n_samples: int = 60,
    n_unlabeled: int = 30,
    n_test: int = 20,
    hierarchy: Hierarchy | None = None,
    non_negative: bool = False,
    random_state: Any = 0,
) -> Problem:
    """Generate a small problem of a given type.

    Rows with the same labels form a cluster, and clusters that share labels are close
    to each other. All distances between rows differ. If the problem type allows it,
    every node is a label of some rows.

    Parameters
    ----------
    structure : {"T", "DAG"}
    paths : {"SPL", "MPL"}
    depth : {"FD", "PD"}
        The type of the labels; see :class:`~hilabel.hierarchy.ProblemType`.
    n_samples, n_unlabeled, n_test : int
        Number of labelled rows, unlabelled rows and rows to predict.
    hierarchy : Hierarchy, optional
        The hierarchy; by default, one from :func:`make_small_hierarchy`.
    non_negative : bool, default=False
        Whether to shift each feature so that no value is below 0.
    random_state : int, Generator or None, default=0
        Random seed.

    Raises
    ------
    ValueError
        If the hierarchy has no labels of this type, or there are too few rows.

    Examples
    --------
    >>> from hilabel.testing import make_problem
    >>> problem = make_problem("T", "SPL", "FD", n_samples=12, n_unlabeled=3)
    >>> problem.problem_type
    ProblemType(structure='T', paths='SPL', depth='FD')
    >>> problem.X.shape, problem.Y.shape, problem.X_unlabeled.shape
    ((12, 4), (12, 8), (3, 4))
    """
    wanted = ProblemType(structure, paths, depth)
    if hierarchy is None:
        hierarchy = make_small_hierarchy("tree" if structure == "T" else "dag")
    rng = np.random.default_rng(random_state)
    label_sets = _label_sets(hierarchy, wanted)
    # The sets that define the type come first, so that few rows are sufficient.
    numbers = rng.permutation(np.arange(n_samples) % len(label_sets))
    Y = label_sets[numbers]
    if n_samples < 1 or hierarchy.problem_type(Y) != wanted:
        raise ValueError(
            f"Expected a hierarchy and enough rows for a problem of type {wanted}, got "
            f"{hierarchy!r} and n_samples={n_samples}."
        )
    offsets = rng.normal(size=(hierarchy.n_nodes, N_FEATURES))

    def rows(labels: BoolArray) -> FloatArray:
        noise = rng.normal(scale=SPREAD, size=(labels.shape[0], N_FEATURES))
        return labels @ offsets + noise

    X = rows(Y)
    X_unlabeled = rows(label_sets[rng.integers(len(label_sets), size=n_unlabeled)])
    X_test = rows(label_sets[rng.integers(len(label_sets), size=n_test)])
    if non_negative:
        lowest = np.concatenate([X, X_unlabeled, X_test]).min(axis=0)
        X, X_unlabeled, X_test = X - lowest, X_unlabeled - lowest, X_test - lowest
    return Problem(X, Y.astype(np.int8), X_unlabeled, X_test, hierarchy)


def _label_sets(hierarchy: Hierarchy, wanted: ProblemType) -> BoolArray:
    """Return closed label sets of a problem type, with the most general sets first."""
    singles = list(_closed_sets(hierarchy, combinations(range(hierarchy.n_nodes), 1)))
    doubles = list(_closed_sets(hierarchy, combinations(range(hierarchy.n_nodes), 2)))
    allowed = [labels for labels in singles if _fits(hierarchy, labels, wanted)]
    if wanted.paths == "MPL":
        several = [
            labels
            for labels in doubles
            if _type_of(hierarchy, labels).paths == "MPL"
            and _fits(hierarchy, labels, wanted)
        ]
        step = max(1, len(several) // MOST_DOUBLE_SETS)
        allowed += several[::step][:MOST_DOUBLE_SETS]
    if wanted.depth == "PD" and all(
        _type_of(hierarchy, labels).depth == "FD" for labels in allowed
    ):
        # Without inner nodes, only a row without labels has partial depth.
        allowed.append(np.zeros(hierarchy.n_nodes, dtype=bool))
    if not allowed:
        raise ValueError(f"{hierarchy!r} has no labels of type {wanted}.")
    hardness = [
        (kind.paths == "MPL") + (kind.depth == "PD")
        for kind in (_type_of(hierarchy, labels) for labels in allowed)
    ]
    order = np.argsort(-np.array(hardness), kind="stable")
    return np.array(allowed)[order]


def _closed_sets(
    hierarchy: Hierarchy, nodes: Iterable[tuple[int, ...]]
) -> Iterable[BoolArray]:
    for chosen in nodes:
        labels = np.zeros((1, hierarchy.n_nodes), dtype=bool)
        labels[0, list(chosen)] = True
        yield hierarchy.close(labels)[0]


def _type_of(hierarchy: Hierarchy, labels: BoolArray) -> ProblemType:
    return hierarchy.problem_type(labels[None, :])


def _fits(hierarchy: Hierarchy, labels: BoolArray, wanted: ProblemType) -> bool:
    kind = _type_of(hierarchy, labels)
    return kind.paths in (wanted.paths, "SPL") and kind.depth in (wanted.depth, "FD")


def _even(n_rows: int) -> FloatArray:
    return (np.arange(n_rows) + 0.5) / max(n_rows, 1)
