"""Base class for classifiers that consist of local scikit-learn classifiers."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils import Tags, get_tags

from hilabel._compat import HasMethods
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.forests import ForestClassifier


@dataclass(eq=False, repr=False, kw_only=True)
class BaseLocalClassifier(BaseHierarchicalClassifier):
    """Base class for classifiers that train clones of ``estimator`` on subsets of rows.

    Sparse input and missing values are supported if the local classifier supports them.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    estimator: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    def _default_estimator(self) -> Any:
        """Return the local classifier for ``estimator=None``."""
        return ForestClassifier()

    def _local_estimator(self) -> Any:
        return self._default_estimator() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._local_estimator()).input_tags.sparse
        return tags

    def _missing_value_advice(self) -> str | None:
        local = self._local_estimator()
        if get_tags(local).input_tags.allow_nan:
            return None
        return f"the local classifier, {type(local).__name__}, does not support them"
