"""The single models that candidates of a blend are made of."""

from typing import Any, Final

from hilabel.classifiers import LinearClassifier, PredictiveClusteringForest

USUAL_COST: Final = 50.0
"""The C of conditional linear models of words, whose rows are scaled to length 1."""

# Columns per split of extra-trees: all, up to this number. More are slow and help
# little.
_MOST_COLUMNS: Final = 100


def forest(**parameters: Any) -> PredictiveClusteringForest:
    """Return a forest that is scored on the same folds as all other models."""
    return PredictiveClusteringForest(oob_score=False, **parameters)


def extra_trees(max_features: str | int) -> PredictiveClusteringForest:
    """Return trees with leaves of one row, which are best for classes with few rows."""
    return forest(
        splitter="random",
        min_samples_leaf=1,
        bootstrap=False,
        max_features=max_features,
    )


def most_columns(n_columns: int) -> int:
    """Return the number of columns per split of extra-trees."""
    return min(n_columns, _MOST_COLUMNS)


def conditional(C: float) -> LinearClassifier:
    """Return a logistic regression of each node on the rows that have its parents."""
    return LinearClassifier(C=C, scale="rows")


def mined(C: float) -> LinearClassifier:
    """Return a linear model of each node that also learns from hard negatives."""
    return LinearClassifier(loss="squared_hinge", negatives="mined", C=C, scale="rows")
