"""What is inside an estimator: classifiers, and what finds the neighbours of rows."""

from collections.abc import Iterator
from typing import Any


def inner_classifier(estimator: Any) -> Any:
    """Return the classifier that sees the columns of the table.

    Of a semi-supervised method it is the one trained in the end.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.semi_supervised import inner_classifier
    >>> inner_classifier(PriorClassifier())  # which is all there is
    PriorClassifier()
    """
    if hasattr(estimator, "views_"):  # its classifier sees those of views too
        return estimator
    return getattr(estimator, "estimator_", estimator)


def neighbor_finders(
    estimator: Any, name: str = "the method"
) -> Iterator[tuple[str, Any]]:
    """Yield names and parts of an estimator that find the neighbours of rows.

    Their method ``neighbors`` returns numbers and distances of training rows, the
    labelled ones counted first.

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
            yield f"views, {view.metric}", view
    for inner, member in getattr(estimator, "members_", {}).items():
        yield from neighbor_finders(member, inner)
