"""The predicted costs of training, of scoring and of judging."""

from collections.abc import Sequence
from typing import Any, Final

from joblib import effective_n_jobs

from hilabel.costs._coefficients import seconds_of
from hilabel.costs._cost import Cost
from hilabel.costs._jobs import scoring_job, training_job
from hilabel.costs._machine import machine_factor
from hilabel.costs._shape import DataShape
from hilabel.costs._views import are_known, bytes_of_rows, describe, widened
from hilabel.costs._work import Job, Work

_LEAST_SECONDS: Final = 8.0
_SECONDS_PER_LABEL: Final = 1e-3
_MOST_SECONDS: Final = 300.0


def training_cost(estimator: Any, shape: DataShape) -> Cost | None:
    """Predict the cost of one training on all rows of a shape.

    The time is usually right within a factor of three. Networks are assumed to be
    trained on CPUs.

    Parameters
    ----------
    estimator : hierarchical classifier
        Need not be fitted.
    shape : DataShape

    Returns
    -------
    Cost or None
        None if nothing is known about estimators of this kind.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.costs import DataShape, training_cost
    >>> shape = DataShape(2_000, 0, 80, 80.0, 160, 12.5, False)
    >>> one = training_cost(PredictiveClusteringForest(n_estimators=100), shape)
    >>> ten = training_cost(PredictiveClusteringForest(n_estimators=1_000), shape)
    >>> one.seconds < ten.seconds
    True
    """
    return _as_cost(training_job(estimator, shape))


def scoring_cost(estimator: Any, shape: DataShape, n_rows: int) -> Cost | None:
    """Predict the cost of scoring rows with an estimator.

    Parameters
    ----------
    estimator : hierarchical classifier
        Need not be fitted.
    shape : DataShape
        Of the training data.
    n_rows : int
        Number of rows to score.

    Returns
    -------
    Cost or None
        None if nothing is known about estimators of this kind.

    Examples
    --------
    >>> from hilabel.classifiers import NeighborsClassifier
    >>> from hilabel.costs import DataShape, scoring_cost
    >>> shape = DataShape(2_000, 0, 80, 80.0, 160, 12.5, False)
    >>> scoring_cost(NeighborsClassifier(), shape, n_rows=1_000).seconds < 60
    True
    """
    return _as_cost(scoring_job(estimator, shape, n_rows))


def views_cost(
    views: Sequence[Any], shape: DataShape, n_jobs: int | None
) -> Cost | None:
    """Predict the cost of fitting views on all rows, labelled or not.

    Parameters
    ----------
    views : sequence of transformers
        Not fitted.
    shape : DataShape
        Of the rows without the columns of the views.
    n_jobs : int or None

    Returns
    -------
    Cost or None
        None if nothing is known about views of this kind.

    Examples
    --------
    >>> from hilabel.costs import DataShape, views_cost
    >>> from hilabel.views import default_views
    >>> shape = DataShape(2_000, 0, 80, 80.0, 160, 12.5, False)
    >>> views_cost(default_views(is_sparse=False), shape, 1).seconds < 60
    True
    """
    if not are_known(views):
        return None
    n_rows, n_threads = shape.n_all_rows, effective_n_jobs(n_jobs)
    seen = describe(views, shape, n_rows, n_threads, is_new=False)
    return _as_cost(seen.needing(bytes_of_rows(widened(shape, views), n_rows)))


def widened_shape(views: Sequence[Any], shape: DataShape) -> DataShape:
    """Return the shape of rows with the columns of views.

    Examples
    --------
    >>> from hilabel.costs import DataShape, widened_shape
    >>> from hilabel.views import default_views
    >>> shape = DataShape(2_000, 0, 80, 80.0, 160, 12.5, False)
    >>> widened_shape(default_views(is_sparse=False), shape).n_columns
    240
    """
    return widened(shape, views)


def judging_seconds(n_scores: int) -> float:
    """Predict the seconds that it takes to calibrate, decide on and measure scores.

    Parameters
    ----------
    n_scores : int
        Number of rows times number of nodes.

    Examples
    --------
    >>> from hilabel.costs import judging_seconds
    >>> judging_seconds(10_000) < judging_seconds(100_000_000)
    True
    """
    work = Work("judging", {"scores": n_scores, "start": 1.0})
    return seconds_of(work) * machine_factor()


def usual_seconds(shape: DataShape) -> float:
    """Return how long training may take by default, on the reference machine.

    It grows with the number of labels to learn, up to a few minutes.

    Examples
    --------
    >>> from hilabel.costs import DataShape, usual_seconds
    >>> usual_seconds(DataShape(2_000, 0, 80, 80.0, 160, 12.5, False))
    300.0
    """
    n_labels = shape.n_rows * shape.n_nodes
    return min(_LEAST_SECONDS + _SECONDS_PER_LABEL * n_labels, _MOST_SECONDS)


def _as_cost(job: Job | None) -> Cost | None:
    if job is None:
        return None
    seconds = sum(seconds_of(work) for work in job.works)
    return Cost(seconds * machine_factor(), job.memory)
