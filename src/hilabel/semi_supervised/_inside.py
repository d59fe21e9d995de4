"""The parts of a fitted estimator: its classifier, and those that find neighbours."""

from collections.abc import Iterator
from typing import Any


def inner_classifier(estimator: Any) -> Any:
    """Return the part of an estimator that is trained on the columns of ``X``.

    For a semi-supervised method, this is the final classifier.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.semi_supervised import inner_classifier
    >>> inner_classifier(PriorClassifier())  # has no inner classifier
    PriorClassifier()
    """
    if hasattr(estimator, "views_"):  # its classifier also uses their columns
        return estimator
    return getattr(estimator, "estimator_", estimator)


def neighbor_finders(
    estimator: Any, name: str = "the method"
) -> Iterator[tuple[str, Any]]:
    """Yield the name and object of each part of an estimator that finds neighbours.

    The method ``neighbors`` of each part returns the numbers and distances of the
    nearest training rows. Labelled rows are numbered before unlabelled rows.

    Examples
    --------
    >>> from hilabel.classifiers import NeighborsClassifier
    >>> from hilabel.semi_supervised import neighbor_finders
    >>> [name for name, _ in neighbor_finders(NeighborsClassifier())]
    ['the method']
    """
    if hasattr(estimator, "neighbors"):
        yield name, estimator
    for view in getattr(estimator, "views_", ()):
        if hasattr(view, "neighbors"):
            # Sparse rows are compared by their angle.
            yield f"views, {getattr(view, 'metric', 'angle')}", view
    for inner, member in getattr(estimator, "members_", {}).items():
        yield from neighbor_finders(member, inner)
