"""The base classifiers of the command line, by name."""

from collections.abc import Callable
from typing import Any, Final

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from hilabel._suggestions import closest, did_you_mean
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    DelegatesToFitted,
    HierarchicalNetwork,
)
from hilabel.exceptions import ParameterError
from hilabel.forests import ForestClassifier
from hilabel.semi_supervised import SelfTraining

BASES: Final[dict[str, Callable[[], Any]]] = {
    "forest": ForestClassifier,
    "extra-trees": lambda: ForestClassifier(splitter="random", bootstrap=False),
    "sklearn-forest": RandomForestClassifier,
    "tree": DecisionTreeClassifier,
    "logistic": lambda: LogisticRegression(max_iter=1000),
    # Without a search tree, which cannot be saved in a model file.
    "knn": lambda: KNeighborsClassifier(algorithm="brute"),
    "naive-bayes": GaussianNB,
    # Predicts all terms, so it is for methods that train any hierarchical classifier.
    "network": HierarchicalNetwork,
}
"""The base classifiers of the command line, by name."""

SCALED_BASES: Final = frozenset({"logistic", "knn"})
"""The base classifiers that need scaled features."""


def make_base(name: str, method: type[BaseHierarchicalClassifier]) -> Any:
    """Create the base classifier of a method that has the given name in ``BASES``."""
    if name not in BASES:
        raise ParameterError(
            f"Unknown base {name!r}; expected one of {', '.join(BASES)}."
            f"{did_you_mean(closest(name, list(BASES)))}",
            parameter="base",
        )
    base = BASES[name]()
    if isinstance(base, BaseHierarchicalClassifier) and not _trains_any(method):
        raise ParameterError(
            f"The base {name!r} predicts all terms together, but {method.__name__} "
            "trains a classifier for each term; use SSHMCBLI or BatchSelfTraining, or "
            f"{type(base).__name__} as the method, without a base.",
            parameter=("base", "method"),
        )
    return base


def _trains_any(method: type[BaseHierarchicalClassifier]) -> bool:
    """Return whether the base of a method may be a hierarchical classifier."""
    return issubclass(method, DelegatesToFitted) and not issubclass(
        method, SelfTraining
    )
